/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in the terms of an event profile (store/events.h): what every format is written from.
 * An event profile is read as it is; the samples of a recording become estimated counts.
 */
#ifndef DWELL_EXPORT_DATA_H
#define DWELL_EXPORT_DATA_H

#include "base/text.h"
#include "events/events.h"
#include "profile/profile.h"

/*
 * Ids in nodes, costs, arcs and jumps are indexes into the arrays of this struct, or STORE_NONE.
 * Arrays keep the order of the store.
 */
struct export_data {
	/* The columns; what else it has is moved to the arrays below. Of samples only columns. */
	struct event_profile p;
	struct profile profile; /* of samples */
	bool is_sampled;	/* counts are estimates, and calls are not counted; else: exact */

	char *command; /* of the run, or of the one process that was chosen */
	struct store_process *processes;
	size_t process_count;
	struct store_module *modules;
	size_t module_count;

	size_t columns; /* measured events */
	size_t primary; /* the event that is asked about when none is named */
	struct store_geometry *geometry;
	size_t geometry_count;

	struct store_node *nodes;
	size_t node_count;
	struct store_cost *costs;
	size_t cost_count;
	struct store_arc *arcs;
	size_t arc_count;
	struct store_jump *jumps;
	size_t jump_count;
	struct store_location *locations;
	size_t location_count;

	struct map module_index; /* id -> index */
	struct arena arena;	 /* of what was made up for samples */
};

struct export_request {
	const char *input;
	int64_t process; /* or STORE_NONE: all of an event profile, the largest of a sampled one */
	/* Of sampled profiles: */
	const char *machine; /* whose caches these are; NULL: the one that recorded */
	const struct profile_cache *caches; /* its: PROFILE_CACHES of them */
	/* functions that were inlined are nodes; else part of the outer one */
	bool inlined_are_called;
};

/* Returns 0, or -1 with *err set; *d owns nothing then. Release with export_data_release. */
int export_data_open(struct export_data *d, const struct export_request *r, struct err *err);
void export_data_release(struct export_data *d);

/* The location of an index, or NULL for STORE_NONE. */
const struct store_location *export_location(const struct export_data *d, int64_t index);

/* Where in the sources: file NULL and line 0 when that is not known; innermost, of inlined ones. */
struct store_frame export_place(const struct store_location *l);

/* The address that tools know an instruction by: the one in its ELF file; 0: not known. */
uint64_t export_address(const struct store_location *l);

/* Whether any instruction is known by its address. */
bool export_has_addresses(const struct export_data *d);

/* data_samples.c: fill the arrays from d->profile. */
int export_from_samples(struct export_data *d, const struct export_request *r, struct err *err);

#endif
