/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a profile: nodes with the same name, source file and object, merged. */
#ifndef DWELL_EXPORT_FUNCTIONS_H
#define DWELL_EXPORT_FUNCTIONS_H

#include "export/data.h"

struct export_function {
	const struct store_node *name; /* one of its nodes */
	size_t part;
	uint64_t entry; /* lowest address with a cost, or 0 */
	uint32_t line;	/* line at that address */
};

/* A process, or a thread of one. If all is one part: their common values. */
struct export_part {
	const struct store_process *process;
	int64_t thread; /* index; STORE_NONE: all */
};

struct export_functions {
	struct export_function *items; /* sorted by part, object, file, name */
	size_t count, room;
	size_t *of_node; /* by node: index of its function */
	struct export_part *parts;
	size_t part_count, part_room;
};

/* `apart`: keep processes and threads apart. Returns -1 when memory runs out. */
int export_functions_init(struct export_functions *f, const struct export_data *d, bool apart,
			  struct err *err);
void export_functions_release(struct export_functions *f);

/*
 * Tell whether its context already has a call between the same two functions, further out. Then the
 * cost of the call is part of that call's.
 */
bool export_is_nested(const struct export_functions *f, const struct export_data *d,
		      const struct store_arc *a);

#endif
