/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code locations of a run and the questions for their names, which are
 * answered when the run has ended: file by file and in order of address, so
 * that each table of symbols is gone through once.
 */
#ifndef DWELL_COLLECTOR_NAMING_H
#define DWELL_COLLECTOR_NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"
#include "symbols/symbols.h"

struct naming_question;

struct naming {
	struct naming_question *items; /* of location i + 1 */
	size_t count, room;
};

/* Returns the new location's id, counted from 1, or 0 when memory ran out. */
int64_t naming_add(struct naming *n, int file, uint64_t address);

/* Find all names and write them down. Takes as long as libdw does. */
int naming_finish(struct naming *n, struct symbols *symbols, struct store *store, struct err *err);

void naming_release(struct naming *n);

#endif
