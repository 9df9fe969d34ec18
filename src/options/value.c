/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses values: a function for each type. */
#include "options/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "options/suggest.h"

struct value {
	const struct option_row *row;
	const char *const *choices;
	uint64_t least;
	const char *text;
	void *into;
	struct err *err;
};

static const char *what(const struct value *v)
{
	return v->row->what != NULL ? v->row->what : v->row->name;
}

static int take_flag(const struct value *v, void *to)
{
	*(bool *)to = true;
	return 0;
}

static int take_count(const struct value *v, void *to)
{
	return number_parse(what(v), v->text, v->least, v->row->most, to, v->err);
}

static int take_process(const struct value *v, void *to)
{
	uint64_t id;

	if (number_parse(what(v), v->text, 0, INT32_MAX, &id, v->err) != 0)
		return -1;
	*(int64_t *)to = (int64_t)id;
	return 0;
}

static int take_size(const struct value *v, void *to)
{
	return size_parse(v->text, to, v->err);
}

static int take_line(const struct value *v, void *to)
{
	uint64_t bytes;

	if (size_parse(v->text, &bytes, v->err) != 0)
		return -1;
	if (bytes < v->least || bytes > v->row->most || (bytes & (bytes - 1)) != 0)
		return err_set(v->err,
			       "a line of '%s': it is a power of two from %" PRIu64 " to %" PRIu64
			       " bytes",
			       v->text, v->least, v->row->most);
	*(uint64_t *)to = bytes;
	return 0;
}

static int take_text(const struct value *v, void *to)
{
	*(const char **)to = v->text;
	return 0;
}

/* "format 'jsn' is unknown: it is text, csv or json; did you mean 'json'?" */
static int fail_choice(const struct value *v)
{
	struct suggestion s;
	struct text list = {0};

	suggest_begin(&s, v->text);
	for (size_t i = 0; v->choices[i] != NULL; i++) {
		text_addf(&list, "%s%s",
			  i == 0		      ? ""
			  : v->choices[i + 1] == NULL ? " or "
						      : ", ",
			  v->choices[i]);
		suggest_try(&s, v->choices[i]);
	}
	err_set(v->err, "%s '%s' is unknown: it is %s%s%s%s", what(v), v->text, text_get(&list),
		s.best != NULL ? "; did you mean '" : "", s.best != NULL ? s.best : "",
		s.best != NULL ? "'?" : "");
	text_release(&list);
	return -1;
}

static int take_choice(const struct value *v, void *to)
{
	for (int i = 0; v->choices[i] != NULL; i++) {
		if (strcmp(v->choices[i], v->text) == 0) {
			*(int *)to = i;
			return 0;
		}
	}
	return fail_choice(v);
}

static int take_percent(const struct value *v, void *to)
{
	char *end;
	double percent;

	errno = 0;
	percent = strtod(v->text, &end);
	if (end == v->text || *end != '\0' || errno != 0 || !(percent >= 0 && percent <= 100))
		return err_set(v->err, "%s '%s': a percentage is from 0 to 100", what(v), v->text);
	*(double *)to = percent / 100;
	return 0;
}

static int take_seconds(const struct value *v, void *to)
{
	double seconds = 0, least = (double)v->least / 1e3, most = (double)v->row->most / 1e3;
	char *end = NULL;

	if (v->text[0] >= '0' && v->text[0] <= '9' &&
	    strspn(v->text, "0123456789.") == strlen(v->text))
		seconds = strtod(v->text, &end);
	if (end == NULL || *end != '\0')
		return err_set(v->err, "%s of '%s' is not a number", what(v), v->text);
	if (seconds < least || seconds > most)
		return err_set(v->err, "%s of %s makes no sense: it must be from %g to %g seconds",
			       what(v), v->text, least, most);
	*(uint64_t *)to = (uint64_t)(seconds * 1e9);
	return 0;
}

static int take_mark(const struct value *v, void *to)
{
	return 0;
}

static int take_call(const struct value *v, void *to)
{
	return v->row->take(v->into, v->text, v->err);
}

static const struct {
	int (*take)(const struct value *v, void *to);
	size_t bytes; /* size of an item of a list */
} types[] = {
	[OPTION_FLAG] = {take_flag, sizeof(bool)},
	[OPTION_MARK] = {take_mark, 0},
	[OPTION_COUNT] = {take_count, sizeof(uint64_t)},
	[OPTION_PROCESS] = {take_process, sizeof(int64_t)},
	[OPTION_SIZE] = {take_size, sizeof(uint64_t)},
	[OPTION_LINE] = {take_line, sizeof(uint64_t)},
	[OPTION_TEXT] = {take_text, sizeof(const char *)},
	[OPTION_CHOICE] = {take_choice, sizeof(int)},
	[OPTION_PERCENT] = {take_percent, sizeof(double)},
	[OPTION_SECONDS] = {take_seconds, sizeof(uint64_t)},
	[OPTION_CALL] = {take_call, 0},
};

int option_value_take(const struct option_row *row, const struct option_use *use, const char *text,
		      void *into, struct err *err)
{
	struct value v = {row, row->choices, row->least, text, into, err};
	char *to = (char *)into + row->offset;
	size_t *count;

	if (use != NULL && use->choices != NULL)
		v.choices = use->choices;
	if (use != NULL && use->least != 0)
		v.least = use->least;
	if (row->count_at == 0)
		return types[row->type].take(&v, to);
	count = (size_t *)(void *)((char *)into + row->count_at);
	if (use == NULL || !use->adds_up)
		*count = 0;
	if (*count == row->room)
		return err_set(err, "more than %zu of --%s: give fewer at a time", row->room,
			       row->name);
	if (types[row->type].take(&v, to + *count * types[row->type].bytes) != 0)
		return -1;
	++*count;
	return 0;
}

void option_value_clear(const struct option_row *row, void *into)
{
	if (row->count_at != 0)
		*(size_t *)(void *)((char *)into + row->count_at) = 0;
}
