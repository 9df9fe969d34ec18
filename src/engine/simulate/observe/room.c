/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address space for bins; see room.h. */
#include "engine/simulate/observe/room.h"

#include "channel/sys.h"
#include "engine/core/limits.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define OTHERS_BYTES (640ull << 20) /* of tables that are as large with a limit */
#define LATER_BYTES  (1ull << 30)
#define LONGEST	     20u

uint32_t room_line_shift(const struct sim_geometry *g)
{
	uint32_t shift = LONGEST;

	for (uint32_t i = 0; i < g->level_count; i++)
		while (1u << shift > g->levels[i].line_bytes)
			shift--;
	return shift;
}

bool room_is_there(uint64_t directories)
{
	const uint64_t bytes = directories + OTHERS_BYTES + LATER_BYTES;
	struct grow all = {0};

	if (!limits_are_set())
		return true;
	if (!engine.config.objects || grow_init_whole(&all, bytes) != 0)
		return false;
	sys2(SYS_munmap, all.base, bytes);
	return true;
}
