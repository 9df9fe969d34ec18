/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instructions the filter variant assumes to have aligned accesses. */
#include "engine/simulate/state/filter_trust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void an_instruction_is_trusted_until_it_is_not(void **state)
{
	(void)state;
	for (uint64_t pc = 0x400000; pc < 0x410000; pc += 3)
		assert_true(filter_trusts(pc));
	filter_distrust(0x400003);
	filter_distrust(0x400003);
	for (uint64_t pc = 0x400000; pc < 0x410000; pc += 3)
		assert_int_equal(filter_trusts(pc), pc != 0x400003);
}

static void so_many_are_not_that_none_is(void **state)
{
	(void)state;
	for (uint64_t pc = 0x7f0000000000; pc < 0x7f0000000000 + 16 * 20000; pc += 16) {
		filter_distrust(pc);
		assert_false(filter_trusts(pc));
	}
	assert_false(filter_trusts(0x500000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_is_trusted_until_it_is_not),
		cmocka_unit_test(so_many_are_not_that_none_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
