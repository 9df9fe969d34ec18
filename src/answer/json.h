/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON parts that several views share. */
#ifndef DWELL_ANSWER_JSON_H
#define DWELL_ANSWER_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"

/*
 * In each answer as "json_version" (docs/json.md): raised when a field goes, or means something
 * else. A new field does not raise it.
 */
#define JSON_VERSION 1

/* A string; bytes that are not UTF-8 become \xNN; NULL becomes null. */
json_t *json_text(const char *s);

/* A number of events: whole if it is; null for NAN. */
json_t *event_json(double value);

/*
 * Print the object `root`, which is released, with its version, and a line end. Fails if it is
 * NULL, or memory runs out.
 */
int json_print(json_t *root, struct text *out, struct err *err);

/* The same without a version and blanks, with all digits: for files of other formats. */
int json_print_compact(json_t *root, struct text *out, struct err *err);

#endif
