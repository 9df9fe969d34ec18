/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole runs, with the fake engine in place of the real one. Its path is in
 * FAKE_ENGINE_PATH; without it the tests are skipped (77).
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/collector.h"
#include "collector/record_check.h"
#include "scratch.h"
#include "store/store_read.h"

static char last_notice[256];

static void on_notice(void *context, const char *line)
{
	(void)context;
	snprintf(last_notice, sizeof(last_notice), "%s", line);
}

static int run(const char *misbehaviour, const char *const *command,
	       struct collector_result *result, struct err *err)
{
	struct collector_options o = {
		/* Nobody writes to them; argv has its type from times before const. */
		.command = (char *const *)(uintptr_t)command,
		.output = "run.db",
		.engine = getenv("FAKE_ENGINE_PATH"),
		.config = collector_default_config(),
		.notice = on_notice,
		.warning = on_notice,
		.note = on_notice,
	};

	last_notice[0] = '\0';
	err->text[0] = '\0';
	if (misbehaviour != NULL)
		setenv("FAKE_ENGINE", misbehaviour, 1);
	else
		unsetenv("FAKE_ENGINE");
	return collector_run(&o, result, err);
}

/* A run that works: the exit status is passed on. */
static void run_well(const char *misbehaviour, struct collector_result *result)
{
	const char *command[] = {"sh", "-c", "exit 4", NULL};
	struct err err;

	if (run(misbehaviour, command, result, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(result->has_run);
}

static struct store *open_profile(struct store_process **p, size_t *count)
{
	struct store *s = NULL;
	struct err err = {""};

	if (store_open_readonly("run.db", &s, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(store_read_processes(s, p, count, &err), 0);
	return s;
}

static void check_state(const char *state, uint64_t samples, uint64_t accesses)
{
	struct store_process *p;
	size_t count;
	struct store *s = open_profile(&p, &count);

	assert_string_equal(store_meta_text(s, "state"), "complete");
	assert_int_equal(count, 1);
	assert_string_equal(p[0].state, state);
	assert_int_equal(p[0].samples, samples);
	assert_int_equal(p[0].accesses, accesses);
	free(p);
	store_close(s);
}

static void a_run_is_written_down(void **state)
{
	struct collector_result result;
	struct store_location *l;
	struct store_process *p;
	struct store *s;
	size_t count;

	(void)state;
	run_well(NULL, &result);
	assert_int_equal(WEXITSTATUS(result.wait_status), 4);
	assert_int_equal(result.samples, 6);
	assert_int_equal(result.windows, 2);
	check_state("exited", 6, 1000);
	s = open_profile(&p, &count);
	assert_string_equal(p[0].command, "sh -c exit 4");
	assert_int_equal(p[0].near_samples, 2);
	assert_int_equal(p[0].far_samples, 2);
	assert_int_equal(p[0].cut_samples, 2);
	assert_int_equal(p[0].far_reuses, 2);
	assert_int_equal(p[0].footprint_pages, 9);
	assert_int_equal(store_meta_int(s, "exit_status", 0), 4);
	free(p);
	/* Three pcs in the module, one in none. */
	assert_int_equal(store_read_locations(s, 0, &l, &count, NULL), 0);
	assert_int_equal(count, 4);
	assert_string_equal(l[2].frames[0].function, "[anon]");
	free(l);
	store_close(s);
}

static void is_far_line(const struct store_far_line *l, double weight, uint64_t distance,
			uint64_t lines)
{
	assert_true(l->weight == weight);
	assert_int_equal(l->distance, distance);
	assert_int_equal(l->lines, lines);
	assert_int_equal(l->is_first, distance == 0);
}

static void far_reuses_are_written_down(void **state)
{
	struct collector_result result;
	struct store_location *l;
	struct store_process *p;
	struct store_far *f;
	struct store *s;
	size_t count;

	(void)state;
	run_well(NULL, &result);
	s = open_profile(&p, &count);
	free(p);
	assert_int_equal(store_read_locations(s, 0, &l, &count, NULL), 0);
	assert_int_equal(l[3].pc, 0x10001008);
	assert_int_equal(store_read_far(s, 0, &f, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(f[0].position, 140);
	assert_int_equal(f[1].position, 640);
	assert_int_equal(f[1].window, 1);
	assert_int_equal(f[1].end.location, l[3].id);
	assert_int_equal(f[1].end.address, 0x7000020);
	assert_int_equal(f[1].end.size, 2);
	assert_int_equal(f[1].begin.location, l[0].id);
	assert_int_equal(f[1].begin.address, 0x7000010);
	is_far_line(&f[1].of[2], 4, 0, 0);
	is_far_line(&f[1].of[4], 1, 20000, 700);
	is_far_line(&f[1].of[5], 0.5, 20000, 400);
	for (size_t i = 0; i < STORE_FAR_SIZES; i++)
		assert_true(i == 2 || i == 4 || i == 5 || f[1].of[i].weight == 0);
	free(f);
	free(l);
	store_close(s);
}

/* The far lines of a process are those that its last window has told of. */
static void windows_and_far_lines_are_written_down(void **state)
{
	struct collector_result result;
	struct store_window *w;
	struct store_process *p;
	struct store *s;
	size_t count;

	(void)state;
	run_well(NULL, &result);
	s = open_profile(&p, &count);
	assert_int_equal(store_read_windows(s, 0, &w, &count, NULL), 0);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < STORE_FAR_SIZES; i++) {
		assert_true(w[1].far[i] == (double)(STORE_FAR_SIZES - i));
		assert_int_equal(p[0].far_lines[i], 2000 + i);
		assert_float_equal(p[0].far_line_weight[i], 32 + i / 256.0, 0.0005);
	}
	assert_true(w[0].samples == 3 && w[0].close == 1 && w[1].close == 1);
	free(w);
	free(p);
	store_close(s);
}

static void nonsense_costs_one_process_its_profile(void **state)
{
	/* clang-format off */
	static const char *const how[] = {
		"garbage", "badtype", "liar", "window", "segment", "node", "arc", "jump", "counts",
		"far-over", "far-nowhere", "far-size", "far-first", "far-short", "far-long",
		"far-weight", "far-number", "far-again", "far-end", "far-begin",
	};
	/* clang-format on */
	struct collector_result result;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		run_well(how[i], &result);
		assert_int_equal(WEXITSTATUS(result.wait_status), 4);
		check_state("detached", 6, 0);
		assert_non_null(strstr(last_notice, "into its channel"));
	}
}

/* What one process can make the collector keep has a limit, which is told and soon reached. */
static void what_a_process_tells_has_limits(void **state)
{
	static const struct {
		const char *how, *sentence;
	} limits[] = {
		{"modules", "has mapped more files of code than are followed"},
		{"forks", "have inherited more mappings than are followed"},
		{"names", "has given more names to its memory than are kept"},
	};
	struct collector_result result;

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const clock_t begin = clock(); /* CPU time: other programs may run */
		struct store_process *p;
		struct store *s;
		size_t count;

		run_well(limits[i].how, &result);
		assert_true(clock() - begin < 30 * CLOCKS_PER_SEC);
		assert_non_null(strstr(last_notice, limits[i].sentence));
		s = open_profile(&p, &count);
		assert_int_equal(p[0].samples, 6);
		assert_string_equal(p[count - 1].state, "exited");
		free(p);
		store_close(s);
	}
}

static void a_killed_target_keeps_its_samples(void **state)
{
	struct collector_result result;
	struct store_process *p;
	struct store *s;
	size_t count;

	(void)state;
	run_well("killed", &result);
	assert_true(WIFSIGNALED(result.wait_status));
	assert_int_equal(WTERMSIG(result.wait_status), SIGKILL);
	check_state("killed", 6, 1000);
	/* The engine could not tell of it, but who waited for the process can. */
	s = open_profile(&p, &count);
	assert_int_equal(p[0].signal, SIGKILL);
	assert_int_equal(p[0].told_end, 0);
	assert_int_equal(store_meta_int(s, "exit_signal", 0), SIGKILL);
	free(p);
	store_close(s);
}

static void nothing_is_lost_when_the_ring_goes_round(void **state)
{
	struct collector_result result;

	(void)state;
	run_well("flood", &result);
	assert_int_equal(result.windows, 100000);
	assert_int_equal(result.lost_records, 0);
	check_state("exited", 100004, 1000);
}

static void a_descendant_that_lives_on_is_let_go(void **state)
{
	struct collector_result result;
	struct store_process *p;
	struct store *s;
	size_t count;

	(void)state;
	run_well("stay", &result);
	s = open_profile(&p, &count);
	assert_int_equal(count, 2);
	assert_string_equal(p[0].state, "exited");
	assert_string_equal(p[1].state, "detached");
	assert_int_equal(p[1].parent_id, 0);
	assert_string_equal(p[1].cause, "fork");
	assert_int_equal(p[1].samples, 1);
	free(p);
	store_close(s);
}

static void fails(const char *const *command, enum collector_failure failure, const char *sentence)
{
	struct collector_result result;
	struct err err;

	assert_int_equal(run(NULL, command, &result, &err), -1);
	assert_int_equal(result.failure, failure);
	assert_string_equal(err.text, sentence);
	assert_false(result.has_run);
}

static void a_command_that_cannot_run_is_told(void **state)
{
	const char *missing[] = {"no-such-command", NULL}, *path[] = {"./none", NULL};
	const char *plain[] = {"./plain", NULL}, *dir[] = {"/tmp", NULL},
		   *script[] = {"./script", NULL};
	FILE *f = fopen("plain", "w");

	(void)state;
	fputs("data", f);
	fclose(f);
	f = fopen("script", "w");
	fputs("#!/no/such/interpreter\n", f);
	fclose(f);
	chmod("script", 0755);
	fails(missing, COLLECTOR_NOT_FOUND, "no-such-command: command not found");
	fails(path, COLLECTOR_NOT_FOUND, "cannot run './none': No such file or directory");
	fails(plain, COLLECTOR_NOT_EXECUTABLE, "cannot run './plain': Permission denied");
	fails(dir, COLLECTOR_NOT_EXECUTABLE, "cannot run '/tmp': it is a directory");
	fails(script, COLLECTOR_NOT_EXECUTABLE,
	      "cannot run './script': its interpreter does not exist");
}

static void text_without_an_interpreter_runs_in_the_shell(void **state)
{
	const char *command[] = {"./plain-script", "7", NULL};
	struct collector_result result;
	struct err err;
	FILE *f = fopen("plain-script", "w");

	(void)state;
	fputs("exit $1\n", f);
	fclose(f);
	chmod("plain-script", 0755);
	assert_int_equal(run(NULL, command, &result, &err), 0);
	assert_int_equal(WEXITSTATUS(result.wait_status), 7);
}

static void what_cannot_be_profiled_runs_as_it_is(void **state)
{
	const char *command[] = {"./setuid", "-c", "exit 5", NULL};
	struct collector_result result;
	struct err err;

	(void)state;
	if (system("cp /bin/sh setuid && chmod 4755 setuid") != 0)
		skip();
	assert_int_equal(run(NULL, command, &result, &err), 0);
	assert_true(result.was_native);
	assert_int_equal(WEXITSTATUS(result.wait_status), 5);
	assert_non_null(strstr(last_notice, ": running it unprofiled"));
}

/* The two lines of a status file that tell a process's signals, as one. */
static void read_signals(const char *path, char signals[128])
{
	FILE *f = fopen(path, "r");
	char line[128];

	assert_non_null(f);
	signals[0] = '\0';
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0)
			strncat(signals, line, 127 - strlen(signals));
	}
	fclose(f);
}

/*
 * The target sees the dispositions and the mask that we have. (Whoever starts
 * us may ignore some already: make leaves signals 32 and 33 ignored.)
 */
static void signals_are_the_targets_own(void **state)
{
	const char *command[] = {"cp", "/proc/self/status", "status", NULL};
	struct collector_result result;
	char own[128], line[128];
	struct err err;

	(void)state;
	signal(SIGHUP, SIG_IGN); /* as under nohup */
	signal(SIGINT, SIG_DFL); /* ignored in the background of a script */
	signal(SIGQUIT, SIG_DFL);
	read_signals("/proc/self/status", own);
	assert_int_equal(run(NULL, command, &result, &err), 0);
	signal(SIGHUP, SIG_DFL);
	read_signals("status", line);
	assert_non_null(strstr(own, "SigBlk:\t0000000000000000"));
	assert_non_null(strstr(own, "1\n")); /* SIGHUP is signal 1 */
	assert_string_equal(line, own);
}

static void sum_stream(void *context, uint32_t order, const struct record_header *h)
{
	const struct record_stream *s = (const void *)h;
	uint64_t *sum = context;
	uint32_t i;

	(void)order;
	for (i = 0; h->type == RECORD_STREAM && i < s->count; i++)
		*sum += STREAM_ADDRESS(record_stream_entries(s)[i]) >> 12;
}

static void a_sink_gets_every_entry_of_a_stream(void **state)
{
	const char *command[] = {"true", NULL};
	uint64_t sum = 0;
	struct collector_options o = {
		.command = (char *const *)(uintptr_t)command,
		.engine = getenv("FAKE_ENGINE_PATH"),
		.config = collector_default_config(),
		.slot_count = 4,
		.ring_bytes = 65536,
		.sink = {&sum, sum_stream},
	};
	struct collector_result result;
	struct err err;

	(void)state;
	o.config.mode = CHANNEL_MODE_STREAM;
	setenv("FAKE_ENGINE", "stream", 1);
	assert_int_equal(collector_run(&o, &result, &err), 0);
	assert_int_equal(sum, 3 * 999 * 1000 / 2); /* three times 0 + 1 + ... + 999 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_written_down),
		cmocka_unit_test(far_reuses_are_written_down),
		cmocka_unit_test(windows_and_far_lines_are_written_down),
		cmocka_unit_test(nonsense_costs_one_process_its_profile),
		cmocka_unit_test(what_a_process_tells_has_limits),
		cmocka_unit_test(a_killed_target_keeps_its_samples),
		cmocka_unit_test(nothing_is_lost_when_the_ring_goes_round),
		cmocka_unit_test(a_descendant_that_lives_on_is_let_go),
		cmocka_unit_test(a_command_that_cannot_run_is_told),
		cmocka_unit_test(text_without_an_interpreter_runs_in_the_shell),
		cmocka_unit_test(what_cannot_be_profiled_runs_as_it_is),
		cmocka_unit_test(signals_are_the_targets_own),
		cmocka_unit_test(a_sink_gets_every_entry_of_a_stream),
	};

	if (getenv("FAKE_ENGINE_PATH") == NULL)
		return 77;
	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
