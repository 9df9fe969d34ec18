/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of an option, from text to the member it goes to. For the files of src/options. */
#ifndef DWELL_OPTIONS_VALUE_H
#define DWELL_OPTIONS_VALUE_H

#include "options/option.h"

/*
 * Put the value into `into`; `use` is NULL where the command does not take the row. `text` is NULL
 * for an option without a value. Returns 0, or -1 with *err.
 */
int option_value_take(const struct option_row *row, const struct option_use *use, const char *text,
		      void *into, struct err *err);

/* A list begins again. */
void option_value_clear(const struct option_row *row, void *into);

#endif
