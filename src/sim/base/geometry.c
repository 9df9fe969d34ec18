/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks which caches can exist. Composes sentences itself: there is no libc here. */
#include "sim/base/geometry.h"

#include "sim/base/events.h"

#define MAX_LINES  ((uint64_t)1 << 31) /* of a cache: places are 32-bit numbers */
#define MAX_SETS   ((uint64_t)1 << 22) /* if not a power of two: see sim_cache_set */
#define PLRU_WAYS  64u		       /* a word has a bit for each way but one */
#define SRRIP_WAYS 1024u	       /* a victim is searched among all ways */
#define PAGE_BYTES ((uint64_t)1 << 30)

/* ---- Sentences ---- */

struct sentence {
	char *text;
	size_t room, length;
};

static void put(struct sentence *s, const char *words)
{
	for (; *words != '\0' && s->length + 1 < s->room; words++)
		s->text[s->length++] = *words;
	if (s->room > 0)
		s->text[s->length] = '\0';
}

static void put_number(struct sentence *s, uint64_t n)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;

	for (*at = '\0'; n > 9; n /= 10)
		*--at = (char)('0' + n % 10);
	*--at = (char)('0' + n);
	put(s, at);
}

/* Compose "L1d: 48 bytes a line: it has to be ...". Returns -1. */
static int refuse(struct sentence *s, const char *name, uint64_t number, const char *why)
{
	put(s, name);
	put(s, ": ");
	if (number > 0)
		put_number(s, number);
	put(s, why);
	return -1;
}

/* ---- One cache ---- */

