/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which accesses of a segment the filter variant checks together, and when each takes effect. */
#include "engine/simulate/emit/filter_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/simulate/emit/filter_check.h"
#include "engine/translate/job.h"

enum { SET_BYTES = 4096, LINE = 64 };

/* As in the engine, where %fs has a base that can be read. */
bool job_adds_fs_base(const struct mem_op *m)
{
	return m->fs && !m->narrow && m->base != RIP_BASE;
}

static struct mem_op at(uint8_t base, int64_t disp, uint16_t size)
{
	return (struct mem_op){
		.kind = ACCESS_LOAD, .base = base, .index = NOREG, .disp = disp, .size = size};
}

static struct insn touches(uint8_t base, int64_t disp, uint16_t size)
{
	return (struct insn){
		.kind = INSN_PLAIN, .length = 4, .mem_count = 1, .mem = {at(base, disp, size)}};
}

static struct insn push(void)
{
	return (struct insn){.kind = INSN_PLAIN,
			     .bytes = {0x53},
			     .length = 1,
			     .mem_count = 1,
			     .gprs_written = 1u << RSP,
			     .mem = {at(RSP, -8, 8)}};
}

static void plan(struct filter_plan *p, const struct insn *in, uint32_t n, bool splits_lines)
{
	filter_plan_accesses(
		p, in, n,
		&(struct filter_rules){.set_bytes = SET_BYTES, .splits_lines = splits_lines});
}

static void pushes_are_one_run(void **state)
{
	const struct insn in[] = {push(), push(), push(), push()};
	struct filter_plan p;

	(void)state;
	plan(&p, in, 4, false);
	assert_int_equal(p.runs, 1);
	assert_int_equal(p.run[0].first, 0);
	assert_int_equal(p.run[0].members, 4);
	assert_int_equal(p.run[0].size, 8);
	assert_int_equal(p.run[0].low, -32);
	assert_int_equal(p.run[0].high, -1);
	assert_int_equal(p.moved[3], -24);
	assert_int_equal(p.time[0], 0);
	assert_int_equal(p.time[3], 0);
}

static void a_run_is_seen_from_its_first_access(void **state)
{
	/* After two pushes, and an access by another register. */
	const struct insn in[] = {push(),
				  push(),
				  touches(RBX, 0, 8),
				  touches(RSP, 16, 8),
				  touches(RSP, 8, 8),
				  touches(RSP, 24, 4)};
	struct filter_plan p;

	(void)state;
	plan(&p, in, 6, false);
	assert_int_equal(p.runs, 1);
	assert_int_equal(p.run[0].first, 3);
	assert_int_equal(p.run[0].low, 8);
	assert_int_equal(p.run[0].high, 27);
}

static void another_value_of_the_base_ends_a_run(void **state)
{
	struct insn in[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8)};
	struct filter_plan p;

	(void)state;
	in[1].gprs_written = 1u << RBX;
	plan(&p, in, 3, false);
	assert_int_equal(p.runs, 0);
	assert_int_equal(p.time[0], 0);
	assert_int_equal(p.time[1], 0);
	assert_int_equal(p.time[2], 1);
	in[1].gprs_written = 1u << RAX;
	plan(&p, in, 3, false);
	assert_int_equal(p.runs, 1);
}

static void a_run_fits_in_the_bytes_of_a_line(void **state)
{
	const struct insn fits[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 56, 8)};
	const struct insn not [] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 64, 8)};
	const struct insn odd[] = {touches(RBX, 0, 8), touches(RBX, 12, 8), touches(RBX, 20, 8)};
	const struct insn wide[] = {touches(RBX, 0, 16), touches(RBX, 16, 16),
				    touches(RBX, 32, 16)};
	struct filter_plan p;

	(void)state;
	plan(&p, fits, 3, false);
	assert_int_equal(p.runs, 1);
	plan(&p, not, 3, false);
	assert_int_equal(p.runs, 0);
	plan(&p, odd, 3, false);
	assert_int_equal(p.runs, 0);
	plan(&p, wide, 3, false);
	assert_int_equal(p.runs, 0);
}

static void a_fetch_in_between_ends_a_run(void **state)
{
	struct insn in[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8)};
	struct filter_plan p;

	(void)state;
	in[0].pc = LINE - 8;
	in[1].pc = LINE - 4;
	in[2].pc = LINE;
	plan(&p, in, 3, true);
	assert_int_equal(p.runs, 0);
	plan(&p, in, 3, false);
	assert_int_equal(p.runs, 1);
}

