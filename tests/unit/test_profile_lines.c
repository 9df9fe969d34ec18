/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile for other line sizes than the recorded one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "estimate/spatial.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"

#define WINDOWS	   80
#define PER_WINDOW 50
#define LENGTH	   100000ull
#define FAR	   60000ull /* accesses */
#define PATH	   "dwell.db"

static const struct query random_at_8k = {.policy = QUERY_RANDOM, .size_bytes = 8192};

/*
 * A walk over doubles, one after the other: each access's own 8 bytes come again after FAR
 * accesses, its line of 16 by the next one in every second case, and so on.
 */
static struct store_nested make_nested(uint32_t window, uint32_t k,
				       struct store_nested_event events[2])
{
	uint32_t index = k % 512, near = 0;
	struct store_nested n = {
		.process_id = 0,
		.window = window,
		.status = 1,
		.position = LENGTH * window + LENGTH / PER_WINDOW * (k % PER_WINDOW),
		.point = 0x10000 + 8 * index + k % 8,
		.weight = 1,
		.begin = {1, 0x10000 + 8 * index, 8, 1, 0, 0, 0},
		.events = events,
	};

	for (uint32_t line = 16; line <= 4096; line *= 2)
		if (8 * (index + 1) % line != 0)
			near |= line;
	if (near != 0)
		events[n.event_count++] = (struct store_nested_event){
			near, 1, 0, {2, 0x10000 + 8 * (index + 1), 8, 1, 0, 5, 0x10000}};
	n.open = 0x1ffc & ~near;
	n.watched = STORE_FAR;
	return n;
}

/* What the sample of the recorded size saw of it, 64 bytes. */
static struct store_sample sample_of(const struct store_nested *n)
{
	struct store_sample x = {.window = n->window,
				 .status = n->open & 64 ? 1 : 0,
				 .position = n->position,
				 .distance = n->open & 64 ? STORE_FAR : 0,
				 .begin = n->begin,
				 .end = {.location = STORE_NONE}};

	if (x.status == 0)
		x.end = n->events[0].end;
	return x;
}

/* The touch that begins the sample is far itself at the sizes at which it is first in a line. */
static struct store_far far_of(const struct store_nested *n, uint32_t k)
{
	uint32_t index = k % 512;
	struct store_far f = {.window = n->window,
			      .position = n->position,
			      .begin = {.location = STORE_NONE},
			      .end = n->begin};

	for (uint32_t i = 0; i < STORE_FAR_SIZES; i++)
		if (8 * index % (4u << i) == 0)
			f.of[i] = (struct store_far_line){LENGTH / PER_WINDOW, FAR, FAR / 4, false};
	return f;
}

static void write_profile(int64_t nested_one_in)
{
	struct store_process p = {.id = 0,
				  A_PROCESS,
				  .state = "exited",
				  .accesses = LENGTH * WINDOWS,
				  .footprint_pages = 200};
	struct store *s = create_profile(PATH);

	set_far_lines(&p, 1000, 32);
	assert_int_equal(store_put_process(s, &p, NULL), 0);
	assert_int_equal(store_put_meta_int(s, "nested_one_in", nested_one_in, NULL), 0);
	for (uint32_t w = 0; w < WINDOWS; w++) {
		struct store_window window = {0, w, LENGTH * w, LENGTH, LENGTH, PER_WINDOW, 200};

		for (uint32_t k = 0; k < PER_WINDOW; k++) {
			struct store_nested_event events[2];
			struct store_nested n = make_nested(w, w * PER_WINDOW + k, events);

			struct store_sample x = sample_of(&n);
			struct store_far f = far_of(&n, w * PER_WINDOW + k);

			assert_int_equal(store_put_nested(s, &n, NULL), 0);
			assert_int_equal(store_put_sample(s, &x, NULL), 0);
			assert_int_equal(store_put_far(s, &f, NULL), 0);
			for (size_t i = 0; i < STORE_FAR_SIZES; i++)
				window.far[i] += f.of[i].weight;
		}
		assert_int_equal(store_put_window(s, &window, NULL), 0);
	}
	finish_profile(s);
}

