/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How counted misses are known: what each view of them says. */
#ifndef DWELL_ANSWER_COUNTED_HOW_H
#define DWELL_ANSWER_COUNTED_HOW_H

#include <jansson.h>

#include "estimate/counted/counted.h"

/*
 * An object: "exact"; "how", the sentence of counted_put_how; "followed_share", of the accesses;
 * "not_followed", the misses that have no data structure, by cache.
 */
json_t *counted_how_json(const struct profile *p);

#define COUNTED_TITLE_INDENT 2

/*
 * Begin a title: `what` it shows, how misses are known, `more`; end it, with a line about bounds if
 * there are any.
 */
void counted_title(const struct profile *p, const char *what, const char *more, struct text *out);
void counted_title_end(const struct profile *p, struct text *out);

#endif
