/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's counting of misses by data structure against the naive reference, without a target:
 * both get the same accesses.
 *
 *   whose_offline FIRST END         random traces, hierarchies and owners of memory, of these seeds
 *   whose_offline CACHE... <TRACE   a trace of lackey's, in this hierarchy
 *
 * What the engine's other rooms say is made up: offline_owners.h. Exit status 1 if any count
 * differs.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/draw.h"
#include "channel/bin.h"
#include "collector/simulation/geometry_text.h"
#include "collector/simulation/trace.h"
#include "engine/core/records.h"
#include "engine/data/alloc.h"
#include "engine/simulate/counts/sim_pages.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/patterns.h"
#include "engine/simulate/observe/recency.h"
#include "engine/simulate/observe/structures.h"
#include "engine/simulate/plan/plan.h"
#include "naive_bins.h"
#include "offline_owners.h"
#include "sim/system/below.h"

#define MOST_SITES 4096

struct engine engine;

/* ---- What comes out of the engine ---- */

static void *found;    /* struct naive_count, by key */
static bool is_coarse; /* some pairs have no functions */

static int compare(const void *a, const void *b)
{
	return memcmp(&((const struct naive_count *)a)->key, &((const struct naive_count *)b)->key,
		      sizeof(((const struct naive_count *)a)->key));
}

static void add(void **tree, const struct naive_count *c)
{
	struct naive_count *sum, **node = tfind(c, tree, compare);

	if (node != NULL) {
		sum = *node;
		sum->missed += c->missed;
		sum->cold += c->cold;
		sum->by_self += c->by_self;
		sum->conflicts += c->conflicts;
		return;
	}
	sum = malloc(sizeof(*sum));
	if (sum == NULL)
		err(1, "sums");
	*sum = *c;
	tsearch(sum, tree, compare);
}

void records_bin(struct process *p, struct record_bin *r)
{
	(void)p;
	for (unsigned level = 0; level < BIN_MOST_LEVELS; level++) {
		const bool is_code = level == 0 && r->data.kind == BIN_CODE;
		struct naive_count c = {.key = {.cache = is_code ? NAIVE_FIRST_CODE : level,
						.where = r->pc,
						.structure = r->data.site},
					.missed = r->counts[level].missed,
					.cold = r->counts[level].cold,
					.by_self = r->counts[level].by_self,
					.conflicts = r->counts[level].conflicts};

		if (c.missed > 0)
			add(&found, &c);
	}
}

void records_references(struct process *p, struct record_references *r)
{
	(void)p;
	(void)r;
}

/* There are no windows. */
bool patterns_start(void)
{
	return true;
}

void patterns_flush(struct process *p)
{
	(void)p;
}

void patterns_forked(void)
{
}

void records_eviction(struct process *p, struct record_eviction *r)
{
	struct naive_count c = {.key = {.cache = r->cache,
					.where = r->function,
					.structure = r->data.site,
					.evictor = r->evictor,
					.evictor_structure = r->evictor_data.site,
					.is_eviction = 1},
				.missed = r->count,
				.conflicts = r->conflicts};

	(void)p;
	is_coarse |= r->function == 0;
	add(&found, &c);
}

/* ---- An access, as the filter makes it ---- */

static struct sim_hierarchy h;
static const struct naive_access *now;
static uint32_t bin;
static bool missed_in[NAIVE_CACHES];
static struct sim_cache full[SIM_MAX_LEVELS]; /* beside the levels below the first */
static bool is_conflict;		      /* in the level that the access looked into last */

/* Instructions have numbers, as long as these last. */
static uint32_t site_of(uint64_t pc)
{
	static uint64_t pcs[MOST_SITES];
	const uint32_t site = (uint32_t)(pc * 0x9e3779b97f4a7c15 >> 52);

	if (site == 0)
		return 0;
	if (pcs[site] == 0)
		pcs[site] = pc;
	return pcs[site] == pc ? site : 0;
}

