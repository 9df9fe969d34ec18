/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggestions for a name that does not exist: existing names similar to it. */
#ifndef DWELL_BASE_NEAR_H
#define DWELL_BASE_NEAR_H

#include <stddef.h>

#include "base/text.h"

#define NEAR_MOST 4

/* Empty when all but `asked` is zero. */
struct near {
	const char *asked;
	struct {
		char *name;
		unsigned distance;
	} best[NEAR_MOST]; /* nearest first */
};

/* Keep the first `length` bytes of the name if they are similar, and not kept yet. */
void near_offer(struct near *n, const char *name, size_t length);
/* The same for the plain name of a function or variable: nobody types the long names of C++. */
void near_offer_function(struct near *n, const char *function);
void near_release(struct near *n);

/* Append "a, b, c"; nothing if no name was similar. */
void near_list(const struct near *n, struct text *out);

#endif
