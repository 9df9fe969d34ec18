/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on the changes between two profiles, for regression tests. */
#include <string.h>

#include "base/condition.h"
#include "base/names.h"
#include "base/text.h"
#include "events/diff.h"
#include "events/event_rows.h"

/*
 * Tell whether the name means the function: "work" and "work(int)" mean work(int); the latter does
 * not mean work(long). "work" means each instance of a template, too.
 */
static bool is_function(const char *function, const char *name)
{
	size_t length = strlen(name);
	struct text plain = {0};
	bool same;

	if (strncmp(function, name, length) == 0 &&
	    (function[length] == '\0' || function[length] == '('))
		return true;
	name_plain(function, &plain);
	same = strcmp(text_get(&plain), name) == 0;
	text_release(&plain);
	return same;
}

static bool sum_function(const struct event_profile *p, const char *name,
			 uint64_t sums[EVENT_MOST_VALUES])
{
	bool any = false;

	for (size_t i = 0; i < p->node_count; i++)
		any = any || is_function(p->nodes[i].function, name);
	for (size_t i = 0; any && i < p->cost_count; i++) {
		const struct store_cost *c = &p->costs[i];

		if (!is_function(events_node(p, c->node_id)->function, name))
			continue;
		for (size_t k = 0; k < p->width; k++)
			sums[k] += c->values[k];
	}
	return any;
}

/* Split "FUNCTION:EVENT". Returns the event, or NULL; the colon must not be part of "::". */
static char *split_function(char *subject)
{
	char *colon = strrchr(subject, ':');

	if (colon == NULL || colon == subject || colon[-1] == ':')
		return NULL;
	*colon = '\0';
	for (char *end = colon; end > subject && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return colon + 1 + strspn(colon + 1, " \t");
}

int diff_check(struct diff *d, struct condition *c, struct err *err)
{
	uint64_t sums[2][EVENT_MOST_VALUES] = {{0}};
	size_t column_a, column_b;
	struct condition_test t;
	char *event;

	if (condition_parse(&t, c->text, err) != 0)
		return -1;
	event = split_function(t.subject);
	if (events_column(d->a.profile, event != NULL ? event : t.subject, &column_a, err) != 0)
		return err_prefix(err, "condition '%.80s': %.80s: ", c->text, d->a.path);
	if (events_column(d->b.profile, event != NULL ? event : t.subject, &column_b, err) != 0)
		return err_prefix(err, "condition '%.80s': %.80s: ", c->text, d->b.path);
	if (event == NULL) {
		memcpy(sums[0], d->a.profile->totals, sizeof(sums[0]));
		memcpy(sums[1], d->b.profile->totals, sizeof(sums[1]));
	} else {
		bool in_a = sum_function(d->a.profile, t.subject, sums[0]);
		bool in_b = sum_function(d->b.profile, t.subject, sums[1]);

		if (!in_a && !in_b)
			return err_set(
				err, "condition '%.100s': neither profile has a function '%.100s'",
				c->text, t.subject);
	}
	c->a = events_value(d->a.profile, column_a, sums[0]);
	c->b = events_value(d->b.profile, column_b, sums[1]);
	c->holds = condition_holds(&t, c->a, c->b);
	return 0;
}
