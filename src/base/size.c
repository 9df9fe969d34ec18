/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses and formats sizes and numbers. Digits only: no locale, no sign, no hex. */
#include "base/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct unit {
	const char *letter;
	unsigned shift;
} units[] = {
	{"T", 40}, {"G", 30}, {"M", 20}, {"K", 10}, {"", 0},
};

#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

/* Read digits at *p and move past them. Returns -1 if there are none, or they do not fit. */
static int read_digits(const char **p, uint64_t *n)
{
	const char *s = *p;

	if (*s < '0' || *s > '9')
		return -1;
	for (*n = 0; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(*n, (uint64_t)10, n) ||
		    __builtin_add_overflow(*n, (uint64_t)(*s - '0'), n))
			return -1;
	}
	*p = s;
	return 0;
}

/* The unit that all of `s` names: "K", "k", "KB", "KiB", "B" or "". */
static const struct unit *find_unit(const char *s)
{
	size_t i;

	for (i = 0; i < UNIT_COUNT; i++) {
		size_t n = strlen(units[i].letter);

		if (strncasecmp(s, units[i].letter, n) != 0)
			continue;
		if (s[n] == '\0' || strcasecmp(s + n, "B") == 0 ||
		    (n > 0 && strcasecmp(s + n, "iB") == 0))
			return &units[i];
	}
	return NULL;
}

int size_parse(const char *text, uint64_t *bytes, struct err *err)
{
	const char *p = text;
	const struct unit *u;
	uint64_t n;

	if (read_digits(&p, &n) != 0 || (u = find_unit(p)) == NULL)
		return err_set(err, "'%s' is not a size: write it as 4096, 8K, 64M or 1G", text);
	if (n == 0)
		return err_set(err, "a size of 0 makes no sense here");
	if (n > UINT64_MAX >> u->shift)
		return err_set(err, "'%s' is too large", text);
	*bytes = n << u->shift;
	return 0;
}

int size_parse_range(const char *text, uint64_t *low, uint64_t *high, struct err *err)
{
	const char *colon = strchr(text, ':');
	char first[64];

	if (colon == NULL || (size_t)(colon - text) >= sizeof(first))
		return err_set(err, "'%s' is not a range of sizes: write it as 8K:64M", text);
	memcpy(first, text, (size_t)(colon - text));
	first[colon - text] = '\0';
	if (size_parse(first, low, err) != 0 || size_parse(colon + 1, high, err) != 0)
		return -1;
	if (*low > *high)
		return err_set(err, "'%s': the first size is larger than the second", text);
	return 0;
}

int number_parse(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *n,
		 struct err *err)
{
	const char *p = text;
	uint64_t v;

	if (read_digits(&p, &v) != 0 || *p != '\0')
		return err_set(err, "%s '%s' is not a whole number", what, text);
	if (v >= min && v <= max) {
		*n = v;
		return 0;
	}
	if (max == UINT64_MAX)
		return err_set(err, "%s must be at least %" PRIu64 ", not %s", what, min, text);
	return err_set(err, "%s must be %" PRIu64 " to %" PRIu64 ", not %s", what, min, max, text);
}

char *size_format(uint64_t bytes, char buf[SIZE_TEXT_BYTES])
{
	size_t i = 0;
	double v;

	while (i + 1 < UNIT_COUNT && bytes < (uint64_t)1 << units[i].shift)
		i++;
	v = (double)bytes / (double)((uint64_t)1 << units[i].shift);
	if (bytes & (((uint64_t)1 << units[i].shift) - 1))
		snprintf(buf, SIZE_TEXT_BYTES, "%.1f%s", v, units[i].letter);
	else
		snprintf(buf, SIZE_TEXT_BYTES, "%" PRIu64 "%s", bytes >> units[i].shift,
			 units[i].letter);
	return buf;
}
