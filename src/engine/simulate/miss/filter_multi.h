/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hierarchies in the filter variant. Its first levels are the fronts of sim/system/multi.h:
 * small caches of lines that all first levels have. So code continues by itself where all of them
 * hit.
 *
 * A miss in a front changes only the front at once. The line that came and the one that was evicted
 * are noted. Some thousand misses are looked up together, in order, so that rows of megabytes can
 * be prefetched.
 *
 * The result of a miss is a word with a bit for each event. For the call graph a miss is a note
 * (arcs.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_MULTI_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_MULTI_H

#include "engine/simulate/state/notes.h"

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_multi;

/* Use the fronts of s in the filter variant. False: there is no memory. Called once. */
bool filter_multi_start(struct sim_multi *s);
/*
 * Note the n misses, one or two, of an access to the bytes first .. last. Their members are set,
 * except flags.
 */
void filter_multi_put(struct filter_miss m[], uint32_t n, uint64_t first, uint64_t last);

/* Look up all noted misses, charge them to their instructions and calls, and drop them. */
void filter_multi_settle(void);

/*
 * filter_vectors.S: call f, which may change vector registers 16 to 19 and masks 1 to 3; restore
 * them.
 */
void filter_with_vectors(void (*f)(void));

#endif
#endif
