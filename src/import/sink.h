/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a reader of another tool's file puts what it reads: nodes and locations get their numbers
 * here, are written when they are first met, and costs are charged to them.
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
	struct tuples nodes;	 /* number + 1 is the id in the file */
	struct tuples locations; /* the same */
	struct tuples modules;	 /* the same */
	struct tuples threads;
	int64_t process;
	int64_t thread; /* of the nodes to come, or STORE_NONE */
};

void sink_release(struct sink *s);

struct sink_function {
	size_t name, file, object;
	int64_t caller; /* node, or STORE_NONE */
};

/* The id of the node in *id. Returns 0, or -1 with *err set, as all below. */
int sink_node(struct sink *s, const struct sink_function *f, int64_t *id, struct err *err);

struct sink_place {
	size_t name, file, object;
	uint64_t line;	  /* or 0 */
	uint64_t address; /* that the ELF file gives it, or 0 */
};

int sink_location(struct sink *s, const struct sink_place *p, int64_t *id, struct err *err);

/* What follows is of thread `index`, or of all (STORE_NONE). */
int sink_use_thread(struct sink *s, int64_t index, struct err *err);

#endif
