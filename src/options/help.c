/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help of a command, from its rows. */
#include <string.h>

#include "base/text.h"
#include "options/option.h"

#define WIDTH	  79 /* line width */
#define HELP_AT	  29 /* column of an option's help */
#define LONG_NAME 6  /* column of a long name, as if all options had letters */

/* Append words, wrapped; the first line continues at column `at`. */
static void add_wrapped(struct text *out, const char *words, size_t at, size_t indent)
{
	bool is_first = true;

	while (*words != '\0') {
		size_t bytes = strcspn(words, " ");

		if (!is_first && at + 1 + bytes > WIDTH) {
			text_addf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!is_first) {
			text_add(out, " ");
			at++;
		}
		text_add_bytes(out, words, bytes);
		at += bytes;
		words += bytes + strspn(words + bytes, " ");
		is_first = false;
	}
	text_add(out, "\n");
}

static void add_usage(const struct option_command *c, struct text *out)
{
	const char *way = c->arguments;

	for (const char *head = "Usage:"; head != NULL; head = way != NULL ? "  or: " : NULL) {
		size_t bytes = way != NULL ? strcspn(way, "\n") : 0;

		text_addf(out, "%s dwell %s [OPTION...]%s%.*s\n", head, c->name,
			  bytes > 0 ? " " : "", (int)bytes, way != NULL ? way : "");
		way = way != NULL && way[bytes] == '\n' ? way + bytes + 1 : NULL;
	}
}

static void add_row(const struct option_table *t, const struct option_use *use, struct text *out)
{
	const struct option_row *row = &t->rows[use->id];
	const char *const *choices = option_choices(t, use);
	struct text help = {0}, name = {0};
	const char *shown = use->shown != NULL ? use->shown : use->usual;

	if (row->letter != 0)
		text_addf(&name, "  -%c, ", row->letter);
	else
		text_addf(&name, "%*s", LONG_NAME, "");
	text_addf(&name, "--%s%s%s%s%s", row->name, row->bare != NULL ? "[" : "",
		  row->argument != NULL ? "=" : "", row->argument != NULL ? row->argument : "",
		  row->bare != NULL ? "]" : "");
	text_add(out, text_get(&name));
	if (name.count + 2 > HELP_AT)
		text_addf(out, "\n%*s", HELP_AT, "");
	else
		text_addf(out, "%*s", (int)(HELP_AT - name.count), "");
	text_add(&help, row->help);
	for (size_t i = 0; choices != NULL && choices[i] != NULL; i++)
		text_addf(&help, "%s%s",
			  i == 0		   ? ": "
			  : choices[i + 1] != NULL ? ", "
						   : " or ",
			  choices[i]);
	if (shown != NULL)
		text_addf(&help, " (default: %s)", shown);
	add_wrapped(out, text_get(&help), HELP_AT, HELP_AT);
	text_release(&help);
	text_release(&name);
}

void option_help(const struct option_table *t, const struct option_command *c, struct text *out)
{
	const char *group = NULL;

	add_usage(c, out);
	add_wrapped(out, c->doc, 0, 0);
	for (int id = 1; id < (int)t->count; id++) {
		const struct option_use *use = option_use_of(c, id);

		if (use == NULL)
			continue;
		if (group == NULL || strcmp(group, t->rows[id].group) != 0)
			text_addf(out, "\n%s:\n", t->rows[id].group);
		group = t->rows[id].group;
		add_row(t, use, out);
	}
	if (c->notes != NULL) {
		text_add(out, "\n");
		add_wrapped(out, c->notes, 0, 0);
	}
}
