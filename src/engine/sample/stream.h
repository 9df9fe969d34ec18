/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact stream (CHANNEL_MODE_STREAM): every access goes to the ring, with the details that
 * stream_marks asks for. A run mode (run_mode.h).
 */
#ifndef DWELL_ENGINE_SAMPLE_STREAM_H
#define DWELL_ENGINE_SAMPLE_STREAM_H

#include "engine/core/run_mode.h"

extern const struct run_mode stream_mode;

#endif
