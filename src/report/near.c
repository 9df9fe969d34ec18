/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nearness by Levenshtein's distance. */
#include "report/near.h"

#include <string.h>

#define MAX_NAME 128

/* Edits that make a into b; texts longer than the table count as far apart. */
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

static void keep(struct near *n, const char *name, unsigned distance)
{
	size_t at = NEAR_MOST;

	for (size_t i = 0; i < NEAR_MOST; i++)
		if (n->best[i].name != NULL && strcmp(n->best[i].name, name) == 0)
			return;
	while (at > 0 && (n->best[at - 1].name == NULL || distance < n->best[at - 1].distance))
		at--;
	if (at == NEAR_MOST)
		return;
	memmove(&n->best[at + 1], &n->best[at], (NEAR_MOST - at - 1) * sizeof(n->best[0]));
	n->best[at].name = name;
	n->best[at].distance = distance;
}

void near_offer(struct near *n, const char *name, size_t length)
{
	size_t wanted = strlen(n->asked);
	unsigned distance = edit_distance(n->asked, wanted, name, length);

	if (wanted >= 3 && strstr(name, n->asked) != NULL)
		distance = 1;
	if (distance <= 2 + wanted / 4)
		keep(n, name, distance);
}

void near_list(const struct near *n, struct text *out)
{
	for (size_t i = 0; i < NEAR_MOST && n->best[i].name != NULL; i++)
		text_addf(out, "%s%s", i > 0 ? ", " : "", n->best[i].name);
}
