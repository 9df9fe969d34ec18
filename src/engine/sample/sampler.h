/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random sampling of reuse distances (StatCache, sections 3.4 to 3.7): a run mode (run_mode.h).
 *
 * Windows are placed at random in the access count of the process. Between
 * them all threads run in the count variant; inside one all run in the stream
 * variant, whose buffers are scanned here: accesses are chosen at random gaps,
 * their lines watched, and the next touch by the same thread ends the sample.
 */
#ifndef DWELL_ENGINE_SAMPLE_SAMPLER_H
#define DWELL_ENGINE_SAMPLE_SAMPLER_H

#include "engine/core/run_mode.h"

/* Process start, and again in a forked child: nothing has been seen, no window is planned. */
void sampler_reset(const struct thread *t);
/* A new thread: nothing is watched. */
void sampler_thread_start(struct thread *t);
/* log2 of the line that is watched. */
uint32_t sampler_line_shift(void);
/* Pages that the process holds as it ends, and how much of them is in use: see record_end. */
uint64_t sampler_footprint(struct thread *t, uint16_t line_use[CHANNEL_LINE_USES]);

extern const struct run_mode sample_mode, watch_mode;

#endif
