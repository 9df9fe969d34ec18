/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cache of each policy against a naive one. The naive one keeps a set as a plain array with the
 * times of each entry's last use and of its fill, and searches it linearly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_memory.h"
#include "draw.h"
#include "sim/base/bits.h"
#include "sim/cache/cache.h"
#include "sim/cache/cache_by_age.h"
#include "sim/cache/cache_packed.h"

/* ---- The naive cache ---- */

struct naive_entry {
	bool is_there;
	uint64_t line, used, came;
	unsigned flags, rrpv;
};

struct naive {
	enum sim_replacement replacement;
	uint64_t sets, ways, now, random;
	struct naive_entry *entries;
	bool *points_right; /* PLRU: [set * ways + node], node 1 is the root */
};

static void naive_init(struct naive *n, const struct sim_cache_geometry *g)
{
	uint64_t lines = g->size_bytes / g->line_bytes;

	n->replacement = g->replacement;
	n->ways = g->ways > 0 ? g->ways : lines;
	n->sets = lines / n->ways;
	n->now = 0;
	n->random = g->seed * 2 + 1;
	n->entries = calloc(lines, sizeof(*n->entries));
	n->points_right = calloc(lines, sizeof(*n->points_right));
}

static void naive_release(struct naive *n)
{
	free(n->entries);
	free(n->points_right);
}

static struct naive_entry *naive_set(struct naive *n, uint64_t line)
{
	return &n->entries[line % n->sets * n->ways];
}

static struct naive_entry *naive_find(struct naive *n, uint64_t line)
{
	struct naive_entry *set = naive_set(n, line);

	for (uint64_t way = 0; way < n->ways; way++)
		if (set[way].is_there && set[way].line == line)
			return &set[way];
	return NULL;
}

/* All bits on the way to a leaf point away from it. Recursive, from the root. */
static void naive_turn(bool *tree, uint64_t node, uint64_t low, uint64_t high, uint64_t way)
{
	uint64_t middle = (low + high) / 2;

	if (high - low == 1)
		return;
	tree[node] = way < middle;
	if (way < middle)
		naive_turn(tree, node * 2, low, middle, way);
	else
		naive_turn(tree, node * 2 + 1, middle, high, way);
}

static uint64_t naive_tree_victim(const bool *tree, uint64_t node, uint64_t low, uint64_t high)
{
	uint64_t middle = (low + high) / 2;

	if (high - low == 1)
		return low;
	return tree[node] ? naive_tree_victim(tree, node * 2 + 1, middle, high)
			  : naive_tree_victim(tree, node * 2, low, middle);
}

static void naive_note(struct naive *n, struct naive_entry *e)
{
	struct naive_entry *set = naive_set(n, e->line);

	e->used = ++n->now;
	if (n->replacement == SIM_REPLACE_PLRU)
		naive_turn(&n->points_right[set - n->entries], 1, 0, n->ways, (uint64_t)(e - set));
}

static uint64_t naive_rrip_victim(struct naive *n, struct naive_entry *set)
{
	for (;;) {
		for (uint64_t way = 0; way < n->ways; way++)
			if (set[way].rrpv == 3)
				return way;
		for (uint64_t way = 0; way < n->ways; way++)
			set[way].rrpv++;
	}
}

static uint64_t naive_oldest(struct naive *n, struct naive_entry *set)
{
	bool by_use = n->replacement == SIM_REPLACE_LRU;
	uint64_t oldest = 0;

	for (uint64_t way = 1; way < n->ways; way++)
		if ((by_use ? set[way].used : set[way].came) <
		    (by_use ? set[oldest].used : set[oldest].came))
			oldest = way;
	return oldest;
}

static uint64_t naive_victim(struct naive *n, struct naive_entry *set)
{
	for (uint64_t way = 0; way < n->ways; way++)
		if (!set[way].is_there)
			return way;
	switch (n->replacement) {
	case SIM_REPLACE_PLRU:
		return naive_tree_victim(&n->points_right[set - n->entries], 1, 0, n->ways);
	case SIM_REPLACE_SRRIP:
		return naive_rrip_victim(n, set);
	case SIM_REPLACE_RANDOM:
		return sim_random_below(&n->random, n->ways);
	default:
		return naive_oldest(n, set);
	}
}

/* Returns the entry that gave way, by value. */
static struct naive_entry naive_insert(struct naive *n, uint64_t line, unsigned flags)
{
	struct naive_entry *set = naive_set(n, line), *e = &set[naive_victim(n, set)], was = *e;

	*e = (struct naive_entry){.is_there = true, .line = line, .flags = flags, .rrpv = 2};
	naive_note(n, e);
	e->came = e->used;
	return was;
}

/* ---- Against it ---- */

