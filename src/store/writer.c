/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out who is writing a profile. A writer holds a kernel lock on its file until it ends in any
 * way. A stored pid would not do: it may have been reused, and a pid in a container means another
 * process outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "store/private.h"

/* A byte beyond any file, so that SQLite's locks are elsewhere. */
#define LOCK_AT ((off_t)1 << 62)

static struct flock whole(void)
{
	return (struct flock){
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = 1};
}

/*
 * An open file description lock: a process's lock would end when SQLite closes any descriptor of
 * the file.
 */
bool writer_lock(int fd)
{
	struct flock lock = whole();

	/* On file systems without locks, nobody knows the writer. */
	return fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

void writer_unlock(int fd)
{
	struct flock lock = whole();

	lock.l_type = F_UNLCK;
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
