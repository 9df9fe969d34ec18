/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of a run, where blocks of memory are allocated. Each process numbers its own; the store
 * numbers them all.
 */
#ifndef DWELL_COLLECTOR_NAMING_SITES_H
#define DWELL_COLLECTOR_NAMING_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "channel/channel.h"
#include "store/store.h"

struct site;

struct sites {
	struct site *items;
	size_t count, room;
	struct map by_process;			  /* process and its number -> index */
	char allocators[CHANNEL_ALLOCATOR_BYTES]; /* as in struct channel_config */
};

void sites_release(struct sites *s);

/*
 * Write a site that a process reports. `path` holds rec->depth ids of locations. Its id in the
 * store is *next_id, which is incremented. A site reported again keeps its first row. Returns 0, or
 * -1 with *err set.
 */
int sites_add(struct sites *s, int64_t process, const struct record_site *rec, const int64_t *path,
	      int64_t *next_id, struct store *store, struct err *err);

/* Write the counts of a site; does nothing if the record of the site was lost. */
int sites_count(struct sites *s, int64_t process, const struct record_site_counts *rec,
		struct store *store, struct err *err);

/*
 * Tell whether memory of the site may hold variables of files. Blocks of allocators and stacks do
 * not; but the loader maps files just as programs map memory.
 */
bool sites_may_hold_files(const struct sites *s, int64_t process, uint32_t number);

/* The locations of a site's path, by its index; 0 if it has no blocks. Returns their number. */
size_t sites_path(const struct sites *s, size_t index, const int64_t **path);
/* Its smallest and its largest block, in bytes. */
void sites_sizes(const struct sites *s, size_t index, uint64_t *smallest, uint64_t *largest);
/* Write the type of its blocks: an id of the table layout. */
int sites_set_layout(struct sites *s, size_t index, int64_t layout, struct store *store,
		     struct err *err);

/* The store's id of the process's site `number`, or 0. */
int64_t sites_find(const struct sites *s, int64_t process, uint32_t number);

#endif
