/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Geometries and traces as text: accepted and refused ones, and reading back what was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/simulation/geometry_text.h"
#include "collector/simulation/trace.h"

/* ---- Geometries ---- */

static void add(struct geometry_plan *p, const char *text)
{
	struct err err;

	if (geometry_add(p, text, &err) != 0)
		fail_msg("%s: %s", text, err.text);
}

static void check_refused(const char *text, const char *why)
{
	struct geometry_plan p = {0};
	struct err err = {""};

	assert_int_equal(geometry_add(&p, text, &err), -1);
	if (strstr(err.text, why) == NULL)
		fail_msg("%s: '%s' does not say '%s'", text, err.text, why);
}

static void a_cache_is_read_with_its_words(void **state)
{
	struct geometry_plan p = {0};
	struct sim_geometry g;
	struct err err;

	(void)state;
	add(&p, "L1d = 32K,8,64,plru,write-through,no-allocate,next-line # the first");
	add(&p, "D1=48K,12,64,fifo,next-line");
	add(&p, "I1=16K,full,32");
	add(&p, "LL=3M,12,128,random:7,inclusive,stride");
	add(&p, "");
	add(&p, "  # nothing");
	add(&p, "DTLB=64,4,4K");
	add(&p, "write-backs");
	if (geometry_build(&p, &g, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(g.level_count, 2);
	assert_int_equal(g.levels[0].size_bytes, 48 << 10);
	assert_int_equal(g.levels[0].ways, 12);
	assert_int_equal(g.levels[0].replacement, SIM_REPLACE_FIFO);
	assert_int_equal(g.levels[0].prefetcher, SIM_PREFETCH_NEXT_LINE);
	assert_false(g.levels[0].is_write_through || g.levels[0].no_write_allocate);
	assert_int_equal(g.levels[1].line_bytes, 128);
	assert_int_equal(g.levels[1].replacement, SIM_REPLACE_RANDOM);
	assert_int_equal(g.levels[1].seed, 7);
	assert_int_equal(g.levels[1].inclusion, SIM_INCLUSIVE);
	assert_int_equal(g.levels[1].prefetcher, SIM_PREFETCH_STRIDE);
	assert_int_equal(g.code.ways, 0);
	assert_int_equal(g.code.line_bytes, 32);
	assert_int_equal(g.data_tlb.entries, 64);
	assert_int_equal(g.data_tlb.page_bytes, 4096);
	assert_true(g.write_backs && !g.line_use);
}

static void what_is_no_cache_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{"L9=32K,8,64", "no cache 'L9'"},
		{"L1d", "no cache: write it"},
		{"=32K,8,64", "no cache ''"},
		{"L1d=32K", "SIZE,WAYS,LINE"},
		{"L1d=32K,8", "SIZE,WAYS,LINE"},
		{"L1d=,,", "not a size"},
		{"L1d=32Q,8,64", "not a size"},
		{"L1d=32K,x,64", "ways"},
		{"L1d=32K,0,64", "ways"},
		{"L1d=32K,8,64,", "'' is not known"},
		{"L1d=32K,8,64,mru", "'mru' is not known"},
		{"L1d=32K,8,64,random:x", "'random:x' is not known"},
		{"DTLB=64,4", "ENTRIES,WAYS,PAGE"},
		{"DTLB=64,4,4K,lru", "ENTRIES,WAYS,PAGE"},
		{"L1d=32K,8,64,lru,random:7", "'lru' and 'random:7': a cache has only one"},
		{"L2=1M,8,64,inclusive,plru,exclusive", "'inclusive' and 'exclusive'"},
		{"L1d=32K,8,64,write-back,allocate,write-through", "'write-back' and"},
		{"L1d=32K,8,64,allocate,no-allocate", "'allocate' and 'no-allocate'"},
		{"L1d=32K,8,64,stride,stride", "'stride' and 'stride'"},
		{"DTLB=0,4,4K", "entries"},
		{"machine=z80", "no machine 'z80'"},
		{"line-use=", "line use of ''"},
		{"line-use=some", "'all' lines, or of '1/N'"},
		{"line-use=1/0", "a power of two up to 4096"},
		{"line-use=1/7", "a power of two up to 4096"},
		{"line-use=1/8192", "a power of two up to 4096"},
		{"line-use=1/8x", "line use of '1/8x'"},
	};
	char text[400] = "L1d=";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_refused(cases[i][0], cases[i][1]);
	memset(text + 4, '1', sizeof(text) - 5);
	text[sizeof(text) - 1] = '\0';
	check_refused(text, "too long");
}

