/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the engine's memory among the program's; see own_memory.h. */
#include "engine/run/syscalls/own_memory.h"

#include "engine/codecache/pages.h"
#include "engine/core/proc.h"
#include "engine/core/state.h"

static bool is_all_known(uint64_t start, uint64_t end)
{
	const struct mapping *m;

	for (; start < end; start = m->end)
		if (!(m = mappings_find(start)))
			return false;
	return true;
}

/* The first part of the mapped range [start, end) that the program has not mapped. */
static bool first_unknown(uint64_t start, uint64_t end, struct own_memory *part)
{
	while (start < end) {
		const struct mapping *m = mappings_after(start);

		if (!m || m->start >= end) {
			*part = (struct own_memory){start, end};
			return true;
		}
		if (m->start > start && !m->stack) { /* stacks grow down unseen */
			*part = (struct own_memory){start, m->start};
			return true;
		}
		start = m->end;
	}
	return false;
}

struct search {
	uint64_t start, end;
	struct own_memory *part;
};

/* True: a part of the mapping in the searched range is the engine's. */
static bool look_at(const struct proc_mapping *m, void *with)
{
	const struct search *s = with;
	const uint64_t start = m->start > s->start ? m->start : s->start;
	const uint64_t end = m->end < s->end ? m->end : s->end;

	return start < end && !m->kernels && first_unknown(start, end, s->part);
}

bool own_memory_in(uint64_t start, uint64_t end, struct own_memory *part)
{
	struct search s = {start, end, part};

	*part = (struct own_memory){0};
	if (engine.quiet || is_all_known(start, end))
		return false;
	return proc_mappings(look_at, &s) && part->end;
}
