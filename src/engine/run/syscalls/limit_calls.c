/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's memory limits; see limit_calls.h. */
#include "engine/run/syscalls/limit_calls.h"

#include <errno.h>
#include <linux/capability.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/run/syscalls/syscalls.h"

/* ---- What the engine holds ---- */

static uint64_t program_bytes(uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	for (const struct mapping *m = mappings_after(start); m && m->start < end;
	     m = mappings_after(m->end))
		bytes += (m->end < end ? m->end : end) - (m->start > start ? m->start : start);
	return bytes;
}

/* The kernel may merge neighbours into one mapping, so the program's bytes are subtracted. */
static bool add_mapping(const struct proc_mapping *m, void *with)
{
	uint64_t *held = with, bytes;

	if (m->end >> 63) /* the vsyscall page is not the process's memory */
		return false;
	bytes = m->end - m->start - program_bytes(m->start, m->end);
	held[0] += bytes;
	held[1] += m->writable && m->private ? bytes : 0;
	return false;
}

/* False: unknown. */
static bool measure(uint64_t held[LAUNCH_LIMITS])
{
	bool known;

	held[0] = held[1] = 0;
	lock_take(&engine.translate_lock);
	known = proc_mappings(add_mapping, held);
	lock_drop(&engine.translate_lock);
	return known;
}

/*
 * Sets the kernel's limit to the program's plus what the engine holds. *raised: it is higher than
 * before.
 */
static long apply(int i, const struct launch_limit *l, uint64_t held, bool *raised)
{
	struct rlimit k;
	uint64_t before;
	long r;

	if (!program_limits_get(i, &k))
		return -EINVAL;
	before = k.rlim_cur;
	k.rlim_max = l->hard > k.rlim_max ? l->hard : k.rlim_max;
	k.rlim_cur = program_limits_sum(l->soft, held);
	if (k.rlim_cur > k.rlim_max)
		k.rlim_cur = k.rlim_max;
	r = program_limits_set(i, &k);
	*raised |= r == 0 && k.rlim_cur > before;
	return r;
}

static bool is_finite(const struct launch_limit *l)
{
	return l->set && l->soft != LIMIT_INFINITE;
}

/* Calls that fail for a limit of memory. */
static const uint16_t growing[] = {
	SYS_mmap, SYS_mremap, SYS_brk, SYS_mprotect, SYS_pkey_mprotect, SYS_shmat,
};

bool limit_calls_may_help(long nr)
{
	for (uint32_t i = 0; i < sizeof growing / sizeof *growing; i++)
		if (growing[i] == nr)
			return true;
	return false;
}

bool limit_calls_settle(struct thread *t)
{
	static uint64_t settled; /* the engine's memory then, with the program's limits */
	const struct launch_limit *l = t->process->limits;
	const uint64_t now = util_engine_bytes() ^ l[0].soft << 1 ^ l[1].soft << 2;
	uint64_t held[LAUNCH_LIMITS];
	bool raised = false;

	if (!(is_finite(&l[0]) || is_finite(&l[1])) || engine.quiet ||
	    __atomic_load_n(&settled, __ATOMIC_RELAXED) == now || !measure(held))
		return false;
	__atomic_store_n(&settled, now, __ATOMIC_RELAXED);
	for (int i = 0; i < LAUNCH_LIMITS; i++)
		if (l[i].set)
			apply(i, &l[i], held[i], &raised);
	return raised;
}

/* ---- The program's calls ---- */

static bool may_raise_hard(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2] = {{0}};

	sys2(SYS_capget, &header, caps);
	return caps[0].effective >> CAP_SYS_RESOURCE & 1;
}

/* The program's current limit. */
static bool get(const struct process *p, int i, struct rlimit *l)
{
	if (!p->limits[i].set)
		return program_limits_get(i, l);
	*l = (struct rlimit){p->limits[i].soft, p->limits[i].hard};
	return true;
}

static long set(struct process *p, int i, const struct rlimit *was, uint64_t held, long at)
{
	struct rlimit l;
	struct launch_limit next;
	bool raised = false;
	long r;

	if (engine_copy(&l, (const void *)at, sizeof l) != 0)
		return -EFAULT;
	if (l.rlim_cur > l.rlim_max)
		return -EINVAL;
	if (l.rlim_max > was->rlim_max && !may_raise_hard())
		return -EPERM;
	next = (struct launch_limit){true, l.rlim_cur, l.rlim_max};
	r = apply(i, &next, held, &raised);
	if (r == 0) {
		p->limits[i] = next;
		program_limits_any = true;
	}
	return r;
}

static int index_of(long resource)
{
	for (int i = 0; i < LAUNCH_LIMITS; i++)
		if ((int)resource == program_limits_resources[i])
			return i;
	return -1;
}

/* Passes the call: the program's limit then includes the engine's memory. */
static long pass_set(struct thread *t, int i, long nr, const long a[6])
{
	long r = syscalls_pass(t, nr, a);

	if (r == 0)
		t->process->limits[i].set = false;
	return r;
}

long limit_calls_handle(struct thread *t, long nr, const long a[6])
{
	const bool both = nr == SYS_prlimit64;
	const bool sets = nr == SYS_setrlimit || (both && a[2]),
		   gets = nr == SYS_getrlimit || (both && a[3]);
	const int i = index_of(a[both]);
	struct process *p = t->process;
	uint64_t held[LAUNCH_LIMITS];
	struct rlimit was;
	long r = 0;

	if (i < 0 || (both && a[0] && (uint32_t)a[0] != p->pid && (uint32_t)a[0] != t->tid) ||
	    (!sets && !p->limits[i].set))
		return syscalls_pass(t, nr, a);
	if (sets && (engine.quiet || !measure(held)))
		return pass_set(t, i, nr, a);
	if (!get(p, i, &was))
		return syscalls_pass(t, nr, a);
	if (sets)
		r = set(p, i, &was, held[i], both ? a[2] : a[1]);
	if (r == 0 && gets && engine_copy((void *)(both ? a[3] : a[1]), &was, sizeof was) != 0)
		r = -EFAULT;
	return r;
}

void limit_calls_begin(struct thread *t, const struct launch_limit limits[LAUNCH_LIMITS])
{
	for (int i = 0; i < LAUNCH_LIMITS; i++) {
		t->process->limits[i] = limits[i];
		program_limits_any |= limits[i].set;
	}
	limit_calls_settle(t);
}
