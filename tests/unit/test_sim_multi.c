/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several hierarchies in one pass count, event by event, what each counts alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_memory.h"
#include "draw.h"
#include "sim/system/hierarchy.h"
#include "sim/system/multi.h"

#define ACCESSES 6000u
#define ROUNDS	 300u

static bool has_wide(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq");
}

/* ---- Hierarchies at random ---- */

static void draw_first(struct sim_cache_geometry *c, uint32_t line_bytes)
{
	*c = (struct sim_cache_geometry){.line_bytes = line_bytes,
					 .ways = 1 + (uint32_t)(draw() % 16)};
	c->size_bytes = (uint64_t)c->ways * line_bytes << draw() % 5;
}

/* Any policy, any number of sets, longer lines; or LRU in so many sets that rows are short. */
static void draw_below(struct sim_cache_geometry *c, uint32_t line_bytes, bool is_short)
{
	draw_first(c, line_bytes << (!is_short && draw() % 4 == 0));
	if (is_short || draw() % 3 == 0)
		c->size_bytes *= 2048;
	if (is_short)
		return;
	if (draw() % 8 == 0)
		c->replacement = (enum sim_replacement)(draw() % SIM_REPLACEMENTS);
	if (draw() % 8 == 0)
		c->size_bytes *= 3;
	if (draw() % 8 == 0)
		c->ways = 0;
	c->seed = draw() % 2;
}

static void draw_geometry(struct sim_geometry *g, uint32_t line_bytes, bool is_short)
{
	char reason[256];

	do {
		*g = (struct sim_geometry){.level_count =
						   1 + (unsigned)(draw() % (is_short ? 2 : 4))};
		draw_first(&g->levels[0], line_bytes);
		if (draw() % 4 > 0)
			draw_first(&g->code, line_bytes);
		for (unsigned level = 1; level < g->level_count; level++)
			draw_below(&g->levels[level], line_bytes, is_short);
	} while (sim_geometry_check(g, reason, sizeof(reason)) != 0);
}

/* Often a part of another one is taken over, so that there is something to share. */
static void draw_all(struct sim_geometry g[], uint32_t count)
{
	uint32_t line_bytes = 32u << draw() % 2;
	bool is_short = draw() % 3 == 0;

	for (uint32_t k = 0; k < count; k++) {
		const struct sim_geometry *other = &g[k > 0 ? draw() % k : 0];

		draw_geometry(&g[k], line_bytes, is_short);
		if (k > 0 && draw() % 2)
			g[k].levels[0] = other->levels[0];
		if (k > 0 && draw() % 2)
			g[k].code = other->code;
		if (k > 0 && draw() % 3 == 0 && g[k].level_count > 1 && other->level_count > 1)
			g[k].levels[1] = other->levels[1];
	}
}

/* ---- Side by side ---- */

struct pass {
	uint32_t count;
	struct sim_geometry g[SIM_MULTI];
	const struct sim_geometry *each[SIM_MULTI];
	uint32_t first_event[SIM_MULTI], stride;
	struct sim_hierarchy alone[SIM_MULTI];
	struct sim_multi together;
};

/* The bits of the same event of all side by side, if there is room for that. */
static void interleave(struct pass *p)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < p->count; k++)
		most = p->alone[k].shared.list.count > most ? p->alone[k].shared.list.count : most;
	if (p->count * (most - SIM_MISSES) > SIM_MULTI_EVENTS)
		return;
	p->stride = p->count;
	for (uint32_t k = 0; k < p->count; k++)
		p->first_event[k] = k;
}

/* Fewer if they have more events than there are bits. */
static void begin(struct pass *p, uint32_t count)
{
	uint32_t events = 0;

	*p = (struct pass){.stride = 1};
	draw_all(p->g, count);
	for (uint32_t k = 0; k < count; k++) {
		struct sim_hierarchy *h = &p->alone[k];

		assert_int_equal(sim_hierarchy_init(h, &p->g[k], true, &memory), 0);
		p->each[k] = &p->g[k];
		p->first_event[k] = events;
		p->count++;
		events += h->shared.list.count - SIM_MISSES;
		if (events + 15 > SIM_MULTI_EVENTS)
			break;
	}
	if (draw() % 2)
		interleave(p);
	assert_true(sim_multi_fits(p->each, p->count));
	assert_int_equal(
		sim_multi_init(&p->together, p->each, p->count, p->first_event, p->stride, &memory),
		0);
}

static void end(struct pass *p)
{
	for (uint32_t k = 0; k < p->count; k++)
		sim_hierarchy_release(&p->alone[k]);
	sim_multi_release(&p->together);
	assert_int_equal(taken, 0);
}

struct access {
	uint64_t address;
	uint32_t bytes;
	enum sim_access kind;
};

static struct access draw_access(uint64_t i)
{
	static const uint32_t bytes[] = {1, 4, 8, 8, 16, 33, 64, 512};
	struct access a = {.bytes = bytes[draw() % 8], .kind = (enum sim_access)(draw() % 4)};

