/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores the value of an option in its variable. Only for the files of src/options. */
#ifndef DWELL_OPTIONS_VALUE_H
#define DWELL_OPTIONS_VALUE_H

#include "options/option.h"

/*
 * Store the value in `into`. `use` is NULL if the command does not take the row; `text` is NULL for
 * an option without a value. Returns 0, or -1 with *err.
 */
int option_value_take(const struct option_row *row, const struct option_use *use, const char *text,
		      void *into, struct err *err);

/* Empty a list. */
void option_value_clear(const struct option_row *row, void *into);

#endif
