/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who writes a profile that says it is being written. A writer holds a lock of the kernel's on its
 * file until it ends, however it ends. A process's number would not do: another one may have it by
 * now, and one in a container has a number that means somebody else outside.
 */
#include <fcntl.h>
#include <string.h>

#include "store/private.h"

/* A byte that no file reaches, so that SQLite's locks are elsewhere. */
#define LOCK_AT ((off_t)1 << 62)

static struct flock whole(void)
{
	return (struct flock){
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = 1};
}

/*
 * Of the open file and not of the process: it stays when SQLite closes a descriptor of the same
 * file.
 */
void writer_lock(int fd)
{
	struct flock lock = whole();

	/* A file system without locks: then nobody can tell. */
	(void)fcntl(fd, F_OFD_SETLK, &lock);
}

int64_t store_writer(struct store *s)
{
	const char *state = store_meta_text(s, "state");
	struct flock lock = whole();

	if (state == NULL || strcmp(state, "running") != 0 || s->fd < 0 ||
	    fcntl(s->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
		return 0;
	return store_meta_int(s, "collector_pid", 1);
}
