/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats that flame graphs and spreadsheets are made from. All append to `out`, and return -1
 * with a sentence when memory runs out or a column cannot be had in the format.
 */
#ifndef DWELL_EXPORT_FORMATS_H
#define DWELL_EXPORT_FORMATS_H

#include "export/columns.h"
#include "export/stacks.h"

/* "main;work;read 1234": whole numbers of one column, a line for each stack with any. */
int export_folded(const struct export_data *d, const struct stacks *s, struct text *out,
		  struct err *err);

/* JSON of speedscope's file format: a profile for each column. */
int export_speedscope(const struct export_data *d, const struct export_columns *c,
		      const struct stacks *s, struct text *out, struct err *err);

/* profile.proto, gzipped: each column is a sample type; leaves have lines and addresses. */
int export_pprof(const struct export_data *d, const struct export_columns *c,
		 const struct stacks *s, struct text *out, struct err *err);

/* A row for each line of each function (of each process), all columns. */
int export_csv(const struct export_data *d, const struct export_columns *c, struct text *out,
	       struct err *err);
int export_json(const struct export_data *d, const struct export_columns *c, struct text *out,
		struct err *err);

#endif
