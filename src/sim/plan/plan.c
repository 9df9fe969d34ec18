/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which way a run is simulated; see plan.h. */
#include "sim/plan/plan.h"

#include "sim/plan/limits.h"
#include "sim/system/multi.h"

/* ---- Asks ---- */

#define OF_DATA	    (SIM_ASK_DATA | SIM_ASK_REFERENCES | SIM_ASK_CONFLICTS)
#define OF_PART	    (SIM_ASK_SAMPLE | SIM_ASK_SETS)
#define OF_CONTEXTS (SIM_ASK_CONTEXT | SIM_ASK_THREADS)
#define OF_GRAPH    (OF_CONTEXTS | SIM_ASK_JUMPS)

static const char *const options[SIM_ASKS] = {
	"--no-filter",	"--also",      "--line-use",	     "--write-backs", "--sample",
	"--sets",	"--context",   "--separate-threads", "--jumps",	      "--data",
	"--references", "--conflicts", "--no-call-graph",
};

const char *sim_ask_option(uint32_t asks)
{
	return options[__builtin_ctz(asks)];
}

/* Asks that exclude others, and why. */
static const struct {
	uint32_t asks, others;
	const char *why;
} contradictions[] = {
	{OF_GRAPH, SIM_ASK_NO_GRAPH, "it is about the call graph"},
	{OF_DATA, SIM_ASK_ALSO, "data is counted in one hierarchy"},
	{OF_DATA, SIM_ASK_NO_FILTER, "the replay does not know data"},
	{SIM_ASK_REFERENCES, SIM_ASK_SETS, "references are those of all sets"},
	{SIM_ASK_CONFLICTS, OF_PART, "a cache of one set, to compare with, needs all accesses"},
	{OF_PART, SIM_ASK_ALSO, "a part of the accesses is simulated in one hierarchy"},
	{OF_PART, SIM_ASK_NO_FILTER, "the replay is of all accesses"},
	{OF_PART, SIM_ASK_LINE_USE, "the use of a line needs all accesses to it"},
	{OF_PART, SIM_ASK_WRITE_BACKS, "dirty lines need all stores"},
	{SIM_ASK_SAMPLE, OF_GRAPH, "calls outside of the sample are not followed"},
	{SIM_ASK_SETS, OF_CONTEXTS, "contexts are counted with all sets only"},
};

#define ROWS(table) (sizeof(table) / sizeof(table)[0])

const char *sim_plan_contradiction(uint32_t asks, uint32_t *one, uint32_t *other)
{
	for (unsigned i = 0; i < ROWS(contradictions); i++) {
		*one = asks & contradictions[i].asks;
		*other = asks & contradictions[i].others;
		if (*one != 0 && *other != 0)
			return contradictions[i].why;
	}
	return NULL;
}

/* ---- What the caches are like ---- */

static uint64_t ways_of(const struct sim_cache_geometry *c)
{
	return c->ways > 0 ? c->ways : c->size_bytes / c->line_bytes;
}

static uint64_t sets_of(const struct sim_cache_geometry *c)
{
	return c->size_bytes / c->line_bytes / ways_of(c);
}

/* Bytes of the stamps of a cache. */
static uint64_t stamp_bytes(const struct sim_cache_geometry *c)
{
	const uint64_t ways = ways_of(c);
	const uint64_t places = ways > SIM_FIRST_WAYS ? ways : (ways + 7) / 8 * 8;

	return sets_of(c) * places * sizeof(uint64_t);
}

/* Does the test hold for a first level? */
static bool first_is(const struct sim_geometry *g, bool (*test)(const struct sim_cache_geometry *c))
{
	return test(&g->levels[0]) || (g->code.size_bytes > 0 && test(&g->code));
}

bool sim_plan_has_quick_second(const struct sim_geometry *g)
{
	const struct sim_cache_geometry *c = &g->levels[1];

	return g->level_count > 1 && c->replacement == SIM_REPLACE_LRU &&
	       c->line_bytes == SIM_FILTER_LINE && sets_of(c) >= SIM_LEAST_SETS &&
	       ways_of(c) <= SIM_SECOND_WAYS && stamp_bytes(c) <= SIM_SECOND_BYTES;
}

