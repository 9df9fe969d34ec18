/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compact sums of collector/simulation/costs.h against plain sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/simulation/costs.h"

#define EVENTS	  5u
#define LOCATIONS 40u
#define NODES	  4u

static uint64_t truth[LOCATIONS][NODES][EVENTS];
static uint64_t state_of_random = 7;

static uint32_t draw(uint32_t below)
{
	state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state_of_random >> 33) % below;
}

/* All sums are the true ones, and none is there twice. */
static void compare(const struct costs *c, uint32_t first_node)
{
	for (uint32_t l = 0; l < LOCATIONS; l++) {
		bool seen[NODES] = {false};
		const struct cost_sum *sum = l < c->count ? &c->items[l] : NULL;

		for (; sum != NULL; sum = costs_next(c, sum)) {
			uint64_t values[EVENTS];

			if (sum->node < first_node)
				continue;
			assert_false(seen[sum->node - first_node]);
			seen[sum->node - first_node] = true;
			costs_values(c, sum, values);
			assert_memory_equal(values, truth[l][sum->node - first_node],
					    sizeof(values));
		}
		for (uint32_t n = 0; n < NODES; n++)
			for (unsigned i = 0; i < EVENTS; i++)
				assert_true(seen[n] || truth[l][n][i] == 0);
	}
}

static void forget_all(struct costs *c)
{
	for (size_t l = 0; l < c->count; l++)
		for (struct cost_sum *sum = &c->items[l]; sum != NULL; sum = costs_next(c, sum))
			costs_forget(c, sum);
	memset(truth, 0, sizeof(truth));
}

/* Mostly an instruction has its one shape; now and then, as where code changes, another one. */
static void add_one(struct costs *c, uint32_t first_node, uint32_t nodes)
{
	const uint32_t l = draw(LOCATIONS), n = draw(nodes), executions = draw(1000);
	const struct costs_shape shape = {(uint8_t)(l % 3 + (draw(10) == 0)),
					  (uint8_t)(l % 2 + (l % 7 == 0 ? 15 : 0))};
	uint64_t events[EVENTS];
	const bool has_events = draw(4) == 0;

	for (unsigned i = 0; i < EVENTS; i++)
		events[i] = draw(100);
	assert_int_equal(
		costs_add(c, first_node + n, l, executions, shape, has_events ? events : NULL), 0);
	truth[l][n][COSTS_INSTRUCTIONS] += executions;
	truth[l][n][COSTS_READS] += (uint64_t)executions * shape.reads;
	truth[l][n][COSTS_WRITES] += (uint64_t)executions * shape.writes;
	for (unsigned i = 0; i < EVENTS && has_events; i++)
		truth[l][n][i] += events[i];
}

static void sums_are_true(uint32_t first_node, uint32_t nodes)
{
	struct costs c = {.events = EVENTS};

	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 300; i++)
			add_one(&c, first_node, nodes);
		compare(&c, first_node);
		if (round % 3 == 2)
			forget_all(&c);
	}
	forget_all(&c);
	compare(&c, first_node);
	costs_release(&c);
}

static void sums_in_nodes_are_true(void **state)
{
	(void)state;
	sums_are_true(1, NODES);
}

static void sums_without_nodes_are_true(void **state)
{
	(void)state;
	sums_are_true(0, 1);
}

static void only_what_is_not_plain_takes_more(void **state)
{
	const uint64_t events[EVENTS] = {0, 0, 0, 1, 0};
	struct costs c = {.events = EVENTS};

	(void)state;
	for (uint32_t l = 1; l < 1000; l++)
		for (unsigned k = 0; k < 3; k++)
			costs_add(&c, 1, l, 10, (struct costs_shape){1, 0}, NULL);
	assert_int_equal(c.extra_count, 0);
	assert_int_equal(c.others.count, 0);
	costs_add(&c, 1, 5, 1, (struct costs_shape){1, 0}, events);
	costs_add(&c, 1, 5, 1, (struct costs_shape){1, 0}, events);
	assert_int_equal(c.extra_count, 1);
	costs_add(&c, 2, 5, 1, (struct costs_shape){1, 0}, NULL);
	assert_int_equal(c.others.count, 1);
	costs_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_in_nodes_are_true),
		cmocka_unit_test(sums_without_nodes_are_true),
		cmocka_unit_test(only_what_is_not_plain_takes_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
