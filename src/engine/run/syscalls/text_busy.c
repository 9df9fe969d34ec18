/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protects the program's file from writes; see text_busy.h. */
#define _GNU_SOURCE
#include "engine/run/syscalls/text_busy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>

#include "channel/sys.h"

static struct {
	dev_t device;
	ino_t number;
	bool is_known;
} program;

void text_busy_init(long fd)
{
	struct stat st;

	if (sys_failed(sys2(SYS_fstat, fd, &st)))
		return;
	program.device = st.st_dev;
	program.number = st.st_ino;
	program.is_known = true;
}

static bool writes(uint64_t flags)
{
	return !(flags & O_PATH) && ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC));
}

/* Converts each call to openat2. False: it does not write. */
static bool as_openat2(long nr, const long a[6], long *directory, const char **path,
		       struct open_how *how)
{
	const bool is_at = nr == SYS_openat || nr == SYS_openat2;

	*how = (struct open_how){.flags = O_WRONLY};
	*directory = is_at ? a[0] : AT_FDCWD;
	*path = (const char *)a[is_at];
	if (nr == SYS_openat2) {
		if ((uint64_t)a[3] < sizeof *how ||
		    engine_copy(how, (const void *)a[2], sizeof *how) != 0)
			return false;
	} else if (nr == SYS_truncate) {
		return a[1] >= 0;
	} else if (nr != SYS_creat) {
		how->flags = (uint64_t)a[is_at ? 2 : 1] & UINT32_MAX;
	}
	return writes(how->flags);
}

/* Does the path lead to the program's file? */
static bool is_program(long directory, const char *path, const struct open_how *how)
{
	const struct open_how look = {.flags = O_PATH | O_CLOEXEC |
					       (how->flags & (O_NOFOLLOW | O_DIRECTORY)),
				      .resolve = how->resolve};
	struct stat st;
	long fd, r;

	if (!look.resolve) {
		r = sys4(SYS_newfstatat, directory, path, &st,
			 look.flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
		return !sys_failed(r) && st.st_ino == program.number && st.st_dev == program.device;
	}
	fd = sys4(SYS_openat2, directory, path, &look, sizeof look);
	if (sys_failed(fd))
		return false;
	r = sys2(SYS_fstat, fd, &st);
	sys1(SYS_close, fd);
	return !sys_failed(r) && st.st_ino == program.number && st.st_dev == program.device;
}

long text_busy(long nr, const long args[6])
{
	struct open_how how;
	const char *path;
	long directory, fd;

	if (!program.is_known || engine.quiet || !as_openat2(nr, args, &directory, &path, &how) ||
	    !is_program(directory, path, &how))
		return 0;
	if ((how.flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return 0; /* the file exists, so the kernel refuses */
	/* May it be opened at all? This changes nothing. */
	fd = sys4(SYS_openat, directory, path,
		  (how.flags & ~(uint64_t)(O_TRUNC | O_CREAT)) | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return fd;
	sys1(SYS_close, fd);
	return -ETXTBSY;
}
