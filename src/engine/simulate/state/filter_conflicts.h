/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conflict misses (bins.h) in the filter variant: beside each cache stands a fully associative LRU
 * cache with as many lines, which sees the same accesses.
 *
 * Beside a first level that cache finds the order of accesses in their stamps (recency.h). So each
 * access has a time of its own, by its own instruction, and stamps say when lines were used with
 * any policy. (With FIFO, filter.c keeps the times when they came apart.) C handles all misses.
 *
 * A line that the first level has, but not the cache beside it, is hidden: its cell is 0, as in
 * windows (filter_windows.h). Its next access enters C, and is a hit that changes the cache beside.
 * So code hits lines that both have, and changes no more than their order.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_CONFLICTS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_CONFLICTS_H

#include <stdbool.h>
#include <stdint.h>

struct filter_level;
struct sim_hierarchy;

/*
 * Find conflict misses in the hierarchy, from the first access on: the filter's levels are empty.
 * False: there is no memory.
 */
bool filter_conflicts_start(const struct sim_hierarchy *h);

/* The line, whose cell is 0, has a place in the first level after all; or 0. */
uint32_t filter_hidden_place(const struct filter_level *l, uint64_t line, const uint32_t *cell);
/* May code hit the line that the first level has at a place? */
bool filter_conflicts_show(const struct filter_level *l, const uint64_t *place);

/* An access hits a hidden line of the first level. Its stamp is to be written next. */
void filter_conflicts_hit(struct filter_level *l, uint64_t line, uint32_t *cell, uint32_t place);
/* It misses the line, which gets that place, if a line was there, from that. */
void filter_conflicts_miss(struct filter_level *l, uint64_t line, uint32_t place);

/* An access is about to look for a line in a level below the first. */
void filter_conflicts_look(unsigned level, uint64_t line);

/* Would the last access have hit, in the cache that it missed last? */
extern bool filter_is_conflict;

#endif
