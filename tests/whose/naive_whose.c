/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses by data structure of a trace, by the naive reference.
 *
 *   naive_whose MAP CACHE... <TRACE
 *
 * TRACE is one of valgrind --tool=lackey --trace-mem=yes. A CACHE is as for --cache; all caches of
 * the hierarchy must be named. MAP says what lies where, by lines of words, numbers in hex:
 *
 *   function START END    variable START END    mapping START END
 *   call START END        an instruction; a site has its last byte
 *   return PC             an instruction
 *   size PC BASE          the instruction at PC accesses BASE + the size of the next block
 *   begin PC, end PC      it accesses the 8 bytes before a block that begins, or ends
 *   atomic PC             its loads and its store are one reference
 *   copy PC               if it loads and stores the same place, these are two references
 *   allocates PC          a function that allocates a block begins: what it accesses in the block
 *                         before that begins also belongs to it
 *
 * So a program tells of its blocks by accesses, which the trace has. A trace of steps.c has lines
 * that tell of them. Prints lines of
 *   bin CACHE PC STRUCTURE MISSES COLD BY_SELF CONFLICTS
 *   eviction CACHE FUNCTION STRUCTURE EVICTOR EVICTOR_STRUCTURE MISSES CONFLICTS
 *   references 0 PC STRUCTURE COUNT
 * where a structure is "variable:START", "mapping", "stack", "allocator", "code", "unknown", or
 * "site:" and its calls, the innermost first.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/simulation/geometry_text.h"
#include "collector/simulation/trace.h"
#include "naive_bins.h"

#define MOST_RANGES 65536
#define MOST_CALLS  256
#define MOST_SITES  4096
#define MOST_HELD   65536

enum range_kind {
	FUNCTION,
	VARIABLE,
	MAPPING,
	CALL,
	RETURN,
	SIZE,
	BEGIN,
	END,
	ATOMIC,
	COPY,
	ALLOCATES,
	STACK,
	HEAP,
	BRK,
	LOCALS,
	THREAD,
	THREAD_LOCALS,
	KINDS
};

static const char *const words[KINDS] = {"function",  "variable",     "mapping", "call",   "return",
					 "size",      "begin",	      "end",	 "atomic", "copy",
					 "allocates", "stack",	      "heap",	 "brk",	   "locals",
					 "thread",    "thread-locals"};

struct range {
	uint64_t start, end;
	uint64_t site; /* of a block; of size: see above */
};

static struct {
	struct range ranges[KINDS][MOST_RANGES]; /* sorted */
	size_t count[KINDS];
	uint64_t calls[MOST_CALLS]; /* open ones: where they are */
	size_t depth;
	char *sites[MOST_SITES]; /* their names */
	size_t site_count;
	void *blocks;	  /* struct range, live ones */
	void *references; /* struct references, by pc and structure */
	uint64_t size;	  /* of the next block */
	/* accesses since a function that allocates has begun, and the references that they are */
	bool are_held;
	struct naive_access held[MOST_HELD];
	uint64_t held_references[MOST_HELD];
	size_t held_count;
} m;

/* A structure: its kind, and the start of a variable, or the number of a site. */
enum {
	OF_VARIABLE,
	OF_SITE,
	OF_MAPPING,
	OF_CODE,
	OF_STACK,
	OF_ALLOCATOR,
	OF_BRK,
	OF_LOCALS,
	OF_THREAD,
	OF_THREAD_LOCALS,
	OF_NONE
};
#define STRUCTURE(kind, what) ((uint64_t)(kind) << 60 | (what))

/* Ranges that overlap are equal. */
static int compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->end <= y->start ? -1 : x->start >= y->end;
}

static const struct range *find(enum range_kind kind, uint64_t address)
{
	const struct range wanted = {.start = address, .end = address + 1};

	return bsearch(&wanted, m.ranges[kind], m.count[kind], sizeof(wanted), compare);
}

static void read_map(const char *path)
{
	FILE *in = fopen(path, "r");
	char word[32];
	struct range r;
	char line[128];

	if (in == NULL)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), in) != NULL) {
		const int numbers =
			sscanf(line, "%31s %" SCNx64 " %" SCNx64, word, &r.start, &r.end) - 1;
		size_t kind = 0;

		while (kind < KINDS && strcmp(word, words[kind]) != 0)
			kind++;
		if (kind == KINDS || numbers < 1 || m.count[kind] == MOST_RANGES)
			errx(1, "%s: %s", path, line);
		r.site = kind == SIZE ? r.end : 0;
		if (kind > CALL)
			r.end = r.start + 1;
		m.ranges[kind][m.count[kind]++] = r;
	}
	fclose(in);
	for (size_t kind = 0; kind < KINDS; kind++)
		qsort(m.ranges[kind], m.count[kind], sizeof(r), compare);
}

/* ---- What the program does ---- */

static uint64_t site_by_name(const char *name)
{
	size_t site = 0;

	while (site < m.site_count && strcmp(m.sites[site], name) != 0)
		site++;
	if (site == MOST_SITES)
		errx(1, "too many sites");
	if (site == m.site_count)
		m.sites[m.site_count++] = strdup(name);
	return site;
}

