/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and fields as the views print them. */
#ifndef DWELL_VIEWS_FIGURES_H
#define DWELL_VIEWS_FIGURES_H

#include <stdint.h>

#include "base/text.h"
#include "profile/profile.h"

#define FIGURE_BYTES 48 /* enough for what any of these writes */

/* "12,345" below a million, "1.23e9" from there on. All return buf. */
char *figure_count(uint64_t n, char buf[FIGURE_BYTES]);

/* "1 window", "1,223 windows". `what`: one of them. */
char *figure_things(uint64_t n, const char *what, char buf[FIGURE_BYTES]);

/* "... and 1,223 more", and `what` behind it, as a line; nothing where none is left. */
void figure_more(struct text *out, uint64_t left, const char *what);

/* A ratio in [0, 1] as "3.21 %"; "0.0012 %" keeps two digits when it is small. */
char *figure_percent(double ratio, char buf[FIGURE_BYTES]);

/* A share in [0, 1] for a column: always two digits, "12.30 %". */
char *figure_share(double share, char buf[FIGURE_BYTES]);

/* "850 ms", "2.31 s", "3 min 12 s". */
char *figure_duration(uint64_t ns, char buf[FIGURE_BYTES]);

/* "2.9 - 3.5 %", or "not known" without samples. */
char *figure_interval(const struct model_ratio *r, char buf[FIGURE_BYTES]);

/*
 * The cache that a view is about, for its title: "2M (L2)", "32K (8-way, LRU)", and where that is
 * more than the profile resolves: "2M (L2; bounds only: reuses are resolved up to 437.2K)".
 */
void figure_cache(const struct profile *p, const struct query *q, struct text *out);

/* "fully associative", "8-way"; returns buf. */
char *figure_ways(const struct query *q, char buf[FIGURE_BYTES]);

/* A replacement policy: "random", "LRU"; and as options, CSV and JSON name it: "lru". */
const char *figure_policy(enum model_policy policy);
const char *policy_word(enum model_policy policy);

/*
 * How a process ended, in a word or two: its state, and where a signal killed it the name of that:
 * "exited", "killed (SIGSEGV)".
 */
char *figure_state(const struct store_process *x, char buf[FIGURE_BYTES]);

/* How the process ended, or that it did not: "exited with status 0 after 2.31 s". */
void process_put_ending(const struct store_process *x, struct text *out);

/*
 * "walk.c:12 sum", or without a line "sum": compilers have code that is of no line. NULL: no file,
 * no function.
 */
void figure_place(const char *file, uint32_t line, const char *function, struct text *out);

/*
 * One CSV field, quoted where it has to be (RFC 4180); NULL is an empty one. Bytes that are no text
 * are written \xNN, and in front of what a spreadsheet would take for a formula stands an
 * apostrophe.
 */
void csv_field(struct text *t, const char *field);

/*
 * The same as three fields: exit code, number and name of the signal; empty where there is none, or
 * it is not known.
 */
void csv_ending(struct text *t, const struct store_process *x);
#define CSV_ENDING "exit_status,signal,signal_name"

/* A function's name in a folded stack, where a semicolon, which becomes a colon, would end it. */
void folded_name(struct text *out, const char *name);

/* A line of CSV: `count` fields. */
void csv_line(struct text *t, const char *const *fields, size_t count);

#endif
