/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of the field at a place in a data structure: "node.next", "particle.pos[1]"; or by its
 * offset, "+48", if the members of the type are unknown.
 */
#ifndef DWELL_ESTIMATE_FIELDS_MEMBERS_H
#define DWELL_ESTIMATE_FIELDS_MEMBERS_H

#include "base/text.h"
#include "profile/profile.h"

/* What is known of blocks or of a variable. */
struct members_of {
	int64_t layout;		    /* of each element, or of the whole; 0: unknown */
	uint64_t element_size;	    /* bytes; 0: unknown. A layout has its own */
	uint64_t smallest, largest; /* bytes of a block, or of the variable; 0: unknown */
};

/* Accesses of `size` bytes (0: unknown) at low, low + step, and so on up to high. */
struct members_place {
	uint64_t low, high, step, size;
	/* Some of the places, spread evenly over all accesses; and what the instruction reads. */
	const uint64_t *places;
	size_t place_count;
	uint64_t width; /* bytes of a value; 0: as size */
	uint64_t form;	/* enum store_form */
};

/*
 * Append the field's name to `out`, nothing if it cannot be told. Returns the type, which the
 * profile owns; or NULL.
 */
const char *members_name(const struct profile *p, const struct members_of *of,
			 const struct members_place *place, struct text *out);

/* Tell whether the type has members that are known. */
bool members_are_known(const struct profile *p, int64_t layout);

/* The layout with this id; NULL: there is none. */
const struct store_layout *members_layout(const struct profile *p, int64_t id);

#endif
