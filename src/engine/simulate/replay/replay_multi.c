/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaying for several hierarchies in one pass; see replay_multi.h. */
#include "engine/simulate/replay/replay_multi.h"

#include "engine/simulate/counts/cells.h"
#include "engine/simulate/replay/replay_calls.h"

struct sim_multi replay_multi;

/* The bits of events, for sim_multi_init. */
struct placing {
	uint32_t count; /* of hierarchies */
	uint32_t misses[SIM_MULTI];
	uint32_t first[SIM_MULTI], stride;
};

#define ROOM (SIM_GRAPH_EVENTS - CELL_FIRST_MISS)

/*
 * Gives the same event of all hierarchies neighbouring bits, in one byte if there is room
 * (sim/base/event_bits.h). Returns the number of bits, unused ones included; 0: too many.
 */
static uint32_t place_events(struct placing *p)
{
	uint32_t most = 0, sum = 0;

	for (uint32_t k = 0; k < p->count; k++) {
		most = p->misses[k] > most ? p->misses[k] : most;
		p->first[k] = k;
	}
	p->stride = 8 * most <= ROOM ? 8 : p->count;
	if (p->stride * most <= ROOM)
		return p->stride * most;
	p->stride = 1;
	for (uint32_t k = 0; k < p->count; k++) {
		p->first[k] = sum;
		sum += p->misses[k];
	}
	return sum <= ROOM ? sum : 0;
}

/* The collector's order is by hierarchy. */
static void order_cells(const struct placing *p)
{
	uint8_t order[SIM_GRAPH_EVENTS] = {CELL_INSTRUCTIONS, CELL_READS, CELL_WRITES};
	uint32_t told = CELL_FIRST_MISS;

	for (uint32_t k = 0; k < p->count; k++)
		for (uint32_t i = 0; i < p->misses[k]; i++)
			order[told++] = (uint8_t)(CELL_FIRST_MISS + p->first[k] + i * p->stride);
	cells_set_order(order, told);
	cells_in_large_pages();
}

bool replay_multi_init(const struct sim_geometry *const g[], uint32_t count, uint32_t *events,
		       const struct sim_memory *memory)
{
	struct placing p = {.count = count};
	uint32_t bits;

	if (!sim_multi_fits(g, count))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		struct sim_events list;

		sim_events_of(g[k], &list);
		p.misses[k] = list.count - CELL_FIRST_MISS;
	}
	bits = place_events(&p);
	if (!bits || sim_multi_init(&replay_multi, g, count, p.first, p.stride, memory) != 0 ||
	    !cells_init(CELL_FIRST_MISS + bits))
		return false;
	order_cells(&p);
	*events = CELL_FIRST_MISS + bits;
	return true;
}

/* Charge events, as sim_multi_data returns them, to the instruction. */
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

void replay_multi_fetch(struct segment *s, struct segment_insn *in, uint64_t pc)
{
	uint64_t events;

	if (sim_multi_is_noop(&replay_multi, SIM_OF_CODE, pc, in->length))
		return;
	events = sim_multi_fetch(&replay_multi, pc, in->length);
	if (events)
		count(s, in, events);
}

void replay_multi_touch(struct segment *s, struct segment_insn *in, uint64_t address,
			uint32_t bytes, enum sim_access access)
{
	uint64_t events;

	if (sim_multi_is_noop(&replay_multi, SIM_OF_DATA, address, bytes))
		return;
	events = sim_multi_data(&replay_multi, address, bytes, access);
	if (events)
		count(s, in, events);
}
