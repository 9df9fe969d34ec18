/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile that a command makes of other files. */
#ifndef DWELL_CLI_COMMANDS_NEW_PROFILE_H
#define DWELL_CLI_COMMANDS_NEW_PROFILE_H

#include "store/store.h"

struct new_profile {
	bool write_failed; /* since new_profile_end */
	struct store *store;
};

/* Returns 0, or -1 with *err set. */
int new_profile_create(struct new_profile *n, const char *path, struct err *err);

/*
 * The end of making it, whose last step returned `status`: the file is finished; or it is taken
 * away, and the one that was there before is again. Returns 0, or -1 with *err set.
 */
int new_profile_end(struct new_profile *n, int status, struct err *err);

#endif
