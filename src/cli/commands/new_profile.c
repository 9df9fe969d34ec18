/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a profile that is not a recording; see new_profile.h. */
#include "cli/commands/new_profile.h"

#include "cli/cli.h"

int new_profile_create(struct new_profile *n, const char *path, struct err *err)
{
	*n = (struct new_profile){0};
	return store_create(path, &n->store, err);
}

int new_profile_end(struct new_profile *n, int status, struct err *err)
{
	if (status == 0)
		status = store_put_meta_text(n->store, "version", DWELL_VERSION, err);
	if (status == 0)
		status = store_finish(n->store, err);
	n->write_failed = store_write_failed(n->store);
	if (status == 0)
		store_close(n->store);
	else
		store_abandon(n->store);
	n->store = NULL;
	return status;
}
