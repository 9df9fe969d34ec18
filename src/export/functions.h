/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a profile: nodes of the same name, source file and object taken together. */
#ifndef DWELL_EXPORT_FUNCTIONS_H
#define DWELL_EXPORT_FUNCTIONS_H

#include "export/data.h"

struct export_function {
	const struct store_node *name; /* one of its nodes */
	size_t part;
	uint64_t entry; /* its lowest address with a cost, or 0 */
	uint32_t line;	/* of that */
};

/* A process, or a thread of one; with all in one part: what they have in common. */
struct export_part {
	const struct store_process *process;
	int64_t thread; /* index, or STORE_NONE */
};

struct export_functions {
	struct export_function *items; /* by part, object, file, name */
	size_t count, room;
	size_t *of_node; /* by node: its function */
	struct export_part *parts;
	size_t part_count, part_room;
};

/* `apart`: processes and threads are not summed up. Returns -1 when memory runs out. */
int export_functions_init(struct export_functions *f, const struct export_data *d, bool apart,
			  struct err *err);
void export_functions_release(struct export_functions *f);

/*
 * Whether the call is inside of another one between the same two functions, further out on its
 * context: its cost is part of that one's.
 */
bool export_is_nested(const struct export_functions *f, const struct export_data *d,
		      const struct store_arc *a);

#endif
