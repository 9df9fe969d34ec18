/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile as callgrind_annotate and KCachegrind read it: Callgrind's format, version 1. */
#ifndef DWELL_EXPORT_CALLGRIND_H
#define DWELL_EXPORT_CALLGRIND_H

#include "export/columns.h"
#include "export/data.h"

/*
 * Append the file to `out`. Measured columns are written as they are, and derived ones as formulas
 * where the format has words for them: sums of events, each times a whole number; each other one
 * gets a line in `notes`. `apart`: a part for each process and thread, which callgrind_annotate
 * does not read. Returns -1 when memory runs out.
 */
int export_callgrind(const struct export_data *d, const struct export_columns *columns, bool apart,
		     struct text *out, struct text *notes, struct err *err);

#endif