static void levels_are_the_machines_but_for_those_given(void **state)
{
	struct geometry_plan p = {0};
	struct sim_geometry g;
	struct err err;

	(void)state;
	add(&p, "machine = haswell");
	add(&p, "L2=none");
	add(&p, "L1d=16K,4,64");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.level_count, 2);
	assert_int_equal(g.code.size_bytes, 32 << 10);
	assert_int_equal(g.levels[0].size_bytes, 16 << 10);
	assert_int_equal(g.levels[1].size_bytes, 8 << 20);
	assert_int_equal(g.levels[1].inclusion, SIM_INCLUSIVE);
	add(&p, "no-instructions");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.code.size_bytes, 0);
	p = (struct geometry_plan){0};
	add(&p, "L1d=none");
	assert_int_equal(geometry_build(&p, &g, &err), -1);
	assert_non_null(strstr(err.text, "add L1d="));
	add(&p, "L1d=2M,16,64");
	add(&p, "LL=1M,16,64,inclusive");
	assert_int_equal(geometry_build(&p, &g, &err), -1);
	assert_non_null(strstr(err.text, "such caches cannot be: LL"));
}

static void without_a_machine_what_is_missing_is_the_hosts(void **state)
{
	struct geometry_plan p = {0};
	struct sim_geometry host, g;
	struct err err;

	(void)state;
	assert_int_equal(geometry_build(&p, &host, &err), 0);
	add(&p, "L1d=16K,4,64");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.level_count, 2);
	assert_int_equal(g.levels[0].size_bytes, 16 << 10);
	assert_int_equal(g.code.size_bytes, host.code.size_bytes);
	assert_int_equal(g.levels[1].size_bytes, host.levels[1].size_bytes);
	add(&p, "L2=512K,8,64"); /* which is the last one, then */
	add(&p, "L1i=none");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.level_count, 2);
	assert_int_equal(g.levels[1].size_bytes, 512 << 10);
	assert_int_equal(g.code.size_bytes, 0);
	p = (struct geometry_plan){0};
	add(&p, "LL=none");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.level_count, 1);
}

