/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the option -o may replace. A new profile replaces profiles only, which the store keeps as
 * FILE.old; an export replaces files of its format only. No output replaces an input.
 */
#ifndef DWELL_CLI_OUTPUTS_H
#define DWELL_CLI_OUTPUTS_H

#include <stddef.h>

#include "base/err.h"
#include "export/formats.h"

/*
 * Check that a new profile at `output` replaces none of the inputs: neither there nor at
 * OUTPUT.old, where the profile goes that lies at OUTPUT now. Returns 0, or -1 with *err set.
 */
int outputs_check_profile(const char *output, const char *const *inputs, size_t count,
			  struct err *err);

/*
 * Check that an export to `output` replaces neither its input nor any profile; nor, unless
 * `is_forced`, a file that is not of its format. Devices, pipes and empty files are free.
 */
int outputs_check_export(const char *output, const char *input, const struct export_format *f,
			 bool is_forced, struct err *err);

#endif
