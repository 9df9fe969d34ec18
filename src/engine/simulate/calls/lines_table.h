/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines by what leads to them: a hash table of all that are looked for. It grows with them, so one
 * site may lead to any number of functions.
 */
#ifndef DWELL_ENGINE_SIMULATE_ARCS_LINES_TABLE_H
#define DWELL_ENGINE_SIMULATE_ARCS_LINES_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Instead of a site: a line's number, and this; a stub has led there. */
#define KEY_LED 0x40000000u
/* No code has this address. */
#define KEY_NOWHERE UINT64_MAX

/* What a line was looked for by. */
struct lines_key {
	uint64_t target;
	uint32_t site, node; /* node: the offset of its slot, nodes.h; 0: nodes are functions */
};

/* The line; 0: none. */
uint32_t lines_find(struct lines_key k);
/* Before a line is kept. False: there is no memory. */
bool lines_have_room(void);
/* k, which has no line yet, has this one from now on. */
void lines_keep(struct lines_key k, uint32_t line);
/* Nothing leads to the line any more. */
void lines_drop(uint32_t line);
uint64_t lines_kept(void);
void lines_forget(void);

#endif
