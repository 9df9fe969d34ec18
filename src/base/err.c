/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats error sentences; never prints. */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void put_sentence(struct err *err, const char *fmt,
							       va_list args)
{
	int n;

	n = vsnprintf(err->text, sizeof(err->text), fmt, args);
	if (n < 0)
		err->text[0] = '\0';
	else if ((size_t)n >= sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - 4, "...", 4);
}

int err_set(struct err *err, const char *fmt, ...)
{
	va_list args;

	if (err == NULL)
		return -1;
	va_start(args, fmt);
	put_sentence(err, fmt, args);
	va_end(args);
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	struct err old;
	va_list args;
	size_t used;

	if (err == NULL)
		return -1;
	old = *err;
	va_start(args, fmt);
	put_sentence(err, fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, "%s", old.text);
	return -1;
}
