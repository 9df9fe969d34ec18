/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON parts that several views share. */
#ifndef DWELL_VIEWS_JSON_H
#define DWELL_VIEWS_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "profile/profile.h"

/* A string; bytes that are not UTF-8 become \xNN; NULL becomes null. */
json_t *json_text(const char *s);

/* Print `root`, which is released, and a line end. Fails if it is NULL, or memory runs out. */
int json_print(json_t *root, struct text *out, struct err *err);

/* The same without blanks, and with all digits: for files that other programs read. */
int json_print_compact(json_t *root, struct text *out, struct err *err);

#endif