static void check_entry(uint64_t entry, const struct naive_entry *n)
{
	if (n == NULL || !n->is_there) {
		assert_int_equal(entry, SIM_NO_LINE);
		return;
	}
	assert_int_equal(sim_entry_line(entry), n->line);
	assert_int_equal(entry & (SIM_DIRTY | SIM_PREFETCHED), n->flags);
}

static uint64_t draw_line(uint64_t lines)
{
	switch (draw() % 5) {
	case 4:
		return SIM_ENTRY_LINES - 1 -
		       draw() % 8; /* the last ones that entries have room for */
	case 0:
		return draw() % 8;
	case 1:
		return draw() % lines;
	case 2:
		return draw() % (lines * 3);
	default:
		return (draw() % 40) << 20; /* far apart, in few sets */
	}
}

static void step(struct sim_cache *c, struct naive *n, uint64_t lines)
{
	uint64_t line = draw_line(lines);
	struct naive_entry *e = naive_find(n, line), was;
	unsigned flags = draw() % 3 == 0 ? SIM_DIRTY : 0, what = draw() % 20;

	assert_int_equal(sim_cache_holds(c, line), e != NULL);
	if (what == 0) {
		check_entry(sim_cache_remove(c, line), e);
		if (e != NULL)
			e->is_there = false;
	} else if (what == 1) {
		check_entry(sim_cache_mark(c, line, flags), e);
		if (e != NULL)
			e->flags |= flags;
	} else if (e != NULL) {
		check_entry(sim_cache_use(c, line, flags), e);
		e->flags = (e->flags & ~SIM_PREFETCHED) | flags;
		e->rrpv = 0;
		naive_note(n, e);
	} else {
		assert_int_equal(sim_cache_use(c, line, flags), SIM_NO_LINE);
		flags |= draw() % 8 == 0 ? SIM_PREFETCHED : 0;
		was = naive_insert(n, line, flags);
		check_entry(sim_cache_insert(c, line, flags), &was);
	}
}

/* What the filter calls plain must be there, and, with order, be the last that was used. */
static void check_filter(struct sim_cache *c, struct naive *n, enum sim_noop_stores stores)
{
	for (uint64_t set = 0; set < c->sets; set++) {
		uint64_t line = c->noop_loads[set], store = c->noop_stores[set];
		struct naive_entry *e = line != SIM_NO_LINE ? naive_find(n, line) : NULL;

		if (line != SIM_NO_LINE) {
			assert_non_null(e);
			assert_int_equal(e->flags & SIM_PREFETCHED, 0);
			for (uint64_t way = 0; way < n->ways; way++)
				assert_false(n->entries[set * n->ways + way].is_there &&
					     n->entries[set * n->ways + way].used > e->used);
		}
		if (stores == SIM_STORES_NEVER)
			assert_int_equal(store, SIM_NO_LINE);
		else if (store != SIM_NO_LINE)
			assert_int_equal(store, line);
		if (stores == SIM_STORES_ONCE_DIRTY && store != SIM_NO_LINE)
			assert_true(e->flags & SIM_DIRTY);
	}
}

static void compare(const struct sim_cache_geometry *g, unsigned steps)
{
	enum sim_noop_stores stores = (enum sim_noop_stores)(draw() % 3);
	uint64_t lines = g->size_bytes / g->line_bytes;
	struct sim_cache c;
	struct naive n;

	assert_int_equal(sim_cache_init(&c, g, &memory), 0);
	assert_int_equal(sim_cache_watch(&c, stores), 0);
	naive_init(&n, g);
	for (unsigned i = 0; i < steps; i++) {
		step(&c, &n, lines);
		if (i % 64 == 0)
			check_filter(&c, &n, stores);
	}
	naive_release(&n);
	sim_cache_release(&c);
	assert_int_equal(taken, 0);
}

static const struct {
	uint64_t lines;
	uint32_t ways; /* 0: full */
} shapes[] = {{1, 1},	{8, 1},	   {64, 2}, {48, 3},	{64, 4},   {96, 12}, {128, 16}, {160, 20},
	      {64, 32}, {128, 64}, {33, 0}, {256, 128}, {100, 10}, {256, 0}, {4096, 4}, {2080, 16}};

static void compare_all(enum sim_replacement replacement)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct sim_cache_geometry g = {.size_bytes = shapes[i].lines * 64,
					       .ways = shapes[i].ways,
					       .line_bytes = 64,
					       .replacement = replacement,
					       .seed = i};
		uint64_t ways = g.ways > 0 ? g.ways : shapes[i].lines;

		if (replacement == SIM_REPLACE_PLRU && ((ways & (ways - 1)) != 0 || ways > 64))
			continue;
		compare(&g, 6000);
	}
}

static void lru_is_as_the_naive_one(void **state)
{
	(void)state;
	compare_all(SIM_REPLACE_LRU);
}

static void fifo_is_as_the_naive_one(void **state)
{
	(void)state;
	compare_all(SIM_REPLACE_FIFO);
}

