/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of a merge. */
#ifndef DWELL_MERGE_PRIVATE_H
#define DWELL_MERGE_PRIVATE_H

#include "merge/merge.h"
#include "store/events.h"

/* Added to the ids of the current input, so that they are free in the new profile. */
struct shift {
	int64_t process, module, location, path, site, variable, layout, structure, node, image;
};

struct copying {
	struct store *in, *out;
	struct shift by;
	struct shift next;		   /* first free ids in the new profile */
	size_t columns[STORE_MAX_COLUMNS]; /* by measured event of `in`: its column in `out` */
	size_t column_count;
};

/* Each copies what its name says. Returns 0, or -1 with *err set. */
int copy_run(struct copying *c, struct err *err);     /* processes, threads, modules, messages */
int copy_code(struct copying *c, struct err *err);    /* locations with names, source positions */
int copy_samples(struct copying *c, struct err *err); /* windows, samples, data, paths */
int copy_exact(struct copying *c, struct err *err);   /* exact curves, sums by data */
int copy_counts(struct copying *c, struct err *err);  /* nodes, costs, arcs, jumps */
int copy_whose(struct copying *c, struct err *err);   /* structures, bins, stretches, ... */

/*
 * Defines copy_THINGS, which calls put_THINGS for each item to write it with new ids. `read` fills
 * in `items`, an array to be freed, and `count`.
 */
#define COPY_EACH(things, type, read)                                \
	static int copy_##things(struct copying *c, struct err *err) \
	{                                                            \
		type *items;                                         \
		size_t count;                                        \
		int status = 0;                                      \
                                                                     \
		if (read != 0)                                       \
			return -1;                                   \
		for (size_t i = 0; status == 0 && i < count; i++)    \
			status = put_##things(c, &items[i], err);    \
		free(items);                                         \
		return status;                                       \
	}

/* Merge the facts about the runs as a whole. */
int merge_meta(const char *const *inputs, size_t count, struct store *out, struct text *notes,
	       struct err *err);

/* Returns id + by, or the same value if it means none. */
int64_t shifted(int64_t id, int64_t by);

/* Give the image its new id; 0 means none. */
void move_image(struct copying *c, int64_t *image);

/* Raise *next above the id. */
void use_id(int64_t *next, int64_t id);

#endif
