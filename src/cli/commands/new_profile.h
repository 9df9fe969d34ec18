/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile that a command makes from other files. */
#ifndef DWELL_CLI_COMMANDS_NEW_PROFILE_H
#define DWELL_CLI_COMMANDS_NEW_PROFILE_H

#include "store/store.h"

struct new_profile {
	bool write_failed; /* set by new_profile_end */
	struct store *store;
};

/* Returns 0, or -1 with *err set. */
int new_profile_create(struct new_profile *n, const char *path, struct err *err);

/*
 * Finish the profile if the last step returned `status` 0. Otherwise remove it, and restore the
 * file that it replaced. Returns 0, or -1 with *err set.
 */
int new_profile_end(struct new_profile *n, int status, struct err *err);

#endif