static void the_default_has_two_levels(void **state)
{
	struct geometry_plan p = {0};
	struct sim_geometry g;
	struct err err;

	(void)state;
	if (geometry_build(&p, &g, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(g.level_count, 2);
	assert_true(g.code.size_bytes > 0 && g.levels[1].size_bytes > g.levels[0].size_bytes);
}

static void check_cache(const struct sim_cache_geometry *a, const struct sim_cache_geometry *b)
{
	assert_int_equal(a->size_bytes, b->size_bytes);
	assert_int_equal(a->ways, b->ways);
	assert_int_equal(a->line_bytes, b->line_bytes);
	assert_int_equal(a->replacement, b->replacement);
	assert_int_equal(a->inclusion, b->inclusion);
	assert_int_equal(a->prefetcher, b->prefetcher);
	assert_int_equal(a->is_write_through, b->is_write_through);
	assert_int_equal(a->no_write_allocate, b->no_write_allocate);
	if (a->replacement == SIM_REPLACE_RANDOM)
		assert_int_equal(a->seed, b->seed);
}

static void check_tlb(const struct sim_tlb_geometry *a, const struct sim_tlb_geometry *b)
{
	assert_int_equal(a->entries, b->entries);
	assert_int_equal(a->ways, b->ways);
	assert_int_equal(a->page_bytes, b->page_bytes);
}

/* Write it, read it, compare. */
static void check_round(const struct sim_geometry *g)
{
	struct geometry_row rows[GEOMETRY_ROWS];
	size_t count = geometry_rows(g, rows);
	struct geometry_plan p = {0};
	struct sim_geometry again;
	struct err err;

	assert_in_range(count, 1, GEOMETRY_ROWS);
	for (size_t i = 0; i < count; i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s%s%s", rows[i].name,
			 rows[i].value[0] != '\0' ? " = " : "", rows[i].value);
		add(&p, line);
	}
	if (geometry_build(&p, &again, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(again.level_count, g->level_count);
	check_cache(&again.code, &g->code);
	for (unsigned i = 0; i < g->level_count; i++)
		check_cache(&again.levels[i], &g->levels[i]);
	check_tlb(&again.code_tlb, &g->code_tlb);
	check_tlb(&again.data_tlb, &g->data_tlb);
	check_tlb(&again.second_tlb, &g->second_tlb);
	assert_int_equal(again.is_unified, g->is_unified);
	assert_int_equal(again.is_tlb_unified, g->is_tlb_unified);
	assert_int_equal(again.line_use, g->line_use);
	assert_int_equal(again.line_share, g->line_share);
	assert_int_equal(again.write_backs, g->write_backs);
}

static void what_is_written_is_read_again(void **state)
{
	static const char *const machines[] = {
		"haswell", "skylake",	  "skylake-sp",	 "zen2",  "icelake-sp", "sapphire-rapids",
		"zen5",	   "alderlake-p", "neoverse-n1", "a64fx", "host"};
	struct geometry_plan p;
	struct sim_geometry g;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		memset(&p, 0, sizeof(p));
		assert_int_equal(geometry_set_machine(&p, machines[i], &err), 0);
		memset(&g, 0, sizeof(g));
		if (geometry_build(&p, &g, &err) != 0)
			fail_msg("%s: %s", machines[i], err.text);
		check_round(&g);
	}
	memset(&p, 0, sizeof(p));
	add(&p, "L1=1M,full,4K,random:123456789012345,no-allocate,write-through,stride");
	add(&p, "L2=1536K,3,4K,srrip");
	add(&p, "L3=6M,16,4K,exclusive");
	add(&p, "L4=64M,16,4K,plru,inclusive");
	add(&p, "TLB=64,full,2M");
	add(&p, "STLB=1024,8,1G");
	add(&p, "line-use");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.line_share, SIM_LINE_SHARE);
	check_round(&g);
	add(&p, "line-use = 1/8");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_int_equal(g.line_share, 8);
	check_round(&g);
	add(&p, "line-use = all");
	assert_int_equal(geometry_build(&p, &g, &err), 0);
	assert_true(g.line_use && g.line_share == 0);
	check_round(&g);
}

static void a_file_names_the_line_that_is_wrong(void **state)
{
	char path[] = "/tmp/geometry.XXXXXX";
	struct geometry_plan p = {0};
	struct err err;
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(f);
	fputs("# caches\nL1d = 32K, 8, 64\nL2 = 32K,8\n", f);
	fclose(f);
	assert_int_equal(geometry_read_file(&p, path, &err), -1);
	assert_non_null(strstr(err.text, "line 3: L2: a cache is SIZE,WAYS,LINE"));
	assert_int_equal(p.caches[GEOMETRY_L1].size_bytes, 32 << 10);
	unlink(path);
	assert_int_equal(geometry_read_file(&p, path, &err), -1);
	assert_non_null(strstr(err.text, "cannot read"));
}

/* ---- Traces ---- */

static void check_line(enum trace_format format, const char *line, enum sim_access kind,
		       uint64_t address, uint32_t bytes)
{
	struct trace_access a;
	struct err err;

	if (trace_read_line(format, line, &a, &err) != 1)
		fail_msg("%s: %s", line, err.text);
	assert_int_equal(a.kind, kind);
	assert_int_equal(a.address, address);
	assert_int_equal(a.bytes, bytes);
}

static void lines_of_traces_are_read(void **state)
{
	static const char *const passed[] = {"==123== Lackey", "", "--123-- warning"};
	struct trace_access a;

	(void)state;
	check_line(TRACE_LACKEY, "I  04001090,3", SIM_FETCH, 0x4001090, 3);
	check_line(TRACE_LACKEY, " L 1ffeffe9a8,8", SIM_LOAD, 0x1ffeffe9a8, 8);
	check_line(TRACE_LACKEY, " S 1FFEFFE9A8,512\r", SIM_STORE, 0x1ffeffe9a8, 512);
	check_line(TRACE_LACKEY, " M 0,1", SIM_MODIFY, 0, 1);
	check_line(TRACE_DINERO, "0 7fff0010", SIM_LOAD, 0x7fff0010, 1);
	check_line(TRACE_DINERO, "1 0x10 with more", SIM_STORE, 0x10, 1);
	check_line(TRACE_DINERO, "2\t400a", SIM_FETCH, 0x400a, 1);
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		assert_int_equal(trace_read_line(TRACE_LACKEY, passed[i], &a, NULL), 0);
}

static void broken_lines_of_traces_are_refused(void **state)
{
	static const char *const lackey[] = {"L",
					     "X 10,4",
					     "L10,4",
					     "I  zz,4",
					     "I  10",
					     "I  10,",
					     "I  10,0",
					     "I  10,99999999999",
					     "I  10,4 x",
					     "I  12345678901234567,4",
					     "S ffffffffffffffff,8",
					     "hello"};
	static const char *const dinero[] = {
		"3 10", "0", "0 ", "0 zz", "10", "0 10z", "0 ffffffffffffffff", "I  10,4"};
	struct trace_access a;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(lackey) / sizeof(lackey[0]); i++)
		assert_int_equal(trace_read_line(TRACE_LACKEY, lackey[i], &a, &err), -1);
	for (size_t i = 0; i < sizeof(dinero) / sizeof(dinero[0]); i++)
		assert_int_equal(trace_read_line(TRACE_DINERO, dinero[i], &a, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_is_read_with_its_words),
		cmocka_unit_test(what_is_no_cache_is_refused),
		cmocka_unit_test(levels_are_the_machines_but_for_those_given),
		cmocka_unit_test(without_a_machine_what_is_missing_is_the_hosts),
		cmocka_unit_test(the_default_has_two_levels),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(a_file_names_the_line_that_is_wrong),
		cmocka_unit_test(lines_of_traces_are_read),
		cmocka_unit_test(broken_lines_of_traces_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
