/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers of values that a type alone does not describe, for the option table. `options` is a
 * struct options. They return 0, or -1 with *err set.
 */
#ifndef DWELL_CLI_OPTION_VALUES_H
#define DWELL_CLI_OPTION_VALUES_H

#include "base/err.h"

/* option_values.c: for views */
int options_take_function(void *options, const char *text, struct err *err);
int options_take_object(void *options, const char *text, struct err *err);
int options_take_line_at(void *options, const char *text, struct err *err);
int options_take_focus(void *options, const char *text, struct err *err);
int options_take_ignore(void *options, const char *text, struct err *err);
int options_take_sizes(void *options, const char *text, struct err *err);
int options_take_caches(void *options, const char *text, struct err *err);

/* record_values.c: for runs */
int record_take_period(void *options, const char *text, struct err *err);
int record_take_duty(void *options, const char *text, struct err *err);
int record_take_overhead(void *options, const char *text, struct err *err);
int record_take_windows(void *options, const char *text, struct err *err);
int record_take_one_line(void *options, const char *text, struct err *err);
int record_take_paths(void *options, const char *text, struct err *err);
int record_take_no_objects(void *options, const char *text, struct err *err);
int record_take_allocator(void *options, const char *text, struct err *err);
int record_take_start_at(void *options, const char *text, struct err *err);
int record_take_stop_at(void *options, const char *text, struct err *err);
int record_take_wait(void *options, const char *text, struct err *err);
int record_take_toggle(void *options, const char *text, struct err *err);

/* simulate_values.c: for simulations */
int simulate_take_lines(void *options, const char *text, struct err *err);
int simulate_take_cache(void *options, const char *text, struct err *err);
int simulate_take_context(void *options, const char *text, struct err *err);
int simulate_take_line_use(void *options, const char *text, struct err *err);
int simulate_take_sets(void *options, const char *text, struct err *err);
int simulate_take_sample(void *options, const char *text, struct err *err);

#endif
