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
	/* Of an array, whose members are those of an element; of one without a length the bytes of
	 * an element; else 0. */
	uint64_t elements;
	const char *name, *type;
	uint64_t form; /* of a value, or of an array's: enum store_form */
};

/*
 * Where the misses of a bin (whose.h) were, in bytes from the beginning of the block or variable:
 * at low, low + step, and so on up to high. step 0: only at low.
 */
struct store_bin_range {
	int64_t structure_id, location_id;
	uint64_t low, high, step;
	const char *places; /* JSON array: some of them, spread evenly over the misses */
	/* Of the instruction; 0: unknown. Written by store_put_operand. */
	uint64_t access_bytes, form; /* of an element; enum store_form */
};

/* What a value is. */
enum store_form { STORE_FORM_UNKNOWN, STORE_FORM_INTEGER, STORE_FORM_FLOAT };

/* What the instruction at a location reads or writes. */
struct store_operand {
	int64_t location_id;
	uint64_t bytes, form; /* of an element of vectors */
};

int store_put_layout(struct store *s, const struct store_layout *x, struct err *err);
int store_put_member(struct store *s, const struct store_member *m, struct err *err);
/* Replaces the range of the same bin. */
int store_put_bin_range(struct store *s, const struct store_bin_range *x, struct err *err);

/* The location has no operand yet. */
int store_put_operand(struct store *s, const struct store_operand *x, struct err *err);
/*
 * The innermost functions at a location, so many, hand on what its call returns. Each location
 * once; store_read_locations reads it.
 */
int store_put_wrapper(struct store *s, int64_t location, uint64_t frames, struct err *err);
/* Sorted by location. */
int store_read_operands(struct store *s, struct store_operand **items, size_t *count,
			struct err *err);

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
