/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in the form of an event profile (store/events.h): the input of all formats. An event
 * profile is read unchanged; the samples of a recording become estimated counts.
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
	/*
	 * Only its columns: everything else is moved to the arrays below, and samples have nothing
	 * else.
	 */
	struct event_profile p;
	struct profile profile; /* for samples */
	bool is_sampled;	/* counts are estimates, and calls are not counted */

	const char *path; /* of the profile; owned by the caller */
	char *command;	  /* of the run, or of the chosen process */
	struct store_process *processes;
	size_t process_count;
	struct store_module *modules;
	size_t module_count;

	size_t columns; /* measured events */
	size_t primary; /* the event that is used when none is named */
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
	struct arena arena;	 /* strings and arrays created for samples */
};

struct export_request {
	const char *input;
	int64_t process; /* STORE_NONE: all of an event profile, the largest of a sampled one */
	/* For sampled profiles: */
	const char *machine;		    /* name of the machine; NULL: the one that recorded */
	const struct profile_cache *caches; /* its caches, PROFILE_CACHES of them */
	/* inlined functions are nodes; else part of the outer function */
	bool inlined_are_called;
};

/* Returns 0, or -1 with *err set; *d owns nothing then. Release with export_data_release. */
int export_data_open(struct export_data *d, const struct export_request *r, struct err *err);
void export_data_release(struct export_data *d);

/* The location at an index, or NULL for STORE_NONE. */
const struct store_location *export_location(const struct export_data *d, int64_t index);

/* The source position, of the innermost inlined function; file NULL and line 0 if unknown. */
struct store_frame export_place(const struct store_location *l);

/* The address of an instruction in its ELF file, by which tools know it; 0: unknown. */
uint64_t export_address(const struct store_location *l);

/* Tell whether any instruction has an address. */
bool export_has_addresses(const struct export_data *d);

/* In data_samples.c: fills the arrays from d->profile. */
int export_from_samples(struct export_data *d, const struct export_request *r, struct err *err);

#endif
