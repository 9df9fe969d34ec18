/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of a hierarchy besides misses, in traces short enough to count by hand: write-backs,
 * stores that pass, prefetches, TLBs, line use; and impossible geometries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/simulation/sim_heap.h"
#include "sim/system/hierarchy.h"

#define LINE 64u

/* A simulation under test. */
static struct sim_hierarchy h;
static uint64_t events[SIM_MAX_EVENTS];
static uint64_t charged[4][SIM_MAX_EVENTS]; /* by tag */

static void charge(void *context, uint32_t tag, unsigned event, uint64_t amount)
{
	(void)context;
	charged[tag][event] += amount;
}

static void begin(const struct sim_geometry *g)
{
	char reason[256] = "";

	if (sim_geometry_check(g, reason, sizeof(reason)) != 0)
		fail_msg("%s", reason);
	assert_int_equal(sim_hierarchy_init(&h, g, true, &sim_heap), 0);
	memset(events, 0, sizeof(events));
	memset(charged, 0, sizeof(charged));
	h.shared.charge = charge;
}

static void end(void)
{
	sim_hierarchy_release(&h);
}

static void access_line(uint64_t line, enum sim_access kind)
{
	sim_core_data(&h.core, line * LINE, 8, kind, events);
}

/* The count of an event by its name; -1: there is none. */
static int64_t count_of(const char *name)
{
	for (unsigned i = 0; i < h.shared.list.count; i++)
		if (strcmp(h.shared.list.items[i].name, name) == 0)
			return (int64_t)events[i];
	return -1;
}

static unsigned index_of(const char *name)
{
	unsigned i = 0;

	while (strcmp(h.shared.list.items[i].name, name) != 0)
		i++;
	return i;
}

/* ---- Events ---- */

static void check_names(const struct sim_geometry *g, const char *expected)
{
	struct sim_events e;
	char names[512] = "";

	sim_events_of(g, &e);
	for (unsigned i = 0; i < e.count; i++) {
		assert_int_equal(e.index[e.items[i].id], i);
		strncat(names, e.items[i].name, 20);
		strncat(names, i + 1 < e.count ? " " : "", 2);
	}
	assert_string_equal(names, expected);
}

/*
 * 3, misses of five levels and two TLBs, write-backs, line use and its variances, prefetches,
 * unknown references of five levels, and those behind others of four: 3 + 15 + 6 + 5 + 8 + 12 + 15
 * + 12.
 */
static void a_geometry_may_have_all_events_there_are(void **state)
{
	struct sim_geometry g = {.code = {1024, 2, 64}, .level_count = SIM_MAX_LEVELS};

	(void)state;
	for (unsigned i = 0; i < SIM_MAX_LEVELS; i++) {
		g.levels[i] = g.code;
		g.levels[i].size_bytes <<= i;
		g.levels[i].prefetcher = SIM_PREFETCH_NEXT_LINE;
	}
	g.code.prefetcher = SIM_PREFETCH_NEXT_LINE;
	g.code_tlb = g.data_tlb = g.second_tlb = (struct sim_tlb_geometry){16, 4, 4096};
	g.write_backs = g.line_use = g.is_sampled = true;
	g.line_share = SIM_LINE_SHARE;
	begin(&g);
	assert_int_equal(h.shared.list.count, 76);
	assert_int_equal(h.shared.list.count, SIM_MAX_EVENTS);
	assert_true(sim_core_data(&h.core, 0, 8, SIM_LOAD, events));
	assert_int_equal(events[index_of("D1mr")], 1);
	assert_true(index_of("D1pf") > 32);
	assert_int_equal(events[index_of("D1pf")], 1);
	assert_int_equal(events[index_of("D1pu")], 0);
	end();
}

