/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a run in which sampling was on. Windows represent their periods, which are contiguous
 * while it is on. Time between two windows beyond their periods was left out, and so was the time
 * long after the last window.
 */
#ifndef DWELL_PROFILE_SAMPLED_H
#define DWELL_PROFILE_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store_read.h"

/*
 * The accesses of a process, `accesses` in all, for which its windows stand. These must be sorted.
 */
uint64_t sampled_accesses(const struct store_window *windows, size_t count, uint64_t accesses);

#endif
