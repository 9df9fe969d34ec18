/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole hierarchies: against a naive one, with and without the filter, and by properties of
 * inclusive and exclusive levels and of more ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_memory.h"
#include "draw.h"
#include "naive_hierarchy.h"
#include "sim/system/hierarchy.h"

#define ACCESSES 12000u

/* ---- Geometries and accesses at random ---- */

/* Small caches, so that they overflow: 2^min to 2^max lines. */
static void draw_cache(struct sim_cache_geometry *c, unsigned min, unsigned max, bool is_first)
{
	static const uint32_t line[] = {32, 64, 64, 64, 128};
	unsigned lines = 1u << (min + draw() % (max - min + 1));

	*c = (struct sim_cache_geometry){.line_bytes = line[draw() % 5]};
	c->ways = lines >> (draw() % 4);
	c->ways = c->ways > 0 && draw() % 8 > 0 ? c->ways : 0;
	if (!is_first && draw() % 6 == 0) /* sets that are no power of two */
		lines = (c->ways > 0 ? c->ways : 1) * (3 + (uint32_t)draw() % 6);
	c->size_bytes = (uint64_t)lines * c->line_bytes;
	c->seed = draw() % 100;
	if (draw() % 4 == 0)
		c->no_write_allocate = true;
	if (draw() % 4 == 0)
		c->is_write_through = true;
}

/* Any levels; with LRU only, or with all policies, prefetchers and TLBs. */
static void draw_any(struct sim_geometry *g, bool is_lru)
{
	static const unsigned sizes[][2] = {{0, 4}, {3, 6}, {4, 7}, {5, 8}, {6, 9}};

	*g = (struct sim_geometry){.level_count = 1 + (unsigned)(draw() % SIM_MAX_LEVELS),
				   .is_unified = draw() % 6 == 0,
				   .write_backs = draw() % 2};
	for (unsigned i = 0; i < g->level_count; i++) {
		struct sim_cache_geometry *c = &g->levels[i];

		draw_cache(c, sizes[i][0], sizes[i][1], i == 0);
		if (i > 0 && draw() % 3 > 0)
			c->inclusion = draw() % 2 ? SIM_INCLUSIVE : SIM_EXCLUSIVE;
		if (!is_lru) {
			c->replacement = (enum sim_replacement)(draw() % SIM_REPLACEMENTS);
			c->prefetcher =
				draw() % 3 ? SIM_PREFETCH_NONE : (enum sim_prefetcher)(draw() % 3);
		}
	}
	if (!g->is_unified && draw() % 4 > 0) {
		draw_cache(&g->code, 0, 4, true);
		g->code.no_write_allocate = g->code.is_write_through = false;
		if (!is_lru && draw() % 3 == 0)
			g->code.prefetcher = SIM_PREFETCH_NEXT_LINE;
	}
	if (is_lru)
		return;
	g->line_use = draw() % 4 == 0;
	if (draw() % 3 == 0)
		g->data_tlb = (struct sim_tlb_geometry){4, 1 + (uint32_t)draw() % 2, 4096};
	if (g->data_tlb.entries > 0 && draw() % 2)
		g->is_tlb_unified = true;
	else if (draw() % 3 == 0)
		g->code_tlb = (struct sim_tlb_geometry){2, 0, 4096};
	if (g->data_tlb.entries > 0 && draw() % 2)
		g->second_tlb = (struct sim_tlb_geometry){16, 4, 8192};
}

/* Again until it is one that can be. */
static void draw_geometry(struct sim_geometry *g, bool is_lru)
{
	char reason[256];

	do
		draw_any(g, is_lru);
	while (sim_geometry_check(g, reason, sizeof(reason)) != 0);
}

struct access {
	uint64_t address;
	uint32_t bytes, tag;
	enum sim_access kind;
};

/* Sweeps, hot bytes, and anything in some kilobytes. */
static struct access draw_access(uint64_t i)
{
	static const uint32_t bytes[] = {1, 2, 4, 8, 8, 8, 16, 32, 64, 512};
	struct access a = {.bytes = bytes[draw() % 10], .kind = (enum sim_access)(draw() % 4)};

