/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and fields, as views print them. */
#ifndef DWELL_ANSWER_FIGURES_H
#define DWELL_ANSWER_FIGURES_H

#include <stdint.h>

#include "base/text.h"
#include "profile/profile.h"

#define FIGURE_BYTES 48 /* enough for all functions here */

/* "12,345" below a million, "1.23e9" above. All return buf. */
char *figure_count(uint64_t n, char buf[FIGURE_BYTES]);

/* "1 window", "1,223 windows". `what`: the singular. */
char *figure_things(uint64_t n, const char *what, char buf[FIGURE_BYTES]);

/* Add a line "... and 1,223 more", followed by `what`; nothing if `left` is 0. */
void figure_more(struct text *out, uint64_t left, const char *what);

/* A ratio in [0, 1] as "3.21 %"; small ones keep two significant digits: "0.0012 %". */
char *figure_percent(double ratio, char buf[FIGURE_BYTES]);

/* A share in [0, 1] for a column, always with two decimals: "12.30 %". */
char *figure_share(double share, char buf[FIGURE_BYTES]);

/* "850 ms", "2.31 s", "3 min 12 s". */
char *figure_duration(uint64_t ns, char buf[FIGURE_BYTES]);

/* "2.9 - 3.5 %", or "not known" without samples. */
char *figure_interval(const struct model_ratio *r, char buf[FIGURE_BYTES]);

/* "1,326,305"; "0.01234" if not whole; "-" for NAN. Returns buf. */
char *event_figure(double value, char buf[FIGURE_BYTES]);

/* "+1,234", "-0.01"; and of a relative change "+5.22 %", "new" from 0. Return buf. */
char *event_change(double change, char buf[FIGURE_BYTES]);
char *event_growth(double relative, char buf[FIGURE_BYTES]);

/*
 * Add the cache of a view to its title: "2M (L2)", "32K (8-way, LRU)"; or if the profile does not
 * resolve it, "2M (L2; bounds only: reuses are resolved up to 437.2K)".
 */
void figure_cache(const struct profile *p, const struct query *q, struct text *out);

/* "fully associative", "8-way"; returns buf. */
char *figure_ways(const struct query *q, char buf[FIGURE_BYTES]);

/* A replacement policy: "random", "LRU"; and as in options, CSV and JSON: "lru". */
const char *figure_policy(enum model_policy policy);
const char *policy_word(enum model_policy policy);

/* How a process ended: its state, with the signal that killed it: "exited", "killed (SIGSEGV)". */
char *figure_state(const struct store_process *x, char buf[FIGURE_BYTES]);

/* Add how the process ended, or that it runs: "exited with status 0 after 2.31 s". */
void process_put_ending(const struct store_process *x, struct text *out);

/*
 * Add "walk.c:12 sum", or without a line "sum": some compiled code has no line. Both may be NULL.
 */
void figure_place(const char *file, uint32_t line, const char *function, struct text *out);

/*
 * Add one CSV field, quoted if necessary (RFC 4180); NULL is empty. Invalid bytes are written as
 * \xNN. An apostrophe precedes fields that a spreadsheet would treat as a formula.
 */
void csv_field(struct text *t, const char *field);

/* Add a value in CSV; nothing for NAN. */
void event_csv(struct text *out, double value);

/*
 * Add a function's name for a folded stack; semicolons become colons, as they would end the name.
 */
void folded_name(struct text *out, const char *name);

#endif
