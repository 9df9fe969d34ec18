/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Similar names by Levenshtein's distance. */
#include "base/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"

#define MAX_NAME 128

/* The number of edits from a to b; texts longer than the table are far apart. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned row[MAX_NAME + 1];

	if (a_length > MAX_NAME || b_length > MAX_NAME)
		return MAX_NAME;
	for (unsigned j = 0; j <= b_length; j++)
		row[j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= b_length; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			best = best < row[j] + 1 ? best : row[j] + 1;
			row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
		}
	}
	return row[b_length];
}

static void keep(struct near *n, const char *name, size_t length, unsigned distance)
{
	size_t at = NEAR_MOST;

	for (size_t i = 0; i < NEAR_MOST; i++)
		if (n->best[i].name != NULL && strlen(n->best[i].name) == length &&
		    memcmp(n->best[i].name, name, length) == 0)
			return;
	while (at > 0 && (n->best[at - 1].name == NULL || distance < n->best[at - 1].distance))
		at--;
	if (at == NEAR_MOST)
		return;
	free(n->best[NEAR_MOST - 1].name);
	memmove(&n->best[at + 1], &n->best[at], (NEAR_MOST - at - 1) * sizeof(n->best[0]));
	n->best[at].name = strndup(name, length);
	n->best[at].distance = distance;
}

void near_offer(struct near *n, const char *name, size_t length)
{
	size_t wanted = strlen(n->asked);
	unsigned distance = edit_distance(n->asked, wanted, name, length);

	if (wanted >= 3 && memmem(name, length, n->asked, wanted) != NULL)
		distance = 1;
	if (distance <= 2 + wanted / 4)
		keep(n, name, length, distance);
}

void near_offer_function(struct near *n, const char *function)
{
	struct text plain = {0};

	name_plain(function, &plain);
	near_offer(n, text_get(&plain), plain.count);
	text_release(&plain);
}

void near_list(const struct near *n, struct text *out)
{
	for (size_t i = 0; i < NEAR_MOST && n->best[i].name != NULL; i++)
		text_addf(out, "%s%s", i > 0 ? ", " : "", n->best[i].name);
}

void near_release(struct near *n)
{
	for (size_t i = 0; i < NEAR_MOST; i++)
		free(n->best[i].name);
	*n = (struct near){.asked = n->asked};
}
