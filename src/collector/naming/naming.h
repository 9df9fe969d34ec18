/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code locations of a run, as questions for their names. They are answered by file and in order
 * of address, so that each symbol table is read once. During the run a worker thread does this,
 * with at most a tenth of a processor; at the end, the caller does. Code made at run time is named
 * only at the end, when the processes have written all names.
 *
 * The worker calls only symbols_prepare, symbols_resolve and symbols_variable. All functions here
 * are for one other thread.
 */
#ifndef DWELL_COLLECTOR_NAMING_NAMING_H
#define DWELL_COLLECTOR_NAMING_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/naming/data_names.h"
#include "store/store.h"
#include "symbols/symbols.h"

struct naming_question;
struct naming_worker;

struct naming {
	struct naming_question *items; /* item i is location i + 1 */
	size_t count, room;
	size_t named;		      /* the first items, whose names are in the store */
	struct naming_worker *worker; /* NULL until there are questions */
	bool has_data;		      /* there will be questions about data */
	struct data_names data; /* questions about data, answered together with the locations */
	/* Called for each newly named location, with its outermost function. */
	int (*listener)(void *context, int64_t id, const struct symbols_frame *outermost,
			struct err *err);
	void *listener_context;
	uint64_t due_ns; /* CLOCK_MONOTONIC: no new batch before this time */
	int expected;	 /* files before this one were given to the worker */
	bool is_paused;	 /* the worker gets no batches now */
};

/* Returns the new location's id, counted from 1 in 32 bits, or 0 when memory ran out. */
int64_t naming_add(struct naming *n, int file, uint64_t address);

/* The file of location `id`, as a number of the symbols; -1 if it is in none. */
int naming_file(const struct naming *n, int64_t id);

/* The address in that file. */
uint64_t naming_address(const struct naming *n, int64_t id);
/*
 * Tell whether the location is resolved. Then *outermost is its function, or NULL if it has no
 * name, or no final one yet.
 */
bool naming_knows(const struct naming *n, int64_t id, const struct symbols_frame **outermost);

/*
 * Prepare the file for later questions, on a thread, while the program starts. Only small files
 * are, and only the first ones of a run. Does nothing without a thread.
 */
void naming_expect(struct naming *n, struct symbols *symbols, int file);

/*
 * Call this regularly during the run. It writes the names found so far, and starts the look-up for
 * new locations; only the writing takes time. Without a thread, or memory for one, names come at
 * the end.
 */
int naming_step(struct naming *n, struct symbols *symbols, struct store *store, uint64_t now_ns,
		struct err *err);

/* Pause or resume the worker. Returns whether it is idle, and all its answers are written. */
bool naming_pause(struct naming *n, bool is_paused);
/*
 * Call this in a forked child, which has no such thread: all names are then found at the end. The
 * worker must be idle.
 */
void naming_forked(struct naming *n);

/* Find and write all names. Takes as long as libdw does. */
int naming_finish(struct naming *n, struct symbols *symbols, struct store *store, struct err *err);

void naming_release(struct naming *n);

#endif