static void came(void *context, unsigned cache, uint64_t line, uint64_t victim)
{
	const uint32_t site = site_of(now->pc);

	(void)context;
	if (bin == 0 && now->kind == NAIVE_FETCH) {
		/* a site is either of a fetch or of data */
		bin = bins_of_code(0, now->pc);
	} else if (bin == 0) {
		uint64_t offset;

		bin = bins_known(site, now->address, bins_versions().data);
		if (bin == 0)
			bin = bins_in_block(site, now->address, &offset);
		if (bin == 0)
			bin = bins_of_data(site, now->pc, now->address);
		bins_missed_at(bin, site, now->address);
	}
	bins_replaced(bin, cache, line, victim,
		      missed_in[cache] ? BIN_MISS_COUNTED
		      : is_conflict    ? BIN_MISS_CONFLICT
				       : BIN_MISS_KNOWN,
		      now->address);
	missed_in[cache] = true;
}

static void looks(void *context, unsigned level, uint64_t line)
{
	struct sim_cache *c = &full[level];

	(void)context;
	is_conflict = sim_cache_use(c, line, 0) != SIM_NO_LINE;
	if (!is_conflict)
		sim_cache_insert(c, line, 0);
}

static const struct sim_watch watch = {.came = came, .looks = looks};

/*
 * ---- First levels: code hits lines that the cache beside has, too, and only writes a stamp ----
 */

struct first {
	struct sim_index places; /* by line, of its stamp */
	uint64_t *stamps, used;
	struct recency beside;
};

static struct first firsts[2]; /* of data, of code */
static uint64_t clock_now;

static void start_first(struct first *f, uint32_t lines)
{
	f->stamps = calloc(lines, sizeof(*f->stamps));
	if (f->stamps == NULL || sim_index_init(&f->places, lines, &sim_pages) != 0 ||
	    recency_init(&f->beside, lines, f->stamps, lines) != 0)
		errx(1, "no memory");
}

static void hit_first(struct first *f, uint64_t line)
{
	uint64_t *stamp = &f->stamps[sim_index_find(&f->places, line)];
	const uint64_t *out;

	if (!recency_holds(&f->beside, stamp))
		recency_use(&f->beside, line, stamp, &out);
	*stamp = ++clock_now;
}

static void miss_first(struct first *f, uint64_t line, uint64_t victim)
{
	const uint64_t *out;
	uint64_t *stamp;

	if (victim != SIM_NO_LINE) {
		stamp = &f->stamps[sim_index_remove(&f->places, victim)];
		recency_leave(&f->beside, stamp);
	} else {
		stamp = &f->stamps[f->used++];
	}
	sim_index_add(&f->places, line, (uint32_t)(stamp - f->stamps));
	is_conflict = recency_use(&f->beside, line, stamp, &out);
	*stamp = ++clock_now;
}

static void access_one(const struct naive_access *a)
{
	const bool is_fetch = a->kind == NAIVE_FETCH;
	const unsigned slot = is_fetch ? SIM_CODE_SLOT : 0;
	const uint32_t most = h.shared.most_bytes, bytes = a->bytes < most ? a->bytes : most;
	const uint64_t last = a->address + bytes - 1;
	struct sim_cache *c = &h.core.own[slot].cache;
	struct first *f = &firsts[is_fetch];
	uint64_t events[SIM_MAX_EVENTS] = {0};

	if (is_fetch && h.shared.geometry.code.size_bytes == 0)
		return;
	now = a;
	bin = 0;
	memset(missed_in, 0, sizeof(missed_in));
	for (uint64_t line = a->address >> c->shift; line <= last >> c->shift; line++) {
		uint64_t victim;

		if (sim_cache_use(c, line, 0) != SIM_NO_LINE) {
			hit_first(f, line);
			continue;
		}
		victim = sim_cache_insert(c, line, 0);
		victim = victim != SIM_NO_LINE ? sim_entry_line(victim) : SIM_NO_LINE;
		miss_first(f, line, victim);
		came(NULL, is_fetch ? NAIVE_FIRST_CODE : 0, line, victim);
	}
	if (bin != 0)
		sim_below_watched(&h.core, is_fetch ? SIM_FETCH : SIM_LOAD, a->address, last,
				  events, &watch);
}

/* ---- Both ---- */

static struct naive_bins *naive;

static void *take(void *context, uint64_t bytes)
{
	(void)context;
	return calloc(1, bytes);
}

static void give(void *context, void *memory, uint64_t bytes)
{
	(void)context;
	(void)bytes;
	free(memory);
}