static struct insn stores(uint8_t base, int64_t disp, uint16_t size)
{
	struct insn in = touches(base, disp, size);

	in.mem[0].kind = ACCESS_STORE;
	return in;
}

/* The first four accesses are in[], with marks on stores. */
static uint32_t members_with_marks(const struct insn in[4], bool *dirties)
{
	const struct filter_rules rules = {.set_bytes = SET_BYTES, .marks_stores = true};
	struct filter_plan p;

	filter_plan_accesses(&p, in, 4, &rules);
	*dirties = p.run[0].dirties;
	return p.runs ? p.run[0].members : 0;
}

static void a_run_with_marks_stores_to_its_ends_or_not_at_all(void **state)
{
	const struct insn loads[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8),
				     touches(RBX, 24, 8)};
	const struct insn ends[] = {stores(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 0, 4),
				    stores(RBX, 16, 8)};
	/* the highest byte is loaded, and then stored, too */
	const struct insn late[] = {stores(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 8, 4),
				    stores(RBX, 12, 4)};
	const struct insn low[] = {stores(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8),
				   touches(RBX, 24, 8)};
	const struct insn last[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8),
				    stores(RBX, 24, 8)};
	bool dirties;

	(void)state;
	assert_int_equal(members_with_marks(loads, &dirties), 4);
	assert_false(dirties);
	assert_int_equal(members_with_marks(ends, &dirties), 4);
	assert_true(dirties);
	assert_int_equal(members_with_marks(late, &dirties), 4);
	assert_true(dirties);
	assert_int_equal(members_with_marks(low, &dirties), 0);
	assert_int_equal(members_with_marks(last, &dirties), 3); /* what comes before the store */
	assert_false(dirties);
}

static void accesses_to_two_pages_have_times_of_their_own(void **state)
{
	const struct filter_rules rules = {.set_bytes = SET_BYTES, .tells_pages = true};
	/* ends with the highest byte; with the lowest one; and in the middle: only before that */
	const struct insn up[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8)};
	const struct insn down[] = {touches(RAX, 0, 8), touches(RBX, 16, 8), touches(RBX, 8, 8),
				    touches(RBX, 0, 8), touches(RAX, 0, 8)};
	const struct insn back[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8),
				    touches(RBX, 8, 8)};
	struct filter_plan p;

	(void)state;
	filter_plan_accesses(&p, up, 3, &rules);
	assert_int_equal(p.runs, 1);
	assert_false(p.run[0].low_is_last);
	assert_int_equal(p.time[2], 0);
	filter_plan_accesses(&p, down, 5, &rules);
	assert_int_equal(p.runs, 1);
	assert_true(p.run[0].low_is_last);
	assert_int_equal(p.time[0], 0);
	assert_int_equal(p.time[1], 2); /* both halves of a tick are its own */
	assert_int_equal(p.time[2], 2);
	assert_int_equal(p.time[3], 3);
	assert_int_equal(p.time[4], 4);
	filter_plan_accesses(&p, back, 4, &rules);
	assert_int_equal(p.runs, 1);
	assert_int_equal(p.run[0].members, 3);
	assert_int_equal(p.time[3], 1);
}

/* Whether the low line of a run of the first four accesses is touched last. */
static bool waits(const struct insn in[4], const struct filter_rules *rules)
{
	struct filter_plan p;

	filter_plan_accesses(&p, in, 4, rules);
	assert_int_equal(p.runs, 1);
	assert_int_equal(p.run[0].members, 4);
	return p.run[0].low_waits;
}

static void the_low_line_of_a_run_is_not_touched_too_early(void **state)
{
	const struct filter_rules plain = {.set_bytes = SET_BYTES};
	const struct filter_rules pages = {.set_bytes = SET_BYTES, .tells_pages = true};
	const struct filter_rules inclusive = {
		.set_bytes = SET_BYTES, .marks_stores = true, .splits_insns = true};
	const struct insn from_low[] = {stores(RBX, 0, 8), touches(RBX, 16, 8), touches(RBX, 8, 8),
					stores(RBX, 24, 8)};
	const struct insn stored[] = {touches(RBX, 16, 8), stores(RBX, 0, 8), touches(RBX, 8, 8),
				      stores(RBX, 24, 8)};
	const struct insn loaded[] = {touches(RBX, 16, 8), touches(RBX, 0, 8), touches(RBX, 8, 8),
				      touches(RBX, 24, 8)};

	(void)state;
	assert_false(waits(from_low, &pages));
	assert_false(waits(from_low, &inclusive));
	assert_true(waits(stored, &pages));
	assert_true(waits(stored, &inclusive));
	assert_true(waits(loaded, &pages));
	assert_false(waits(loaded, &inclusive));
	assert_false(waits(stored, &plain));
}

