/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's two descriptors: the channel and its own file. The target must not see them, neither
 * by number nor by having fewer of its own.
 */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_DESCRIPTORS_H
#define DWELL_ENGINE_RUN_SYSCALLS_DESCRIPTORS_H

#include <sys/resource.h>

#include "engine/core/state.h"

bool descriptors_are_ours(const struct thread *t, long fd);

/*
 * The target has no descriptor left. Move the engine's above the limit, if they are below. True:
 * one is free now.
 */
bool descriptors_make_way(struct thread *t);

/*
 * Raise the limit of descriptors, for the engine; the caller restores *was. False: not allowed, and
 * nothing changed.
 */
bool descriptors_raise(struct rlimit *was);
void descriptors_restore(const struct rlimit *was);

/* Handlers of system calls: close and calls that test a descriptor; close_range; dup2 and dup3. */
long descriptors_call(struct thread *t, long nr, const long args[6]);
long descriptors_close_range(struct thread *t, long nr, const long args[6]);
long descriptors_dup2(struct thread *t, long nr, const long args[6]);

#endif
