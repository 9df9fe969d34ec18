/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for derived events of a simulated run; see simulate_events.h. */
#include "cli/commands/simulate_events.h"

#include <stdlib.h>
#include <string.h>

#include "collector/simulation/simulation.h"
#include "events/events.h"

static int split(struct simulate_events *o, size_t i, struct err *err)
{
	const char *text = o->texts[i] + strspn(o->texts[i], " \t");
	size_t length;
	const char *formula = events_split(text, &length);

	if (formula == NULL)
		return err_set(err, "--event '%s': to keep one, say what it is: 'NAME = FORMULA'",
			       o->texts[i]);
	o->names[i] = strndup(text, length);
	if (o->names[i] == NULL)
		return err_set(err, "out of memory");
	o->events[i] = (struct store_event){.name = o->names[i], .formula = formula};
	for (size_t k = 0; k < i; k++)
		if (strcmp(o->names[k], o->names[i]) == 0)
			return err_set(err, "--event '%s': there are two of this name",
				       o->names[i]);
	return 0;
}

int simulate_events_take(struct simulate_events *o, struct collector_options *run, struct err *err)
{
	struct store_event measured[STORE_MAX_COLUMNS];
	char names[STORE_MAX_COLUMNS][32];
	size_t count;

	if (o->count > SIMULATE_EVENTS_MOST)
		return err_set(err, "more than %d derived events", SIMULATE_EVENTS_MOST);
	if (simulation_events(&run->config, measured, names, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < o->count; i++)
		if (split(o, i, err) != 0)
			return -1;
	run->derived = o->events;
	run->derived_count = o->count;
	return events_check(measured, count, o->texts, o->count, err);
}

void simulate_events_release(struct simulate_events *o)
{
	for (size_t i = 0; i < o->count; i++)
		free(o->names[i]);
	o->count = 0;
}
