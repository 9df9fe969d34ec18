/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": finds the name nearest to an unknown word. */
#ifndef DWELL_OPTIONS_SUGGEST_H
#define DWELL_OPTIONS_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word;
	const char *best; /* NULL: no name is near */
	size_t distance;
};

void suggest_begin(struct suggestion *s, const char *word);
void suggest_try(struct suggestion *s, const char *name);

#endif