	a.tag = (uint32_t)(draw() % 6);
	if (a.tag == 0)
		a.address = 0x10000 + i * 24 % 32768;
	else if (a.tag < 4)
		a.address = 0x10000 + draw() % (256u << a.tag);
	else
		a.address = 0x10000 + draw() % 65536;
	return a;
}

static bool give_access(struct sim_hierarchy *h, const struct access *a, uint64_t events[])
{
	h->core.tag = h->core.stride_tag = a->tag;
	return a->kind == SIM_FETCH
		       ? sim_core_fetch(&h->core, a->address, a->bytes, events)
		       : sim_core_data(&h->core, a->address, a->bytes, a->kind, events);
}

/* ---- Against the naive one ---- */

static uint64_t event(const struct sim_hierarchy *h, const uint64_t *events, unsigned id)
{
	unsigned index = h->shared.list.index[id];

	return index != SIM_NO_EVENT ? events[index] : 0;
}

static void check_counts(const struct sim_hierarchy *h, const uint64_t *events,
			 const struct naive_hierarchy *n)
{
	for (unsigned level = 0; level < h->shared.geometry.level_count; level++) {
		for (unsigned k = h->shared.has_fetches ? 0 : 1; k < 3; k++)
			assert_int_equal(event(h, events, SIM_MISSES + 3 * level + k),
					 n->misses[level][k]);
		if (h->shared.geometry.write_backs)
			assert_int_equal(event(h, events, SIM_WRITE_BACKS + level),
					 n->write_backs[level]);
	}
}

static void check_lines(struct sim_cache *c, struct naive_cache *n)
{
	for (uint64_t number = 0; n->sets > 0 && number < (0x10000 + 70000) / n->shape->line_bytes;
	     number++)
		assert_int_equal(sim_cache_holds(c, number), naive_cache_find(n, number) != NULL);
}

static void compare_with_naive(const struct sim_geometry *g)
{
	static struct naive_hierarchy n;
	static struct sim_hierarchy h;
	uint64_t events[SIM_MAX_EVENTS] = {0};

	naive_hierarchy_init(&n, g);
	assert_int_equal(sim_hierarchy_init(&h, g, true, &memory), 0);
	for (uint64_t i = 0; i < ACCESSES; i++) {
		struct access a = draw_access(i);
		uint64_t before[SIM_MAX_EVENTS];
		bool has_events, differ = false;

		if (a.kind == SIM_FETCH && !h.shared.has_fetches)
			continue;
		memcpy(before, events, sizeof(before));
		has_events = give_access(&h, &a, events);
		for (unsigned k = 0; k < SIM_MAX_EVENTS; k++)
			differ |= events[k] != before[k];
		assert_int_equal(has_events, differ);
		naive_hierarchy_access(&n, a.address, a.bytes, a.kind);
		check_counts(&h, events, &n);
	}
	check_lines(&h.core.levels[SIM_CODE_SLOT]->cache, &n.code);
	for (unsigned level = 0; level < g->level_count; level++)
		check_lines(&h.core.levels[level]->cache, &n.levels[level]);
	sim_hierarchy_release(&h);
	assert_int_equal(taken, 0);
}

static void lru_hierarchies_are_as_the_naive_one(void **state)
{
	struct sim_geometry g;

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		draw_geometry(&g, true);
		compare_with_naive(&g);
	}
}

/* The short way of an access, which most simulations go. */
static void simple_hierarchies_are_as_the_naive_one(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		struct sim_geometry g = {.code = {1024u << i % 3, 1u << i % 4, 64},
					 .levels = {{2048u << i % 2, 1u << i % 5, i % 2 ? 64 : 32},
						    {8192, 4u << i % 3, 64},
						    {8192 * 3, 16, 64}},
					 .level_count = 1 + i % 3};
		struct sim_hierarchy h;

		assert_int_equal(sim_hierarchy_init(&h, &g, true, &memory), 0);
		assert_true(h.shared.is_simple);
		sim_hierarchy_release(&h);
		compare_with_naive(&g);
	}
}

/* ---- With the filter and without ---- */

static uint64_t charged[2][6][SIM_MAX_EVENTS]; /* [run][tag][event] */

