/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address space under resource limits; see limits.h. */
#include "engine/core/limits.h"

#include <errno.h>
#include <sys/resource.h>

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/program_limits.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define EXIT_OUR_FAULT 4 /* as dwell's own, see src/cli/exit_codes.h */

static uint64_t room = UINT64_MAX;

void limits_mapped(uint64_t *all, uint64_t *data)
{
	char text[128];
	const char *p = text;
	uint64_t field[6];

	proc_read("/proc/self/statm", text, sizeof text);
	for (uint32_t n = 0; n < 6; n++) {
		p = text_decimal(p, &field[n]);
		p += *p == ' ';
	}
	*all = field[0];
	*data = field[5];
}

static void look_at(int resource, uint64_t mapped)
{
	struct rlimit l;
	uint64_t left;

	if (sys_failed(sys2(SYS_getrlimit, resource, &l)) || l.rlim_cur == RLIM_INFINITY)
		return;
	left = l.rlim_cur > mapped ? l.rlim_cur - mapped : 0;
	room = left < room ? left : room;
}

void limits_init(void)
{
	uint64_t all, data;

	limits_mapped(&all, &data);
	look_at(RLIMIT_AS, all * PAGE);
	look_at(RLIMIT_DATA, data * PAGE);
}

uint64_t limits_share(uint64_t wanted, uint64_t least, uint64_t part)
{
	while (wanted > room / part && wanted / 2 >= least)
		wanted /= 2;
	return wanted;
}

bool limits_are_set(void)
{
	return room != UINT64_MAX;
}

#define NEAR_MOST 64u

/* The number at the beginning of a file; 0 if there is none. */
static uint64_t read_number(const char *path)
{
	char text[24];
	uint64_t v;

	proc_read(path, text, sizeof text);
	text_decimal(text, &v);
	return v;
}

static bool count_one(const struct proc_mapping *m, void *with)
{
	(void)m;
	++*(uint64_t *)with;
	return false;
}

static uint64_t count_mappings(void)
{
	uint64_t n = 0;

	proc_mappings(count_one, &n);
	return n;
}

#define MOST_TRIES 16u

static uint32_t said, tries; /* atomic */

void limits_divided(long result)
{
	uint64_t most;

	if (result != -ENOMEM || said ||
	    __atomic_fetch_add(&tries, 1, __ATOMIC_RELAXED) > MOST_TRIES)
		return;
	most = read_number("/proc/sys/vm/max_map_count");
	if (!most || count_mappings() + NEAR_MOST < most ||
	    __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		return;
	say("the program met the limit of %lu mappings (vm.max_map_count), of which the engine has "
	    "some for "
	    "each thread: raise it by sysctl",
	    most);
}

void limits_met(long result)
{
	uint64_t all, data;

	if (result != -ENOMEM || said || program_limits_explain_refusal())
		return;
	limits_init(); /* the program may have set one meanwhile */
	if (!limits_are_set()) {
		limits_divided(result);
		return;
	}
	if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		return;
	limits_mapped(&all, &data);
	say("the program met the limit of address space or data (ulimit -v, ulimit -d), of which "
	    "the engine "
	    "and the program hold %lu MB",
	    all * PAGE >> 20);
}

void limits_no_room(void)
{
	limits_init(); /* the program may have set one meanwhile */
	util_note_failure();
	say(limits_are_set() ? "the limit of address space or data (ulimit -v, ulimit -d) leaves "
			       "no room for the engine: "
			       "raise it, or run the program without dwell"
			     : "the kernel has no memory left for the engine");
	for (;;)
		sys1(SYS_exit_group, EXIT_OUR_FAULT);
}
