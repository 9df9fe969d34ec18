/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses of a simulation by data structure, in the views of samples and of events. */
#ifndef DWELL_VIEWS_COUNTED_COUNTED_H
#define DWELL_VIEWS_COUNTED_COUNTED_H

#include <jansson.h>

#include "answer/counted_how.h"
#include "estimate/counted/code_data.h"
#include "estimate/counted/structures.h"
#include "views/fit.h"

struct event_annotation;

/*
 * The data that the `most` lines (or instructions) of an annotation with the most cost miss on, as
 * text below the code; pieces are lines of the annotation. Of one line for JSON: an array.
 */
int code_data_text(const struct code_data *c, const struct event_annotation *a, size_t most,
		   const struct display *d, struct text *out, struct err *err);
json_t *code_data_json(const struct code_data *c, size_t line);

#endif
