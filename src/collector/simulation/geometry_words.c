/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing geometries: the words of a cache. See geometry_text.h. */
#include "collector/simulation/geometry_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"

#define MAX_TEXT   256
#define MOST_LINE  4096u /* bytes */
#define MOST_LINES 1000u

/* ---- Tables ---- */

static const struct {
	const char *name;
	int cache; /* -1: a TLB */
	int tlb;
	bool is_unified;
} names[] = {
	{"L1i", GEOMETRY_L1I, -1, false},   {"L1d", GEOMETRY_L1, -1, false},
	{"I1", GEOMETRY_L1I, -1, false},    {"D1", GEOMETRY_L1, -1, false},
	{"L1", GEOMETRY_L1, -1, true},	    {"L2", GEOMETRY_L2, -1, false},
	{"L3", GEOMETRY_L3, -1, false},	    {"L4", GEOMETRY_L4, -1, false},
	{"LL", GEOMETRY_LL, -1, false},	    {"ITLB", -1, GEOMETRY_ITLB, false},
	{"DTLB", -1, GEOMETRY_DTLB, false}, {"TLB", -1, GEOMETRY_DTLB, true},
	{"STLB", -1, GEOMETRY_STLB, false},
};

static const char *const replacements[SIM_REPLACEMENTS] = {
	[SIM_REPLACE_LRU] = "lru",   [SIM_REPLACE_FIFO] = "fifo",   [SIM_REPLACE_RANDOM] = "random",
	[SIM_REPLACE_PLRU] = "plru", [SIM_REPLACE_SRRIP] = "srrip",
};

static const char *const inclusions[] = {
	[SIM_NEITHER] = "neither", [SIM_INCLUSIVE] = "inclusive", [SIM_EXCLUSIVE] = "exclusive"};

static const char *const prefetchers[SIM_PREFETCHERS] = {
	[SIM_PREFETCH_NONE] = "no-prefetch",
	[SIM_PREFETCH_NEXT_LINE] = "next-line",
	[SIM_PREFETCH_STRIDE] = "stride",
};

#define LINE_USE "line-use"

static const char *const writes[] = {"write-back", "write-through"};
static const char *const allocates[] = {"allocate", "no-allocate"};

static const struct {
	const char *name;
	size_t at; /* offset of its bool in the plan */
} flags[] = {
	{"write-backs", offsetof(struct geometry_plan, write_backs)},
	{"no-instructions", offsetof(struct geometry_plan, no_instructions)},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns the index, or -1 if the word is not in the table. */
static int find_word(const char *const *table, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i], word) == 0)
			return (int)i;
	return -1;
}

/* ---- Reading ---- */

/* The properties that words set. A cache has one word of each kind. */
enum word_kind {
	WORD_REPLACEMENT,
	WORD_INCLUSION,
	WORD_PREFETCHER,
	WORD_WRITE,
	WORD_ALLOCATE,
	WORD_KINDS,
};

/* Read "lru", "random:7", "write-through". Returns the kind, or -1 for an unknown word. */
static int read_word(struct sim_cache_geometry *c, const char *word)
{
	int i;

	if ((i = find_word(replacements, COUNT(replacements), word)) >= 0) {
		c->replacement = (enum sim_replacement)i;
		c->seed = c->seed > 0 ? c->seed : 1;
		return WORD_REPLACEMENT;
	}
	if (strncmp(word, "random:", 7) == 0) {
		c->replacement = SIM_REPLACE_RANDOM;
		return number_parse("seed", word + 7, 0, INT64_MAX, &c->seed, NULL) == 0
			       ? WORD_REPLACEMENT
			       : -1;
	}
	if ((i = find_word(inclusions, COUNT(inclusions), word)) >= 0) {
		c->inclusion = (enum sim_inclusion)i;
		return WORD_INCLUSION;
	}
	if ((i = find_word(prefetchers, COUNT(prefetchers), word)) >= 0) {
		c->prefetcher = (enum sim_prefetcher)i;
		return WORD_PREFETCHER;
	}
	if ((i = find_word(writes, COUNT(writes), word)) >= 0) {
		c->is_write_through = i;
		return WORD_WRITE;
	}
	if ((i = find_word(allocates, COUNT(allocates), word)) >= 0) {
		c->no_write_allocate = i;
		return WORD_ALLOCATE;
	}
	return -1;
}

static int read_words(struct sim_cache_geometry *c, char *rest, struct err *err)
{
	const char *given[WORD_KINDS] = {0}, *word;
	int kind;

	while ((word = strsep(&rest, ",")) != NULL) {
		kind = read_word(c, word);
		if (kind < 0)
			return err_set(err,
				       "'%s' is not known of a cache: there are lru, fifo, random, "
				       "random:SEED, plru, srrip, write-back, write-through, "
				       "allocate, no-allocate, inclusive, exclusive, neither, "
				       "next-line, stride and no-prefetch",
				       word);
		if (given[kind] != NULL)
			return err_set(err, "'%s' and '%s': a cache has only one of these",
				       given[kind], word);
		given[kind] = word;
	}
	return 0;
}