static void start_full(struct sim_cache *c, const struct sim_cache_geometry *g)
{
	const struct sim_cache_geometry one_set = {
		.size_bytes = g->size_bytes,
		.ways = (uint32_t)(g->size_bytes / g->line_bytes),
		.line_bytes = g->line_bytes,
		.replacement = SIM_REPLACE_LRU};

	if (sim_cache_init(c, &one_set, &sim_pages) != 0)
		errx(1, "no memory");
}

static void start(const struct sim_geometry *g)
{
	static const struct sim_memory memory = {NULL, take, give};

	if (sim_hierarchy_init(&h, g, false, &memory) != 0 || !h.shared.is_basic)
		errx(1, "no such hierarchy");
	start_first(&firsts[0], (uint32_t)(g->levels[0].size_bytes / g->levels[0].line_bytes));
	if (g->code.size_bytes > 0)
		start_first(&firsts[1], (uint32_t)(g->code.size_bytes / g->code.line_bytes));
	for (unsigned level = 1; level < g->level_count; level++)
		start_full(&full[level], &g->levels[level]);
	plan.data = true;
	if (!bins_start(g, MOST_SITES, false))
		errx(1, "no address space");
	naive = naive_bins_new(g);
}

static void access_both(enum naive_kind kind, uint64_t pc, uint64_t address, uint32_t bytes)
{
	const struct naive_access a = {.kind = kind,
				       .pc = pc,
				       .function = offline_function(pc),
				       .structure = kind == NAIVE_FETCH ? structures_of_code(pc)
									: offline_owner(address),
				       .address = address,
				       .bytes = bytes};

	access_one(&a);
	naive_bins_access(naive, &a);
}

/* How far the counts differ, and in how many places. */
static size_t compared, wrong;
static uint64_t conflicts;

static void expect(const struct naive_count *c, void *context)
{
	struct naive_count **node = tfind(c, &found, compare);
	const struct naive_count none = {0}, *ours = node != NULL ? *node : &none;

	(void)context;
	compared++;
	if (c->key.is_eviction && is_coarse)
		return;
	conflicts += c->conflicts;
	if (ours->missed == c->missed && ours->cold == c->cold && ours->by_self == c->by_self &&
	    ours->conflicts == c->conflicts)
		return;
	if (wrong++ < 5)
		printf("%s cache %" PRIu64 " at %" PRIx64 ", structure %" PRIu64
		       ": expected %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ", found %" PRIu64
		       " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       c->key.is_eviction ? "eviction" : "bin", c->key.cache, c->key.where,
		       c->key.structure, c->missed, c->cold, c->by_self, c->conflicts, ours->missed,
		       ours->cold, ours->by_self, ours->conflicts);
}

static void without_functions(const struct naive_count *c, void *sums)
{
	struct naive_count sum = *c;

	if (!c->key.is_eviction)
		return;
	sum.key.where = sum.key.evictor = 0;
	add(sums, &sum);
}

static void count_misses(const struct naive_count *c, void *sum)
{
	*(uint64_t *)sum += c->missed;
}

static void each_found(const void *node, VISIT order, void *context)
{
	void **arguments = context;

	if (order == postorder || order == leaf)
		((void (*)(const struct naive_count *, void *))arguments[0])(
			*(struct naive_count *const *)node, arguments[1]);
}

/* Nothing was counted that should not be, and no pair of structures differs. */
static void compare_sums(void)
{
	uint64_t ours = 0, theirs = 0;
	void *pairs = NULL;

	twalk_r(found, each_found, (void *[]){(void *)count_misses, &ours});
	naive_bins_each(naive, count_misses, &theirs);
	if (ours != theirs && wrong++ < 5)
		printf("%" PRIu64 " misses and evictions, expected %" PRIu64 "\n", ours, theirs);
	if (!is_coarse)
		return;
	twalk_r(found, each_found, (void *[]){(void *)without_functions, &pairs});
	found = pairs;
	pairs = NULL;
	naive_bins_each(naive, without_functions, &pairs);
	is_coarse = false;
	twalk_r(pairs, each_found, (void *[]){(void *)expect, NULL});
}

/* Returns the exit status. */
static int finish(void)
{
	bins_flush(NULL, true);
	naive_bins_each(naive, expect, NULL);
	compare_sums();
	naive_bins_free(naive);
	return wrong > 0;
}

/* ---- Random traces ---- */

