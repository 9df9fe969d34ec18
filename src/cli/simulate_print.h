/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `dwell simulate` shows of an exact run: its curves, or misses by code or data. */
#ifndef DWELL_CLI_SIMULATE_PRINT_H
#define DWELL_CLI_SIMULATE_PRINT_H

#include "base/text.h"
#include "cli/view_format.h"
#include "collector/exact.h"
#include "views/table.h"

/* Append the curves of a process. Returns 0, or -1 when memory ran out. */
int simulate_print_curves(const struct exact *e, const struct exact_process *p,
			  enum view_format format, const struct display *d, struct text *out,
			  struct err *err);

/* The misses in the cache of size_bytes; of the text's rows the first `top`, 0: all. */
int simulate_print_rows(struct exact *e, const struct exact_process *p, enum exact_rows_by by,
			uint64_t top, enum view_format format, const struct display *d,
			struct text *out, struct err *err);

#endif
