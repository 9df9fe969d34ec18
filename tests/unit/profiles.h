/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles for tests of the store and of the views. */
#ifndef DWELL_TESTS_UNIT_PROFILES_H
#define DWELL_TESTS_UNIT_PROFILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store.h"

/* What those of a test of that process have that nothing depends on. */
#define A_PROCESS .parent_id = STORE_NONE, .cause = "start", .exe = "/bin/x", .command = "x"

/* A new profile at path. */
static inline struct store *create_profile(const char *path)
{
	struct store *s = NULL;
	struct err err = {""};

	if (store_create(path, &s, &err) != 0)
		fail_msg("%s", err.text);
	return s;
}

/* The same, which others can read from the beginning. */
static inline struct store *grow_profile(const char *path)
{
	struct store *s = create_profile(path);

	assert_int_equal(store_publish(s, NULL), 0);
	store_keep(s);
	return s;
}

/* Far touches of a window, at all line sizes. */
static inline void set_far(struct store_window *w, double far)
{
	for (size_t i = 0; i < STORE_FAR_SIZES; i++)
		w->far[i] = far;
}

/*
 * A far reuse that has the same figures at all line sizes: a quarter as many lines as accesses lie
 * in between. Distance 0: a first touch.
 */
static inline void put_far_reuse(struct store *s, struct store_far f, uint64_t distance,
				 double weight)
{
	const struct store_far_line of = {weight, distance, distance / 4, distance == 0};

	for (size_t i = 0; i < STORE_FAR_SIZES; i++)
		f.of[i] = of;
	if (distance == 0)
		f.begin = (struct store_access){.location = STORE_NONE};
	assert_int_equal(store_put_far(s, &f, NULL), 0);
}

/* A process's far lines, the same at all line sizes. */
static inline void set_far_lines(struct store_process *p, uint64_t lines, double weight)
{
	for (size_t i = 0; i < STORE_FAR_SIZES; i++) {
		p->far_lines[i] = lines;
		p->far_line_weight[i] = weight;
	}
}

static inline struct store *open_profile(const char *path)
{
	struct store *s = NULL;
	struct err err = {""};

	if (store_open_readonly(path, &s, &err) != 0)
		fail_msg("%s", err.text);
	return s;
}

static inline void finish_profile(struct store *s)
{
	assert_int_equal(store_finish(s, NULL), 0);
	store_close(s);
}

#endif
