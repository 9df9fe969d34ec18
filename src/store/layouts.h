/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and their members, and where in its data structure an instruction has missed. Ownership and
 * errors as in store.h and store_read.h.
 */
#ifndef DWELL_STORE_LAYOUTS_H
#define DWELL_STORE_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store_read.h"

/* A type of a variable, of an array's elements, or of what blocks hold. */
struct store_layout {
	int64_t id; /* from 1 */
	const char *type;
	uint64_t bytes; /* of one; 0: unknown */
};

/*
 * A member of a type. All members of a layout are one list: those that belong to a member follow
 * it, and are one level deeper.
 */
struct store_member {
	int64_t layout_id;
	uint32_t number, depth; /* from 0 */
	uint64_t offset;	/* from the beginning of what it belongs to; bytes */
	uint64_t bytes;		/* of the whole array */
	uint64_t elements;	/* of an array, whose members are those of an element; else 0 */
	const char *name, *type;
};

/*
 * Where the misses of a bin (whose.h) were, in bytes from the beginning of the block or variable:
 * at low, low + step, and so on up to high. step 0: only at low.
 */
struct store_bin_range {
	int64_t structure_id, location_id;
	uint64_t low, high, step;
};

int store_put_layout(struct store *s, const struct store_layout *x, struct err *err);
int store_put_member(struct store *s, const struct store_member *m, struct err *err);
/* Replaces the range of the same bin. */
int store_put_bin_range(struct store *s, const struct store_bin_range *x, struct err *err);

/* Of all processes, sorted by id. */
int store_read_layouts(struct store *s, struct store_layout **items, size_t *count,
		       struct err *err);
/* Of all layouts, sorted by layout and number. */
int store_read_members(struct store *s, struct store_member **items, size_t *count,
		       struct err *err);
/* Sorted by structure and location. */
int store_read_bin_ranges(struct store *s, int64_t process, struct store_bin_range **items,
			  size_t *count, struct err *err);

#endif
