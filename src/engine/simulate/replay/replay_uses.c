/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses of lines by whole segments; see replay_uses.h. */
#include "engine/simulate/replay/replay_uses.h"

#include "engine/simulate/counts/segments.h"

bool replay_uses(struct sim_core *c, const struct segment *s, const uint64_t *entry)
{
	const uint64_t pc = segment_graph(s)->pc;
	const struct segment_access *a = segment_accesses(s);

	if (!sim_core_is_use(c, c->fetch_slot, pc, s->bytes, SIM_FETCH))
		return false;
	for (uint32_t i = 0; i < s->accesses; i++)
		if (!sim_core_is_use(c, 0, entry[i], a[i].size, a[i].kind - ACCESS_LOAD))
			return false;
	replay_fetch_use(c, pc, s->bytes, s->insns);
	for (uint32_t i = 0; i < s->accesses; i++)
		replay_data_use(c, entry[i], a[i].size, a[i].kind - ACCESS_LOAD);
	return true;
}