static void events_are_named_as_callgrind_names_them(void **state)
{
	struct sim_geometry g = {.code = {1024, 2, 64},
				 .levels = {{1024, 2, 64}, {4096, 4, 64}, {8192, 4, 64}},
				 .level_count = 2};

	(void)state;
	check_names(&g, "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw");
	g.level_count = 3;
	g.write_backs = true;
	check_names(&g, "Ir Dr Dw I1mr D1mr D1mw I2mr D2mr D2mw ILmr DLmr DLmw D1wb L2wb LLwb");
	g.level_count = 1;
	g.code.size_bytes = 0;
	g.line_use = true;
	check_names(&g, "Ir Dr Dw D1mr D1mw D1wb AcCost1 SpLoss1");
	g.line_share = 2;
	check_names(&g, "Ir Dr Dw D1mr D1mw D1wb AcCost1 SpLoss1 AcVar1 SpVar1");
	g.is_unified = true;
	g.write_backs = g.line_use = false;
	g.data_tlb = (struct sim_tlb_geometry){4, 0, 4096};
	g.second_tlb = g.data_tlb;
	g.levels[0].prefetcher = SIM_PREFETCH_STRIDE;
	check_names(&g, "Ir Dr Dw I1mr D1mr D1mw DTmr DTmw DTmr2 DTmw2 D1pf D1pu");
	g.is_tlb_unified = true;
	check_names(&g, "Ir Dr Dw I1mr D1mr D1mw ITmr DTmr DTmw ITmr2 DTmr2 DTmw2 D1pf D1pu");
}

/* ---- Write-backs and stores ---- */

/* A direct-mapped L1 of one line: each new line drives the old one out. */
static struct sim_geometry one_line(uint64_t second_lines)
{
	return (struct sim_geometry){.levels = {{LINE, 1, LINE}, {second_lines * LINE, 0, LINE}},
				     .level_count = second_lines > 0 ? 2 : 1,
				     .write_backs = true};
}

static void dirty_lines_are_written_back_once(void **state)
{
	struct sim_geometry g = one_line(2);

	(void)state;
	begin(&g);
	access_line(1, SIM_STORE); /* L1: 1 dirty. L2: 1 */
	access_line(1, SIM_STORE);
	access_line(2, SIM_LOAD); /* 1 is written back to L2: L1: 2. L2: 2, 1 dirty */
	assert_int_equal(count_of("D1wb"), 1);
	assert_int_equal(count_of("LLwb"), 0);
	access_line(3, SIM_LOAD); /* 2 goes and was clean; L2 gives up 1, to memory */
	assert_int_equal(count_of("D1wb"), 1);
	assert_int_equal(count_of("LLwb"), 1);
	access_line(4, SIM_MODIFY); /* a load, and dirty */
	access_line(5, SIM_LOAD);
	assert_int_equal(count_of("D1wb"), 2);
	assert_int_equal(count_of("D1mr"), 4);
	assert_int_equal(count_of("D1mw"), 1);
	assert_int_equal(count_of("DLmr"), 4);
	end();
}

static void a_line_that_the_next_level_lost_is_written_past_it(void **state)
{
	struct sim_geometry g = one_line(1);

	(void)state;
	g.levels[0].size_bytes = 2 * LINE;
	g.levels[0].ways = 2;
	begin(&g);
	access_line(1, SIM_STORE); /* L1: 1 dirty. L2: 1 */
	access_line(2, SIM_LOAD);  /* L1: 2, 1. L2: 2; 1 was clean there */
	assert_int_equal(count_of("LLwb"), 0);
	access_line(3, SIM_LOAD); /* L1 gives up 1, which L2 has not */
	assert_int_equal(count_of("D1wb"), 1);
	assert_int_equal(count_of("LLwb"), 1);
	end();
}