/* The site of a block that is allocated now: the open calls. */
static uint64_t site_now(void)
{
	char name[MOST_CALLS * 18] = "site:";
	size_t used = strlen(name);

	for (size_t i = m.depth; i-- > 0;)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "%" PRIx64 "%s",
					 m.calls[i], i > 0 ? "," : "");
	return site_by_name(name);
}

static void follow_calls(uint64_t pc)
{
	const struct range *call = find(CALL, pc);

	if (call != NULL) {
		if (m.depth == MOST_CALLS)
			errx(1, "too many open calls");
		m.calls[m.depth++] = call->end - 1;
	} else if (find(RETURN, pc) != NULL && m.depth > 0) {
		m.depth--;
	}
}

/* What steps.c tells of; the first one that holds an address counts. */
static const struct {
	enum range_kind range;
	unsigned structure;
	const char *name;
} places[] = {{LOCALS, OF_LOCALS, "thread-local"},
	      {STACK, OF_STACK, "stack"},
	      {THREAD, OF_THREAD, "stack"},
	      {THREAD_LOCALS, OF_THREAD_LOCALS, "thread-local"},
	      {MAPPING, OF_MAPPING, "mapping"},
	      {HEAP, OF_ALLOCATOR, "allocator"},
	      {BRK, OF_BRK, "brk"}};

static uint64_t structure_of(uint64_t address)
{
	const struct range wanted = {.start = address, .end = address + 1}, *r;
	struct range **block = tfind(&wanted, &m.blocks, compare);

	if (block != NULL)
		return STRUCTURE(OF_SITE, (*block)->site);
	r = find(VARIABLE, address);
	if (r != NULL)
		return STRUCTURE(OF_VARIABLE, r->start);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (find(places[i].range, address) != NULL)
			return STRUCTURE(places[i].structure, 0);
	return STRUCTURE(OF_NONE, 0);
}

/* References of an instruction to a structure. */
struct references {
	uint64_t pc, structure, count;
};

static int compare_references(const void *a, const void *b)
{
	const struct references *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->structure > y->structure) - (x->structure < y->structure);
}

static void count_references(uint64_t pc, uint64_t structure, uint64_t n)
{
	struct references wanted = {.pc = pc, .structure = structure};
	struct references **found = tfind(&wanted, &m.references, compare_references), *made;

	if (found == NULL) {
		made = malloc(sizeof(*made));
		if (made == NULL)
			err(1, "references");
		*made = wanted;
		found = tsearch(made, &m.references, compare_references);
	}
	(*found)->count += n;
}

/*
 * As the engine counts loads and stores. Lackey has one line for both of the same place; of an
 * atomic instruction it has a load, and then another with the store.
 */
static uint64_t references_of(uint64_t pc, const struct trace_access *t)
{
	if (t->kind != SIM_LOAD && find(ATOMIC, pc) != NULL)
		return 0;
	return t->kind == SIM_MODIFY && find(COPY, pc) != NULL ? 2 : 1;
}

/* Count what is held; accesses to data in [start, end) are to the structure. */
static void release(struct naive_bins *n, uint64_t start, uint64_t end, uint64_t structure)
{
	for (size_t i = 0; i < m.held_count; i++) {
		struct naive_access *a = &m.held[i];

		if (a->kind != NAIVE_FETCH && a->address >= start && a->address < end)
			a->structure = structure;
		if (a->kind != NAIVE_FETCH)
			count_references(a->pc, a->structure, m.held_references[i]);
		naive_bins_access(n, a);
	}
	m.held_count = 0;
	m.are_held = false;
}

static void begin_block(struct naive_bins *n, uint64_t start, uint64_t end, uint64_t site)
{
	struct range *b = malloc(sizeof(*b));

	if (b == NULL)
		err(1, "blocks");
	*b = (struct range){start, end, site};
	if (*(struct range **)tsearch(b, &m.blocks, compare) != b)
		errx(1, "a block at %" PRIx64 " lies in another one", start);
	release(n, b->start, b->end, STRUCTURE(OF_SITE, b->site));
}

static bool end_block(uint64_t start)
{
	const struct range wanted = {.start = start, .end = start + 1};

	return tdelete(&wanted, &m.blocks, compare) != NULL;
}

/* The instruction at pc accesses `address`. */
static void notice(struct naive_bins *n, uint64_t pc, uint64_t address)
{
	const struct range *size = find(SIZE, pc);

	if (size != NULL)
		m.size = address - size->site;
	if (find(BEGIN, pc) != NULL)
		begin_block(n, address + 8, address + 8 + m.size, site_now());
	if (find(END, pc) != NULL && !end_block(address + 8))
		errx(1, "no block begins at %" PRIx64, address + 8);
}

