/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's function behind one of a library: "__memchr_evex < count_letters". */
#ifndef DWELL_VIEWS_SCREEN_OWN_CALLERS_H
#define DWELL_VIEWS_SCREEN_OWN_CALLERS_H

#include <stddef.h>

struct event_report;

/*
 * The row of the function outside of libraries that calls the function of this row, itself or by
 * way of other functions of libraries, with most of its cost in this column. The same row: it is no
 * library's. SIZE_MAX: no such caller is known.
 */
size_t own_caller(const struct event_report *r, size_t row, size_t column);

#endif
