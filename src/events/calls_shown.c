/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls that a query shows. */
#include "events/calls.h"

#define MOST_NAMES 4

/* The names of a function for the query. */
static size_t names_of(const struct calls *c, size_t row, const char *names[MOST_NAMES])
{
	const struct event_row *function = &c->functions.items[row];

	names[0] = function->name;
	names[1] = function->file;
	names[2] = function->object;
	return 3;
}

static bool is_ignored(const struct call_tree *t, size_t item, const struct query *q)
{
	const char *names[MOST_NAMES];
	size_t count = names_of(t->calls, t->items[item].row, names);

	return query_ignores(q, names, count);
}

static bool is_focused(const struct call_tree *t, size_t item, const struct query *q)
{
	const char *names[MOST_NAMES];
	size_t count = names_of(t->calls, t->items[item].row, names);

	return query_focuses(q, names, count);
}

/* Parents come first, so one pass forward takes in what is below, one backward what is above. */
void call_tree_choose(struct call_tree *t, const struct query *q)
{
	for (size_t i = 0; q != NULL && i < t->count; i++) {
		struct call_item *item = &t->items[i];
		const struct call_item *parent =
			item->parent != CALLS_NONE ? &t->items[item->parent] : NULL;

		item->is_hidden = (parent != NULL && parent->is_hidden) || is_ignored(t, i, q);
		item->is_focused = !item->is_hidden &&
				   ((parent != NULL && parent->is_focused) || is_focused(t, i, q));
	}
	for (size_t i = t->count; q != NULL && i-- > 0;) {
		struct call_item *item = &t->items[i];

		if (item->is_focused && item->parent != CALLS_NONE)
			t->items[item->parent].is_focused = true;
		item->is_hidden |= !item->is_focused;
	}
}

static bool is_shown(const struct calls *c, const struct call_pair *pair, const struct query *q)
{
	const char *names[MOST_NAMES];
	size_t count = names_of(c, pair->to, names);

	if (pair->from != CALLS_NONE)
		names[count++] = c->functions.items[pair->from].name;
	return query_shows(q, names, count);
}

size_t call_pairs_choose(const struct calls *c, struct call_pair *pairs, size_t count,
			 const struct query *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (q == NULL || is_shown(c, &pairs[i], q))
			pairs[kept++] = pairs[i];
	return kept;
}
