/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the program itself gave a name (DWELL_NAME): from an address and a time to
 * the row of table site that stands for the name. Of one process. All memory of one name is
 * one data structure.
 */
#ifndef DWELL_COLLECTOR_NAMING_REGIONS_H
#define DWELL_COLLECTOR_NAMING_REGIONS_H

#include "base/map.h"
#include "channel/channel.h"
#include "store/store.h"

struct region;

#define REGIONS_FULL	1 /* a process has as many names as are kept of one */
#define REGIONS_CHANGED 2

struct regions {
	struct region *items; /* in the order in which they were named */
	size_t count, room;
	struct {
		struct store_site *items; /* the names are the regions' */
		size_t count, room;
	} sites;
	struct map site_by_name;
	size_t changed
		[REGIONS_CHANGED]; /* sites, since they were written; of one call of regions_name */
	unsigned changed_count;
};

/* All zero holds nothing. */
void regions_release(struct regions *g);

/*
 * The program names [start, end) at `position`; an empty name removes the names there. A name that
 * is new gets a site with the id *next_site, which is counted up. Returns 0, REGIONS_FULL, or -1:
 * memory ran out.
 */
int regions_name(struct regions *g, uint64_t start, uint64_t end, uint64_t position,
		 const char *name, int64_t process, int64_t *next_site);

/* A forked child has its parent's regions, with sites of its own. */
int regions_inherit(struct regions *g, const struct regions *parent, int64_t process,
		    int64_t *next_site);

/*
 * The site of the last name given to `address` at or before `position`, in accesses of the process,
 * or 0; and where that memory begins. Names given later in the run do not count.
 */
int64_t regions_find(const struct regions *g, uint64_t address, uint64_t position, uint64_t *start);

/* Write down the sites that the last regions_name changed; or all, as after regions_inherit. */
int regions_write(struct regions *g, struct store *store, struct err *err);
int regions_write_all(const struct regions *g, struct store *store, struct err *err);

#endif
