/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory to which the program itself gave a name (DWELL_NAME), for one process: finds the row of
 * table site for an address and a time. All memory of one name is one data structure.
 */
#ifndef DWELL_COLLECTOR_NAMING_REGIONS_H
#define DWELL_COLLECTOR_NAMING_REGIONS_H

#include "base/map.h"
#include "channel/channel.h"
#include "store/store.h"

struct region;

#define REGIONS_FULL	1 /* the process reached the limit of names */
#define REGIONS_CHANGED 2

struct regions {
	struct region *items; /* in the order of naming */
	size_t count, room;
	struct {
		struct store_site *items; /* their names belong to the regions */
		size_t count, room;
	} sites;
	struct map site_by_name;
	struct map site_by_number; /* the process's number of the name -> index */
	size_t changed
		[REGIONS_CHANGED]; /* sites changed by the last regions_name, to be written again */
	unsigned changed_count;
};

/* Empty when all zero. */
void regions_release(struct regions *g);

/*
 * The program names [start, end) at `position`; an empty name removes the names there. A new name
 * gets a site with the id *next_site, which is incremented. Returns 0, REGIONS_FULL, or -1 when
 * memory ran out.
 */
int regions_name(struct regions *g, uint64_t start, uint64_t end, uint64_t position,
		 const char *name, int64_t process, int64_t *next_site);

/* The process calls a name by this number. Returns -1 when memory ran out. */
int regions_number(struct regions *g, const char *name, uint32_t number);
/* The site of the name with this number; 0: there is none. */
int64_t regions_numbered(const struct regions *g, uint32_t number);

/* Copy the parent's regions to a forked child, with sites of its own. */
int regions_inherit(struct regions *g, const struct regions *parent, int64_t process,
		    int64_t *next_site);

/*
 * The site of the last name given to `address` at or before `position` (accesses of the process),
 * or 0; *start is the start of that memory. Names given later do not count.
 */
int64_t regions_find(const struct regions *g, uint64_t address, uint64_t position, uint64_t *start);

/* Write the sites that the last regions_name changed; or all, as after regions_inherit. */
int regions_write(struct regions *g, struct store *store, struct err *err);
int regions_write_all(const struct regions *g, struct store *store, struct err *err);

#endif
