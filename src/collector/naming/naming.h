/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code locations of a run and the questions for their names. They are answered file by file, in
 * order of address, so that each symbol table is read once. During the run a worker thread does
 * this, with at most a tenth of a processor; at the end, the caller. Code made at run time is named
 * only at the end, when the processes have written all names.
 *
 * The thread asks symbols_prepare, symbols_resolve and symbols_variable and nothing else;
 * everything here is for one other thread.
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
	struct naming_question *items; /* of location i + 1 */
	size_t count, room;
	size_t named;		      /* the first items: their names are in the store */
	struct naming_worker *worker; /* NULL until there is work for it */
	bool has_data;		      /* there will be questions about data */
	struct data_names data; /* what is asked for data, answered along with the locations */
	/* Called with each newly named location and its outermost function. */
	int (*listener)(void *context, int64_t id, const struct symbols_frame *outermost,
			struct err *err);
	void *listener_context;
	uint64_t due_ns; /* CLOCK_MONOTONIC: the worker gets no more before this */
	int expected;	 /* files up to this one have been expected */
	bool is_paused;	 /* the worker gets nothing now */
};

/* Returns the new location's id, counted from 1 in 32 bits, or 0 when memory ran out. */
int64_t naming_add(struct naming *n, int file, uint64_t address);

/* The symbols' number of the file that location `id` is in, or -1. */
int naming_file(const struct naming *n, int64_t id);

/* Its address in that file. */
uint64_t naming_address(const struct naming *n, int64_t id);
/*
 * Has it been resolved? Then *outermost is its function, or NULL: it has no name, or no final one
 * yet.
 */
bool naming_knows(const struct naming *n, int64_t id, const struct symbols_frame **outermost);

/*
 * Prepare the file for coming questions, on a thread, while the program starts: only small files,
 * and only the first ones of a run. Without a thread nothing happens.
 */
void naming_expect(struct naming *n, struct symbols *symbols, int file);

/*
 * Call it from time to time during the run: writes the names found since, and starts the search for
 * those of new locations. Takes no longer than the writing. Without a thread, or memory for one,
 * names come at the end.
 */
int naming_step(struct naming *n, struct symbols *symbols, struct store *store, uint64_t now_ns,
		struct err *err);

/*
 * Pause or resume the worker's supply of questions. Returns whether it is idle and has answered
 * all.
 */
bool naming_pause(struct naming *n, bool is_paused);
/* In a child that has no such thread: all names are found at the end. Only while it is idle. */
void naming_forked(struct naming *n);

/* Find all names and write them down. Takes as long as libdw does. */
int naming_finish(struct naming *n, struct symbols *symbols, struct store *store, struct err *err);

void naming_release(struct naming *n);

#endif
