/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of some lines (--line-use without `all`). Whenever a line comes to a level, chance
 * decides whether it is looked at until it leaves: one in `share`, independently of all others. So
 * each that was looked at stands for `share`. Nothing else changes: code that looks at other lines,
 * and what caches count, are as without line use.
 *
 * At first more lines are chosen, and stand for fewer: short runs need them, and the last level,
 * to which few lines come. With 32 all of the first 1024 are, every other one up to 4096, and so on
 * up to 262144; in the last level every fourth, every eighth, and one in 16 up to 16384.
 *
 * A line of data that is looked at, by its first level or the last one, is *watched* while it is in
 * the first level: its cell is 0, so that each access leaves code (filter_walked.h), and finds the
 * line by the bits of its set (struct filter_oldest). Its place has
 *
 *   USES_LIVE:  | touched bytes | uses | limit |    16 bytes, at twice the address of the stamp +
 *                                                   USES_TO_LIVE; natural order of bits
 *
 * Lines of code that are watched are asked for when they come and leave (uses_code.h).
 *
 * A line that is used for ever would make its program slow. So at 64 uses chance decides again:
 * every other line is forgotten, the others stand for twice as many. The same at four times the
 * uses, and so on. The expected number of accesses that leave code grows with the square root of
 * the uses then, and estimates stay without bias. (For a given number of such accesses variances
 * are least if the chance of a line falls with the square root of its price: Neyman 1934.) Not with
 * a share of 1, which is exact.
 *
 * If replay takes over (filter_make_room), lines that stand for others are charged at once; those
 * that nobody looked at have the tag 0 there, and are charged to nobody.
 *
 * An estimate's variance is estimated beside it (charge in uses.c): by the sum of the squares of
 * what lines cost, times w * (w - 1) of a line that stands for w.
 */
#ifndef DWELL_ENGINE_SIMULATE_USES_USES_WATCH_H
#define DWELL_ENGINE_SIMULATE_USES_USES_WATCH_H

/* By place of the last level, a bit: is it looked at? Where code marks bytes with all lines. */
#define USES_LAST_BITS USES_TOUCHED
#define WATCH_USES     8
#define WATCH_LIMIT    12

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

struct filter_level;

/* Once, with one in `share`, a power of two. False: no memory. */
bool uses_watch_start(uint32_t share);

void uses_watch_begin(const struct filter_level *l, uint32_t place, uint64_t line, uint32_t tag);
void uses_watch_end(const struct filter_level *l, uint32_t place, uint64_t line);
/* For uses_replace, behind the change of cells. */
void uses_watch_replace(uint64_t line, uint32_t place, const uint32_t *victim, uint32_t site);
/* n more accesses to bytes of a line of data; and one less. */
void uses_watch_touch(uint64_t first, uint64_t last, uint64_t n);
bool uses_watch_untouch(uint32_t place);
/* Adds what the first level has seen of the line, if it is watched there. */
void uses_watch_settle(const struct filter_level *l, uint32_t place, uint64_t line);
/* What a record stands for. */
uint64_t uses_watch_weight(const struct filter_level *l, uint32_t place);

/* For filter_walked.h: so many lines of data, and of code, come before the next one chosen. */
extern int32_t uses_skip[];

#endif
#endif
