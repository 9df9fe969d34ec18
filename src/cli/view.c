/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and output of views; see view.h. */
#include "cli/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/size.h"
#include "cli/cli.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cli/view_format.h"
#include "views/answer_print.h"

#define DEFAULT_WIDTH 80
#define MIN_WIDTH     40
#define MAX_WIDTH     10000

int view_write(const struct options *o, const struct answer *a, struct text *out, struct err *err)
{
	const struct display d = view_display();

	if (o->format == VIEW_JSON)
		return answer_json(a, o->query.file_limit, out, err);
	if (o->format == VIEW_TEXT)
		return answer_text(a, o->query.limit != 0 ? o->query.limit : a->usual_rows, &d, out,
				   err);
	answer_csv(a, o->query.file_limit, out);
	return 0;
}

int view_answer(const struct options *o, const char *view)
{
	return view_answer_as(o, view, NULL);
}

int view_answer_as(const struct options *o, const char *view,
		   void (*write)(const struct answer *a, struct text *out))
{
	const struct question q = {.file = o->input,
				   .query = &o->query,
				   .caches = o->caches,
				   .word = o->word,
				   .has_policy = options_set(o, OPTION_POLICY),
				   .by = o->by,
				   .sites_by = o->sites_by,
				   .sizes = o->sizes,
				   .size_count = o->size_count,
				   .small_line = (uint32_t)o->base_bytes,
				   .part_kind = o->parts_of[0].kind,
				   .part = o->part_count > 0 ? o->parts_of[0].name : NULL};
	struct text out = {0};
	struct answer a;
	struct err err;
	int status = 0;

	if (answer_init(&a, view, &q, &err) != 0)
		return cli_fail(&err, a.is_question_wrong ? EXIT_USAGE : EXIT_INPUT);
	if (write != NULL)
		write(&a, &out);
	else
		status = view_write(o, &a, &out, &err);
	view_notes(&a.told);
	answer_release(&a);
	return view_show(&out, status, &err);
}

int view_open(const struct options *o, const char *input, int64_t process, unsigned parts,
	      struct profile *p)
{
	struct err err;

	if (profile_open_parts(p, input, process, parts, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	p->machine = o->query.machine;
	memcpy(p->caches, o->caches, sizeof(p->caches));
	if (p->is_exact || o->query.line_bytes == 0 ||
	    profile_use_line(p, o->query.line_bytes, &err) == 0)
		return EXIT_OK;
	profile_close(p);
	return cli_fail(&err, EXIT_USAGE);
}

int view_run(const struct options *o, unsigned parts,
	     int (*print)(const struct options *o, const struct profile *p))
{
	struct profile p;
	int code = view_open(o, o->input, o->query.process, parts, &p);

	if (code != EXIT_OK)
		return code;
	code = print(o, &p);
	profile_close(&p);
	return code;
}

unsigned view_kinds(const char *input)
{
	unsigned kinds;
	struct store *s;

	if (store_open_readonly(input, &s, NULL) != 0)
		return 0;
	kinds = profile_kinds(s);
	store_close(s);
	return kinds;
}

bool view_is_counted(const char *input)
{
	return (view_kinds(input) & KIND_BINS) != 0;
}

/* COLUMNS wins, even when stdout is no terminal: scripts choose a width by it. */
static unsigned find_width(bool is_terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (columns != NULL && number_parse("COLUMNS", columns, 1, MAX_WIDTH, &n, NULL) == 0)
		return n < MIN_WIDTH ? MIN_WIDTH : (unsigned)n;
	if (!is_terminal)
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= MIN_WIDTH)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

/* The locale's variables by precedence; without any, assume a modern terminal. */
static bool has_unicode(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return strcasestr(value, "UTF-8") != NULL ||
			       strcasestr(value, "UTF8") != NULL;
	}
	return true;
}

struct display view_display(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool is_terminal = isatty(STDOUT_FILENO);

	return (struct display){
		.width = find_width(is_terminal),
		.color = is_terminal && (no_color == NULL || no_color[0] == '\0') &&
			 (term == NULL || strcmp(term, "dumb") != 0),
		.unicode = has_unicode(),
	};
}

int view_show(struct text *out, int status, const struct err *err)
{
	struct err no_memory;

	progress_end();
	if (status == 0 && out->failed) {
		status = err_set(&no_memory, "not enough memory for the output");
		err = &no_memory;
	}
	if (status == 0 && !pager_show(out))
		fwrite(text_get(out), 1, out->count, stdout);
	text_release(out);
	return status == 0 ? EXIT_OK : cli_fail(err, EXIT_OUTPUT);
}

void view_notes(struct text *notes)
{
	const char *line = text_get(notes);

	progress_end();
	while (*line != '\0') {
		size_t length = strcspn(line, "\n");
		struct text safe = {0};

		text_add_printable(&safe, line, length);
		fprintf(stderr, "dwell: %s\n", text_get(&safe));
		text_release(&safe);
		line += length + (line[length] == '\n');
	}
	text_release(notes);
}
