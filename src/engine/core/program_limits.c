/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits that the program sets for itself; see program_limits.h. */
#include "engine/core/program_limits.h"

#include <errno.h>
#include <sys/resource.h>

#include "channel/sys.h"
#include "engine/core/limits.h"
#include "engine/core/util.h"

_Static_assert(RLIM_INFINITY == LIMIT_INFINITE, "limits are compared as numbers");

const int program_limits_resources[LAUNCH_LIMITS] = {RLIMIT_AS, RLIMIT_DATA};
bool program_limits_any;

/* ---- The kernel's limits ---- */

bool program_limits_get(int i, struct rlimit *l)
{
	return !sys_failed(sys4(SYS_prlimit64, 0, program_limits_resources[i], 0, l));
}

long program_limits_set(int i, const struct rlimit *l)
{
	return sys4(SYS_prlimit64, 0, program_limits_resources[i], l, 0);
}

uint64_t program_limits_sum(uint64_t limit, uint64_t bytes)
{
	return limit > LIMIT_INFINITE - bytes ? LIMIT_INFINITE : limit + bytes;
}

bool program_limits_make_room(uint64_t bytes)
{
	const struct process *p;
	uint64_t mapped[LAUNCH_LIMITS];
	struct rlimit k;
	bool raised = false;

	if (!program_limits_any || engine.quiet)
		return false;
	limits_mapped(&mapped[0], &mapped[1]);
	p = thread_self()->process;
	for (int i = 0; i < LAUNCH_LIMITS; i++) {
		if (!p->limits[i].set || !program_limits_get(i, &k) || k.rlim_cur == k.rlim_max)
			continue;
		/* the program may have more memory than its limit, if that was set later */
		if (k.rlim_cur < mapped[i] * PAGE)
			k.rlim_cur = mapped[i] * PAGE;
		k.rlim_cur = program_limits_sum(k.rlim_cur, bytes);
		if (k.rlim_cur > k.rlim_max)
			k.rlim_cur = k.rlim_max;
		raised |= program_limits_set(i, &k) == 0;
	}
	return raised;
}

bool program_limits_explain_refusal(void)
{
	const struct process *p;
	struct rlimit k;

	if (!program_limits_any)
		return false;
	p = thread_self()->process;
	for (int i = 0; i < LAUNCH_LIMITS; i++)
		if (program_limits_get(i, &k) && k.rlim_cur != LIMIT_INFINITE &&
		    (!p->limits[i].set || k.rlim_cur == k.rlim_max))
			return false;
	return p->limits[0].set || p->limits[1].set;
}

/* ---- From program to program ---- */

void program_limits_lift(const struct process *p)
{
	struct rlimit k;

	for (int i = 0; i < LAUNCH_LIMITS; i++)
		if (p->limits[i].set && program_limits_get(i, &k)) {
			k.rlim_cur = k.rlim_max;
			program_limits_set(i, &k);
		}
}

void program_limits_give(const struct process *p, bool hard)
{
	for (int i = 0; i < LAUNCH_LIMITS; i++) {
		struct rlimit k;

		if (!p->limits[i].set || !program_limits_get(i, &k))
			continue;
		k.rlim_cur = p->limits[i].soft < k.rlim_max ? p->limits[i].soft : k.rlim_max;
		if (hard && p->limits[i].hard < k.rlim_max)
			k.rlim_max = p->limits[i].hard;
		program_limits_set(i, &k);
	}
}
