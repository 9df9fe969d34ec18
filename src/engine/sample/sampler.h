/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random sampling of reuse distances (StatCache, sections 3.4 to 3.7): a run mode (run_mode.h).
 *
 * Windows are placed at random in the process's count of accesses. Between windows all threads run
 * in the count variant, inside one in the stream variant. Buffers are scanned: accesses are chosen
 * at random gaps, and their lines watched. The next touch by the same thread ends the sample. Far
 * lines are watched in all windows.
 */
#ifndef DWELL_ENGINE_SAMPLE_SAMPLER_H
#define DWELL_ENGINE_SAMPLE_SAMPLER_H

#include "engine/core/run_mode.h"

/* Reset at process start, and in a forked child: no window is planned. */
void sampler_reset(const struct thread *t);
/* A new thread, which watches nothing. */
void sampler_thread_start(struct thread *t);
/* log2 of the bytes of a watched line. */
uint32_t sampler_line_shift(void);

#endif
