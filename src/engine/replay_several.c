/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaying for several hierarchies in one pass; see replay_several.h. */
#include "engine/replay_several.h"

#include "engine/cells.h"
#include "engine/replay_calls.h"

struct sim_several replay_several;

bool replay_several_init(const struct sim_geometry *const g[], uint32_t count,
			 const uint32_t first_event[], uint32_t stride,
			 const struct sim_memory *memory)
{
	return sim_several_fits(g, count) &&
	       sim_several_init(&replay_several, g, count, first_event, stride, memory) == 0;
}

/* The events, as sim_several_data returns them, are the instruction's. */
static void count(struct segment *s, struct segment_insn *in, uint64_t events)
{
	uint32_t *number = replay_calls_cell_number(s, in);
	uint64_t *cell;

	if (!*number)
		*number = cells_new_from_spare();
	if (!*number) /* no memory */
		return;
	cell = cells_at(*number) + CELL_FIRST_MISS;
	for (uint64_t left = events; left; left &= left - 1)
		cell[__builtin_ctzll(left)]++;
	replay_calls_count_each(events);
}

void replay_several_fetch(struct segment *s, struct segment_insn *in, uint64_t pc)
{
	uint64_t events;

	if (sim_several_is_plain(&replay_several, SIM_OF_CODE, pc, in->length))
		return;
	events = sim_several_fetch(&replay_several, pc, in->length);
	if (events)
		count(s, in, events);
}

void replay_several_touch(struct segment *s, struct segment_insn *in, uint64_t address,
			  uint32_t bytes, enum sim_access access)
{
	uint64_t events;

	if (sim_several_is_plain(&replay_several, SIM_OF_DATA, address, bytes))
		return;
	events = sim_several_data(&replay_several, address, bytes, access);
	if (events)
		count(s, in, events);
}

static uint64_t line_of(uint64_t entry)
{
	return entry != SIM_NO_LINE ? entry >> SIM_FLAG_BITS : SIM_NO_LINE;
}

static void missed(struct segment *s, struct segment_insn *in, enum sim_access access,
		   uint64_t line, uint64_t victim)
{
	const unsigned kind = access == SIM_FETCH ? SIM_OF_CODE : SIM_OF_DATA;
	uint32_t firsts = sim_several_missed(&replay_several, kind, line, line_of(victim));

	if (firsts)
		count(s, in, sim_several_below(&replay_several, access, firsts,
							      line, line));
}

void replay_several_code_missed(struct segment *s, uint64_t line, uint64_t victim)
{
	missed(s, &s->insn[0], SIM_FETCH, line, victim);
}

void replay_several_missed(struct segment *s, uint32_t i, uint64_t line, uint64_t victim)
{
	const struct segment_access *a = &segment_accesses(s)[i];

	missed(s, &s->insn[a->owner], a->kind - ACCESS_LOAD, line, victim);
}