static void an_inclusive_level_takes_dirty_lines_out_above(void **state)
{
	struct sim_geometry g = one_line(1);

	(void)state;
	g.levels[0].size_bytes = g.levels[1].size_bytes = 2 * LINE;
	g.levels[0].ways = 2;
	g.levels[1].ways = 1; /* lines 1 and 3 have one set */
	g.levels[1].inclusion = SIM_INCLUSIVE;
	begin(&g);
	access_line(1, SIM_STORE);
	access_line(3, SIM_LOAD); /* L2 gives up 1, so that L1 does */
	assert_int_equal(count_of("D1wb"), 1);
	assert_int_equal(count_of("LLwb"), 1);
	access_line(1, SIM_LOAD);
	assert_int_equal(count_of("D1mr"), 2);
	end();
}

static void an_exclusive_level_gets_and_hands_up_dirty_lines(void **state)
{
	struct sim_geometry g = one_line(2);

	(void)state;
	g.levels[1].inclusion = SIM_EXCLUSIVE;
	begin(&g);
	access_line(1, SIM_STORE);
	access_line(2, SIM_LOAD); /* 1 goes to L2 */
	access_line(1, SIM_LOAD); /* and comes up again; 2 goes down */
	assert_int_equal(count_of("D1mr"), 2);
	assert_int_equal(count_of("DLmr"), 1);
	assert_int_equal(count_of("D1wb"), 1);
	access_line(3, SIM_LOAD); /* 1 goes down, still dirty: L2: 1, 2 */
	access_line(4, SIM_LOAD); /* 3 goes down, 2 goes: it is clean */
	assert_int_equal(count_of("D1wb"), 2);
	assert_int_equal(count_of("LLwb"), 0);
	access_line(5, SIM_LOAD); /* 4 goes down, 1 goes to memory */
	assert_int_equal(count_of("LLwb"), 1);
	end();
}

static void stores_pass_a_write_through_level(void **state)
{
	struct sim_geometry g = one_line(1);

	(void)state;
	g.levels[0].size_bytes = 4 * LINE;
	g.levels[0].ways = 4;
	g.levels[0].is_write_through = true;
	begin(&g);
	access_line(1, SIM_LOAD);
	access_line(2, SIM_LOAD);
	access_line(1, SIM_STORE); /* a hit in L1, a miss in L2, which 2 has */
	assert_int_equal(count_of("D1mw"), 0);
	assert_int_equal(count_of("DLmw"), 1);
	access_line(1, SIM_STORE);
	assert_int_equal(count_of("DLmw"), 1);
	access_line(3, SIM_LOAD); /* L2 gives up 1, dirty; L1 has no dirty lines */
	assert_int_equal(count_of("D1wb"), 0);
	assert_int_equal(count_of("LLwb"), 1);
	assert_false(sim_core_data_is_noop(&h.core, 3 * LINE, 8, SIM_STORE));
	assert_true(sim_core_data_is_noop(&h.core, 3 * LINE, 8, SIM_LOAD));
	end();
}

static void a_store_that_does_not_allocate_leaves_the_line_out(void **state)
{
	struct sim_geometry g = one_line(4);

	(void)state;
	g.levels[0].no_write_allocate = true;
	begin(&g);
	access_line(1, SIM_STORE); /* to L2, which allocates */
	access_line(1, SIM_STORE);
	assert_int_equal(count_of("D1mw"), 2);
	assert_int_equal(count_of("DLmw"), 1);
	access_line(1, SIM_MODIFY); /* a load: it allocates */
	access_line(1, SIM_STORE);
	assert_int_equal(count_of("D1mr"), 1);
	assert_int_equal(count_of("DLmr"), 0);
	assert_int_equal(count_of("D1mw"), 2);
	end();
}

/* ---- Prefetchers ---- */

