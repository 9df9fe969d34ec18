/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data addresses that samples touched, as questions for their variables. They are answered in
 * batches, possibly by another thread. Each variable of a process is written once.
 */
#ifndef DWELL_COLLECTOR_NAMING_DATA_NAMES_H
#define DWELL_COLLECTOR_NAMING_DATA_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collector/naming/layouts.h"
#include "store/store.h"
#include "symbols/symbols.h"

struct data_question {
	struct map *written; /* variables that the store has; owned by the process */
	int64_t process;
	uint64_t address; /* in the file */
	uint64_t bias;	  /* process address minus file address */
	int64_t image;	  /* as in the store */
	int file;
	bool is_local; /* thread-local: see SYMBOLS_LOCALS */
};

struct data_answer {
	struct data_question q;
	bool found; /* false also for the same variable as in the answer before */
	struct symbols_variable variable;
};

/* Empty when all zero. */
struct data_names {
	struct data_question *items;
	size_t count, room;
	size_t taken;	 /* first items, which were moved into batches */
	int64_t last_id; /* last id of a written variable */
	struct layouts layouts;
};

void data_names_release(struct data_names *n);

/* Returns -1 when memory ran out. */
int data_names_add(struct data_names *n, const struct data_question *q);

/* Move at most `most` questions into the batch. Returns their number. */
size_t data_names_take(struct data_names *n, struct data_answer *batch, size_t most);

/* Answer the batch, accessing only the batch and the symbols. Returns -1 when memory ran out. */
int data_names_find(struct data_answer *batch, size_t count, struct symbols *symbols);

/* Write the answers that are new. */
int data_names_write(struct data_names *n, const struct data_answer *batch, size_t count,
		     const struct symbols *symbols, struct store *store, struct err *err);

/* Answer and write all remaining questions. */
int data_names_finish(struct data_names *n, struct symbols *symbols, struct store *store,
		      struct err *err);

#endif
