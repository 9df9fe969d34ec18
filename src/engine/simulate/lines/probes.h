/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact stack distances of a few accesses chosen at random, for caches of which a sample of lines
 * knows little: a probe goes back through the entries before the access, and counts the lines,
 * until it finds the access's own. Most do soon. One in two ends at 64, and at 256 lines, because
 * far ones take long; the collector knows that from their records.
 *
 * Probes of level 0 count all lines. For larger caches, those of level 1 count a denser sample of
 * lines than the user asked for (LINES_LEVEL_ONE_IN), of which no access goes to the ring.
 *
 * A program may stay on few lines for longer than entries are kept. A probe of level 0 that has met
 * all of them goes on in the past of level 1, which reaches farther: if its line belongs to that
 * sample, and stands for those of other lines then.
 *
 * All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_LINES_PROBES_H
#define DWELL_ENGINE_SIMULATE_LINES_PROBES_H

#include "engine/core/state.h"

/*
 * The process begins, with lines of 1 << line_shift bytes, the seed of lines_hash, and one of
 * random numbers. False: no memory.
 */
bool probes_start(uint32_t line_shift, uint32_t seed, uint64_t random, bool has_level_1);
/* t's buffer; the process has made `total` accesses. May exchange the buffer's memory. */
void probes_buffer(struct thread *t, uint64_t total);
/*
 * `count` accesses in a row, in no buffer, to this line and perhaps another one. in_level_1: the
 * line is in that sample.
 */
void probes_touch(const struct thread *t, uint64_t line, uint64_t count, bool in_level_1);
/* Level 1: an access to a line of its sample; and the end of some. */
void probes_add(uint64_t line);
void probes_look(struct process *p);
/* The end: send the last ones. */
void probes_end(struct process *p);

#endif
