/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell top: a run in progress, redrawn in the terminal. */
#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "collector/target/control_socket.h"
#include "estimate/counted/structures.h"
#include "views/views.h"

#define ONCE_ROWS 20
#define HEAD_ROWS 6 /* three of head, a blank one, the table's heading, the keys */
/* Large profiles take long to read: rest at least this many times as long between reads. */
#define REST 4

struct top {
	const struct options *options;
	const char *input;
	uint64_t interval_ms;
	enum top_view view;
	char *found; /* the profile of the process; owned */
};

static const struct {
	const char *name;
	int key;
} views[] = {
	[TOP_PROCESSES] = {"processes", 'p'},
	[TOP_FUNCTIONS] = {"functions", 'f'},
	[TOP_LINES] = {"lines", 'l'},
};

#define VIEW_COUNT (sizeof(views) / sizeof(views[0]))

static const char *const view_names[] = {"processes", "functions", "lines", NULL};

static const struct option_use uses[] = {
	{OPTION_INPUT, .shown = DEFAULT_PROFILE},
	{OPTION_PID},
	{OPTION_INTERVAL, .usual = "1"},
	{OPTION_ONCE},
	{OPTION_SHOW, .usual = "processes", .choices = view_names},
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses; of simulations all"},
	VIEW_SHOWN,
	VIEW_CACHE,
	{OPTION_SORT, .shown = "cost; of processes accesses"},
	{OPTION_ROWS, .shown = "20; as many as fit the terminal"},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

/* ---- One drawing ---- */

/* The data structures of a simulation, whatever the view. */
static int draw_data(const struct top *t, size_t rows, const struct display *d, struct text *out,
		     struct err *err)
{
	struct structures s;
	struct profile p;
	int status;

	if (profile_open_parts(&p, t->input, t->options->query.process, PROFILE_BINS, err) != 0)
		return -1;
	status = structures_init(&s, &p, &t->options->query, DATA_BY_LINE, NULL, err);
	if (status == 0) {
		status = top_data_text(&s, rows, d, out, err);
		structures_release(&s);
	}
	profile_close(&p);
	return status;
}

static int draw_text(const struct top *t, size_t rows, const struct display *d, struct text *out,
		     struct err *err)
{
	struct profile p;
	int status;

	if (view_is_counted(t->input))
		return draw_data(t, rows, d, out, err);
	if (profile_open(&p, t->input, t->options->query.process, err) != 0)
		return -1;
	status = top_text(&p, t->view, &t->options->query, rows, d, out, err);
	profile_close(&p);
	return status;
}

static int show_once(const struct top *t)
{
	uint64_t limit = t->options->query.limit;
	struct display d = view_display();
	struct text out = {0};
	struct err err;

	if (draw_text(t, limit != 0 ? limit : ONCE_ROWS, &d, &out, &err) != 0) {
		text_release(&out);
		return cli_fail(&err, EXIT_INPUT);
	}
	fputs(text_get(&out), stdout);
	text_release(&out);
	return EXIT_OK;
}

/* ---- The screen ---- */

static void put_screen(const struct text *out, const struct top *t)
{
	const char *line = text_get(out);
	int row;

	erase();
	for (row = 0; row < LINES - 1 && *line != '\0'; row++) {
		size_t length = strcspn(line, "\n");

		mvaddnstr(row, 0, line, (int)length);
		line += length + (line[length] == '\n');
	}
	attron(A_REVERSE);
	mvprintw(LINES - 1, 0, "%s   p processes  f functions  l lines  q quit",
		 views[t->view].name);
	attroff(A_REVERSE);
	refresh();
}

/* Draw the view. A run that has just begun has nothing to show: say so, and try again later. */
static void draw(const struct top *t)
{
	struct display d = {.width = (unsigned)COLS, .unicode = view_display().unicode};
	size_t rows = LINES > HEAD_ROWS ? (size_t)(LINES - HEAD_ROWS) : 1;
	uint64_t limit = t->options->query.limit;
	struct text out = {0};
	struct err err;

	if (draw_text(t, limit != 0 && limit < rows ? limit : rows, &d, &out, &err) != 0) {
		text_release(&out);
		text_addf(&out, "%s\n", err.text);
	}
	put_screen(&out, t);
	text_release(&out);
}

/* Returns false when the user quits. */
static bool handle_key(struct top *t, int key)
{
	size_t i;

	for (i = 0; i < VIEW_COUNT; i++) {
		if (views[i].key == key)
			t->view = (enum top_view)i;
	}
	return key != 'q' && key != 'Q';
}

static volatile sig_atomic_t was_interrupted;

static void interrupt(int number)
{
	(void)number;
	was_interrupted = 1;
}

/*
 * Let Ctrl-C and SIGTERM end the view like 'q'; getch then returns early. The handlers of curses,
 * which it installs only where there are none, would exit with a failure.
 */
static void take_signals(void)
{
	struct sigaction a = {.sa_handler = interrupt};

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

static int show_live(struct top *t)
{
	struct err err;
	SCREEN *screen;

	take_signals();
	screen = newterm(NULL, stdout, stdin);
	if (screen == NULL) {
		err_set(&err, "this terminal cannot be drawn on: use --once");
		return cli_fail(&err, EXIT_USAGE);
	}
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	for (;;) {
		uint64_t begin = clock_now_ns(), took_ms;
		int key;

		draw(t);
		took_ms = (clock_now_ns() - begin) / 1000000;
		timeout((int)(took_ms * REST > t->interval_ms ? took_ms * REST : t->interval_ms));
		key = getch();
		if (was_interrupted || !handle_key(t, key))
			break;
	}
	endwin();
	delscreen(screen);
	return EXIT_OK;
}

static int find_run(struct top *t, struct err *err)
{
	struct text file = {0};

	if (t->options->pid == 0)
		return 0;
	if (control_ask(CONTROL_WHERE, (uint32_t)t->options->pid, NULL, &file, err) != 0) {
		text_release(&file);
		return -1;
	}
	t->found = strdup(text_get(&file));
	text_release(&file);
	if (t->found == NULL)
		return err_set(err, "out of memory");
	t->input = t->found;
	return 0;
}

static int top(struct options *o)
{
	struct top t = {.options = o,
			.input = o->input,
			.interval_ms = o->interval_ns / 1000000,
			.view = (enum top_view)o->show};
	bool is_named = options_given(o, OPTION_INPUT) || o->state.word_count > 0;
	struct err err;
	int code;

	if (options_given(o, OPTION_PID) && is_named) {
		err_set(&err, "-p and a profile both name a run: give one");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (is_named)
		o->pid = 0; /* from the environment */
	setlocale(LC_CTYPE, "");
	if (find_run(&t, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->once) {
		code = show_once(&t);
	} else if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_set(&err, "dwell top draws on a terminal: use --once for a file or a pipe");
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		code = show_live(&t);
	}
	free(t.found);
	return code;
}

const struct command command_top = {
	.run = top,
	.words = WORDS_PROFILE,
	.summary = "watch a run in progress, in the terminal",
	.options =
		{
			.name = "top",
			.arguments = "[FILE]",
			.doc = "Watch a run in progress: its processes, and where they miss. Of a "
			       "run of 'dwell simulate --data', its data structures.",
			.notes = "Keys: p, f and l show processes, functions and lines; q ends. "
				 "Functions "
				 "and lines are those of --process.",
			.uses = uses,
		},
};
