/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell: finds the command, and answers --help, --version and `help COMMAND`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "answer/answer.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cli/view.h"
#include "cli/words.h"
#include "options/suggest.h"

int cli_fail(const struct err *err, int exit_code)
{
	struct text safe = {0};

	progress_end();
	/*
	 * The message may quote a file: replace control characters, which the terminal would obey.
	 */
	text_add_printable(&safe, err->text, strlen(err->text));
	fprintf(stderr, "dwell: %s\n", text_get(&safe));
	text_release(&safe);
	return exit_code;
}

static int show_help(void)
{
	printf("Usage: dwell COMMAND [OPTION...]\n"
	       "Shows how long the data of a program dwells in the caches, from one run.\n\n"
	       "Commands:\n");
	for (size_t i = 0; commands[i] != NULL; i++)
		printf("  %-10s %s\n", commands[i]->options.name, commands[i]->summary);
	printf("\n'dwell help COMMAND' tells a command's options. Without a command:\n"
	       "  -h, --help     this text\n"
	       "  -V, --version  the version\n"
	       "\nTo begin:\n"
	       "  dwell record ./program      run it; the profile goes to dwell.db\n"
	       "  dwell report                see where it misses\n");
	return EXIT_OK;
}

static int show_version(void)
{
	printf("dwell " DWELL_VERSION "\n");
	return EXIT_OK;
}

static int unknown_command(const char *name)
{
	struct suggestion s;
	struct err err;

	suggest_begin(&s, name);
	for (size_t i = 0; commands[i] != NULL; i++)
		suggest_try(&s, commands[i]->options.name);
	if (s.best != NULL)
		err_set(&err, "'%s' is not a command: did you mean '%s'?", name, s.best);
	else
		err_set(&err, "'%s' is not a command: 'dwell --help' lists them", name);
	return cli_fail(&err, EXIT_USAGE);
}

/* "dwell report: sentence." */
static int fail_usage(const struct command *c, const struct err *err)
{
	struct err whole;
	struct text safe = {0};

	err_set(&whole, "dwell %s: %s", c->options.name, err->text);
	text_add_printable(&safe, whole.text, strlen(whole.text));
	fprintf(stderr, "%s\n", text_get(&safe));
	text_release(&safe);
	return EXIT_USAGE;
}

static int show_command_help(const struct command *c)
{
	struct text out = {0};

	option_help(&option_table, &c->options, &out);
	fputs(text_get(&out), stdout);
	text_release(&out);
	return EXIT_OK;
}

/* The other commands run a program, draw by themselves, or end at once. */
static bool may_take_long(const struct command *c)
{
	static const struct command *const without[] = {&command_record, &command_simulate,
							&command_top,	 &command_stop,
							&command_dump,	 &command_info};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (c == without[i])
			return false;
	return true;
}

static int run_with(const struct command *c, struct options *o, int argc, char **argv)
{
	struct err err;
	int status;

	if (c->prepare != NULL)
		c->prepare(o);
	status = option_parse(&option_table, &c->options, OPTIONS_ENVIRONMENT, argc, argv, o,
			      &o->state, &err);
	if (status == 0 && o->wants_help)
		return show_command_help(c);
	if (status == 0 && o->wants_version)
		return show_version();
	if (status != 0 || words_take(c, o, &err) != 0)
		return fail_usage(c, &err);
	options_complete(o);
	if (o->no_pager)
		pager_forbid();
	if (answer_takes(c->options.name, o->input, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (may_take_long(c))
		progress_begin(c->options.name);
	status = c->run != NULL ? c->run(o) : view_answer(o, c->options.name);
	progress_end();
	return status;
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct options o;
	int code;

	options_init(&o);
	code = run_with(c, &o, argc, argv);
	options_release(&o);
	return code;
}

static int help_command(const char *name)
{
	const struct command *c = command_find(name);

	return c != NULL ? show_command_help(c) : unknown_command(name);
}

static int dispatch(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		fprintf(stderr, "dwell: which command? 'dwell --help' lists them\n");
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return show_version();
	if (strcmp(argv[1], "help") == 0 && argc > 3) {
		fprintf(stderr, "dwell: '%s' is one argument too many: help takes a command\n",
			argv[3]);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 && argc > 2)
		return help_command(argv[2]);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "-?") == 0 || strcmp(argv[1], "help") == 0)
		return show_help();
	if (strcmp(argv[1], "complete") == 0)
		return complete_words(argc - 2, argv + 2);
	c = command_find(argv[1]);
	return c != NULL ? run_command(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Check, at every exit of the program, that its output was written. */
static void check_output(int code, void *unused)
{
	(void)unused;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return;
	fprintf(stderr, "dwell: cannot write the output: %s\n", strerror(errno));
	_exit(code == EXIT_OK ? EXIT_OUTPUT : code);
}

static void go_on(int signal)
{
	(void)signal;
}

/*
 * Make writes beyond the file size limit (ulimit -f) fail with an error. A handler, not SIG_IGN:
 * executed programs would inherit that.
 */
static void survive_file_limits(void)
{
	struct sigaction a;

	if (sigaction(SIGXFSZ, NULL, &a) != 0 || a.sa_handler != SIG_DFL)
		return;
	a = (struct sigaction){.sa_handler = go_on, .sa_flags = SA_RESTART};
	sigaction(SIGXFSZ, &a, NULL);
}

#define STACK_BYTES (8ul << 20)

static struct {
	int argc, code;
	char **argv;
} arguments;

static void dispatch_here(void)
{
	arguments.code = dispatch(arguments.argc, arguments.argv);
}

/*
 * Run with our own stack where the limit (ulimit -s) is below what debug information and SQL need.
 */
static int dispatch_with_stack(int argc, char **argv)
{
	static ucontext_t own, before;
	struct rlimit limit;
	void *stack = MAP_FAILED;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_BYTES)
		stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || getcontext(&own) != 0)
		return dispatch(argc, argv);
	arguments.argc = argc;
	arguments.argv = argv;
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = STACK_BYTES;
	own.uc_link = &before;
	makecontext(&own, dispatch_here, 0);
	swapcontext(&before, &own);
	return arguments.code;
}

int main(int argc, char **argv)
{
	survive_file_limits();
	on_exit(check_output, NULL);
	return dispatch_with_stack(argc, argv);
}
