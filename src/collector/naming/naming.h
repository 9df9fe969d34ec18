/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code locations of a run and the questions for their names. Answers are looked for file by
 * file and in order of address, so that each table of symbols is gone through once: while the run
 * goes on by a thread of its own, which is never more than a tenth of a processor, and at the end
 * here. Code made at run time is named at the end alone, when the processes have told all.
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
	size_t named;		      /* the first ones: their names are in the store */
	struct naming_worker *worker; /* NULL until there is work for it */
	bool has_data;		      /* there will be questions about data */
	struct data_names data; /* what is asked for data, answered along with the locations */
	/*
	 * Who wants to hear of each location that has its names now, and of its outermost function.
	 */
	int (*listener)(void *context, int64_t id, const struct symbols_frame *outermost,
			struct err *err);
	void *listener_context;
	uint64_t due_ns; /* CLOCK_MONOTONIC: not before is the worker given more */
	int expected;	 /* files up to this one have been expected */
	bool is_paused;	 /* and now it is given nothing */
};

/* Returns the new location's id, counted from 1 in 32 bits, or 0 when memory ran out. */
int64_t naming_add(struct naming *n, int file, uint64_t address);

/* The symbols' number of the file that location `id` is in, or -1. */
int naming_file(const struct naming *n, int64_t id);

/* Its address in that file. */
uint64_t naming_address(const struct naming *n, int64_t id);
/*
 * Has it been looked for? Then *outermost is the function it is in, or NULL: it has no name, or
 * none yet that would stay.
 */
bool naming_knows(const struct naming *n, int64_t id, const struct symbols_frame **outermost);

/*
 * There will be questions about the file: a thread makes it ready for them while the program
 * starts. That is for small files alone, and for the first ones of a run. Without a thread nothing
 * happens.
 */
void naming_expect(struct naming *n, struct symbols *symbols, int file);

/*
 * From time to time while the run goes on: write down the names found since, and have those of
 * new locations looked for. Takes no longer than the writing. Without a thread, or memory for one,
 * names come at the end.
 */
int naming_step(struct naming *n, struct symbols *symbols, struct store *store, uint64_t now_ns,
		struct err *err);

/*
 * The worker gets nothing new until this is taken back. Returns whether it is idle, and knows all.
 */
bool naming_pause(struct naming *n, bool is_paused);
/* In a child that has no such thread: all names are found at the end. Only while it is idle. */
void naming_forked(struct naming *n);

/* Find all names and write them down. Takes as long as libdw does. */
int naming_finish(struct naming *n, struct symbols *symbols, struct store *store, struct err *err);

void naming_release(struct naming *n);

#endif