static int read_ways(const char *text, uint32_t *ways, struct err *err)
{
	uint64_t n;

	*ways = 0;
	if (strcmp(text, "full") == 0)
		return 0;
	if (number_parse("ways", text, 1, UINT32_MAX, &n, err) != 0)
		return -1;
	*ways = (uint32_t)n;
	return 0;
}

static int read_cache(struct sim_cache_geometry *c, char *rest, struct err *err)
{
	const char *size = strsep(&rest, ","), *ways = strsep(&rest, ",");
	const char *line = strsep(&rest, ",");
	uint64_t line_bytes;

	*c = (struct sim_cache_geometry){0};
	if (line == NULL)
		return err_set(err, "a cache is SIZE,WAYS,LINE, as 32K,8,64");
	if (size_parse(size, &c->size_bytes, err) != 0 || read_ways(ways, &c->ways, err) != 0 ||
	    size_parse(line, &line_bytes, err) != 0)
		return -1;
	c->line_bytes = line_bytes < UINT32_MAX ? (uint32_t)line_bytes : UINT32_MAX;
	return read_words(c, rest, err);
}

static int read_tlb(struct sim_tlb_geometry *t, char *rest, struct err *err)
{
	const char *count = strsep(&rest, ","), *ways = strsep(&rest, ",");
	const char *page = strsep(&rest, ",");
	uint64_t entries;

	*t = (struct sim_tlb_geometry){0};
	if (page == NULL || rest != NULL)
		return err_set(err, "a TLB is ENTRIES,WAYS,PAGE, as 64,4,4K");
	if (number_parse("entries", count, 1, 1 << 20, &entries, err) != 0 ||
	    read_ways(ways, &t->ways, err) != 0)
		return -1;
	t->entries = (uint32_t)entries;
	return size_parse(page, &t->page_bytes, err);
}

static int read_value(struct geometry_plan *p, size_t which, char *value, struct err *err)
{
	bool is_none = strcmp(value, "none") == 0;
	int cache = names[which].cache, tlb = names[which].tlb;

	if (cache >= 0) {
		p->has_cache[cache] = true;
		p->caches[cache] = (struct sim_cache_geometry){0};
		if (cache == GEOMETRY_L1)
			p->is_unified = names[which].is_unified;
		return is_none ? 0 : read_cache(&p->caches[cache], value, err);
	}
	p->has_tlb[tlb] = true;
	p->tlbs[tlb] = (struct sim_tlb_geometry){0};
	if (tlb == GEOMETRY_DTLB)
		p->is_tlb_unified = names[which].is_unified;
	return is_none ? 0 : read_tlb(&p->tlbs[tlb], value, err);
}

/* Copy without blanks and comment. Returns 0, or -1 if it is too long. */
static int copy_bare(char copy[MAX_TEXT], const char *text)
{
	size_t n = 0;

	for (; *text != '\0' && *text != '#'; text++) {
		if (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')
			continue;
		if (n + 1 == MAX_TEXT)
			return -1;
		copy[n++] = *text;
	}
	copy[n] = '\0';
	return 0;
}

int geometry_line_share(const char *text, uint32_t *share, struct err *err)
{
	unsigned n = 0;
	int length = 0;

	*share = 0;
	if (strcmp(text, "all") == 0)
		return 0;
	if (sscanf(text, "1/%u%n", &n, &length) < 1 || text[length] != '\0' || n == 0 ||
	    (n & (n - 1)) != 0 || n > SIM_MOST_LINE_SHARE)
		return err_set(err,
			       "line use of '%s': it is of 'all' lines, or of '1/N', N a power of "
			       "two up to "
			       "%u",
			       text, SIM_MOST_LINE_SHARE);
	*share = n;
	return 0;
}

static int add_line_use(struct geometry_plan *p, const char *value, struct err *err)
{
	p->line_use = true;
	return geometry_line_share(value, &p->line_share, err);
}

static int add_flag(struct geometry_plan *p, const char *name, struct err *err)
{
	if (strcmp(name, LINE_USE) == 0) {
		p->line_use = true;
		p->line_share = SIM_LINE_SHARE;
		return 0;
	}
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (strcmp(flags[i].name, name) != 0)
			continue;
		*(bool *)((char *)p + flags[i].at) = true;
		return 0;
	}
	return err_set(err, "'%s' is no cache: write it as L1d=32K,8,64", name);
}

int geometry_add(struct geometry_plan *p, const char *text, struct err *err)
{
	char copy[MAX_TEXT], *value;

	if (copy_bare(copy, text) != 0)
		return err_set(err, "'%.40s...' is too long for a cache", text);
	if (copy[0] == '\0')
		return 0;
	value = strchr(copy, '=');
	if (value == NULL)
		return add_flag(p, copy, err);
	*value++ = '\0';
	if (strcmp(copy, "machine") == 0)
		return geometry_set_machine(p, value, err);
	if (strcmp(copy, LINE_USE) == 0)
		return add_line_use(p, value, err);
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i].name, copy) != 0)
			continue;
		return read_value(p, i, value, err) != 0 ? err_prefix(err, "%s: ", copy) : 0;
	}
	return err_set(err,
		       "there is no cache '%s': they are L1i, L1d, L1 (for both), L2, L3, L4, LL, "
		       "ITLB, DTLB, TLB (for both) and STLB",
		       copy);
}