static void random_is_as_the_naive_one(void **state)
{
	(void)state;
	compare_all(SIM_REPLACE_RANDOM);
}

static void plru_is_as_the_naive_one(void **state)
{
	(void)state;
	compare_all(SIM_REPLACE_PLRU);
}

static void srrip_is_as_the_naive_one(void **state)
{
	(void)state;
	compare_all(SIM_REPLACE_SRRIP);
}

/* ---- Parts ---- */

static void compare_reference(uint32_t ways, uint64_t sets)
{
	struct sim_cache_geometry g = {
		.size_bytes = 64 * sets * ways, .ways = ways, .line_bytes = 64};
	struct sim_cache a, b;

	assert_int_equal(sim_cache_init(&a, &g, &memory), 0);
	assert_int_equal(sim_cache_init(&b, &g, &memory), 0);
	assert_int_equal(a.is_by_age, sets * ways > SIM_SMALL);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t line = draw_line(sets * ways), set = sim_cache_set(&b, line);
		bool missed = sim_cache_use(&a, line, 0) == SIM_NO_LINE;

		if (missed)
			sim_cache_insert(&a, line, 0);
		assert_int_equal(b.is_by_age ? sim_by_age_reference(&b, set, line)
					     : sim_packed_reference(&b, set, line),
				 missed);
	}
	sim_cache_release(&a);
	sim_cache_release(&b);
}

static void the_fast_references_are_use_or_insert(void **state)
{
	(void)state;
	for (uint32_t ways = 1; ways <= SIM_SHORT_WAYS; ways++) {
		compare_reference(ways, 8);
		compare_reference(ways, SIM_SMALL / ways + 1);
	}
}

static void sets_that_are_no_power_of_two_are_a_remainder(void **state)
{
	static const uint64_t sets[] = {3, 7, 57344, 114688, 4194303};

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct sim_cache_geometry g = {
			.size_bytes = sets[i] * 64, .ways = 1, .line_bytes = 64};
		struct sim_cache c;

		assert_int_equal(sim_cache_init(&c, &g, &memory), 0);
		for (unsigned k = 0; k < 20000; k++) {
			uint64_t line = draw() >> (draw() % 60);

			assert_int_equal(sim_cache_set(&c, line), line % sets[i]);
			line = line % ((uint64_t)1 << 42) / sets[i] * sets[i];
			assert_int_equal(sim_cache_set(&c, line), 0);
			if (line > 0)
				assert_int_equal(sim_cache_set(&c, line - 1), sets[i] - 1);
		}
		sim_cache_release(&c);
	}
}

static void an_index_is_as_an_array(void **state)
{
	uint32_t place_of[400];
	struct sim_index x;
	unsigned there = 0;

	(void)state;
	memset(place_of, 0xff, sizeof(place_of));
	assert_int_equal(sim_index_init(&x, 100, &memory), 0);
	for (uint32_t i = 0; i < 60000; i++) {
		uint64_t line = draw() % 400;

		assert_int_equal(sim_index_find(&x, line << 20), place_of[line]);
		if (place_of[line] != SIM_NO_PLACE) {
			assert_int_equal(sim_index_remove(&x, line << 20), place_of[line]);
			place_of[line] = SIM_NO_PLACE;
			there--;
		} else if (there < 100) {
			sim_index_add(&x, line << 20, i);
			place_of[line] = i;
			there++;
		} else {
			assert_int_equal(sim_index_remove(&x, line << 20), SIM_NO_PLACE);
		}
	}
	sim_index_release(&x);
	assert_int_equal(taken, 0);
}

static void without_memory_nothing_is_left_behind(void **state)
{
	(void)state;
	for (unsigned policy = 0; policy < SIM_REPLACEMENTS; policy++) {
		struct sim_cache_geometry g = {.size_bytes = 64 * 64,
					       .line_bytes = 64,
					       .replacement = (enum sim_replacement)policy};
		bool failed = true;

		for (unsigned left = 0; failed; left++) {
			struct sim_cache c;

			takes_left = left;
			failed = sim_cache_init(&c, &g, &memory) != 0 ||
				 sim_cache_watch(&c, SIM_STORES_NEVER) != 0;
			takes_left = UINT64_MAX;
			sim_cache_release(&c);
			assert_int_equal(taken, 0);
			assert_true(left < 20);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lru_is_as_the_naive_one),
		cmocka_unit_test(fifo_is_as_the_naive_one),
		cmocka_unit_test(random_is_as_the_naive_one),
		cmocka_unit_test(plru_is_as_the_naive_one),
		cmocka_unit_test(srrip_is_as_the_naive_one),
		cmocka_unit_test(the_fast_references_are_use_or_insert),
		cmocka_unit_test(sets_that_are_no_power_of_two_are_a_remainder),
		cmocka_unit_test(an_index_is_as_an_array),
		cmocka_unit_test(without_memory_nothing_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
