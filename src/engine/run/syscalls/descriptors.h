/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine keeps two descriptors, for the channel and for itself, which the target is not to
 * meet: not by their numbers, nor by having fewer of its own.
 */
#ifndef DWELL_ENGINE_RUN_DESCRIPTORS_H
#define DWELL_ENGINE_RUN_DESCRIPTORS_H

#include <sys/resource.h>

#include "engine/core/state.h"

bool descriptors_are_ours(const struct thread *t, long fd);

/*
 * The target has no descriptor left. If ours are among those that it may have, they move above its
 * limit; true: then there is one now.
 */
bool descriptors_make_way(struct thread *t);

/*
 * Allow some descriptors more, for the engine; *was is to be restored. False: not allowed, and
 * nothing changed.
 */
bool descriptors_raise(struct rlimit *was);
void descriptors_restore(const struct rlimit *was);

/* Handlers of system calls: of close and what programs try descriptors with, and others. */
long descriptors_call(struct thread *t, long nr, const long args[6]);
long descriptors_close_range(struct thread *t, long nr, const long args[6]);
long descriptors_dup2(struct thread *t, long nr, const long args[6]);

#endif