static void charge(void *context, uint32_t tag, unsigned event, uint64_t amount)
{
	uint64_t(*sums)[SIM_MAX_EVENTS] = context;

	sums[tag][event] += amount;
}

/* Returns how many accesses were plain. */
static uint64_t compare_filter(const struct sim_geometry *g)
{
	static struct sim_hierarchy h[2];
	uint64_t events[2][SIM_MAX_EVENTS] = {{0}}, plain = 0;

	memset(charged, 0, sizeof(charged));
	for (unsigned run = 0; run < 2; run++) {
		assert_int_equal(sim_hierarchy_init(&h[run], g, run == 0, &memory), 0);
		h[run].shared.charge = charge;
		h[run].shared.charge_context = charged[run];
	}
	for (uint64_t i = 0; i < ACCESSES; i++) {
		struct access a = draw_access(i);
		bool is_noop =
			a.kind == SIM_FETCH
				? sim_core_fetch_is_noop(&h[0].core, a.address, a.bytes)
				: sim_core_data_is_noop(&h[0].core, a.address, a.bytes, a.kind);

		if (!is_noop)
			give_access(&h[0], &a, events[0]);
		plain += is_noop;
		give_access(&h[1], &a, events[1]);
		for (unsigned k = 0; k < SIM_MAX_EVENTS; k++)
			assert_int_equal(events[0][k], events[1][k]);
	}
	for (unsigned run = 0; run < 2; run++) {
		sim_hierarchy_finish(&h[run]);
		sim_hierarchy_release(&h[run]);
	}
	assert_memory_equal(charged[0], charged[1], sizeof(charged[0]));
	assert_int_equal(taken, 0);
	return plain;
}

static void the_filter_changes_no_count(void **state)
{
	uint64_t plain = 0;
	struct sim_geometry g;

	(void)state;
	for (unsigned i = 0; i < 250; i++) {
		draw_geometry(&g, i % 5 == 0);
		plain += compare_filter(&g);
	}
	assert_in_range(plain, 250 * ACCESSES / 20, 250 * ACCESSES); /* it does something */
}

static void each_policy_has_plain_accesses(void **state)
{
	(void)state;
	for (unsigned policy = 0; policy < SIM_REPLACEMENTS; policy++) {
		struct sim_geometry g = {.levels = {{2048, 8, 64}, {16384, 8, 64}},
					 .level_count = 2};

		g.levels[0].replacement = (enum sim_replacement)policy;
		assert_in_range(compare_filter(&g), ACCESSES / 50, ACCESSES);
		g.write_backs = true;
		assert_in_range(compare_filter(&g), ACCESSES / 50, ACCESSES);
		g.data_tlb = (struct sim_tlb_geometry){4, 2, 4096};
		assert_in_range(compare_filter(&g), ACCESSES / 50, ACCESSES);
	}
}

/* ---- What must hold ---- */

static void an_inclusive_level_has_all_lines_above(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct sim_geometry g = {.code = {512u << i % 2, 2, 64},
					 .levels = {{1024, 1u << i % 5, i % 3 ? 64 : 32},
						    {2048, 4, 64},
						    {4096u << i % 2, 8, i % 2 ? 128 : 64}},
					 .level_count = 3};
		uint64_t events[SIM_MAX_EVENTS] = {0};
		static struct sim_hierarchy h;

		g.levels[1].inclusion = g.levels[2].inclusion = SIM_INCLUSIVE;
		g.levels[0].prefetcher = i % 4 == 0 ? SIM_PREFETCH_NEXT_LINE : SIM_PREFETCH_NONE;
		g.levels[2].replacement = (enum sim_replacement)(i % SIM_REPLACEMENTS);
		assert_int_equal(sim_hierarchy_init(&h, &g, true, &memory), 0);
		for (uint64_t k = 0; k < 3000; k++) {
			struct access a = draw_access(k);

			give_access(&h, &a, events);
			for (uint64_t at = 0x10000; k % 50 == 0 && at < 0x10000 + 66000; at += 32) {
				bool above = sim_cache_holds(&h.core.levels[0]->cache,
							     at >> h.core.levels[0]->cache.shift) ||
					     sim_cache_holds(&h.core.levels[SIM_CODE_SLOT]->cache,
							     at >> 6);

				if (above)
					assert_true(
						sim_cache_holds(&h.core.levels[1]->cache, at >> 6));
				if (above || sim_cache_holds(&h.core.levels[1]->cache, at >> 6))
					assert_true(sim_cache_holds(
						&h.core.levels[2]->cache,
						at >> h.core.levels[2]->cache.shift));
			}
		}
		sim_hierarchy_release(&h);
	}
}

