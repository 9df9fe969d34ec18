/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named memory: which name an address had at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/naming/regions.h"

static int64_t site_at(const struct regions *g, uint64_t address, uint64_t position)
{
	uint64_t start = 0;

	return regions_find(g, address, position, &start);
}

static void a_name_holds_from_its_time_on(void **state)
{
	struct regions g = {0};
	int64_t next = 5;
	uint64_t start = 0;

	(void)state;
	assert_int_equal(regions_name(&g, 1000, 2000, 100, "a", 0, &next), 0);
	assert_int_equal(next, 6);
	assert_int_equal(site_at(&g, 1000, 99), 0);
	assert_int_equal(regions_find(&g, 1999, 100, &start), 5);
	assert_int_equal(start, 1000);
	assert_int_equal(site_at(&g, 999, 100), 0);
	assert_int_equal(site_at(&g, 2000, 100), 0);
	regions_release(&g);
}

static void a_later_name_takes_the_place(void **state)
{
	struct regions g = {0};
	int64_t next = 1;

	(void)state;
	regions_name(&g, 1000, 2000, 100, "a", 0, &next);
	regions_name(&g, 1500, 1600, 200, "b", 0, &next);
	assert_int_equal(site_at(&g, 1550, 150), 1);
	assert_int_equal(site_at(&g, 1550, 200), 2);
	assert_int_equal(site_at(&g, 1400, 200), 1);
	regions_name(&g, 1000, 2000, 300, "", 0, &next);
	assert_int_equal(site_at(&g, 1550, 299), 2);
	assert_int_equal(site_at(&g, 1550, 300), 0);
	assert_int_equal(site_at(&g, 1001, 300), 0);
	regions_release(&g);
}

static void memory_of_one_name_is_one_site(void **state)
{
	struct regions g = {0}, child = {0};
	int64_t next = 1;

	(void)state;
	regions_name(&g, 1000, 2000, 0, "a", 0, &next);
	regions_name(&g, 5000, 5300, 0, "a", 0, &next);
	assert_int_equal(next, 2);
	assert_int_equal(site_at(&g, 5001, 0), 1);
	assert_int_equal(g.sites.count, 1);
	assert_int_equal(g.sites.items[0].blocks, 2);
	assert_int_equal(g.sites.items[0].bytes, 1300);
	assert_int_equal(g.sites.items[0].smallest, 300);
	assert_int_equal(g.sites.items[0].largest, 1000);
	regions_name(&g, 1000, 2000, 9, "", 0, &next);
	assert_int_equal(g.sites.items[0].live_bytes, 300);
	assert_int_equal(g.sites.items[0].peak_bytes, 1300);
	assert_int_equal(regions_number(&g, "a", 7), 0);
	assert_int_equal(regions_numbered(&g, 7), 1);
	assert_int_equal(regions_numbered(&g, 6), 0);
	/* A forked child has what its parent had, from its own beginning on. */
	assert_int_equal(regions_inherit(&child, &g, 1, &next), 0);
	assert_int_equal(site_at(&child, 1001, 0), 0);
	assert_int_equal(site_at(&child, 5001, 0), 2);
	assert_int_equal(child.sites.items[0].process_id, 1);
	assert_int_equal(regions_numbered(&child, 7), 2);
	regions_release(&g);
	regions_release(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_holds_from_its_time_on),
		cmocka_unit_test(a_later_name_takes_the_place),
		cmocka_unit_test(memory_of_one_name_is_one_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
