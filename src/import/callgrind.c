/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the Callgrind format line by line: the kind of each line, and the end of the file. */
#include "import/callgrind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/callgrind_private.h"

#define MOST_LINE (16u << 20) /* bytes: C++ names may be long */

static int on_nothing(struct reader *r, const char *value, struct err *err)
{
	return 0;
}

struct line_kind {
	const char *key;
	int (*take)(struct reader *r, const char *value, struct err *err);
};

static const struct line_kind line_kinds[] = {
	{"version:", on_version},
	{"creator:", on_creator},
	{"pid:", on_pid},
	{"thread:", on_thread},
	{"cmd:", on_command},
	{"part:", on_nothing},
	{"desc:", on_description},
	{"positions:", on_positions},
	{"events:", on_events},
	{"event:", on_event},
	{"summary:", on_summary},
	{"totals:", on_totals},
	{"ob=", on_object},
	{"fl=", on_file},
	{"fi=", on_file},
	{"fe=", on_file},
	{"fn=", on_function},
	{"cob=", on_called_object},
	{"cfi=", on_called_file},
	{"cfl=", on_called_file},
	{"cfn=", on_called_function},
	{"calls=", on_calls},
	{"jfi=", on_jump_file},
	{"jfn=", on_jump_function},
	{"jump=", on_jump},
	{"jcnd=", on_conditional_jump},
};

static int take_line(struct reader *r, struct err *err)
{
	size_t i;

	if (r->line[0] == '\0' || r->line[0] == '#')
		return 0;
	if (strchr("0123456789+-*", r->line[0]) != NULL)
		return on_position_line(r, err);
	if (r->pending != PENDING_NONE)
		return err_set(err, "after a call or a jump comes a line that says from where");
	for (i = 0; i < sizeof(line_kinds) / sizeof(line_kinds[0]); i++) {
		size_t length = strlen(line_kinds[i].key);

		if (strncmp(r->line, line_kinds[i].key, length) == 0)
			return line_kinds[i].take(r, skip_blanks(r->line + length), err);
	}
	/* Unknown headers are harmless; any other text means another format. */
	if (r->line[strcspn(r->line, BLANKS ":")] == ':')
		return 0;
	return err_set(err, "'%.40s' is no line of the Callgrind format", r->line);
}

/* Returns 1, 0 at the end of the file, or -1. */
static int next_line(struct reader *r, struct err *err)
{
	int more = text_read_line(&r->text, r->in, MOST_LINE);
	size_t length = r->text.count;

	if (more < 0 && ferror(r->in))
		return err_set(err, "cannot be read: %s", strerror(errno));
	if (more == 0)
		return 0;
	r->line_number++;
	r->line = r->text.items;
	if (more < 0)
		return err_set(err, "a line of more than %u bytes: this is no profile of Callgrind",
			       MOST_LINE);
	if (strlen(r->line) != length)
		return err_set(err, "a zero byte: this is no text");
	while (length > 0 && strchr("\n\r \t", r->line[length - 1]) != NULL)
		r->line[--length] = '\0';
	return 1;
}

static int read_lines(struct reader *r, struct err *err)
{
	int more;

	while ((more = next_line(r, err)) > 0) {
		if (take_line(r, err) != 0)
			return -1;
	}
	if (more < 0)
		return -1;
	if (r->pending != PENDING_NONE)
		return err_set(err, "the file ends within a call or a jump: it was cut off");
	if (!r->events_fixed)
		return err_set(err, "the file ends without any costs");
	return 0;
}

/* Cachegrind writes no totals, but the sums of the program as its last line. */
static bool is_whole(const struct reader *r)
{
	for (size_t i = 0; i < r->column_count; i++)
		if (r->sums[r->columns[i]] != r->summary[i])
			return false;
	return r->has_summary;
}

static int finish(struct reader *r, struct err *err)
{
	size_t i;

	for (i = 0; i < r->process_count; i++) {
		struct store_process *p = &r->processes[i];

		p->accesses = p->loads + p->stores;
		if (store_put_process(r->sink.store, p, err) != 0)
			return -1;
	}
	if (r->has_costs && !is_whole(r))
		text_addf(r->notes,
			  "'%s' has neither a line 'totals:' at its end nor a 'summary:' of its "
			  "costs: it may have been cut off\n",
			  r->name);
	if (store_put_meta_text(r->sink.store, "command", r->processes[0].command, err) != 0)
		return -1;
	return store_put_meta_text(r->sink.store, "creator",
				   r->creator[0] != '\0' ? r->creator : "unknown", err);
}

static void reader_release(struct reader *r)
{
	sink_release(&r->sink);
	names_release(&r->names);
	arena_release(&r->texts);
	free(r->processes);
	text_release(&r->text);
	free(r);
}

int callgrind_import(FILE *in, const char *name, struct store *s, struct text *notes,
		     struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int status;

	if (r == NULL)
		return err_set(err, "out of memory");
	r->in = in;
	r->name = name;
	r->notes = notes;
	r->sink.store = s;
	r->sink.thread = r->thread = STORE_NONE;
	r->object = r->file = SINK_UNKNOWN;
	r->called_object = r->called_file = r->jump_file = r->jump_function = NOT_SAID;
	r->node = r->called = STORE_NONE;
	r->has_line = true;
	status = read_lines(r, err);
	if (status != 0 && r->line_number == 0)
		err_set(err, "'%s' is empty", name);
	else if (status != 0)
		err_prefix(err, "'%s', line %" PRIu64 ": ", name, r->line_number);
	else
		status = finish(r, err);
	reader_release(r);
	return status;
}
