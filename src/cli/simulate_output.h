/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the result of dwell simulate --curve and --trace goes to, and in which format. */
#ifndef DWELL_CLI_SIMULATE_OUTPUT_H
#define DWELL_CLI_SIMULATE_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/view_format.h"

struct simulate_output {
	const char *file; /* NULL: none was given */
	bool has_format;
	enum view_format format;
	bool is_new; /* simulate_output_try has made the file */
};

/* Without --format the end of the file's name says which it is. */
void simulate_output_guess(struct simulate_output *o);
/* Before the run, which is long: can the file be written? What is in it stays until the end. */
int simulate_output_try(struct simulate_output *o, struct err *err);
/* To the file, or to standard error. */
int simulate_output_write(const struct simulate_output *o, const struct text *out, struct err *err);
/* There is no result: remove the file if simulate_output_try has made it. */
void simulate_output_forget(const struct simulate_output *o);

#endif
