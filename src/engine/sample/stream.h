/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact stream (CHANNEL_GEAR_STREAM): every access goes to the ring, and with
 * stream_marks what is known of it. All functions want the sampler's lock.
 */
#ifndef DWELL_ENGINE_SAMPLE_STREAM_H
#define DWELL_ENGINE_SAMPLE_STREAM_H

#include "engine/core/state.h"

/* All that is in t's buffer. */
void stream_send_buffer(const struct thread *t);

/* n accesses of the instruction at pc, as entries of kinds and sizes. */
void stream_send_elements(const struct thread *t, uint64_t pc, const uint64_t *entries, uint32_t n);

#endif
