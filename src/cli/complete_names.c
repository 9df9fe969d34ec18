/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from a profile for completion: functions, lines, data structures, events; and machines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/machines.h"
#include "base/text.h"
#include "cli/complete.h"
#include "estimate/allocators.h"
#include "store/events.h"

/* Candidates, sorted and without duplicates. Texts are copies. */
struct names {
	const char *prefix;
	char **items;
	size_t count, room;
};

static void add(struct names *n, const char *name)
{
	char *copy;

	if (name == NULL || name[0] == '\0' || name[0] == '[' || strchr(name, '\n') != NULL ||
	    strncmp(name, n->prefix, strlen(n->prefix)) != 0)
		return;
	copy = strdup(name);
	if (copy != NULL && ARRAY_GROW(n))
		n->items[n->count++] = copy;
	else
		free(copy);
}

/* Add a function without its arguments: views accept it, and blanks are hard to type. */
static void add_function(struct names *n, const char *function)
{
	struct text t = {0};

	if (strstr(function, "operator") != NULL)
		text_add(&t, function);
	else
		text_add_bytes(&t, function, strcspn(function, "(<"));
	add(n, text_get(&t));
	text_release(&t);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void offer_all(struct names *n, const char *lead)
{
	struct text safe = {0};

	if (n->count > 0)
		qsort(n->items, n->count, sizeof(*n->items), compare);
	for (size_t i = 0; i < n->count; i++) {
		if (i > 0 && strcmp(n->items[i], n->items[i - 1]) == 0)
			continue;
		text_add_printable(&safe, n->items[i], strlen(n->items[i]));
		complete_offer(lead, text_get(&safe), NULL);
		text_release(&safe);
	}
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i]);
	free(n->items);
}

/* ---- Names in a profile ---- */

static void add_functions(struct names *n, struct store *s)
{
	struct store_frame *frames;
	size_t count;

	if (store_read_frames(s, &frames, &count, NULL) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		add_function(n, frames[i].function);
		if (frames[i].file != NULL)
			add(n, path_basename(frames[i].file));
	}
	free(frames);
}

static void add_lines(struct names *n, struct store *s)
{
	struct store_frame *frames;
	struct text line = {0};
	size_t count;

	if (store_read_frames(s, &frames, &count, NULL) != 0)
		return;
	for (size_t i = 0; i < count; i++, text_release(&line)) {
		if (frames[i].file == NULL || frames[i].line == 0)
			continue;
		text_addf(&line, "%s:%" PRIu32, path_basename(frames[i].file), frames[i].line);
		add(n, text_get(&line));
	}
	free(frames);
}

static const struct store_location *find(const struct store_location *locations, size_t count,
					 int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (locations[i].id == id)
			return &locations[i];
	return NULL;
}

/* Add the first function on the site's path that is not itself an allocator. */
static void add_site(struct names *n, const struct store_site *site,
		     const struct store_location *locations, size_t count)
{
	add(n, site->name);
	for (size_t i = 0; i < site->path_count; i++) {
		const struct store_location *l = find(locations, count, site->path[i]);

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++) {
			if (allocator_is_wrapper(l->frames[k].function, l->frames[k].file, NULL))
				continue;
			add_function(n, l->frames[k].function);
			return;
		}
	}
}

static void add_objects(struct names *n, struct store *s)
{
	struct store_variable *variables = NULL;
	struct store_location *locations = NULL;
	struct store_site *sites = NULL;
	size_t count, location_count;

	add(n, "stack");
	if (store_read_variables(s, STORE_ALL, &variables, &count, NULL) == 0)
		for (size_t i = 0; i < count; i++)
			add(n, variables[i].name);
	free(variables);
	if (store_read_locations(s, STORE_ALL, &locations, &location_count, NULL) != 0)
		return;
	if (store_read_sites(s, STORE_ALL, &sites, &count, NULL) == 0)
		for (size_t i = 0; i < count; i++)
			add_site(n, &sites[i], locations, location_count);
	free(sites);
	free(locations);
}

static void add_events(struct names *n, struct store *s)
{
	struct store_event *events;
	size_t count;

	if (store_read_events(s, &events, &count, NULL) != 0)
		return;
	for (size_t i = 0; i < count; i++)
		add(n, events[i].name);
	free(events);
}

static void (*const adders[])(struct names *n, struct store *s) = {
	[OPTION_NAMES_FUNCTION] = add_functions,
	[OPTION_NAMES_OBJECT] = add_objects,
	[OPTION_NAMES_LINE] = add_lines,
	[OPTION_NAMES_EVENT] = add_events,
};

void complete_names(enum option_names names, const char *profile, const char *lead,
		    const char *prefix)
{
	struct names n = {.prefix = prefix};
	struct store *s;

	for (size_t i = 0; names == OPTION_NAMES_MACHINE && i < machine_model_count; i++)
		add(&n, machine_models[i].name);
	if (names < sizeof(adders) / sizeof(adders[0]) && adders[names] != NULL &&
	    store_open_readonly(profile, &s, NULL) == 0) {
		adders[names](&n, s);
		if (names == OPTION_NAMES_LINE) /* reuse also takes functions */
			add_functions(&n, s);
		store_close(s);
	}
	offer_all(&n, lead);
}
