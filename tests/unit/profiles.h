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
