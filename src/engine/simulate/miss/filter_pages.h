/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First-level TLBs in the filter variant. Code may hit a line of a first level only if the TLB has
 * its page: when a page leaves the TLB, the cells of its lines become 0. The lines stay in their
 * level. The next access to the page leaves the code, misses in the TLB, and gives the line its
 * cell back; and so does the first access to each other line of the page, whose place the owners of
 * its set tell. So code needs no look at pages, and a page that comes or goes touches no more lines
 * than were used.
 *
 *   by page:   | place in the TLB, from 1 on, or 0 |
 *   by place:  | page |   and   | a time | a bit for each line of the page that code may hit |
 *
 * LRU needs to know when pages were used last: that is the greatest stamp of their lines that code
 * may hit, or the time at the page's place: of the last access that left the code, or the stamp of
 * a line of the page that has left its level since. That time alone is a lower bound. So where a
 * page is to be evicted, the place with the least bound is looked at: the stamps of its lines may
 * raise the bound. The first place where they do not is the oldest.
 *
 * Accesses to different pages need different times, or else the higher page must be used later.
 * That holds for the two halves of an access on two pages, for the lines of a segment, and for the
 * two lines of a run that ends with its highest byte (filter_runs.h). So of two pages with one time
 * the lower one is older.
 *
 * Pages of 4 KB only, which have 64 lines. The second level TLB is that of src/sim.
 */
#ifndef DWELL_ENGINE_SIMULATE_WALK_FILTER_PAGES_H
#define DWELL_ENGINE_SIMULATE_WALK_FILTER_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct filter_level;
struct sim_core;

/* Once, when they are empty. False: there is no memory. */
bool filter_pages_start(struct sim_core *c);

/* Has the level's TLB the line's page, or is there none? */
bool filter_pages_have(const struct filter_level *l, uint64_t line);
/* Is there a TLB, so that lines of the level may have no cell? */
bool filter_pages_hide(const struct filter_level *l);
/* The level has the line. May code hit it, as far as the TLB is concerned? */
bool filter_pages_let(const struct filter_level *l, uint64_t line);
/* A line that leaves the level, or has no cell, was used last at a time, if not 0. */
void filter_pages_lose(const struct filter_level *l, uint64_t line, uint64_t time);

/*
 * For filter_miss.S: an access of a site misses in the TLB; the clock is that of lane 0.
 * And what has been counted so for a site.
 */
void filter_pages_missed(uint64_t line, uint32_t site, uint64_t clock);
bool filter_pages_missed_at(uint32_t site);
void filter_pages_take(uint32_t site, uint32_t column, uint64_t events[]);

void filter_pages_hand_over(struct sim_core *c);

#endif
