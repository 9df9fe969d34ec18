/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of scans: the samples of each window get paths. */
#ifndef DWELL_TESTS_UNIT_PATHS_STUB_H
#define DWELL_TESTS_UNIT_PATHS_STUB_H

#include "engine/unwind/paths.h"

void paths_choose(struct thread *t, uint32_t window)
{
}

#endif
