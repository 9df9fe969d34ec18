/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures by name. */
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "base/near.h"
#include "base/text.h"
#include "estimate/data.h"

static bool ends_as_asked(const char *name, const char *asked)
{
	size_t length = strlen(name), wanted = strlen(asked);

	if (length < wanted || strcmp(name + length - wanted, asked) != 0)
		return false;
	return length == wanted || (length - wanted >= 2 && name[length - wanted - 1] == ':');
}

/* Tell whether views certainly print it unchanged. */
static bool is_plain(const char *s)
{
	while (*s >= ' ' && *s < 0x7f)
		s++;
	return *s == '\0';
}

/* Tell whether it is the name, unchanged or as printed, or its part after "::". */
static bool is_called(const char *name, const char *asked)
{
	struct text of_name = {0}, of_asked = {0};
	bool is_same;

	if (name == NULL || *asked == '\0')
		return false;
	if (ends_as_asked(name, asked))
		return true;
	if (is_plain(name) && is_plain(asked))
		return false; /* they are equal when printed */
	text_add_printable(&of_name, name, strlen(name));
	text_add_printable(&of_asked, asked, strlen(asked));
	is_same = ends_as_asked(text_get(&of_name), text_get(&of_asked));
	text_release(&of_name);
	text_release(&of_asked);
	return is_same;
}

static bool is_at(const struct data_row *r, const char *asked)
{
	struct text place = {0};
	bool same;

	if (r->file == NULL || r->line == 0)
		return false;
	text_addf(&place, "%s:%" PRIu32, path_basename(r->file), r->line);
	same = strcmp(text_get(&place), asked) == 0;
	text_release(&place);
	return same;
}

static bool is_meant(const struct data_row *r, const char *asked)
{
	if (is_called(r->name, asked) || is_called(r->unnumbered, asked) ||
	    is_called(r->function, asked) || is_at(r, asked) ||
	    (r->function != NULL && name_is_meant(r->function, asked)) ||
	    (r->kind == DATA_VARIABLE && name_is_meant(r->name, asked)))
		return true;
	return (data_is_one(r->kind) || r->kind == DATA_UNKNOWN || r->kind == DATA_CODE) &&
	       strcmp(data_kind_names[r->kind], asked) == 0;
}

static int fail_unknown(const struct data *d, const char *name, struct err *err)
{
	const char *what = d->profile->structure_count > 0 ? "misses" : "samples";
	struct near near = {.asked = name};
	struct text list = {0};

	for (size_t i = 0; i < d->count; i++) {
		const struct data_row *r = &d->rows[i];

		if (r->function != NULL || r->kind == DATA_VARIABLE)
			near_offer_function(&near, r->function != NULL ? r->function : r->name);
		else
			near_offer(&near, r->name, strlen(r->name));
	}
	near_list(&near, &list);
	near_release(&near);
	if (list.count > 0)
		err_set(err, "no %s in a data structure '%s'; near it: %s", what, name,
			text_get(&list));
	else
		err_set(err, "no %s in a data structure '%s': 'dwell objects' lists what there is",
			what, name);
	text_release(&list);
	return -1;
}

size_t data_find(const struct data *d, const char *name, bool *marks, struct err *err)
{
	size_t found = 0;

	for (size_t i = 0; i < d->count; i++) {
		marks[i] = is_meant(&d->rows[i], name);
		found += marks[i];
	}
	if (found == 0)
		fail_unknown(d, name, err);
	return found;
}
