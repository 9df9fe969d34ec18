/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell top: a run while it goes on, in the terminal, drawn again and again. */
#include <argp.h>
#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "collector/door.h"
#include "views/views.h"

#define ONCE_ROWS 20
#define HEAD_ROWS 6 /* of the screen: three lines of head, a blank one, the table's, the keys' */
#define LEAST_MS  100
/* A large profile takes long to read: at least so many times as long nothing is read. */
#define REST 4

struct top_options {
	const char *input; /* NULL: not given */
	uint64_t pid;	   /* 0: not given */
	uint64_t interval_ms;
	uint64_t size_bytes; /* 0: the machine's L2 */
	bool once;
	enum top_view view;
	char *found; /* the profile of pid, to free */
};

enum { KEY_INTERVAL = 0x400, KEY_ONCE, KEY_SHOW, KEY_SIZE };

static const struct {
	const char *name;
	int key;
} views[] = {
	[TOP_PROCESSES] = {"processes", 'p'},
	[TOP_FUNCTIONS] = {"functions", 'f'},
	[TOP_LINES] = {"lines", 'l'},
};

#define VIEW_COUNT (sizeof(views) / sizeof(views[0]))

static const struct argp_option options[] = {
	{"input", 'i', "FILE", 0, "Show the profile FILE instead of " DEFAULT_PROFILE, 1},
	{"pid", 'p', "PID", 0,
	 "Show the run of process PID: one that is profiled, or its dwell record", 1},
	{"interval", KEY_INTERVAL, "SECONDS", 0, "Look again every SECONDS (1)", 2},
	{"once", KEY_ONCE, NULL, 0, "Print one picture as text, and end", 2},
	{"show", KEY_SHOW, "WHAT", 0, "Begin with processes (the default), functions or lines", 2},
	{"size", KEY_SIZE, "BYTES", 0,
	 "Rank functions and lines by their misses in a cache of this size (default: the L2 of the "
	 "machine that records, or 1M)",
	 2},
	{0},
};

static uint64_t parse_interval(const char *arg, struct argp_state *state)
{
	char *end = NULL;
	double seconds = 0;

	if (arg[0] >= '0' && arg[0] <= '9')
		seconds = strtod(arg, &end);
	if (end == NULL || *end != '\0' || seconds < LEAST_MS / 1e3 || seconds > 3600)
		argp_failure(state, EXIT_USAGE, 0,
			     "an interval of '%s': it is from 0.1 to 3600 seconds", arg);
	return (uint64_t)(seconds * 1e3);
}

static enum top_view parse_view(const char *arg, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < VIEW_COUNT; i++) {
		if (strcmp(views[i].name, arg) == 0)
			return (enum top_view)i;
	}
	argp_failure(state, EXIT_USAGE, 0, "'%s' is unknown: it is processes, functions or lines",
		     arg);
	return TOP_PROCESSES;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top_options *o = state->input;
	struct err err;

	switch (key) {
	case 'i':
		o->input = arg;
		return 0;
	case 'p':
		if (number_parse("the process", arg, 1, INT32_MAX, &o->pid, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		return 0;
	case KEY_INTERVAL:
		o->interval_ms = parse_interval(arg, state);
		return 0;
	case KEY_ONCE:
		o->once = true;
		return 0;
	case KEY_SHOW:
		o->view = parse_view(arg, state);
		return 0;
	case KEY_SIZE:
		o->size_bytes = view_parse_size(arg, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_failure(state, EXIT_USAGE, 0,
			     "'%s' is not expected: a profile is named with -i FILE", arg);
		return 0;
	case ARGP_KEY_END:
		if (o->input != NULL && o->pid != 0)
			argp_failure(state, EXIT_USAGE, 0, "-i and -p both name a run: give one");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"",
	"Show a run while it goes on: its processes, and where they miss.\v"
	"Keys: p, f and l show processes, functions and lines; q ends. Functions and lines are "
	"those "
	"of the process with the most accesses.",
	NULL,
	NULL,
	NULL,
};

/* ---- One picture ---- */

static int draw_text(const struct top_options *o, size_t rows, const struct display *d,
		     struct text *out, struct err *err)
{
	struct profile p;
	int status;

	if (profile_open(&p, o->input, STORE_NONE, err) != 0)
		return -1;
	status = top_text(&p, o->view, o->size_bytes, rows, d, out, err);
	profile_close(&p);
	return status;
}

static int show_once(const struct top_options *o)
{
	struct display d = view_display();
	struct text out = {0};
	struct err err;

	if (draw_text(o, ONCE_ROWS, &d, &out, &err) != 0) {
		text_release(&out);
		return cli_fail(&err, EXIT_INPUT);
	}
	fputs(text_get(&out), stdout);
	text_release(&out);
	return EXIT_OK;
}

/* ---- The screen ---- */

static void put_screen(const struct text *out, const struct top_options *o)
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
		 views[o->view].name);
	attroff(A_REVERSE);
	refresh();
}

/* A run that has just begun has nothing to show yet: say so, and look again. */
static void draw(const struct top_options *o)
{
	struct display d = {.width = (unsigned)COLS, .unicode = view_display().unicode};
	size_t rows = LINES > HEAD_ROWS ? (size_t)(LINES - HEAD_ROWS) : 1;
	struct text out = {0};
	struct err err;

	if (draw_text(o, rows, &d, &out, &err) != 0) {
		text_release(&out);
		text_addf(&out, "%s\n", err.text);
	}
	put_screen(&out, o);
	text_release(&out);
}

/* Returns false when the user wants to end. */
static bool handle_key(struct top_options *o, int key)
{
	size_t i;

	for (i = 0; i < VIEW_COUNT; i++) {
		if (views[i].key == key)
			o->view = (enum top_view)i;
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
 * Ctrl-C and kill end the view as 'q' does; getch then returns early. Curses' own handlers,
 * which it sets where there are none, end the program as if it had failed.
 */
static void take_signals(void)
{
	struct sigaction a = {.sa_handler = interrupt};

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

static int show_live(struct top_options *o)
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

		draw(o);
		took_ms = (clock_now_ns() - begin) / 1000000;
		timeout((int)(took_ms * REST > o->interval_ms ? took_ms * REST : o->interval_ms));
		key = getch();
		if (was_interrupted || !handle_key(o, key))
			break;
	}
	endwin();
	delscreen(screen);
	return EXIT_OK;
}

static int find_run(struct top_options *o, struct err *err)
{
	struct text file = {0};

	if (o->input == NULL)
		o->input = DEFAULT_PROFILE;
	if (o->pid == 0)
		return 0;
	if (door_ask(DOOR_WHERE, (uint32_t)o->pid, NULL, &file, err) != 0) {
		text_release(&file);
		return -1;
	}
	o->found = strdup(text_get(&file));
	text_release(&file);
	if (o->found == NULL)
		return err_set(err, "out of memory");
	o->input = o->found;
	return 0;
}

int cmd_top(int argc, char **argv)
{
	struct top_options o = {.interval_ms = 1000};
	struct err err;
	int code;

	options_parse(&argp, argc, argv, 0, &o);
	setlocale(LC_CTYPE, "");
	if (find_run(&o, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o.once) {
		code = show_once(&o);
	} else if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_set(&err, "dwell top draws on a terminal: use --once for a file or a pipe");
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		code = show_live(&o);
	}
	free(o.found);
	return code;
}
