/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON pieces over jansson. */
#include "answer/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

json_t *json_text(const char *s)
{
	const char *end = s + (s != NULL ? strlen(s) : 0);
	struct text safe = {0};
	json_t *text;

	if (s == NULL)
		return json_null();
	/*
	 * Invalid bytes, and characters that terminals obey, become text. jansson does so for the
	 * others below 32.
	 */
	while (s < end) {
		size_t n = (unsigned char)*s < ' ' ? 1 : text_character(s, (size_t)(end - s));

		if (n > 0)
			text_add_bytes(&safe, s, n);
		else
			text_add_printable(&safe, s, 1);
		s += n > 0 ? n : 1;
	}
	text = safe.failed ? NULL : json_string(text_get(&safe));
	text_release(&safe);
	return text;
}

#define WHOLE_BELOW 1e15 /* a double represents whole numbers exactly */

json_t *event_json(double value)
{
	if (!isfinite(value))
		return json_null();
	if (floor(value) == value && fabs(value) < WHOLE_BELOW)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static int print(json_t *root, size_t flags, struct text *out, struct err *err)
{
	char *data = root != NULL ? json_dumps(root, flags) : NULL;

	json_decref(root);
	if (data == NULL)
		return err_set(err, "not enough memory to write JSON");
	text_add(out, data);
	text_add(out, "\n");
	free(data);
	return out->failed ? err_set(err, "not enough memory to write JSON") : 0;
}

int json_print(json_t *root, struct text *out, struct err *err)
{
	if (root != NULL)
		json_object_set_new(root, "json_version", json_integer(JSON_VERSION));
	return print(root, JSON_INDENT(2) | JSON_REAL_PRECISION(8), out, err);
}

int json_print_compact(json_t *root, struct text *out, struct err *err)
{
	return print(root, JSON_COMPACT, out, err);
}