	switch (draw() % 4) {
	case 0:
		a.address = 0x10000 + i * 24 % 32768;
		break;
	case 1:
		a.address = 0x7fff00000000 + draw() % 2048;
		break;
	case 2: /* many lines of few sets */
		a.address = draw() % 40 << 22;
		break;
	default:
		a.address = 0x10000 + draw() % (256u << draw() % 9);
	}
	return a;
}

static uint64_t access_all(struct pass *p, const struct access *a)
{
	struct sim_multi *s = &p->together;

	return a->kind == SIM_FETCH ? sim_multi_fetch(s, a->address, a->bytes)
				    : sim_multi_data(s, a->address, a->bytes, a->kind);
}

/* What each one alone says of the access. */
static uint64_t expected(struct pass *p, const struct access *a)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < p->count; k++) {
		uint64_t events[SIM_MAX_EVENTS] = {0};
		struct sim_hierarchy *h = &p->alone[k];

		if (a->kind == SIM_FETCH)
			sim_core_fetch(&h->core, a->address, a->bytes, events);
		else
			sim_core_data(&h->core, a->address, a->bytes, a->kind, events);
		for (uint32_t i = SIM_MISSES; i < h->shared.list.count; i++) {
			assert_in_range(events[i], 0, 1);
			all |= events[i] << (p->first_event[k] + (i - SIM_MISSES) * p->stride);
		}
	}
	return all;
}

static uint32_t flat; /* rounds with nothing but short rows below */

static void compare(uint32_t count)
{
	static struct pass p;
	uint64_t any = 0;

	begin(&p, count);
	flat += p.together.is_flat;
	for (uint64_t i = 0; i < ACCESSES; i++) {
		struct access a = draw_access(i);
		unsigned kind = a.kind == SIM_FETCH ? SIM_OF_CODE : SIM_OF_DATA;
		uint64_t events = expected(&p, &a);

		p.together.is_wide = has_wide() && draw() % 3 > 0;
		if (sim_multi_is_noop(&p.together, kind, a.address, a.bytes))
			assert_int_equal(events, 0); /* and it is not given */
		else
			assert_int_equal(access_all(&p, &a), events);
		any |= events;
	}
	assert_int_not_equal(any, 0);
	end(&p);
}

static void each_access_has_the_events_of_each_hierarchy_alone(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++)
		compare(1 + round % SIM_MULTI);
	assert_in_range(flat, ROUNDS / 5, ROUNDS * 4 / 5);
}

/* ---- What does not fit ---- */

static void make_usual(struct sim_geometry *g)
{
	*g = (struct sim_geometry){.level_count = 2};
	g->code = (struct sim_cache_geometry){.size_bytes = 4096, .ways = 4, .line_bytes = 64};
	g->levels[0] = g->code;
	g->levels[1] =
		(struct sim_cache_geometry){.size_bytes = 65536, .ways = 8, .line_bytes = 64};
}

static void hierarchies_with_other_rules_do_not_fit(void **state)
{
	struct sim_geometry usual, other[13];
	const struct sim_geometry *each[2] = {&usual};

	(void)state;
	make_usual(&usual);
	each[1] = &usual;
	assert_true(sim_multi_fits(each, 2));
	assert_false(sim_multi_fits(each, SIM_MULTI + 1));
	for (unsigned i = 0; i < 13; i++)
		make_usual(&other[i]);
	other[0].levels[0].replacement = SIM_REPLACE_FIFO;
	other[1].code.replacement = SIM_REPLACE_PLRU;
	other[2].levels[0].line_bytes = 32;
	other[3].levels[1].line_bytes = 32;
	other[4].levels[1].inclusion = SIM_INCLUSIVE;
	other[5].levels[1].inclusion = SIM_EXCLUSIVE;
	other[6].levels[1].prefetcher = SIM_PREFETCH_NEXT_LINE;
	other[7].levels[0].is_write_through = true;
	other[8].levels[1].no_write_allocate = true;
	other[9].write_backs = true;
	other[10].line_use = true;
	other[11].data_tlb = (struct sim_tlb_geometry){4, 1, 4096};
	other[12].levels[0].ways = 0; /* 64 */
	for (unsigned i = 0; i < 13; i++) {
		each[1] = &other[i];
		assert_false(sim_multi_fits(each, 2));
	}
}

static void without_memory_all_is_given_back(void **state)
{
	static struct sim_multi s;
	struct sim_geometry g[2];
	const struct sim_geometry *each[2] = {&g[0], &g[1]};
	const uint32_t first_event[2] = {0, 6};
	int status = -1;

	(void)state;
	make_usual(&g[0]);
	make_usual(&g[1]);
	g[1].levels[0].size_bytes *= 4;
	g[1].levels[1].replacement = SIM_REPLACE_RANDOM;
	for (uint64_t takes = 0; status != 0; takes++) {
		takes_left = takes;
		status = sim_multi_init(&s, each, 2, first_event, 1, &memory);
		takes_left = UINT64_MAX;
		sim_multi_release(&s);
		assert_int_equal(taken, 0);
		assert_in_range(takes, 0, 30);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_access_has_the_events_of_each_hierarchy_alone),
		cmocka_unit_test(hierarchies_with_other_rules_do_not_fit),
		cmocka_unit_test(without_memory_all_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
