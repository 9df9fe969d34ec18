/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the engine's memory among the program's; see own_memory.h. */
#define _GNU_SOURCE
#include "engine/run/syscalls/own_memory.h"

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/proc.h"
#include "engine/core/search.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

/* The kernel's usual limit of mappings is 65530. */
#define MOST_PARTS (1u << 16)

/*
 * What was the engine's when it last mapped something, in order. Parts that it has unmapped since
 * may be among them: these are the program's, or holes. The translate lock guards it.
 */
static struct own_memory parts[MOST_PARTS];
static uint32_t part_count;
static uint32_t seen; /* engine_maps() when they were found */

static bool take_part(uint64_t start, uint64_t end)
{
	if (part_count && parts[part_count - 1].end == start) {
		parts[part_count - 1].end = end;
		return true;
	}
	if (part_count == MOST_PARTS)
		return false;
	parts[part_count++] = (struct own_memory){start, end};
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

/* Takes what is not the program's in a mapping. True: there is no room for it. */
static bool look_at(const struct proc_mapping *m, void *unused)
{
	struct own_memory part = {m->start, m->start};

	(void)unused;
	while (!m->kernels && first_unknown(part.end, m->end, &part))
		if (!take_part(part.start, part.end))
			return true;
	return false;
}

static void find_parts(void)
{
	seen = engine_maps();
	part_count = 0;
	proc_mappings(look_at, 0);
}

/* The first part that ends above the address; or the end of the list. */
static const struct own_memory *part_after(uint64_t address)
{
	return &parts[SEARCH_FIRST(i, part_count, parts[i].end > address)];
}

bool own_memory_in(uint64_t start, uint64_t end, struct own_memory *part)
{
	const struct own_memory *p;

	*part = (struct own_memory){0};
	/* nothing is asked about ranges that the program has mapped */
	if (engine.quiet || !first_unknown(start, end, part))
		return false;
	if (seen != engine_maps())
		find_parts();
	for (p = part_after(start); p < parts + part_count && p->start < end; p++)
		if (first_unknown(p->start > start ? p->start : start, p->end < end ? p->end : end,
				  part))
			return true;
	return false;
}
