/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making a profile that was not recorded; see new_profile.h. */
#include "cli/new_profile.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"

int new_profile_create(struct new_profile *n, const char *path, struct err *err)
{
	*n = (struct new_profile){.path = path, .was_there = access(path, F_OK) == 0};
	return store_create(path, &n->store, err);
}

int new_profile_end(struct new_profile *n, int status, struct err *err)
{
	struct text old = {0};

	if (status == 0)
		status = store_put_meta_text(n->store, "version", DWELL_VERSION, err);
	if (status == 0)
		status = store_finish(n->store, err);
	store_close(n->store);
	n->store = NULL;
	if (status == 0)
		return 0;
	text_addf(&old, "%s.old", n->path);
	unlink(n->path);
	if (n->was_there)
		rename(text_get(&old), n->path);
	text_release(&old);
	return -1;
}
