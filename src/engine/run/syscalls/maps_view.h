/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hides the tables of the filter variant in /proc/self/maps. The tables give way to mappings of the
 * program (filter_end.h), but sanitizers check here first whether the addresses are free.
 *
 * The program reads a copy, made when it opens the file.
 */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_MAPS_VIEW_H
#define DWELL_ENGINE_RUN_SYSCALLS_MAPS_VIEW_H

#include "engine/core/state.h"

/* The program has opened a file as fd; or fd is an error. */
void maps_view_opened(struct thread *t, long fd);

#endif
