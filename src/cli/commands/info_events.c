/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of an event profile. */
#include "cli/commands/info_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "base/text.h"
#include "views/fit.h"

static int count_costs(struct info_events *e, struct store *s, struct err *err)
{
	struct store_cost *costs;
	size_t count, i, k;
	int64_t last = STORE_NONE;

	if (store_read_costs(s, STORE_ALL, &costs, &count, err) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		for (k = 0; k < e->event_count && e->events[k].formula == NULL; k++)
			e->totals[k] += costs[i].values[k];
		e->nodes += costs[i].node_id != last;
		last = costs[i].node_id;
	}
	e->locations = count;
	free(costs);
	return 0;
}

static int count_calls(struct info_events *e, struct store *s, struct err *err)
{
	struct store_arc *arcs;
	struct store_jump *jumps;

	if (store_read_arcs(s, STORE_ALL, &arcs, &e->arcs, err) != 0)
		return -1;
	free(arcs);
	if (store_read_jumps(s, STORE_ALL, &jumps, &e->jumps, err) != 0)
		return -1;
	free(jumps);
	return 0;
}

int info_events_read(struct info_events *e, struct store *s, struct err *err)
{
	*e = (struct info_events){0};
	if (store_read_events(s, &e->events, &e->event_count, err) != 0)
		return -1;
	if (e->event_count == 0)
		return 0;
	if (store_read_geometry(s, &e->geometry, &e->geometry_count, err) == 0 &&
	    count_costs(e, s, err) == 0 && count_calls(e, s, err) == 0)
		return 0;
	info_events_release(e);
	return -1;
}

void info_events_release(struct info_events *e)
{
	free(e->events);
	free(e->geometry);
	*e = (struct info_events){0};
}

static void add_event(const struct info_events *e, size_t i, const struct display *d,
		      struct text *out)
{
	const struct store_event *event = &e->events[i];
	struct text label = {0};

	text_add(&label, "event ");
	fit_add(&label, event->name, d);
	text_addf(out, "%-*s", INFO_LABEL_WIDTH, text_get(&label));
	if (label.count >= INFO_LABEL_WIDTH)
		text_add(out, " ");
	text_release(&label);
	if (event->formula != NULL) {
		text_add(out, "= ");
		fit_add(out, event->formula, d);
	} else {
		text_addf(out, "%" PRIu64, e->totals[i]);
	}
	if (event->description != NULL) {
		text_add(out, " (");
		fit_add(out, event->description, d);
		text_add(out, ")");
	}
	text_add(out, "\n");
}

void info_events_text(const struct info_events *e, const struct display *d, struct text *out)
{
	const struct {
		const char *label;
		size_t count;
	} counts[] = {{"functions in contexts", e->nodes},
		      {"their places in code", e->locations},
		      {"calls between them", e->arcs},
		      {"jumps", e->jumps}};
	size_t i;

	for (i = 0; i < e->event_count; i++)
		add_event(e, i, d, out);
	for (i = 0; i < e->geometry_count; i++) {
		struct text label = {0};

		fit_add(&label, e->geometry[i].name, d);
		text_addf(out, "%-*s", INFO_LABEL_WIDTH, text_get(&label));
		text_release(&label);
		fit_add(out, e->geometry[i].value, d);
		text_add(out, "\n");
	}
	for (i = 0; e->event_count > 0 && i < sizeof(counts) / sizeof(counts[0]); i++)
		text_addf(out, "%-*s%zu\n", INFO_LABEL_WIDTH, counts[i].label, counts[i].count);
}

void info_events_json(const struct info_events *e, json_t *root)
{
	json_t *events = json_array(), *geometry = json_object();
	size_t i;

	for (i = 0; i < e->event_count; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", json_text(e->events[i].name));
		json_object_set_new(o, "description", json_text(e->events[i].description));
		json_object_set_new(o, "formula", json_text(e->events[i].formula));
		json_object_set_new(o, "total",
				    e->events[i].formula != NULL
					    ? json_null()
					    : json_integer((json_int_t)e->totals[i]));
		json_array_append_new(events, o);
	}
	for (i = 0; i < e->geometry_count; i++)
		json_object_set_new(geometry, e->geometry[i].name, json_text(e->geometry[i].value));
	json_object_set_new(root, "events", events);
	json_object_set_new(root, "geometry", geometry);
}
