/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of a run, where blocks of memory come from: each process numbers
 * its own, the store numbers them all.
 */
#ifndef DWELL_COLLECTOR_NAMING_SITES_H
#define DWELL_COLLECTOR_NAMING_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "channel/channel.h"
#include "store/store.h"

struct site;

/*
 * "malloc", "new[]", "mmap", as the profile names it; or that of one of the run's own allocators.
 */
const char *sites_kind_name(uint32_t kind, const char allocators[CHANNEL_ALLOCATOR_BYTES]);

struct sites {
	struct site *items;
	size_t count, room;
	struct map by_process;			  /* process and its number -> index */
	char allocators[CHANNEL_ALLOCATOR_BYTES]; /* as in struct channel_config */
};

void sites_release(struct sites *s);

/*
 * Write a site that a process reports. `path` holds rec->depth ids of locations; *next_id is its id
 * in the store, and is counted up. A site reported again keeps its first row. Returns 0, or -1 with
 * *err set.
 */
int sites_add(struct sites *s, int64_t process, const struct record_site *rec, const int64_t *path,
	      int64_t *next_id, struct store *store, struct err *err);

/* Write its counts; nothing for a site whose own record was lost. */
int sites_count(struct sites *s, int64_t process, const struct record_site_counts *rec,
		struct store *store, struct err *err);

/*
 * May variables of files lie in memory of the site? In blocks of an allocator and on stacks there
 * are none; but the loader maps files as programs map memory.
 */
bool sites_may_hold_files(const struct sites *s, int64_t process, uint32_t number);

/* The store's id of the process's site `number`, or 0. */
int64_t sites_find(const struct sites *s, int64_t process, uint32_t number);

#endif
