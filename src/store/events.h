/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event profile: exact counts of a simulation, or of another tool whose file was imported. It
 * is in the same file as the samples of a recording, but in tables of its own.
 *
 * An *event* is a column: instructions, misses of a cache, ... A *node* is a function in a context:
 * of one process, of one thread or all threads, called by a given node or by any. A *cost* holds
 * the events at one location of a node. An *arc* holds the events of calls from one location of a
 * node to another node. A *jump* counts how often a branch was reached and taken.
 *
 * A run in progress writes increments: costs, arcs and jumps with the same ids may be put many
 * times, and readers get the sum.
 *
 * Ownership and errors as in store.h and store_read.h. Ids are from 0 to STORE_MAX_ID.
 */
#ifndef DWELL_STORE_EVENTS_H
#define DWELL_STORE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store_read.h"

#define STORE_MAX_COLUMNS 64 /* measured events */
#define STORE_MAX_ID	  INT64_C(0xfffffffd)

struct store_event {
	const char *name;	 /* "Ir" */
	const char *description; /* or NULL */
	const char *formula;	 /* for a derived event, over names of events; NULL: measured */
};

/* A simulated cache, in the syntax of the simulating command's options: "L1d", "32K,8,64". */
struct store_geometry {
	const char *name;
	const char *value;
};

struct store_node {
	int64_t id; /* consecutive ids are cheapest */
	int64_t process_id;
	int64_t thread;	      /* index in the process; STORE_NONE: all threads */
	const char *function; /* demangled */
	const char *file;     /* source file, or NULL */
	const char *object;   /* path of the ELF file, or NULL */
	/* calling node; STORE_NONE: contexts end here, or were not kept */
	int64_t caller_id;
};

struct store_cost {
	int64_t node_id;
	int64_t location_id;	/* STORE_NONE: somewhere in the function */
	const uint64_t *values; /* one for each measured event, in the order of store_put_events */
};

enum store_arc_kind {
	STORE_ARC_CALL,
	STORE_ARC_JUMP,	  /* into another function, which returns to this one's caller */
	STORE_ARC_START,  /* a process or a thread begins: no caller */
	STORE_ARC_SIGNAL, /* a handler is run: no caller */
	/*
	 * A call of a function that is already active. Its cost is part of the outer call: a
	 * function's inclusive cost is the sum over its other arcs. Without contexts its values are
	 * 0.
	 */
	STORE_ARC_RECURSIVE,
	STORE_ARC_KINDS,
};

struct store_arc {
	int64_t caller_id;   /* node, or STORE_NONE */
	int64_t location_id; /* of the call, or STORE_NONE */
	int64_t callee_id;   /* node */
	uint32_t kind;
	uint64_t calls;
	const uint64_t *values; /* inclusive: from the calls to their returns; recursion folded */
};

struct store_jump {
	int64_t node_id; /* the jumping function */
	int64_t from_id; /* location */
	int64_t to_id;	 /* location */
	bool conditional;
	uint64_t executed; /* times reached; equals taken, unless it is conditional */
	uint64_t taken;
};

/* ---- Writing; functions return 0, or -1 with *err set ---- */

/*
 * The profile's columns: call once, before any cost, with measured events first. A second call may
 * append derived events.
 */
int store_put_events(struct store *s, const struct store_event *events, size_t count,
		     struct err *err);
int store_put_geometry(struct store *s, const char *name, const char *value, struct err *err);

/* Put a node once, before rows that refer to it; strings are copied. */
int store_put_node(struct store *s, const struct store_node *n, struct err *err);

/* `values` has a number for each measured event. Rows with only zeros are left out. */
int store_put_cost(struct store *s, const struct store_cost *c, struct err *err);
int store_put_arc(struct store *s, const struct store_arc *a, struct err *err);
int store_put_jump(struct store *s, const struct store_jump *j, struct err *err);

/* ---- Reading: the caller owns arrays (free()), the store owns strings and values ---- */

/* In the order of columns, measured ones first. Without any, the profile has no event profile. */
int store_read_events(struct store *s, struct store_event **items, size_t *count, struct err *err);
int store_read_geometry(struct store *s, struct store_geometry **items, size_t *count,
			struct err *err);

/* Sorted by id. */
int store_read_nodes(struct store *s, int64_t process, struct store_node **items, size_t *count,
		     struct err *err);

/*
 * Sums, one item for each set of ids: costs by node and location; arcs by caller, location, callee
 * and kind; jumps by node, from, to and conditional. The nodes are guaranteed to exist.
 */
int store_read_costs(struct store *s, int64_t process, struct store_cost **items, size_t *count,
		     struct err *err);
int store_read_arcs(struct store *s, int64_t process, struct store_arc **items, size_t *count,
		    struct err *err);
int store_read_jumps(struct store *s, int64_t process, struct store_jump **items, size_t *count,
		     struct err *err);

#endif
