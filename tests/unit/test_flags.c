/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a block status flags are live. */
#include "engine/translate/flags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CARRY = 1, ZERO = 8, ALL = INSN_FLAGS };

static struct insn plain(uint8_t reads, uint8_t writes)
{
	return (struct insn){.kind = INSN_PLAIN, .flags_read = reads, .flags_written = writes};
}

static void flags_are_dead_in_front_of_what_sets_them_all(void **state)
{
	const struct insn in[] = {plain(0, 0), plain(0, ALL), plain(0, 0)};
	uint8_t live[3];

	(void)state;
	flags_find_live(in, 3, ALL, live);
	assert_int_equal(live[0], 0);
	assert_int_equal(live[1], 0);
	assert_int_equal(live[2], ALL);
}

static void a_flag_that_is_not_set_stays_live(void **state)
{
	/* inc leaves the carry as it was; adc reads it and sets all. */
	const struct insn in[] = {plain(0, ALL & ~CARRY), plain(CARRY, ALL)};
	uint8_t live[2];

	(void)state;
	flags_find_live(in, 2, ALL, live);
	assert_int_equal(live[1], CARRY);
	assert_int_equal(live[0], CARRY);
}

static void a_branch_reads_and_leads_on_to_two_places(void **state)
{
	struct insn in[] = {plain(0, 0), plain(0, 0), plain(0, ALL), plain(ZERO, ALL)};
	uint8_t live[4];

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		in[i].pc = 100 + i;
	in[1] = (struct insn){.pc = 101, .kind = INSN_JCC, .target = 103, .flags_read = CARRY};
	flags_find_live(in, 4, ALL, live);
	assert_int_equal(live[2], 0);
	assert_int_equal(live[3], ZERO);
	assert_int_equal(live[1], CARRY | ZERO); /* its own, none behind it, those at its target */
	in[1].target = 100;			 /* back: anything may be read there */
	flags_find_live(in, 4, ALL, live);
	assert_int_equal(live[0], ALL);
	in[1].target = 200; /* out of the block */
	flags_find_live(in, 4, ALL, live);
	assert_int_equal(live[0], ALL);
}

static void calls_and_returns_are_taken_to_need_all(void **state)
{
	static const uint8_t kinds[] = {INSN_CALL,    INSN_CALL_IND, INSN_RET, INSN_JMP_IND,
					INSN_SYSCALL, INSN_REP,	     INSN_LOOP};
	struct insn in[] = {plain(0, 0), plain(0, 0), plain(0, ALL)};
	uint8_t live[3];

	(void)state;
	for (uint32_t k = 0; k < sizeof kinds; k++) {
		in[1].kind = kinds[k];
		flags_find_live(in, 3, ALL, live);
		assert_int_equal(live[0], ALL);
		assert_int_equal(live[2], 0);
	}
}

static void a_jump_that_is_followed_changes_nothing(void **state)
{
	struct insn in[] = {plain(0, 0), plain(0, 0), plain(ZERO, ALL)};
	uint8_t live[3];

	(void)state;
	in[1].kind = INSN_JMP_INTO;
	flags_find_live(in, 3, ALL, live);
	assert_int_equal(live[0], ZERO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_dead_in_front_of_what_sets_them_all),
		cmocka_unit_test(a_flag_that_is_not_set_stays_live),
		cmocka_unit_test(a_branch_reads_and_leads_on_to_two_places),
		cmocka_unit_test(calls_and_returns_are_taken_to_need_all),
		cmocka_unit_test(a_jump_that_is_followed_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