/* ---- Rules: each tells whether a request breaks it ---- */

static bool is_replay_asked(const struct sim_request *r)
{
	return (r->asks & SIM_ASK_NO_FILTER) != 0;
}

static bool has_no_room(const struct sim_request *r)
{
	return r->no_room;
}

static bool has_several(const struct sim_request *r)
{
	return r->count > 1;
}

static bool has_one(const struct sim_request *r)
{
	return r->count <= 1;
}

static bool is_unified(const struct sim_request *r)
{
	return r->geometries->is_unified;
}

static bool has_other_lines(const struct sim_cache_geometry *c)
{
	return c->line_bytes != SIM_FILTER_LINE;
}

static bool has_odd_first_lines(const struct sim_request *r)
{
	return first_is(r->geometries, has_other_lines);
}

static bool has_short_lines(const struct sim_request *r)
{
	for (unsigned i = 1; i < r->geometries->level_count; i++)
		if (r->geometries->levels[i].line_bytes < SIM_FILTER_LINE)
			return true;
	return false;
}

static bool has_many_ways(const struct sim_cache_geometry *c)
{
	return ways_of(c) > SIM_FIRST_WAYS;
}

static bool has_wide_first(const struct sim_request *r)
{
	return first_is(r->geometries, has_many_ways);
}

static bool has_few_sets(const struct sim_cache_geometry *c)
{
	const uint64_t sets = sets_of(c);

	return sets < SIM_LEAST_SETS || (sets & (sets - 1)) != 0 ||
	       stamp_bytes(c) > SIM_FIRST_BYTES;
}

static bool has_odd_first_sets(const struct sim_request *r)
{
	return first_is(r->geometries, has_few_sets);
}

static bool is_no_stamp(const struct sim_cache_geometry *c)
{
	return c->replacement == SIM_REPLACE_SRRIP;
}

static bool has_odd_first_policy(const struct sim_request *r)
{
	return first_is(r->geometries, is_no_stamp);
}

static bool is_no_lru(const struct sim_cache_geometry *c)
{
	return c->replacement != SIM_REPLACE_LRU || stamp_bytes(c) == SIM_FIRST_BYTES;
}

static bool has_no_lru_first(const struct sim_request *r)
{
	return first_is(r->geometries, is_no_lru);
}

static bool is_by_place(const struct sim_cache_geometry *c)
{
	return c->replacement != SIM_REPLACE_LRU && c->replacement != SIM_REPLACE_FIFO;
}

static bool has_first_by_place(const struct sim_request *r)
{
	return first_is(r->geometries, is_by_place);
}

static bool has_no_quick_second(const struct sim_request *r)
{
	return r->geometries->level_count != 2 || !sim_plan_has_quick_second(r->geometries);
}

static bool is_more_than_plain(const struct sim_request *r)
{
	return !sim_geometry_is_plain(r->geometries);
}

static bool is_for_first(const struct sim_request *r)
{
	return sim_geometry_is_plain(r->geometries) &&
	       (r->geometries->level_count < 3 || (r->asks & (OF_DATA | OF_PART)) != 0);
}

static bool has_stride_prefetcher(const struct sim_cache_geometry *c)
{
	return c->prefetcher == SIM_PREFETCH_STRIDE;
}

static bool has_first_that_sees_all(const struct sim_request *r)
{
	return first_is(r->geometries, has_stride_prefetcher);
}

/* Such a use counts in the last level, although the first one has no line for it. */
static bool has_use_without_line(const struct sim_request *r)
{
	return r->geometries->line_use && r->geometries->levels[0].no_write_allocate;
}

static bool has_code_prefetcher(const struct sim_request *r)
{
	return r->geometries->code.size_bytes > 0 &&
	       r->geometries->code.prefetcher != SIM_PREFETCH_NONE;
}

/*
 * No access may take its own line, or a neighbour, out of the first level. It evicts lines of the
 * sets of those lines that it brings, all of one page.
 */
static bool takes_own_lines(const struct sim_request *r)
{
	for (unsigned i = 1; i < r->geometries->level_count; i++) {
		const struct sim_cache_geometry *c = &r->geometries->levels[i];

		if (c->inclusion == SIM_INCLUSIVE &&
		    (sets_of(c) < SIM_PAGE_LINES || c->line_bytes != SIM_FILTER_LINE))
			return true;
	}
	return false;
}

