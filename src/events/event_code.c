/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes listings of machine code: the instructions, and the jumps between them. */
#include "events/event_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "events/event_object.h"

#define MOST_BETWEEN 192  /* bytes without events that are still shown */
#define MOST_ARROWS  1000 /* the time to draw is their number times that of instructions */

static bool is_same_object(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static struct event_instruction *add(struct event_listing *l, uint64_t address, struct err *err)
{
	struct event_instruction *i;

	if (!ARRAY_GROW(l)) {
		err_set(err, "out of memory");
		return NULL;
	}
	i = &l->items[l->count++];
	*i = (struct event_instruction){.address = address};
	return i;
}

/* Add the code from `at` to the next instruction with events, or a gap. */
static int add_between(struct event_listing *l, struct machine_code *m, uint64_t at, uint64_t next,
		       struct err *err)
{
	struct event_instruction *i;

	if (next - at > MOST_BETWEEN || m == NULL) {
		i = next != at ? add(l, at, err) : NULL;
		if (i != NULL)
			i->is_gap = true;
		return next == at || i != NULL ? 0 : -1;
	}
	while (at < next) {
		size_t length;

		i = add(l, at, err);
		if (i == NULL)
			return -1;
		length = machine_code_at(m, at, i->text);
		if (length == 0) { /* no code here: continue where there is some */
			i->is_gap = true;
			break;
		}
		at += length;
	}
	return 0;
}

static int add_instructions(struct event_listing *l, struct machine_code *m, struct err *err)
{
	const struct event_line *lines = l->a->lines;
	uint64_t at = 0;
	size_t i;

	for (i = l->first; i < l->end;) {
		uint64_t address = lines[i].address;
		struct event_instruction *n;
		size_t length = 0;

		if (at != 0 && address > at && add_between(l, m, at, address, err) != 0)
			return -1;
		n = add(l, address, err);
		if (n == NULL)
			return -1;
		n->first = i;
		while (i < l->end && lines[i].address == address)
			i++;
		n->end = i;
		if (m != NULL)
			length = machine_code_at(m, address, n->text);
		at = address + length;
	}
	return 0;
}

/* The row of an address; l->count if there is none. */
static size_t find_row(const struct event_listing *l, uint64_t address)
{
	const size_t row = SEARCH_MATCH(i, l->count, SEARCH_ORDER(l->items[i].address, address));

	return row < l->count && !l->items[row].is_gap ? row : l->count;
}

static size_t row_of_location(const struct event_listing *l, int64_t id)
{
	const struct store_location *location = events_location(l->a->p, id);

	if (location == NULL || location->module_id == STORE_NONE ||
	    !is_same_object(events_object(l->a->p, location), l->a->lines[l->first].object))
		return l->count;
	return find_row(l, location->module_address);
}

static int compare_arrows(const void *a, const void *b)
{
	const struct jump_arrow *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Merge jumps that occur in several contexts. */
static void merge_arrows(struct event_listing *l)
{
	size_t kept = 0, i;

	if (l->arrow_count > 0)
		qsort(l->arrows, l->arrow_count, sizeof(*l->arrows), compare_arrows);
	for (i = 0; i < l->arrow_count; i++) {
		if (kept == 0 || compare_arrows(&l->arrows[kept - 1], &l->arrows[i]) != 0)
			l->arrows[kept++] = l->arrows[i];
	}
	l->arrow_count = kept < MOST_ARROWS ? kept : MOST_ARROWS;
}

static int add_arrows(struct event_listing *l, const struct store_jump *jumps, size_t jump_count,
		      struct err *err)
{
	size_t i;

	for (i = 0; i < jump_count; i++) {
		struct jump_arrow arrow = {.from = row_of_location(l, jumps[i].from_id)};

		if (arrow.from == l->count)
			continue;
		if (jumps[i].conditional) {
			l->items[arrow.from].executed += jumps[i].executed;
			l->items[arrow.from].taken += jumps[i].taken;
		}
		arrow.to = row_of_location(l, jumps[i].to_id);
		if (arrow.to == l->count || jumps[i].taken == 0)
			continue;
		if (!array_reserve_in((void **)&l->arrows, &l->arrow_room, l->arrow_count + 1,
				      sizeof(arrow)))
			return err_set(err, "out of memory");
		l->arrows[l->arrow_count++] = arrow;
	}
	merge_arrows(l);
	return 0;
}

int event_listing_init(struct event_listing *l, const struct event_annotation *a, size_t first,
		       const struct store_jump *jumps, size_t jump_count, struct text *notes,
		       struct err *err)
{
	const char *object = a->lines[first].object;
	struct machine_code *m = NULL;
	int status;

	*l = (struct event_listing){.a = a, .first = first, .end = first};
	while (l->end < a->count && is_same_object(a->lines[l->end].object, object))
		l->end++;
	if (object != NULL)
		m = event_object_open(a->p, object, notes);
	status = add_instructions(l, m, err);
	if (status == 0)
		status = add_arrows(l, jumps, jump_count, err);
	machine_code_close(m);
	if (status != 0)
		event_listing_release(l);
	return status;
}

void event_listing_release(struct event_listing *l)
{
	free(l->items);
	free(l->arrows);
	*l = (struct event_listing){0};
}
