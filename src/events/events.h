/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event profile in memory, with its derived events: the input of views. */
#ifndef DWELL_EVENTS_EVENTS_H
#define DWELL_EVENTS_EVENTS_H

#include "base/arena.h"
#include "base/map.h"
#include "events/event_sample.h"
#include "events/event_use.h"
#include "events/formula.h"
#include "store/events.h"

struct event_column {
	const char *name;
	const char *description; /* or NULL */
	const char *text;	 /* formula; NULL: measured */
	struct formula formula;
	size_t weight; /* size of the formula, including the columns that it names */
	/*
	 * Of misses in a sampled simulation: 1 + 2 * level, the lower; 2 + 2 * level, the upper. Of
	 * line use, if variance is set, the same with its event.
	 */
	unsigned bound;
	size_t variance; /* the column of that; 0: there is none */
};

/* What a data structure is, and how it is accessed, in words; NULL: not known. */
struct event_form {
	const char *form, *access;
};

#define EVENT_MOST_VALUES (STORE_MAX_COLUMNS + EVENT_SAMPLE_SUMS * TRACE_SAMPLE_CONTRASTS)

struct event_profile {
	struct store *store;
	struct arena texts;
	struct store_process *processes;
	size_t process_count;
	int64_t process; /* the process shown, or STORE_ALL */
	int64_t thread;	 /* the one that is kept, or STORE_NONE: all */
	/* The first `measured` columns are the measured events, as in costs and arcs. */
	struct event_column *columns;
	size_t column_count, column_room;
	size_t measured;
	/* Values of a cost: these, and contrasts of misses in a sampled simulation. All add up. */
	size_t width;
	struct store_node *nodes;
	size_t node_count;
	struct map node_index;	  /* id -> index in nodes */
	struct event_form *forms; /* by node, if these are data structures; else NULL */
	struct store_cost *costs;
	size_t cost_count;
	struct store_arc *arcs;
	size_t arc_count;
	struct store_location *locations;
	size_t location_count;
	struct map location_index; /* id -> index in locations */
	struct store_module *modules;
	size_t module_count;
	struct map module_paths; /* id -> address of the path */
	uint64_t totals[EVENT_MOST_VALUES];
	struct event_sample sample; /* costs and totals are estimates then */
	struct event_use use;
	const char *known; /* of data structures: how their misses are known; else NULL */
};

/*
 * Read the profile, of one process or of all (STORE_NONE). Returns 0; 1 if it has samples instead
 * of events, with *p owning nothing; or -1. Release with events_close.
 */
int events_open(struct event_profile *p, const char *path, int64_t process, struct err *err);
/* The same, but costs and arcs are as counted: without estimates (event_sample.h) and totals. */
int events_open_counts(struct event_profile *p, const char *path, int64_t process, struct err *err);
void events_close(struct event_profile *p);
/* Make totals the sums of costs. */
void events_sum(struct event_profile *p);

/*
 * Keep only what one thread of each process did, by its index. Returns -1 with *err: the profile
 * does not separate threads, or has no such one.
 */
int events_keep_thread(struct event_profile *p, int64_t thread, struct err *err);

/* Keep only the jumps of functions that the profile still has. Returns how many these are. */
size_t events_keep_jumps(const struct event_profile *p, struct store_jump *jumps, size_t count);

/*
 * Find the column of an event, or add a derived event, "NAME = FORMULA". An existing name gets the
 * new formula, unless it is measured.
 */
int events_column(struct event_profile *p, const char *text, size_t *column, struct err *err);

/*
 * Split "NAME = FORMULA". Returns the formula, with the bytes of the name in *length; NULL if the
 * text is no definition.
 */
const char *events_split(const char *text, size_t *length);

/*
 * Check that formulas, each "NAME = FORMULA", are valid for these measured events. Returns 0, or -1
 * with *err.
 */
int events_check(const struct store_event *measured, size_t count, const char *const *formulas,
		 size_t formula_count, struct err *err);

/* The column's value, from `width` values of costs, or sums of them; NAN: undefined. */
double events_value(const struct event_profile *p, size_t column, const uint64_t *values);

/* These always succeed: costs and arcs name only existing nodes. */
const struct store_node *events_node(const struct event_profile *p, int64_t id);
size_t events_node_index(const struct event_profile *p, int64_t id);

/* Returns NULL for STORE_NONE, or an unknown id. */
const struct store_location *events_location(const struct event_profile *p, int64_t id);

/*
 * Tell whether the arc leads between parts of one function. Compilers separate rarely executed code
 * (.cold) and common code (.part), and frame information describes these parts as functions. The
 * arc's cost is the function's own: it is not a call.
 */
bool events_is_inside(const struct event_profile *p, const struct store_arc *a);

/* The path of the location's ELF file, or NULL; module_address is in that file. */
const char *events_object(const struct event_profile *p, const struct store_location *l);

#endif