static bool is_odd_tlb(const struct sim_tlb_geometry *t)
{
	const uint32_t ways = t->ways > 0 ? t->ways : t->entries;

	return t->entries > 0 && (t->page_bytes != SIM_FILTER_PAGE || ways > SIM_TLB_WAYS ||
				  t->entries >= SIM_TLB_PLACES);
}

static bool has_odd_tlb(const struct sim_request *r)
{
	const struct sim_geometry *g = r->geometries;

	return g->is_tlb_unified || is_odd_tlb(&g->data_tlb) || is_odd_tlb(&g->code_tlb);
}

static bool has_use_of_more(const struct sim_request *r)
{
	const struct sim_geometry *g = r->geometries;

	return g->line_use &&
	       (g->level_count > 2 || (g->level_count == 2 && !sim_plan_has_quick_second(g)) ||
		sets_of(&g->levels[0]) * SIM_FIRST_WAYS >= SIM_USE_PLACES);
}

static bool is_not_one_pass(const struct sim_request *r)
{
	const struct sim_geometry *each[SIM_MULTI];

	if (r->count > SIM_MULTI)
		return true;
	for (unsigned i = 0; i < r->count; i++)
		each[i] = &r->geometries[i];
	return !sim_multi_fits(each, r->count);
}

/* ---- Ways ---- */

#define PAIR	(1u << SIM_WAY_PAIR)
#define WALK	(1u << SIM_WAY_WALK)
#define FIRST	(1u << SIM_WAY_FIRST)
#define SEVERAL (1u << SIM_WAY_SEVERAL)
#define ONE	(PAIR | WALK | FIRST)
#define IN_CODE (ONE | SEVERAL)
#define ANY_WAY (IN_CODE | 1u << SIM_WAY_REPLAY)

/* What a way needs; `breaks` tells whether a request does not have it. */
static const struct {
	uint32_t ways;
	bool (*breaks)(const struct sim_request *r);
	const char *needs;
} rules[] = {
	{IN_CODE, is_replay_asked, "no --no-filter"},
	{IN_CODE, has_no_room, "enough address space and memory in the program"},
	{ONE, has_several, "one hierarchy"},
	{SEVERAL, has_one, "several hierarchies"},
	{IN_CODE, is_unified, "first levels of data and code apart"},
	{IN_CODE, has_odd_first_lines, "first levels with lines of 64 bytes"},
	{IN_CODE, has_short_lines, "no lines of less than 64 bytes"},
	{IN_CODE, has_wide_first, "first levels of up to 16 ways"},
	{IN_CODE, has_odd_first_sets, "first levels of 8 sets or more, and up to 4 MB"},
	{PAIR | FIRST, has_odd_first_policy,
	 "first levels without SRRIP, which sees each use, also the second one of a line by the "
	 "same code"},
	{PAIR, has_first_by_place, "first levels with LRU or FIFO replacement"},
	{PAIR | FIRST, is_more_than_plain, "plain caches"},
	{PAIR, has_no_quick_second,
	 "two levels, the second LRU with lines of 64 bytes, 8 sets or more, up to 32 ways and 320 "
	 "MB"},
	{WALK, is_for_first,
	 "more than two levels without --data, --sample and --sets, or more than plain "
	 "caches"},
	{WALK, has_no_lru_first, "first levels with LRU replacement"},
	{WALK, has_first_that_sees_all,
	 "first levels without a stride prefetcher, which sees each access"},
	{WALK, has_code_prefetcher, "a first level of code without a prefetcher"},
	{WALK, takes_own_lines, "inclusive levels with lines of 64 bytes and 64 sets or more"},
	{WALK, has_odd_tlb,
	 "TLBs of data and code apart, of pages of 4 KB, whose lines have bits in one word, with "
	 "up to 128 ways"},
	{WALK, has_use_without_line, "for --line-use, a first level that allocates for stores"},
	{WALK, has_use_of_more,
	 "for --line-use, two levels at most, the second LRU with lines of 64 bytes, 8 sets or "
	 "more and up to 32 ways"},
	{SEVERAL, is_not_one_pass,
	 "for --also, caches of which all first levels have LRU, up to 16 ways and lines of one "
	 "size, and none has more than plain caches"},
};