int geometry_read_file(struct geometry_plan *p, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct text line = {0};
	unsigned number = 0;
	int status = 0, more = 0;

	if (f == NULL)
		return err_set(err, "cannot read %s: %s", path, strerror(errno));
	while (status == 0 && (more = text_read_line(&line, f, MOST_LINE)) > 0) {
		if (++number > MOST_LINES)
			status = err_set(err, "more than %u lines", MOST_LINES);
		else
			status = geometry_add(p, text_get(&line), err);
	}
	if (status != 0)
		err_prefix(err, "%s, line %u: ", path, number);
	else if (ferror(f))
		status = err_set(err, "cannot read %s: %s", path, strerror(errno));
	else if (more < 0)
		status = err_set(err, "%s, line %u: more than %u bytes", path, number + 1,
				 MOST_LINE);
	text_release(&line);
	fclose(f);
	return status;
}

/* ---- Writing ---- */

/* Append ",word". */
static void put_word(struct geometry_row *r, const char *word)
{
	size_t used = strlen(r->value);

	snprintf(r->value + used, sizeof(r->value) - used, ",%s", word);
}

/* Format a size that can be read back; "1.5M" could not. */
static void format_exact(uint64_t bytes, char buf[SIZE_TEXT_BYTES])
{
	static const char units[] = "KMGT";
	int unit = -1;

	while (bytes % 1024 == 0 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	snprintf(buf, SIZE_TEXT_BYTES, "%" PRIu64 "%.1s", bytes, unit >= 0 ? units + unit : "");
}

static void put_ways(struct geometry_row *r, const char *first, uint32_t ways)
{
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, ways);
	snprintf(r->value, sizeof(r->value), "%s,%s", first, ways > 0 ? number : "full");
}

static void put_cache(struct geometry_row *r, const char *name, const struct sim_cache_geometry *c)
{
	char size[SIZE_TEXT_BYTES], word[40];

	snprintf(r->name, sizeof(r->name), "%s", name);
	format_exact(c->size_bytes, size);
	put_ways(r, size, c->ways);
	snprintf(word, sizeof(word), "%" PRIu32, c->line_bytes);
	put_word(r, word);
	snprintf(word, sizeof(word), "random:%" PRIu64, c->seed);
	put_word(r, c->replacement == SIM_REPLACE_RANDOM ? word : replacements[c->replacement]);
	if (c->inclusion != SIM_NEITHER)
		put_word(r, inclusions[c->inclusion]);
	if (c->is_write_through)
		put_word(r, writes[1]);
	if (c->no_write_allocate)
		put_word(r, allocates[1]);
	if (c->prefetcher != SIM_PREFETCH_NONE)
		put_word(r, prefetchers[c->prefetcher]);
}

static void put_tlb(struct geometry_row *r, const char *name, const struct sim_tlb_geometry *t)
{
	char text[SIZE_TEXT_BYTES];

	snprintf(r->name, sizeof(r->name), "%s", name);
	snprintf(text, sizeof(text), "%" PRIu32, t->entries);
	put_ways(r, text, t->ways);
	format_exact(t->page_bytes, text);
	put_word(r, text);
}

size_t geometry_rows(const struct sim_geometry *g, struct geometry_row rows[GEOMETRY_ROWS])
{
	static const char *const levels[] = {"L1d", "L2", "L3", "L4"};
	size_t n = 0;

	if (g->code.size_bytes > 0)
		put_cache(&rows[n++], "L1i", &g->code);
	else if (!g->is_unified)
		rows[n++] = (struct geometry_row){"L1i", "none"};
	for (unsigned i = 0; i < g->level_count; i++)
		put_cache(&rows[n++],
			  i == 0 && g->is_unified	     ? "L1"
			  : i > 0 && i + 1 == g->level_count ? "LL"
							     : levels[i],
			  &g->levels[i]);
	if (g->level_count == 1)
		rows[n++] = (struct geometry_row){"LL", "none"};
	if (g->code_tlb.entries > 0)
		put_tlb(&rows[n++], "ITLB", &g->code_tlb);
	if (g->data_tlb.entries > 0)
		put_tlb(&rows[n++], g->is_tlb_unified ? "TLB" : "DTLB", &g->data_tlb);
	if (g->second_tlb.entries > 0)
		put_tlb(&rows[n++], "STLB", &g->second_tlb);
	if (g->line_use) {
		rows[n] = (struct geometry_row){LINE_USE, "all"};
		if (g->line_share > 0)
			snprintf(rows[n].value, sizeof(rows[n].value), "1/%u", g->line_share);
		n++;
	}
	if (g->write_backs)
		rows[n++] = (struct geometry_row){"write-backs", ""};
	if (g->sets.parts > 0) {
		snprintf(rows[n].name, sizeof(rows[n].name), "sets");
		snprintf(rows[n].value, sizeof(rows[n].value), "1/%u,%u", g->sets.parts,
			 g->sets.part);
		n++;
	}
	return n;
}
