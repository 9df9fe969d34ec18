/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hides the engine's descriptors from the target; see descriptors.h. */
#define _GNU_SOURCE
#include "engine/run/syscalls/descriptors.h"

#include <errno.h>
#include <fcntl.h>

#include "channel/sys.h"
#include "engine/core/slots.h"
#include "engine/run/syscalls/syscalls.h"

#define SPARE 16u /* descriptors, above the limit */

bool descriptors_are_ours(const struct thread *t, long fd)
{
	return (int)fd == t->process->channel_fd || (int)fd == t->process->engine_fd;
}

/* Close, and calls by which programs test whether a descriptor is open. */
long descriptors_call(struct thread *t, long nr, const long a[6])
{
	if (descriptors_are_ours(t, a[0]))
		return -EBADF;
	return syscalls_pass(t, nr, a);
}

long descriptors_close_range(struct thread *t, long nr, const long a[6])
{
	uint32_t first = (uint32_t)a[0], last = (uint32_t)a[1];
	uint32_t low = (uint32_t)t->process->channel_fd, high = (uint32_t)t->process->engine_fd;
	long r = 0, part[6] = {0, 0, a[2], 0, 0, 0};

	if (low > high) {
		uint32_t swap = low;

		low = high;
		high = swap;
	}
	if (first > last || t->process->channel_fd < 0)
		return syscalls_pass(t, nr, a);
	const uint32_t cut[2] = {low, high};

	for (int i = 0; i < 2 && r == 0; i++) {
		if (cut[i] < first || cut[i] > last)
			continue;
		if (cut[i] > first) {
			part[0] = first;
			part[1] = cut[i] - 1;
			r = syscalls_pass(t, nr, part);
		}
		if (cut[i] == last)
			return r;
		first = cut[i] + 1;
	}
	part[0] = first;
	part[1] = last;
	return r ? r : syscalls_pass(t, nr, part);
}

/* ---- Above the limit of the target's descriptors, none of its own can be ---- */

bool descriptors_raise(struct rlimit *was)
{
	struct rlimit l;

	if (engine.quiet || sys_failed(sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, was)))
		return false;
	l = (struct rlimit){was->rlim_cur + SPARE, was->rlim_max};
	/* raising the hard limit needs a privilege */
	if (l.rlim_cur > l.rlim_max)
		l.rlim_max = l.rlim_cur;
	return !sys_failed(sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &l, 0));
}

void descriptors_restore(const struct rlimit *was)
{
	sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, was, 0);
}

/* Copies a descriptor to a number from `least` on. The old one stays open. */
static bool copy_to(int *fd, uint64_t least)
{
	long n = sys3(SYS_fcntl, *fd, F_DUPFD, least);

	if (n >= 0)
		__atomic_store_n(fd, (int)n, __ATOMIC_RELAXED);
	return n >= 0;
}

bool descriptors_make_way(struct thread *t)
{
	int *ours[2] = {&t->process->channel_fd, &t->process->engine_fd};
	struct rlimit was;
	bool moved = false;

	if (t->process->channel_fd < 0 || !descriptors_raise(&was))
		return false;
	for (int i = 0; i < 2; i++) {
		int old = *ours[i];

		if ((uint64_t)old >= was.rlim_cur || !copy_to(ours[i], was.rlim_cur))
			continue;
		sys1(SYS_close, old);
		moved = true;
	}
	descriptors_restore(&was);
	if (moved && t->process->profiling) /* its lock went with the old descriptor */
		slots_lock(t->process);
	return moved;
}

/* The target needs the number of an engine descriptor: move that one. */
static void move_away(struct thread *t, int *fd)
{
	if (!descriptors_make_way(t) && !copy_to(fd, (uint64_t)*fd + 1))
		copy_to(fd, 64);
}

long descriptors_dup2(struct thread *t, long nr, const long a[6])
{
	if (descriptors_are_ours(t, a[0]))
		return -EBADF;
	if ((int)a[1] == t->process->channel_fd)
		move_away(t, &t->process->channel_fd);
	else if ((int)a[1] == t->process->engine_fd)
		move_away(t, &t->process->engine_fd);
	return syscalls_pass(t, nr, a);
}