static struct profile load(void)
{
	struct profile p;
	struct err err;

	if (profile_open(&p, PATH, STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void what_was_put_comes_back(void **state)
{
	struct profile p;
	struct store_nested *x;
	size_t count;

	(void)state;
	write_profile(4);
	p = load();
	assert_int_equal(store_read_nested(p.store, 0, &x, &count, NULL), 0);
	assert_int_equal(count, WINDOWS * PER_WINDOW);
	for (size_t i = 0; i < count; i++) {
		struct store_nested_event events[2];
		struct store_nested n =
			make_nested((uint32_t)(i / PER_WINDOW), (uint32_t)i, events);

		assert_int_equal(x[i].event_count, n.event_count);
		assert_memory_equal(x[i].events, events, n.event_count * sizeof(*events));
		assert_memory_equal(&x[i].begin, &n.begin, sizeof(n.begin));
		assert_int_equal(x[i].window, n.window);
		assert_int_equal(x[i].position, n.position);
		assert_int_equal(x[i].point, n.point);
		assert_int_equal(x[i].weight, n.weight);
	}
	free(x);
	profile_close(&p);
}

/* In a cache that holds nothing for FAR accesses each line is missed once on the way through it. */
static void misses_fall_as_lines_grow(void **state)
{
	struct spatial s = {
		.query = &random_at_8k, .sizes = {8192}, .size_count = 1, .small_line = 8};
	struct profile p;
	struct err err;

	(void)state;
	write_profile(4);
	p = load();
	if (spatial_compute(&p, &s, &err) != 0)
		fail_msg("%s", err.text);
	/* An access misses its two lines of 4 bytes, or one of 8; then 1/2, 1/4, 1/8 of them do. */
	assert_true(s.ratios[0][0].ratio > 0.98 && s.ratios[0][0].ratio <= 1);
	assert_true(spatial_traffic(&s, 0, 0) > 7.8 && spatial_traffic(&s, 0, 0) < 8.1);
	assert_true(s.ratios[1][0].ratio > 0.98 && s.ratios[1][0].ratio <= 1);
	assert_true(s.ratios[2][0].ratio > 0.48 && s.ratios[2][0].ratio < 0.52);
	assert_true(s.ratios[4][0].ratio > 0.11 && s.ratios[4][0].ratio < 0.14);
	assert_true(spatial_use(&s, 4, 0) > 0.97 && spatial_use(&s, 4, 0) < 1.03);
	assert_true(spatial_used(&s, 4, 0) > 0.95);
	assert_true(spatial_use(&s, 1, 0) != spatial_use(&s, 1, 0)); /* not defined */
	profile_close(&p);
}

static void a_line_size_can_be_chosen(void **state)
{
	struct profile p;
	struct model_ratio r;
	struct err err;

	(void)state;
	write_profile(4);
	p = load();
	assert_int_equal(p.sample_count, WINDOWS * PER_WINDOW);
	assert_int_equal(profile_use_line(&p, 24, &err), -1);
	assert_int_equal(profile_use_line(&p, 8192, &err), -1);
	assert_int_equal(profile_use_line(&p, 16, &err), 0);
	assert_int_equal(p.line_bytes, 16);
	assert_int_equal(p.sample_count, WINDOWS * PER_WINDOW);
	profile_solve(&p, &random_at_8k, &r);
	assert_true(r.known && r.ratio > 0.48 && r.ratio < 0.52);
	profile_close(&p);
}

static void without_such_samples_it_says_so(void **state)
{
	struct profile p;
	struct err err;

	(void)state;
	write_profile(0);
	p = load();
	assert_int_equal(profile_use_line(&p, 16, &err), -1);
	assert_non_null(strstr(err.text, "--one-line"));
	assert_int_equal(profile_use_line(&p, 64, &err), 0);
	profile_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_put_comes_back),
		cmocka_unit_test(misses_fall_as_lines_grow),
		cmocka_unit_test(a_line_size_can_be_chosen),
		cmocka_unit_test(without_such_samples_it_says_so),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
