/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the instructions that miss read or write, from their code. */
#ifndef DWELL_COLLECTOR_NAMING_OPERANDS_H
#define DWELL_COLLECTOR_NAMING_OPERANDS_H

#include "base/map.h"
#include "collector/naming/naming.h"

/* Locations to ask about. */
struct operands {
	int64_t *items;
	size_t count, room;
	struct map known; /* location -> 1 */
};

void operands_release(struct operands *o);

/* Returns 0, or -1 when memory ran out. */
int operands_add(struct operands *o, int64_t location);

/* Find and write them all. */
int operands_find(struct operands *o, const struct naming *n, struct symbols *symbols,
		  struct store *store, struct err *err);

#endif
