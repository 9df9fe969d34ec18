/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels (filter_references.h) of lines that have left the first level, for when they come back: of
 * lines of one data structure, in a table of fixed size. The line's entry is that of its low bits;
 * the others are its tag.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_KNOWN_LINES_H
#define DWELL_ENGINE_SIMULATE_WHOSE_KNOWN_LINES_H

/* filter_miss.S reads it: entries of a tag and a label, 32 bits each. */
#define KNOWN_LINES_BITS  16
#define KNOWN_ENTRY_SHIFT 3

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

/* False: no memory. */
bool known_lines_start(void);
extern uint64_t *known_lines;
/* Or'ed into all tags: all lines are forgotten where it changes. */
extern uint32_t known_lines_era;

/* All of the line (its number) has the label. */
void known_lines_set(uint64_t line, uint32_t label);
/* It has no more. */
void known_lines_forget(uint64_t line);
void known_lines_forget_all(void);

#endif
#endif
