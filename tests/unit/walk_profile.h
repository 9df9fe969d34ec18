/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sampled profile of a program that walks a list: two processes, four pieces of code. */
#ifndef DWELL_TESTS_UNIT_WALK_PROFILE_H
#define DWELL_TESTS_UNIT_WALK_PROFILE_H

#include "profiles.h"

#define WINDOWS	    60
#define PER_WINDOW  200
#define MB	    (1u << 20)
#define SOURCE_PATH "/nowhere/src/walk.c"

/* Frames of the locations 0 .. 3; location 2 is an inlined function of a header. */
static const struct {
	size_t count;
	struct store_frame frames[2];
} names[] = {
	{1, {{"walk(int, double*)", SOURCE_PATH, 5}}},
	{1, {{"list::sum(list const&)", "/nowhere/src/list.c", 12}}},
	{2, {{"next", "/nowhere/include/list.hpp", 3}, {"walk(int, double*)", SOURCE_PATH, 6}}},
	{1, {{"[libm.so.6+0x1234]", NULL, 0}}},
};

static const char source_text[] = "/* one */\nint two;\n\nint walk(int n, double *a)\n{\tfor (;;)\n"
				  "\t\tuse(next(a)); /* \"quoted\", with a comma */\n}\n";

static inline void put_sample(struct store *s, uint32_t window, uint32_t k)
{
	static const uint64_t distances[] = {0, 5, 3000, STORE_FAR};
	const struct store_access a = {k % 4, 64 * k, 8, 1, 0};
	struct store_sample x = {.process_id = 1,
				 .window = window,
				 .status = k % 4 < 3	  ? 0
					   : k % 40 == 39 ? 2
							  : 1,
				 .position = 1000000ull * window + 900000 + 400 * k,
				 .distance = distances[k % 4],
				 .line = 64 * k,
				 .begin = a,
				 .end = a};

	if (x.status != 0)
		x.end = (struct store_access){.location = STORE_NONE};
	assert_int_equal(store_put_sample(s, &x, NULL), 0);
}

/*
 * Location 3 makes a quarter of the accesses, all far: four of five are reuses, the others first
 * touches.
 */
static inline void put_far(struct store *s, uint32_t window)
{
	for (uint32_t k = 3; k < PER_WINDOW; k += 4) {
		const struct store_access a = {3, 64 * k, 8, 1, 0};

		put_far_reuse(s,
			      (struct store_far){.process_id = 1,
						 .window = window,
						 .position = 1000000ull * window + 900000 + 400 * k,
						 .end = a,
						 .begin = a},
			      k % 20 == 19 ? 0 : 40000, 100000 / PER_WINDOW);
	}
}

static inline void put_processes(struct store *s)
{
	const struct store_process shell = {.id = 0,
					    .parent_id = STORE_NONE,
					    .pid = 100,
					    .cause = "start",
					    .exe = "/bin/sh",
					    .command = "sh -c \"walk, twice\"",
					    .state = "exec",
					    .exit_status = -1,
					    .start_ns = 1,
					    .end_ns = 1000000,
					    .accesses = 1000};
	struct store_process walk = {.id = 1,
				     .parent_id = 0,
				     .pid = 100,
				     .cause = "exec",
				     .exe = "/nowhere/walk",
				     .command = "walk 2896",
				     .state = "exited",
				     .exit_status = 3,
				     .start_ns = 1000000,
				     .end_ns = 2001000000,
				     .accesses = 60000000,
				     .loads = 40000000,
				     .stores = 19000000,
				     .modifies = 1000000,
				     .instructions = 150000000,
				     .watch_accesses = 6000000,
				     .translate_cycles = 20000000,
				     .scan_cycles = 40000000,
				     .footprint_pages = 2000};

	set_far_lines(&walk, WINDOWS * PER_WINDOW / 20, 100000 / PER_WINDOW);
	assert_int_equal(store_put_process(s, &shell, NULL), 0);
	assert_int_equal(store_put_process(s, &walk, NULL), 0);
}

static inline void put_meta(struct store *s)
{
	static const struct {
		const char *key;
		int64_t value;
	} numbers[] = {{"wall_ns", 2002000000},
		       {"target_cpu_ns", 2000000000},
		       {"collector_cpu_ns", 10000000},
		       {"tsc_hz", 2000000000},
		       {"line_bytes", 64},
		       {"l1d_bytes", 48 << 10},
		       {"l2_bytes", 2 * MB},
		       {"l3_bytes", 32 * MB}};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(store_put_meta_int(s, numbers[i].key, numbers[i].value, NULL), 0);
	assert_int_equal(store_put_meta_text(s, "command", "sh -c \"walk, twice\"", NULL), 0);
	assert_int_equal(store_put_meta_text(s, "state", "complete", NULL), 0);
}

static inline void write_profile(const char *path)
{
	struct store *s = create_profile(path);

	put_meta(s);
	put_processes(s);
	for (int64_t id = 0; id < 4; id++) {
		struct store_location l = {.id = id,
					   .process_id = 1,
					   .pc = 0x1000 + (uint64_t)id,
					   .module_id = STORE_NONE};

		assert_int_equal(store_put_location(s, &l, NULL), 0);
		assert_int_equal(store_put_frames(s, id, names[id].frames, names[id].count, NULL),
				 0);
	}
	for (uint32_t w = 0; w < WINDOWS; w++) {
		struct store_window window = {
			1, w, 1000000ull * w + 900000, 100000, 1000000, PER_WINDOW, 2000};

		set_far(&window, 100000 / 4);
		assert_int_equal(store_put_window(s, &window, NULL), 0);
		for (uint32_t k = 0; k < PER_WINDOW; k++)
			put_sample(s, w, k);
		put_far(s, w);
	}
	put_sample(s, WINDOWS, 0); /* of a window that never closed */
	assert_int_equal(store_put_source(s, SOURCE_PATH, source_text, NULL), 0);
	finish_profile(s);
}

#endif