static void the_next_line_is_there_when_it_is_wanted(void **state)
{
	struct sim_geometry g = {.levels = {{16 * LINE, 0, LINE}, {64 * LINE, 0, LINE}},
				 .level_count = 2};

	(void)state;
	g.levels[0].prefetcher = SIM_PREFETCH_NEXT_LINE;
	begin(&g);
	access_line(0, SIM_LOAD); /* a miss: 1 is prefetched */
	assert_int_equal(count_of("D1pf"), 1);
	access_line(0, SIM_LOAD);
	assert_int_equal(count_of("D1pf"), 1);
	assert_false(sim_core_data_is_noop(&h.core, LINE, 8, SIM_LOAD));
	access_line(1, SIM_LOAD); /* the first use of 1: 2 is prefetched */
	access_line(1, SIM_LOAD);
	assert_int_equal(count_of("D1pf"), 2);
	assert_int_equal(count_of("D1pu"), 1);
	for (uint64_t line = 2; line < 63; line++)
		access_line(line, SIM_LOAD);
	assert_int_equal(count_of("D1mr"), 1);
	assert_int_equal(count_of("DLmr"), 1); /* prefetches are no misses */
	access_line(63, SIM_LOAD);	       /* the last of its page: 64 is in the next */
	assert_int_equal(count_of("D1pf"), 63);
	access_line(64, SIM_LOAD);
	assert_int_equal(count_of("D1mr"), 2);
	end();
}

static void a_prefetch_into_the_second_level_does_not_reach_the_first(void **state)
{
	struct sim_geometry g = {.levels = {{4 * LINE, 0, LINE}, {64 * LINE, 0, LINE}},
				 .level_count = 2};

	(void)state;
	g.levels[1].prefetcher = SIM_PREFETCH_NEXT_LINE;
	begin(&g);
	for (uint64_t line = 0; line < 10; line++)
		access_line(line, SIM_LOAD);
	assert_int_equal(count_of("D1mr"), 10);
	assert_int_equal(count_of("DLmr"), 1);
	assert_int_equal(count_of("LLpf"), 10);
	assert_int_equal(count_of("LLpu"), 9);
	end();
}

static void a_stride_is_learned_by_instruction(void **state)
{
	struct sim_geometry g = {.levels = {{16 * LINE, 0, LINE}}, .level_count = 1};

	(void)state;
	g.levels[0].prefetcher = SIM_PREFETCH_STRIDE;
	begin(&g);
	for (uint64_t i = 0; i < 12; i++) {
		h.core.stride_tag = 1;
		access_line(i * 3, SIM_LOAD);
		h.core.stride_tag = 2; /* without a stride, in between */
		access_line(0x1000 + i % 2, SIM_LOAD);
	}
	/* Lines 0 3 6 give the first stride and two that repeat it: 12 is known when 9 is read. */
	assert_int_equal(count_of("D1mr"), 4 + 2);
	assert_int_equal(count_of("D1pf"), 9);
	assert_int_equal(count_of("D1pu"), 8);
	end();
}

/* ---- TLBs ---- */

static void pages_are_missed_in_two_levels(void **state)
{
	struct sim_geometry g = {.levels = {{1024 * LINE, 16, LINE}},
				 .level_count = 1,
				 .data_tlb = {2, 0, 4096},
				 .second_tlb = {4, 0, 4096}};

	(void)state;
	begin(&g);
	for (unsigned round = 0; round < 2; round++)
		for (uint64_t page = 0; page < 3; page++)
			access_line(page * 64 + round, page == 0 ? SIM_STORE : SIM_LOAD);
	/* Three pages in turn in two entries: all miss; the second TLB holds them. */
	assert_int_equal(count_of("DTmr"), 4);
	assert_int_equal(count_of("DTmw"), 2);
	assert_int_equal(count_of("DTmr2"), 2);
	assert_int_equal(count_of("DTmw2"), 1);
	/* A line that was used last, in a page that was not, is not plain. */
	access_line(0, SIM_LOAD);
	assert_true(sim_core_data_is_noop(&h.core, 0, 8, SIM_LOAD));
	access_line(64 + 5, SIM_LOAD);
	assert_false(sim_core_data_is_noop(&h.core, 0, 8, SIM_LOAD));
	/* An access in two pages misses once. */
	access_line(0, SIM_LOAD);
	access_line(64, SIM_LOAD);
	sim_core_data(&h.core, 3 * 4096 - 4, 8, SIM_LOAD, events);
	assert_int_equal(count_of("DTmr"), 7);
	assert_int_equal(count_of("DTmr2"), 3);
	end();
}

