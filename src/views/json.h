/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON pieces that several views share. */
#ifndef DWELL_VIEWS_JSON_H
#define DWELL_VIEWS_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "profile/profile.h"

/* Add miss_ratio, low, high to an object: null, 0, 1 when nothing is known. */
void json_put_ratio(json_t *object, const struct model_ratio *r);

/* Add exit_status, signal and signal_name: each null where there is none, or it is not known. */
void json_put_ending(json_t *object, const struct store_process *x);

/* A string; bytes that are no UTF-8 (a path can be anything) are written \xNN; NULL is null. */
json_t *json_text(const char *s);

/* Print `root`, which is given up, and a line end. NULL, or memory that runs out, is an error. */
int json_print(json_t *root, struct text *out, struct err *err);

/* The same without blanks and with all digits: for files that other programs read. */
int json_print_compact(json_t *root, struct text *out, struct err *err);

#endif
