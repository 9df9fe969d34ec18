/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of events; see events.h. */
#include "engine/simulate/calls/events.h"

#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/notes.h"
#include "sim/base/events.h"

#define MOST_AMOUNT 0xfffffu /* so that sums fit in 32 bits */

/* How a note begins. With data (filter_notes.h) more follows. */
struct event_note {
	uint64_t line;
	uint32_t site; /* 0: made by C */
	uint8_t of_site[4];
	uint32_t node, counted;
};

_Static_assert(offsetof(struct event_note, site) == NOTE_SITE, "layout");
_Static_assert(offsetof(struct event_note, node) == NOTE_RECORD, "layout");
_Static_assert(offsetof(struct event_note, counted) == NOTE_COUNTED, "layout");
_Static_assert(sizeof(struct event_note) == NOTE_BYTES, "layout");

/* filter_below.S */
extern uint8_t filter_notes[], *filter_next_note;

/* For arcs_spread; two events in a word. The call graph has no more. */
static uint64_t sums[(NOTES + 1) * SIM_GRAPH_EVENTS / 2];
static bool is_named[NOTES + 1];

static uint32_t bytes(void)
{
	return plan.data ? NOTE_DATA_BYTES : NOTE_BYTES;
}

static uint32_t noted(void)
{
	return (uint32_t)(filter_next_note - filter_notes) / bytes();
}

static struct event_note *note_at(uint32_t i)
{
	return (struct event_note *)(void *)(filter_notes + i * bytes());
}

static uint32_t words(void)
{
	return (cells.events - CELL_FIRST_MISS + 1) / 2;
}

bool events_note(uint32_t event, int64_t amount)
{
	/* with data, notes are misses */
	if (amount < 0 || amount > MOST_AMOUNT || plan.data)
		return false;
	if (events_are_full())
		events_take();
	*note_at(noted()) = (struct event_note){.counted = event | (uint32_t)amount * NOTE_ONCE};
	filter_next_note += bytes();
	arcs_noted((uint32_t)(uintptr_t)filter_next_note);
	return true;
}

bool events_are_full(void)
{
	return noted() >= NOTES;
}

static void add_event(uint64_t *to, uint32_t event, uint32_t amount)
{
	const uint32_t column = event - CELL_FIRST_MISS;

	to[column / 2] += (uint64_t)amount << 32 * (column & 1);
}

static void count(uint64_t *sum, uint32_t number)
{
	const uint32_t counted = note_at(number)->counted;

	add_event(sum, counted % NOTE_ONCE, counted / NOTE_ONCE & MOST_AMOUNT);
	if (counted & NOTE_AND_WRITTEN_BACK)
		add_event(sum, filter_state.write_back, 1);
}

static void count_for_nodes(void)
{
	for (uint32_t i = 0; i < noted(); i++) {
		const struct event_note *n = note_at(i);
		struct node_misses *m = n->site ? nodes_misses(n->node, n->site) : 0;

		if (!m)
			continue;
		m->first++;
		m->last += (n->counted & NOTE_AND_WRITTEN_BACK) != 0;
	}
}

void events_take(void)
{
	const struct arcs_sums s = {.first = (uint32_t)(uintptr_t)filter_notes,
				    .bytes = bytes(),
				    .bits = 32,
				    .words = words(),
				    .sums = sums,
				    .is_named = is_named};

	if (filter_next_note == filter_notes)
		return;
	if (plan.nodes)
		count_for_nodes();
	if (plan.arcs)
		arcs_spread(&s, noted(), count);
	filter_next_note = filter_notes;
}