/* ---- The use of lines ---- */

static void unused_bytes_are_charged_to_who_loaded_the_line(void **state)
{
	struct sim_geometry g = one_line(1);
	unsigned cost, loss;

	(void)state;
	g.write_backs = false;
	g.line_use = true;
	begin(&g);
	cost = index_of("AcCost1");
	loss = index_of("SpLoss1");
	h.core.tag = 1;
	sim_core_data(&h.core, 64, 8, SIM_LOAD, events);
	h.core.tag = 2; /* uses it, too: bytes 4 to 15 */
	sim_core_data(&h.core, 64 + 4, 12, SIM_LOAD, events);
	assert_int_equal(charged[1][cost], 0);
	sim_core_data(&h.core, 128, 32, SIM_LOAD, events); /* line 1 goes: two uses, 16 bytes */
	assert_int_equal(charged[1][cost], 500);
	assert_int_equal(charged[1][loss], 48);
	assert_int_equal(charged[1][index_of("AcCost2")], 500);
	assert_int_equal(charged[1][index_of("SpLoss2")], 48);
	assert_int_equal(charged[2][cost], 0);
	sim_hierarchy_finish(&h); /* line 2 was there to the end */
	assert_int_equal(charged[2][cost], 1000);
	assert_int_equal(charged[2][loss], 32);
	end();
}

static void parts_of_long_lines_are_several_bytes(void **state)
{
	struct sim_geometry g = {.levels = {{256, 1, 256}}, .level_count = 1, .line_use = true};

	(void)state;
	begin(&g);
	h.core.tag = 3;
	sim_core_data(&h.core, 256 + 3, 2, SIM_LOAD, events); /* bytes 3 and 4: two parts of 4 */
	sim_hierarchy_finish(&h);
	assert_int_equal(charged[3][index_of("SpLoss1")], 256 - 8);
	end();
}

/* ---- What cannot be ---- */

static void check_refused(struct sim_geometry g, const char *why)
{
	char reason[256] = "";

	assert_int_equal(sim_geometry_check(&g, reason, sizeof(reason)), -1);
	if (strstr(reason, why) == NULL)
		fail_msg("'%s' does not say '%s'", reason, why);
}

static struct sim_geometry usual(void)
{
	return (struct sim_geometry){.code = {32768, 8, 64},
				     .levels = {{32768, 8, 64}, {1 << 20, 16, 64}},
				     .level_count = 2};
}

/* A usual geometry with one field changed is refused with a sentence that has the words. */
#define REFUSED(field, value, why)                \
	do {                                      \
		struct sim_geometry g_ = usual(); \
		g_.field = (value);               \
		check_refused(g_, why);           \
	} while (0)

