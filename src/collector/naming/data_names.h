/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The addresses of data that samples touched and the questions for their variables. They are
 * answered batch by batch, which another thread may do, and each variable of a process is written
 * once.
 */
#ifndef DWELL_COLLECTOR_NAMING_DATA_NAMES_H
#define DWELL_COLLECTOR_NAMING_DATA_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "store/store.h"
#include "symbols/symbols.h"

struct data_question {
	struct map *written; /* of the process: what the store has; the process's own */
	int64_t process;
	uint64_t address; /* as in the file */
	uint64_t bias;	  /* of the process's addresses over the file's */
	int file;
	bool is_local; /* thread-local: see SYMBOLS_LOCALS */
};

struct data_answer {
	struct data_question q;
	bool found; /* and not the same variable as that of the answer before */
	struct symbols_variable variable;
};

/* All zero is an empty one. */
struct data_names {
	struct data_question *items;
	size_t count, room;
	size_t taken;	 /* the first ones, in batches */
	int64_t last_id; /* of the variables written */
};

void data_names_release(struct data_names *n);

/* Returns -1 when memory ran out. */
int data_names_add(struct data_names *n, const struct data_question *q);

/* Move at most `most` questions into the batch. Returns how many there were. */
size_t data_names_take(struct data_names *n, struct data_answer *batch, size_t most);

/* Answer them; touches nothing but the batch and the symbols. Returns -1 when memory ran out. */
int data_names_find(struct data_answer *batch, size_t count, struct symbols *symbols);

/* Write down what is new of the answers. */
int data_names_write(struct data_names *n, const struct data_answer *batch, size_t count,
		     const struct symbols *symbols, struct store *store, struct err *err);

/* Find and write all that is left. */
int data_names_finish(struct data_names *n, struct symbols *symbols, struct store *store,
		      struct err *err);

#endif