const struct sim_way_text sim_way_texts[SIM_WAYS] = {
	[SIM_WAY_PAIR] = {"pair", "code looks into the first levels, and into the second",
			  "5 to 20"},
	[SIM_WAY_WALK] = {"walk", "code looks into the first levels; misses walk what is below",
			  "6 to 40"},
	[SIM_WAY_FIRST] = {"first", "code looks into the first levels; plain caches below",
			   "6 to 40"},
	[SIM_WAY_SEVERAL] = {"several",
			     "code looks into what all first levels have; one pass for the rest",
			     "8 to 60"},
	[SIM_WAY_REPLAY] = {"replay", "accesses are written down, and replayed", "20 to 150"},
};

const char *sim_way_rule(enum sim_way way, unsigned i)
{
	for (unsigned k = 0; k < ROWS(rules); k++)
		if (way == SIM_WAYS ? rules[k].ways == IN_CODE
				    : rules[k].ways != IN_CODE && rules[k].ways >> way & 1)
			if (i-- == 0)
				return rules[k].needs;
	return NULL;
}

/* What the request lacks for the way; NULL: nothing. */
static const char *broken_rule(const struct sim_request *r, enum sim_way way)
{
	for (unsigned k = 0; k < ROWS(rules); k++)
		if (rules[k].ways >> way & 1 && rules[k].breaks(r))
			return rules[k].needs;
	return NULL;
}

/* Of the ways in code, the one that the request comes nearest to. */
static enum sim_way nearest(const struct sim_request *r)
{
	if (r->count > 1)
		return SIM_WAY_SEVERAL;
	return sim_geometry_is_plain(r->geometries) ? SIM_WAY_FIRST : SIM_WAY_WALK;
}

/* ---- What the ways can do ---- */

#define PLAIN_CACHES                                                                           \
	"plain caches: no --line-use, write-backs, TLBs, prefetchers, inclusive or exclusive " \
	"levels, and no replay"

static const struct {
	uint32_t ask, ways, without; /* the ways that can do it, without those asks */
	const char *needs;
} abilities[] = {
	{SIM_ASK_DATA, ONE, 0, "accesses that are not replayed"},
	{SIM_ASK_REFERENCES, ONE, SIM_ASK_LINE_USE,
	 "no replay, and no --line-use, whose tables take the place of theirs"},
	{SIM_ASK_CONFLICTS, PAIR | FIRST, 0,
	 PLAIN_CACHES ", as the cache of one set beside each level sees accesses only"},
	{SIM_ASK_SAMPLE, PAIR | FIRST, 0, PLAIN_CACHES},
	{SIM_ASK_SETS, PAIR | FIRST, 0, PLAIN_CACHES},
};

void sim_plan_make(const struct sim_request *r, struct sim_plan *plan)
{
	*plan = (struct sim_plan){.way = SIM_WAY_REPLAY, .asks = r->asks};
	for (unsigned way = 0; way < SIM_WAY_REPLAY && plan->way == SIM_WAY_REPLAY; way++)
		if (broken_rule(r, way) == NULL)
			plan->way = way;
	if (plan->way == SIM_WAY_REPLAY)
		plan->why = broken_rule(r, nearest(r));
	for (unsigned i = 0; i < ROWS(abilities); i++)
		if (r->asks & abilities[i].ask &&
		    (!(abilities[i].ways >> plan->way & 1) || r->asks & abilities[i].without))
			plan->missing |= abilities[i].ask;
	plan->asks &= ~plan->missing;
}

const char *sim_plan_why_missing(const struct sim_request *r, const struct sim_plan *plan,
				 uint32_t ask)
{
	if (plan->way == SIM_WAY_REPLAY && !is_more_than_plain(r))
		return plan->why;
	for (unsigned i = 0; i < ROWS(abilities); i++)
		if (abilities[i].ask == ask)
			return ask == SIM_ASK_DATA ? plan->why : abilities[i].needs;
	return NULL;
}