static struct sim_cache_geometry random_cache(uint64_t most_lines, uint32_t line_bytes)
{
	static const uint32_t ways[] = {1, 2, 3, 4, 7, 8, 12, 16};
	static const enum sim_replacement policies[] = {SIM_REPLACE_LRU, SIM_REPLACE_FIFO,
							SIM_REPLACE_RANDOM};
	struct sim_cache_geometry g = {.ways = ways[draw() % 8],
				       .line_bytes = line_bytes,
				       .replacement = policies[draw() % 3],
				       .seed = draw() % 100};
	uint64_t sets = 1;

	while (2 * sets * g.ways <= most_lines && draw() % 8 != 0)
		sets *= 2;
	g.size_bytes = sets * g.ways * line_bytes;
	return g;
}

static void random_geometry(struct sim_geometry *g)
{
	const uint32_t line = 32u << draw() % 3;

	*g = (struct sim_geometry){.level_count = 1 + (unsigned)(draw() % 3)};
	if (draw() % 4 != 0)
		g->code = random_cache(64, 32u << draw() % 3);
	for (unsigned level = 0; level < g->level_count; level++)
		g->levels[level] = random_cache(32ull << 3 * level, line << (draw() % 4 == 0));
}

/* An address near the one before, or anywhere in one of some sizes. */
static uint64_t random_address(void)
{
	static uint64_t last;

	last = draw() % 2 != 0 ? last + draw() % 80 : draw() % (4096ull << 2 * (draw() % 4));
	return 0x10000 + last;
}

static int run_random(uint64_t number)
{
	struct sim_geometry g;
	uint64_t pc = 0x400000;

	seed = number * 2 + 1;
	for (int i = 0; i < 20; i++)
		draw();
	random_geometry(&g);
	start(&g);
	for (int i = 0; i < 12000; i++) {
		pc = draw() % 8 != 0 ? pc + 4 : 0x400000 + draw() % (1024ull << 3 * (draw() % 3));
		access_both(NAIVE_FETCH, pc, pc, 1 + (uint32_t)(draw() % 12));
		for (uint64_t n = draw() % 3; n > 0; n--)
			access_both(draw() % 2 ? NAIVE_LOAD : NAIVE_STORE, pc, random_address(),
				    1u << draw() % 7);
		if (draw() % 700 == 0)
			offline_version++;
		if (draw() % 3000 == 0)
			bins_forget_sites();
		if (draw() % 5000 == 0)
			bins_flush(NULL, true);
	}
	return finish();
}

/* ---- Recorded traces ---- */

static int run_trace(char **caches)
{
	struct geometry_plan plan = {0};
	uint64_t pc = 0, accesses = 0;
	struct sim_geometry g;
	char line[256];
	struct err e = {0};
	int status;

	for (; *caches != NULL; caches++)
		if (geometry_add(&plan, *caches, &e) != 0)
			errx(2, "%s", e.text);
	if (geometry_build(&plan, &g, &e) != 0)
		errx(2, "%s", e.text);
	start(&g);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct trace_access t;

		line[strcspn(line, "\n")] = '\0';
		if (trace_read_line(TRACE_LACKEY, line, &t, &e) <= 0)
			continue;
		if (t.kind == SIM_FETCH)
			pc = t.address;
		access_both(t.kind == SIM_FETCH ? NAIVE_FETCH : NAIVE_LOAD, pc, t.address, t.bytes);
		if (++accesses % 1000003 == 0)
			offline_version++;
	}
	status = finish();
	printf("%" PRIu64 " accesses, %zu counts, %" PRIu64 " conflicts, %zu differ\n", accesses,
	       compared, conflicts, wrong);
	return status;
}

int main(int argc, char **argv)
{
	char *end;
	int failed = 0;

	if (argc < 2)
		errx(2, "usage: whose_offline FIRST END, or whose_offline CACHE... <TRACE");
	if (strchr(argv[1], '=') != NULL || argc != 3)
		return run_trace(argv + 1);
	for (uint64_t n = strtoull(argv[1], &end, 10); n < strtoull(argv[2], NULL, 10); n++) {
		int status = 1;

		fflush(stdout);
		if (fork() == 0)
			return run_random(n);
		wait(&status);
		if (status != 0)
			printf("seed %" PRIu64 ": not as the naive reference\n", n);
		failed += status != 0;
	}
	return failed > 0;
}