static void an_exclusive_level_has_no_line_of_the_one_above(void **state)
{
	struct sim_geometry g = {.levels = {{1024, 4, 64}, {2048, 4, 64}, {8192, 8, 64}},
				 .level_count = 3};
	uint64_t events[SIM_MAX_EVENTS] = {0};
	static struct sim_hierarchy h;

	(void)state;
	g.levels[1].inclusion = g.levels[2].inclusion = SIM_EXCLUSIVE;
	assert_int_equal(sim_hierarchy_init(&h, &g, true, &memory), 0);
	for (uint64_t k = 0; k < 20000; k++) {
		struct access a = draw_access(k);

		give_access(&h, &a, events);
		for (uint64_t line = 0x400; k % 100 == 0 && line < 0x400 + 1030; line++)
			assert_in_range(sim_cache_holds(&h.core.levels[0]->cache, line) +
						sim_cache_holds(&h.core.levels[1]->cache, line) +
						sim_cache_holds(&h.core.levels[2]->cache, line),
					0, 1);
	}
	sim_hierarchy_release(&h);
}

static uint64_t misses_with(uint32_t ways, uint64_t random)
{
	struct sim_geometry g = {.levels = {{(uint64_t)16 * 64 * ways, ways, 64}},
				 .level_count = 1};
	uint64_t events[SIM_MAX_EVENTS] = {0};
	static struct sim_hierarchy h;

	seed = random;
	assert_int_equal(sim_hierarchy_init(&h, &g, true, &memory), 0);
	for (uint64_t k = 0; k < ACCESSES; k++) {
		struct access a = draw_access(k);

		if (a.kind != SIM_FETCH)
			give_access(&h, &a, events);
	}
	sim_hierarchy_release(&h);
	return events[SIM_DW + 1] + events[SIM_DW + 2];
}

static void more_ways_never_miss_more_with_lru(void **state)
{
	(void)state;
	for (uint64_t random = 1; random < 6; random++) {
		uint64_t last = UINT64_MAX;

		for (uint32_t ways = 1; ways < 40; ways += 1 + ways / 6) {
			uint64_t misses = misses_with(ways, random);

			assert_in_range(misses, 1, last);
			last = misses;
		}
	}
}

static void without_memory_nothing_is_left_behind(void **state)
{
	struct sim_geometry g = {.code = {1024, 2, 64},
				 .levels = {{1024, 2, 64}, {8192, 0, 64}},
				 .level_count = 2,
				 .data_tlb = {16, 0, 4096},
				 .line_use = true,
				 .write_backs = true};
	bool failed = true;

	(void)state;
	g.levels[0].prefetcher = SIM_PREFETCH_STRIDE;
	for (unsigned left = 0; failed; left++) {
		static struct sim_hierarchy h;

		takes_left = left;
		failed = sim_hierarchy_init(&h, &g, true, &memory) != 0;
		takes_left = UINT64_MAX;
		sim_hierarchy_release(&h);
		assert_int_equal(taken, 0);
		assert_true(left < 60);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simple_hierarchies_are_as_the_naive_one),
		cmocka_unit_test(lru_hierarchies_are_as_the_naive_one),
		cmocka_unit_test(the_filter_changes_no_count),
		cmocka_unit_test(each_policy_has_plain_accesses),
		cmocka_unit_test(an_inclusive_level_has_all_lines_above),
		cmocka_unit_test(an_exclusive_level_has_no_line_of_the_one_above),
		cmocka_unit_test(more_ways_never_miss_more_with_lru),
		cmocka_unit_test(without_memory_nothing_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
