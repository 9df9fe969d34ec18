/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receives the data that a reader of another tool's file finds. Nodes and locations get their ids
 * here, and are written when they first occur; costs refer to them.
 *
 * Names are numbers of `strings`, or SINK_UNKNOWN.
 */
#ifndef DWELL_IMPORT_SINK_H
#define DWELL_IMPORT_SINK_H

#include "base/err.h"
#include "import/tuples.h"
#include "store/events.h"

#define SINK_UNKNOWN ((size_t)-2)

struct sink {
	struct store *store; /* the caller's */
	struct strings strings;
	struct tuples nodes;	 /* index + 1 is the id in the profile */
	struct tuples locations; /* the same */
	struct tuples modules;	 /* the same */
	struct tuples threads;
	int64_t process;
	int64_t thread; /* of the following nodes, or STORE_NONE */
};

void sink_release(struct sink *s);

struct sink_function {
	size_t name, file, object;
	int64_t caller; /* node, or STORE_NONE */
};

/* Sets *id to the id of the node. Like all functions below, returns 0, or -1 with *err set. */
int sink_node(struct sink *s, const struct sink_function *f, int64_t *id, struct err *err);

struct sink_place {
	size_t name, file, object;
	uint64_t line;	  /* or 0 */
	uint64_t address; /* address in the ELF file, or 0 */
};

int sink_location(struct sink *s, const struct sink_place *p, int64_t *id, struct err *err);

/* The following data belongs to thread `index`, or to all threads (STORE_NONE). */
int sink_use_thread(struct sink *s, int64_t index, struct err *err);

#endif
