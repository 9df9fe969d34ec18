/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by report, curve and annotate. */
#include "cli/view.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "profile/machines.h"

#define DEFAULT_WIDTH 80
#define MIN_WIDTH     40
#define MAX_WIDTH     10000

enum { KEY_PROCESS = 0x200, KEY_CACHES, KEY_LINE = 'l' };

static const struct argp_option process_options[] = {
	{"process", KEY_PROCESS, "ID", 0,
	 "Show process ID of the run, from 0 (default: the one with the most accesses; of events "
	 "all)",
	 1},
	{0},
};

static const struct argp_option line_options[] = {
	{"line", KEY_LINE, "BYTES", 0,
	 "Cache lines of BYTES, a power of two from 4 to 4096 (default: those recorded, 64)", 1},
	{"caches", KEY_CACHES, "LIST", 0,
	 "The caches of another machine: sizes from the first level on, as 32K,1M,32M, or its "
	 "name, "
	 "as zen4 (default: those of the machine that recorded)",
	 1},
	{0},
};

static error_t parse_process(int key, char *arg, struct argp_state *state)
{
	struct view *v = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		v->process = STORE_NONE;
		state->child_inputs[0] = &v->common;
		return 0;
	case KEY_PROCESS:
		v->process = (int64_t)view_parse_count("process", arg, 0, INT32_MAX, state);
		if (v->process_count < VIEW_MOST)
			v->processes[v->process_count] = v->process;
		v->process_count++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child process_children[] = {{&view_argp, 0, NULL, 0}, {0}};

const struct argp process_argp = {process_options,  parse_process, NULL, NULL,
				  process_children, NULL,	   NULL};

static error_t parse_line(int key, char *arg, struct argp_state *state)
{
	struct view *v = state->input;
	struct err err;

	switch (key) {
	case ARGP_KEY_INIT:
		*v = (struct view){0};
		state->child_inputs[0] = v;
		return 0;
	case KEY_LINE:
		v->line_bytes = view_parse_size(arg, state);
		return 0;
	case KEY_CACHES:
		if (machine_caches(arg, v->caches, &err) != 0)
			argp_error(state, "%s", err.text);
		v->machine = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child line_children[] = {{&process_argp, 0, NULL, 0}, {0}};

const struct argp line_argp = {line_options, parse_line, NULL, NULL, line_children, NULL, NULL};

int view_open(const struct view *v, const char *input, int64_t process, struct profile *p)
{
	struct err err;

	if (profile_open(p, input, process, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	p->machine = v->machine;
	memcpy(p->caches, v->caches, sizeof(p->caches));
	if (v->line_bytes == 0 || profile_use_line(p, v->line_bytes, &err) == 0)
		return EXIT_OK;
	profile_close(p);
	return cli_fail(&err, EXIT_USAGE);
}

int view_run(const struct view *v, int (*print)(const void *options, const struct profile *p),
	     const void *options)
{
	struct profile p;
	int code = view_open(v, v->common.input, v->process, &p);

	if (code != EXIT_OK)
		return code;
	code = print(options, &p);
	profile_close(&p);
	return code;
}

uint64_t view_parse_size(const char *text, struct argp_state *state)
{
	struct err err;
	uint64_t bytes = 0;

	if (size_parse(text, &bytes, &err) != 0)
		argp_error(state, "%s", err.text);
	return bytes;
}

uint64_t view_parse_count(const char *name, const char *text, uint64_t min, uint64_t max,
			  struct argp_state *state)
{
	struct err err;
	uint64_t n = min;

	if (number_parse(name, text, min, max, &n, &err) != 0)
		argp_error(state, "%s", err.text);
	return n;
}

/* COLUMNS wins, also when stdout is no terminal: that is how scripts choose a width. */
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

/* The locale's variables in their order of rank; without any, a modern terminal is assumed. */
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

/* Returns false when there is no pager to use, and nothing was written. */
static bool show_in_pager(const struct text *out)
{
	const char *pager = getenv("PAGER");
	FILE *pipe;

	if (!isatty(STDOUT_FILENO) || pager == NULL || pager[0] == '\0')
		return false;
	/* What less needs to leave short pages alone and pass colours on; the user's own wins. */
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	pipe = popen(pager, "w");
	if (pipe == NULL)
		return false;
	/* The reader may leave before the end. */
	signal(SIGPIPE, SIG_IGN);
	fwrite(text_get(out), 1, out->count, pipe);
	pclose(pipe);
	return true;
}

int view_show(struct text *out, int status, const struct err *err)
{
	struct err no_memory;

	if (status == 0 && out->failed) {
		status = err_set(&no_memory, "not enough memory for the output");
		err = &no_memory;
	}
	if (status == 0 && !show_in_pager(out))
		fwrite(text_get(out), 1, out->count, stdout);
	text_release(out);
	return status == 0 ? EXIT_OK : cli_fail(err, EXIT_OUTPUT);
}

error_t view_parse_choice(struct view_choice *c, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case VIEW_KEY_SIZE:
		c->size_bytes = view_parse_size(arg, state);
		return 0;
	case VIEW_KEY_ROWS:
		c->rows = view_parse_count(c->rows_are, arg, 1, 1000000, state);
		return 0;
	case ARGP_KEY_ARG:
		if (c->takes == NULL)
			argp_error(state, "'%s' is not expected: a profile is named with -i FILE",
				   arg);
		if (c->name != NULL)
			argp_error(state, "'%s' is one too many: one %s at a time", arg, c->takes);
		c->name = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void view_notes(struct text *notes)
{
	const char *line = text_get(notes);

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