static void impossible_geometries_are_refused(void **state)
{
	struct sim_geometry g = usual();
	char reason[256];

	(void)state;
	assert_int_equal(sim_geometry_check(&g, reason, sizeof(reason)), 0);
	REFUSED(level_count, 0, "needs L1d");
	REFUSED(level_count, 6, "5 at most");
	REFUSED(levels[0].line_bytes, 48, "power of two from 16");
	REFUSED(levels[0].line_bytes, 8, "power of two from 16");
	REFUSED(levels[0].line_bytes, 8192, "power of two from 16");
	REFUSED(levels[0].size_bytes, 1000, "whole number of lines");
	REFUSED(levels[0].size_bytes, 0, "size is missing");
	REFUSED(levels[0].size_bytes, 3 * 32768, "sets: in a first level");
	REFUSED(levels[0].ways, 7, "do not divide");
	REFUSED(levels[0].ways, 1024, "more than the cache has lines");
	REFUSED(levels[1].size_bytes, (uint64_t)1 << 40, "2^31 lines");
	REFUSED(levels[0].inclusion, SIM_INCLUSIVE, "a first level is neither");
	REFUSED(code.inclusion, SIM_EXCLUSIVE, "a first level is neither");
	REFUSED(code.is_write_through, true, "nothing is stored");
	REFUSED(code.prefetcher, SIM_PREFETCH_STRIDE, "for data");
	REFUSED(is_unified, true, "serves both");
	REFUSED(is_tlb_unified, true, "size is missing");
	REFUSED(second_tlb.entries, 64, "needs a first one");
	REFUSED(code_tlb.entries, 64, "bytes a page");
	g = usual();
	g.levels[1].inclusion = SIM_INCLUSIVE;
	g.levels[1].size_bytes = 16384;
	check_refused(g, "cannot include a larger");
	g.levels[1].size_bytes = 1 << 20;
	g.levels[1].line_bytes = 32;
	check_refused(g, "no shorter");
	g.levels[1].inclusion = SIM_EXCLUSIVE;
	check_refused(g, "lines as long as");
	g.levels[1].line_bytes = 64;
	g.levels[0].is_write_through = true;
	check_refused(g, "only write-back");
	g.levels[0].is_write_through = false;
	g.line_use = true;
	check_refused(g, "line use");
	g = usual();
	for (g.level_count = 2; g.level_count < 5; g.level_count++)
		g.levels[g.level_count] = g.levels[1];
	g.code_tlb = g.data_tlb = g.second_tlb = (struct sim_tlb_geometry){16, 4, 4096};
	g = usual();
	g.levels[0].replacement = SIM_REPLACE_PLRU;
	g.levels[0].size_bytes = 32768 * 3 / 2;
	g.levels[0].ways = 12;
	check_refused(g, "with plru");
	g = usual();
	g.is_tlb_unified = true;
	g.data_tlb = g.code_tlb = (struct sim_tlb_geometry){16, 4, 4096};
	check_refused(g, "serves both");
	check_refused((struct sim_geometry){.levels = {{LINE, 1, LINE}},
					    .level_count = 1,
					    .data_tlb = {48, 4, 4096}},
		      "sets: they are a power of two");
}

/* However short the place for it is. */
static void a_reason_ends_where_its_room_does(void **state)
{
	struct sim_geometry g = {0};
	char reason[8] = "xxxxxxx";

	(void)state;
	assert_int_equal(sim_geometry_check(&g, reason, 5), -1);
	assert_string_equal(reason, "no c");
	assert_int_equal(reason[5], 'x');
	assert_int_equal(sim_geometry_check(&g, reason, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_geometry_may_have_all_events_there_are),
		cmocka_unit_test(events_are_named_as_callgrind_names_them),
		cmocka_unit_test(dirty_lines_are_written_back_once),
		cmocka_unit_test(a_line_that_the_next_level_lost_is_written_past_it),
		cmocka_unit_test(an_inclusive_level_takes_dirty_lines_out_above),
		cmocka_unit_test(an_exclusive_level_gets_and_hands_up_dirty_lines),
		cmocka_unit_test(stores_pass_a_write_through_level),
		cmocka_unit_test(a_store_that_does_not_allocate_leaves_the_line_out),
		cmocka_unit_test(the_next_line_is_there_when_it_is_wanted),
		cmocka_unit_test(a_prefetch_into_the_second_level_does_not_reach_the_first),
		cmocka_unit_test(a_stride_is_learned_by_instruction),
		cmocka_unit_test(pages_are_missed_in_two_levels),
		cmocka_unit_test(unused_bytes_are_charged_to_who_loaded_the_line),
		cmocka_unit_test(parts_of_long_lines_are_several_bytes),
		cmocka_unit_test(impossible_geometries_are_refused),
		cmocka_unit_test(a_reason_ends_where_its_room_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
