/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of events; see events.h. */
#include "engine/simulate/arcs/events.h"

#include "engine/core/util.h"
#include "engine/simulate/arcs/arcs.h"
#include "engine/simulate/arcs/nodes.h"
#include "engine/simulate/cells.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_notes.h"
#include "sim/base/events.h"

#define MOST_AMOUNT 0xfffff /* so that sums fit in 32 bits */
/* Code may note two events if there is room for one: the memory behind the notes has it. */
#define MOST_NOTES (NOTES + 1)

struct event_note {
	uint32_t event, amount;
	uint32_t site; /* 0: made by C */
	uint8_t of_site[4];
	uint32_t node, unused;
};

_Static_assert(offsetof(struct event_note, event) == NOTE_COUNTED, "layout");
_Static_assert(offsetof(struct event_note, amount) == NOTE_AMOUNT, "layout");
_Static_assert(offsetof(struct event_note, site) == NOTE_SITE, "layout");
_Static_assert(offsetof(struct event_note, node) == NOTE_RECORD, "layout");
_Static_assert(sizeof(struct event_note) == NOTE_BYTES, "layout");

/* filter_below.S */
extern struct event_note filter_notes[], *filter_next_note;

/* What the notes before each one have counted, two events in a word. */
static uint64_t sums[MOST_NOTES + 1][(SIM_MAX_EVENTS + 1) / 2];

static uint32_t noted(void)
{
	return (uint32_t)(filter_next_note - filter_notes);
}

static uint32_t words(void)
{
	return (cells.events - CELL_FIRST_MISS + 1) / 2;
}

bool events_note(uint32_t event, int64_t amount)
{
	if (amount < 0 || amount > MOST_AMOUNT)
		return false;
	events_make_room();
	*filter_next_note++ = (struct event_note){.event = event, .amount = (uint32_t)amount};
	arcs_noted((uint32_t)(uintptr_t)filter_next_note);
	return true;
}

void events_make_room(void)
{
	if (noted() >= NOTES)
		events_take();
}

static void sum_up(void)
{
	for (uint32_t i = 0; i < noted(); i++) {
		const struct event_note *n = &filter_notes[i];
		const uint32_t column = n->event - CELL_FIRST_MISS;

		for (uint32_t k = 0; k < words(); k++)
			sums[i + 1][k] = sums[i][k];
		sums[i + 1][column / 2] += (uint64_t)n->amount << 32 * (column & 1);
	}
}

static const uint64_t *sums_at(uint32_t note)
{
	return sums[(note - (uint32_t)(uintptr_t)filter_notes) / NOTE_BYTES];
}

static void add(uint64_t *rare, uint32_t from, uint32_t to)
{
	const uint64_t *begin = sums_at(from), *end = sums_at(to);

	for (uint32_t k = 0; k < words(); k++) {
		const uint64_t more = end[k] - begin[k];

		rare[2 * k] += (uint32_t)more;
		rare[2 * k + 1] += more >> 32;
	}
}

/* An access counts an event of its column, and perhaps a write-back. */
static void count_for_nodes(void)
{
	for (const struct event_note *n = filter_notes; n < filter_next_note; n++) {
		struct node_misses *m = n->site ? nodes_misses(n->node, n->site) : 0;

		if (m && n->event == n->of_site[SITE_EVENT - SITE_REG])
			m->first++;
		else if (m)
			m->last++;
	}
}

void events_take(void)
{
	if (filter_next_note == filter_notes)
		return;
	if (nodes_are_on())
		count_for_nodes();
	if (arcs_are_on()) {
		sum_up();
		arcs_spread(add);
	}
	filter_next_note = filter_notes;
}
