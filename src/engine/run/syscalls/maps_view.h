/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program reads in /proc/self/maps while a simulation has the tables of the filter
 * variant: all but these. They give way to what the program maps there (filter_end.h), and
 * sanitizers look here first whether they may.
 *
 * It is a copy, made when the file is opened.
 */
#ifndef DWELL_ENGINE_RUN_MAPS_VIEW_H
#define DWELL_ENGINE_RUN_MAPS_VIEW_H

#include "engine/core/state.h"

/* The program has opened a file; or an error. */
void maps_view_opened(struct thread *t, long fd);

#endif
