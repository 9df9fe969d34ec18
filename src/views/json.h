/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON parts that several views share. */
#ifndef DWELL_VIEWS_JSON_H
#define DWELL_VIEWS_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "profile/profile.h"

/* Add miss_ratio, low, high to an object: null, 0, 1 if unknown. */
void json_put_ratio(json_t *object, const struct model_ratio *r);

/* Add exit_status, signal and signal_name: null if there is none, or it is unknown. */
void json_put_ending(json_t *object, const struct store_process *x);

/* A string; bytes that are not UTF-8 become \xNN; NULL becomes null. */
json_t *json_text(const char *s);

/* Print `root`, which is released, and a line end. Fails if it is NULL, or memory runs out. */
int json_print(json_t *root, struct text *out, struct err *err);

/* The same without blanks, and with all digits: for files that other programs read. */
int json_print_compact(json_t *root, struct text *out, struct err *err);

#endif
