/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that remove or replace a file. The collector opens each mapped file when it reads
 * the record of it, for names. A file that is removed before, and whose process has ended by then,
 * would have none.
 */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_REMOVAL_H
#define DWELL_ENGINE_RUN_SYSCALLS_REMOVAL_H

#include "engine/core/state.h"

long removal_unlink(struct thread *t, long nr, const long a[6]);
long removal_rename(struct thread *t, long nr, const long a[6]);

#endif
