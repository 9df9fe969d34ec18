/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distance of two words: the number of letters to insert, delete, replace or exchange with a
 * neighbour (Damerau 1964, "A technique for computer detection and correction of spelling errors";
 * no letter is changed twice).
 */
#include "options/suggest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST 48 /* number of letters compared */

void suggest_begin(struct suggestion *s, const char *word)
{
	*s = (struct suggestion){.word = word, .distance = SIZE_MAX};
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(before[j], now[j - 1]) + 1;
			now[j] = least(now[j], before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], two[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

void suggest_try(struct suggestion *s, const char *name)
{
	size_t letters = strlen(s->word), d = distance(s->word, name);
	/* One letter in three may be wrong. A prefix of a name is also near. */
	size_t most = letters < 3 ? 1 : (letters + 2) / 3;

	if (letters >= 3 && strncmp(name, s->word, letters) == 0)
		d = 1;
	if (d > most || d >= letters || d >= s->distance)
		return;
	s->best = name;
	s->distance = d;
}