static void an_instruction_of_two_accesses_ends_a_run(void **state)
{
	struct insn in[] = {touches(RBX, 0, 8), touches(RBX, 8, 8), touches(RBX, 16, 8)};
	struct filter_plan p;

	(void)state;
	in[1].mem_count = 2;
	in[1].mem[1] = at(RBX, 24, 8);
	plan(&p, in, 3, false);
	assert_int_equal(p.runs, 1);
	assert_int_equal(p.run[0].members, 4);
	filter_plan_accesses(&p, in, 3,
			     &(struct filter_rules){.set_bytes = SET_BYTES, .splits_insns = true});
	assert_int_equal(p.runs, 0);
}

static void lines_that_may_be_of_one_set_have_times_of_their_own(void **state)
{
	const struct insn near[] = {touches(RBX, 0, 8), touches(RBX, SET_BYTES - LINE - 8, 8)};
	const struct insn far[] = {touches(RBX, 0, 8), touches(RBX, SET_BYTES - LINE, 8)};
	const struct insn there_and_back[] = {touches(RBX, 0, 8), touches(RBP, 0, 8),
					      touches(RBX, 0, 8)};
	struct filter_plan p;

	(void)state;
	plan(&p, near, 2, false);
	assert_int_equal(p.time[1], 0);
	plan(&p, far, 2, false);
	assert_int_equal(p.time[1], 1);
	plan(&p, there_and_back, 3, false);
	assert_int_equal(p.time[1], 1);
	assert_int_equal(p.time[2], 2);
}

static void what_moves_the_stack_by_how_much(void **state)
{
	static const struct {
		uint8_t bytes[8];
		int64_t by;
		bool is_known, keeps;
	} as[] = {
		{{0x41, 0x5c}, 8, true, true},				 /* pop r12 */
		{{0x5c}, 0, false, false},				 /* pop rsp */
		{{0x66, 0x53}, 0, false, false},			 /* push bx */
		{{0x6a, 1}, -8, true, true},				 /* push 1 */
		{{0xff, 0x33}, -8, true, true},				 /* push [rbx] */
		{{0x48, 0x83, 0xec, 0x18}, -24, true, true},		 /* sub rsp, 24 */
		{{0x48, 0x83, 0xc4, 0x04}, 4, true, false},		 /* add rsp, 4 */
		{{0x48, 0x83, 0xe4, 0xf0}, 0, false, true},		 /* and rsp, -16 */
		{{0x48, 0x81, 0xec, 0, 0x10, 0, 0}, -4096, true, true},	 /* sub rsp, 4096 */
		{{0x48, 0x8d, 0xa4, 0x24, 0, 1, 0, 0}, 256, true, true}, /* lea rsp, [rsp + 256] */
		{{0x48, 0x89, 0xec}, 0, false, false},			 /* mov rsp, rbp */
		{{0xc9}, 0, false, false},				 /* leave */
	};

	(void)state;
	for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
		struct insn in = {.kind = INSN_PLAIN, .gprs_written = 1u << RSP};
		int64_t by;

		__builtin_memcpy(in.bytes, as[i].bytes, sizeof as[i].bytes);
		assert_int_equal(filter_moves_stack(&in, &by), as[i].is_known);
		assert_int_equal(by, as[i].by);
		assert_int_equal(filter_keeps_stack(&in), as[i].keeps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_are_one_run),
		cmocka_unit_test(a_run_is_seen_from_its_first_access),
		cmocka_unit_test(another_value_of_the_base_ends_a_run),
		cmocka_unit_test(a_run_fits_in_the_bytes_of_a_line),
		cmocka_unit_test(a_fetch_in_between_ends_a_run),
		cmocka_unit_test(a_run_with_marks_stores_to_its_ends_or_not_at_all),
		cmocka_unit_test(accesses_to_two_pages_have_times_of_their_own),
		cmocka_unit_test(the_low_line_of_a_run_is_not_touched_too_early),
		cmocka_unit_test(an_instruction_of_two_accesses_ends_a_run),
		cmocka_unit_test(lines_that_may_be_of_one_set_have_times_of_their_own),
		cmocka_unit_test(what_moves_the_stack_by_how_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
