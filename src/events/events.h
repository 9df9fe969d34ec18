/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event profile, read into memory with its derived events: what its views start from. */
#ifndef DWELL_EVENTS_EVENTS_H
#define DWELL_EVENTS_EVENTS_H

#include "base/arena.h"
#include "base/map.h"
#include "events/formula.h"
#include "store/events.h"

struct event_column {
	const char *name;
	const char *description; /* or NULL */
	const char *text;	 /* of the formula; NULL: it is measured */
	struct formula formula;
	size_t weight; /* of the formula, with those of the columns that it names */
};

struct event_profile {
	struct store *store;
	struct arena texts;
	struct store_process *processes;
	size_t process_count;
	int64_t process; /* the one that is shown, or STORE_ALL */
	/* Measured ones first, `measured` of them, which are those of costs and arcs. */
	struct event_column *columns;
	size_t column_count, column_room;
	size_t measured;
	struct store_node *nodes;
	size_t node_count;
	struct map node_index; /* id -> index in nodes */
	struct store_cost *costs;
	size_t cost_count;
	struct store_arc *arcs;
	size_t arc_count;
	struct store_location *locations;
	size_t location_count;
	struct map location_index; /* id -> index in locations */
	struct store_module *modules;
	size_t module_count;
	struct map module_paths; /* id -> the path's address */
	uint64_t totals[STORE_MAX_COLUMNS];
};

/*
 * Read the profile, of one process or of all (STORE_NONE). Returns 0; 1 when it has no events (it
 * is the recording of samples), and then *p owns nothing; or -1. Release with events_close.
 */
int events_open(struct event_profile *p, const char *path, int64_t process, struct err *err);
void events_close(struct event_profile *p);

/*
 * The column of an event's name, or of a new derived event: "NAME = FORMULA". A name that is
 * there already is given the new formula, unless it is measured.
 */
int events_column(struct event_profile *p, const char *text, size_t *column, struct err *err);

/*
 * Splits "NAME = FORMULA": returns the formula, and sets *length to the bytes of the name; NULL:
 * the text has another form.
 */
const char *events_split(const char *text, size_t *length);

/*
 * Would a profile with these measured events take the formulas, each "NAME = FORMULA"? Returns 0,
 * or -1 with *err.
 */
int events_check(const struct store_event *measured, size_t count, const char *const *formulas,
		 size_t formula_count, struct err *err);

/* The column's value, where `values` are those of the measured ones; NAN: not defined. */
double events_value(const struct event_profile *p, size_t column, const uint64_t *values);

/* Both never NULL: costs and arcs name only nodes that there are. */
const struct store_node *events_node(const struct event_profile *p, int64_t id);
size_t events_node_index(const struct event_profile *p, int64_t id);

/* NULL for STORE_NONE, and for one that the profile has not. */
const struct store_location *events_location(const struct event_profile *p, int64_t id);

/*
 * Whether the arc leads from one part of a function to another one: compilers put apart what is
 * seldom executed (.cold) and what all callers need (.part), and frame information describes the
 * parts as functions. The arc's cost is what the function does itself, and no call.
 */
bool events_is_inside(const struct event_profile *p, const struct store_arc *a);

/* The path of the ELF file that the location is in, or NULL; module_address is in there. */
const char *events_object(const struct event_profile *p, const struct store_location *l);

#endif
