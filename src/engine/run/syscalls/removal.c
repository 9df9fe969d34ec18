/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for the collector before a file that may be mapped is removed; see removal.h. */
#define _GNU_SOURCE
#include "engine/run/syscalls/removal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "channel/sys.h"
#include "engine/core/records.h"
#include "engine/run/process.h"
#include "engine/run/syscalls/syscalls.h"

/* Has this process mapped the file as code, or may another process of the run have? */
static bool may_be_mapped(long folder, long path)
{
	struct stat st;

	if (sys_failed(sys4(SYS_newfstatat, folder, path, &st, AT_SYMLINK_NOFOLLOW)) ||
	    !S_ISREG(st.st_mode))
		return false;
	return (st.st_mode & 0111) || process_has_module(st.st_dev, st.st_ino);
}

long removal_unlink(struct thread *t, long nr, const long a[6])
{
	const bool has_folder = nr == SYS_unlinkat;

	if (may_be_mapped(has_folder ? a[0] : AT_FDCWD, a[has_folder]))
		records_await_reader(t->process);
	return syscalls_pass(t, nr, a);
}

long removal_rename(struct thread *t, long nr, const long a[6])
{
	const bool has_folders = nr != SYS_rename;
	const long from = has_folders ? a[0] : AT_FDCWD, to = has_folders ? a[2] : AT_FDCWD;

	if (may_be_mapped(from, a[has_folders]) || may_be_mapped(to, a[has_folders ? 3 : 1]))
		records_await_reader(t->process);
	return syscalls_pass(t, nr, a);
}