static void access_one(struct naive_bins *n, uint64_t pc, const struct trace_access *t)
{
	const struct range *function = find(FUNCTION, pc);
	const bool is_fetch = t->kind == SIM_FETCH;

	m.are_held |= is_fetch && find(ALLOCATES, pc) != NULL;
	if (m.held_count == MOST_HELD)
		errx(1, "a function that allocates accesses too much");
	m.held_references[m.held_count] = is_fetch ? 0 : references_of(pc, t);
	m.held[m.held_count++] = (struct naive_access){
		.kind = is_fetch	       ? NAIVE_FETCH
			: t->kind == SIM_STORE ? NAIVE_STORE
					       : NAIVE_LOAD,
		.pc = pc,
		.function = function != NULL ? function->start : 0,
		.structure = is_fetch ? STRUCTURE(OF_CODE, 0) : structure_of(t->address),
		.address = t->address,
		.bytes = t->bytes};
	if (!m.are_held)
		release(n, 0, 0, 0);
	if (is_fetch)
		follow_calls(pc);
	else
		notice(n, pc, t->address);
}

static void set_place(const char *word, uint64_t start, uint64_t end)
{
	for (size_t kind = 0; kind < KINDS; kind++)
		if (strcmp(word, words[kind]) == 0) {
			m.ranges[kind][0] = (struct range){start, end, 0};
			m.count[kind] = 1;
		}
}

/* What steps.c tells of memory. */
static void hear(struct naive_bins *n, const char *line)
{
	char word[32], name[MOST_CALLS * 18] = "site:";
	uint64_t start = 0, end = 0;
	const int words =
		sscanf(line, "=%31s %" SCNx64 " %" SCNx64 " %4000s", word, &start, &end, name + 5);

	if (words == 4 && strcmp(word, "block") == 0)
		begin_block(n, start, end, site_by_name(name));
	else if (words == 2 && strcmp(word, "free") == 0)
		end_block(start); /* the C library also frees what it got without a call */
	else if (words == 1 && strcmp(word, "none") == 0)
		release(n, 0, 0, 0);
	else if (words == 1 && strcmp(word, "allocates") == 0)
		m.are_held = true;
	else if (words == 3)
		set_place(word, start, end);
	else
		errx(1, "%s", line);
}

static void read_trace(struct naive_bins *n)
{
	char line[4200];
	uint64_t pc = 0;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct trace_access t;
		struct err e = {0};
		int got;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '=' && line[1] != '=') {
			hear(n, line);
			continue;
		}
		got = trace_read_line(TRACE_LACKEY, line, &t, &e);
		if (got < 0)
			errx(1, "%s", e.text);
		if (got == 0)
			continue;
		if (t.kind == SIM_FETCH)
			pc = t.address;
		access_one(n, pc, &t);
	}
}

/* ---- What comes out ---- */

static const char *name_of(uint64_t structure, char room[32])
{
	const uint64_t what = structure & (STRUCTURE(1, 0) - 1);

	switch (structure >> 60) {
	case OF_VARIABLE:
		snprintf(room, 32, "variable:%" PRIx64, what);
		return room;
	case OF_SITE:
		return m.sites[what];
	case OF_MAPPING:
		return "mapping";
	case OF_CODE:
		return "code";
	case OF_NONE:
		return "unknown";
	default:
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
			if (places[i].structure == structure >> 60)
				return places[i].name;
		return "unknown";
	}
}

static void print(const struct naive_count *c, void *context)
{
	char one[32], other[32];

	(void)context;
	if (c->key.is_eviction)
		printf("eviction %" PRIu64 " %" PRIx64 " %s %" PRIx64 " %s %" PRIu64 " %" PRIu64
		       "\n",
		       c->key.cache, c->key.where, name_of(c->key.structure, one), c->key.evictor,
		       name_of(c->key.evictor_structure, other), c->missed, c->conflicts);
	else
		printf("bin %" PRIu64 " %" PRIx64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       "\n",
		       c->key.cache, c->key.where, name_of(c->key.structure, one), c->missed,
		       c->cold, c->by_self, c->conflicts);
}

static void print_references(const void *node, VISIT visit, int depth)
{
	const struct references *r = *(struct references *const *)node;
	char room[32];

	(void)depth;
	if (visit == leaf || visit == postorder)
		printf("references 0 %" PRIx64 " %s %" PRIu64 "\n", r->pc,
		       name_of(r->structure, room), r->count);
}

int main(int argc, char **argv)
{
	struct geometry_plan plan = {.no_instructions = true};
	struct sim_geometry g;
	struct naive_bins *n;
	struct err e = {0};

	if (argc < 3)
		errx(2, "usage: naive_whose MAP CACHE... <TRACE");
	read_map(argv[1]);
	for (int i = 2; i < argc; i++) {
		if (strncmp(argv[i], "L1i=", 4) == 0)
			plan.no_instructions = false;
		if (geometry_add(&plan, argv[i], &e) != 0)
			errx(2, "%s", e.text);
	}
	if (geometry_build(&plan, &g, &e) != 0)
		errx(2, "%s", e.text);
	n = naive_bins_new(&g);
	read_trace(n);
	naive_bins_each(n, print, NULL);
	twalk(m.references, print_references);
	return 0;
}