static bool is_power_of_two(uint64_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

static uint64_t ways_of(const struct sim_cache_geometry *c)
{
	return c->ways > 0 ? c->ways : c->size_bytes / c->line_bytes;
}

static int check_shape(const struct sim_cache_geometry *c, const char *name, bool is_first,
		       struct sentence *s)
{
	uint64_t ways, sets;

	if (c->line_bytes < SIM_MIN_LINE || c->line_bytes > SIM_MAX_LINE ||
	    !is_power_of_two(c->line_bytes))
		return refuse(s, name, c->line_bytes,
			      " bytes a line: it is a power of two from 16 to 4096");
	if (c->size_bytes % c->line_bytes != 0)
		return refuse(s, name, c->size_bytes, " bytes are no whole number of lines");
	if (c->size_bytes / c->line_bytes > MAX_LINES)
		return refuse(s, name, c->size_bytes, " bytes are more than 2^31 lines");
	ways = ways_of(c);
	if (ways > c->size_bytes / c->line_bytes)
		return refuse(s, name, ways, " ways are more than the cache has lines");
	if (c->size_bytes / c->line_bytes % ways != 0)
		return refuse(s, name, ways, " ways do not divide the lines of the cache");
	sets = c->size_bytes / c->line_bytes / ways;
	if (is_first && !is_power_of_two(sets))
		return refuse(s, name, sets, " sets: in a first level they are a power of two");
	if (!is_power_of_two(sets) && sets > MAX_SETS)
		return refuse(s, name, sets, " sets: above 2^22 they are a power of two");
	return 0;
}

static int check_policy(const struct sim_cache_geometry *c, const char *name, struct sentence *s)
{
	uint64_t ways = ways_of(c);

	if (c->replacement == SIM_REPLACE_PLRU && (!is_power_of_two(ways) || ways > PLRU_WAYS))
		return refuse(s, name, ways, " ways: with plru they are a power of two up to 64");
	if (c->replacement == SIM_REPLACE_SRRIP && ways > SRRIP_WAYS)
		return refuse(s, name, ways, " ways: with srrip they are 1024 at most");
	return 0;
}

/* ---- The code's cache, and the levels ---- */

static const char *const names[] = {"L1d", "L2", "L3", "L4", "L5"};

static const char *name_of(const struct sim_geometry *g, unsigned level)
{
	if (level == 0)
		return g->is_unified ? "L1" : names[0];
	return level + 1 == g->level_count ? "LL" : names[level];
}

static int check_code(const struct sim_geometry *g, struct sentence *s)
{
	const struct sim_cache_geometry *c = &g->code;

	if (c->size_bytes == 0)
		return 0;
	if (g->is_unified)
		return refuse(s, "L1i", 0, "there is none beside an L1 that serves both");
	if (c->inclusion != SIM_NEITHER)
		return refuse(s, "L1i", 0, "a first level is neither inclusive nor exclusive");
	if (c->is_write_through || c->no_write_allocate)
		return refuse(s, "L1i", 0, "nothing is stored to it: it has no policy for that");
	if (c->prefetcher == SIM_PREFETCH_STRIDE)
		return refuse(s, "L1i", 0, "a stride prefetcher is for data; next-line can be had");
	return check_shape(c, "L1i", true, s) != 0 ? -1 : check_policy(c, "L1i", s);
}

/* Check a level against one above it. */
static int check_pair(const struct sim_cache_geometry *c, const struct sim_cache_geometry *above,
		      const char *name, bool is_next, struct sentence *s)
{
	if (above->size_bytes == 0)
		return 0;
	if (c->inclusion == SIM_INCLUSIVE && c->size_bytes < above->size_bytes)
		return refuse(s, name, c->size_bytes, " bytes cannot include a larger cache above");
	if (c->inclusion == SIM_INCLUSIVE && c->line_bytes < above->line_bytes)
		return refuse(s, name, c->line_bytes,
			      " bytes a line: an inclusive level has no shorter ones than those "
			      "above");
	if (c->inclusion != SIM_EXCLUSIVE || !is_next)
		return 0;
	if (c->line_bytes != above->line_bytes)
		return refuse(s, name, c->line_bytes,
			      " bytes a line: an exclusive level has lines as long as those above");
	if (above->is_write_through || above->no_write_allocate)
		return refuse(s, name, 0,
			      "above an exclusive level are only write-back, allocating ones");
	return 0;
}

static int check_level(const struct sim_geometry *g, unsigned level, struct sentence *s)
{
	const struct sim_cache_geometry *c = &g->levels[level];
	const char *name = name_of(g, level);

	if (c->size_bytes == 0)
		return refuse(s, name, 0, "its size is missing");
	if (level == 0 && c->inclusion != SIM_NEITHER)
		return refuse(s, name, 0, "a first level is neither inclusive nor exclusive");
	if (check_shape(c, name, level == 0, s) != 0 || check_policy(c, name, s) != 0)
		return -1;
	if (c->inclusion == SIM_EXCLUSIVE && (c->is_write_through || c->no_write_allocate))
		return refuse(s, name, 0, "an exclusive level is write-back and allocates");
	if (c->inclusion == SIM_EXCLUSIVE && c->prefetcher != SIM_PREFETCH_NONE)
		return refuse(s, name, 0,
			      "an exclusive level is filled from above: it has no "
			      "prefetcher");
	for (unsigned above = 0; above < level; above++)
		if (check_pair(c, &g->levels[above], name, above + 1 == level, s) != 0)
			return -1;
	return level > 0 ? check_pair(c, &g->code, name, level == 1, s) : 0;
}

/* ---- TLBs ---- */

static int check_tlb(const struct sim_tlb_geometry *t, const char *name, struct sentence *s)
{
	uint32_t ways = t->ways > 0 ? t->ways : t->entries;

	if (t->entries == 0)
		return 0;
	if (t->page_bytes < SIM_MAX_LINE || t->page_bytes > PAGE_BYTES ||
	    !is_power_of_two(t->page_bytes))
		return refuse(s, name, t->page_bytes,
			      " bytes a page: it is a power of two from 4K to 1G");
	if (t->entries % ways != 0)
		return refuse(s, name, ways, " ways do not divide its entries");
	if (!is_power_of_two(t->entries / ways))
		return refuse(s, name, t->entries / ways, " sets: they are a power of two");
	return 0;
}

static int check_tlbs(const struct sim_geometry *g, struct sentence *s)
{
	if (g->is_tlb_unified && g->code_tlb.entries > 0)
		return refuse(s, "ITLB", 0, "there is none beside a TLB that serves both");
	if (g->is_tlb_unified && g->data_tlb.entries == 0)
		return refuse(s, "TLB", 0, "its size is missing");
	if (g->second_tlb.entries > 0 && g->code_tlb.entries == 0 && g->data_tlb.entries == 0)
		return refuse(s, "STLB", 0, "a second TLB needs a first one");
	if (check_tlb(&g->code_tlb, "ITLB", s) != 0 || check_tlb(&g->data_tlb, "DTLB", s) != 0)
		return -1;
	return check_tlb(&g->second_tlb, "STLB", s);
}

int sim_geometry_check(const struct sim_geometry *g, char *reason, size_t room)
{
	struct sentence s = {reason, room, 0};

	if (g->level_count == 0)
		return refuse(&s, "no cache of data", 0, "a geometry needs L1d, or L1 for both");
	if (g->level_count > SIM_MAX_LEVELS)
		return refuse(&s, "too many levels", g->level_count, ": 5 at most");
	if (check_code(g, &s) != 0)
		return -1;
	for (unsigned level = 0; level < g->level_count; level++)
		if (check_level(g, level, &s) != 0)
			return -1;
	if (check_tlbs(g, &s) != 0)
		return -1;
	if (g->line_use && g->levels[g->level_count - 1].inclusion == SIM_EXCLUSIVE)
		return refuse(&s, "line use", 0,
			      "it is not known of an exclusive last level, which loads nothing");
	return 0;
}

bool sim_geometry_has_fetches(const struct sim_geometry *g)
{
	return g->is_unified || g->is_tlb_unified || g->code.size_bytes > 0 ||
	       g->code_tlb.entries > 0;
}

unsigned sim_geometry_private_levels(const struct sim_geometry *g)
{
	return g->level_count > 1 ? g->level_count - 1 : g->level_count;
}

static uint64_t sets_of(const struct sim_cache_geometry *c)
{
	return c->size_bytes == 0 ? 0 : c->size_bytes / c->line_bytes / ways_of(c);
}

uint64_t sim_geometry_least_sets(const struct sim_geometry *g)
{
	uint64_t least = sets_of(&g->levels[0]), other;

	for (unsigned i = 0; i <= g->level_count; i++) {
		other = sets_of(i < g->level_count ? &g->levels[i] : &g->code);
		least = other != 0 && other < least ? other : least;
	}
	for (unsigned i = 0; i <= g->level_count; i++) {
		const struct sim_cache_geometry *c = i < g->level_count ? &g->levels[i] : &g->code;

		if (c->size_bytes != 0 &&
		    (sets_of(c) % least != 0 || c->line_bytes != g->levels[0].line_bytes))
			return 0;
	}
	return least;
}

bool sim_cache_is_plain(const struct sim_cache_geometry *c)
{
	return c->size_bytes == 0 ||
	       (c->inclusion == SIM_NEITHER && c->prefetcher == SIM_PREFETCH_NONE &&
		!c->is_write_through && !c->no_write_allocate);
}

bool sim_geometry_is_plain(const struct sim_geometry *g)
{
	for (unsigned i = 0; i < g->level_count; i++)
		if (!sim_cache_is_plain(&g->levels[i]))
			return false;
	return sim_cache_is_plain(&g->code) && g->code_tlb.entries == 0 &&
	       g->data_tlb.entries == 0 && g->second_tlb.entries == 0 && !g->line_use &&
	       !g->write_backs;
}
