/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a command that ran a program. */
#include "cli/commands/target_end.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "answer/figures.h"
#include "cli/exit_codes.h"
#include "cli/options.h"

int target_failure_code(enum collector_failure failure)
{
	static const int codes[] = {
		[COLLECTOR_NOT_FOUND] = EXIT_NOT_FOUND,
		[COLLECTOR_NOT_EXECUTABLE] = EXIT_NOT_EXECUTABLE,
		[COLLECTOR_CANNOT_RUN] = EXIT_CANNOT_RUN,
		[COLLECTOR_OUTPUT] = EXIT_OUTPUT,
	};

	return codes[failure];
}

void target_end_losses(const struct collector_result *r, const char *done, const char *why)
{
	if (r->lost_processes > 0)
		fprintf(stderr, "dwell: %" PRIu64 " processes were not %s: too many ran at once\n",
			r->lost_processes, done);
	if (r->lost_records > 0)
		fprintf(stderr, "dwell: %" PRIu64 " records were lost: %s\n", r->lost_records, why);
}

int target_end_alike(int wait_status)
{
	struct rlimit none = {0, 0};
	sigset_t set;
	int number;

	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	number = WTERMSIG(wait_status);
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	return 128 + number;
}

void target_end_summary(uint64_t accesses, const char *file, const char *view)
{
	bool is_default = strcmp(file, DEFAULT_PROFILE) == 0;
	char count[FIGURE_BYTES];

	fprintf(stderr, "dwell: %s accesses, written to %s; see: dwell %s%s%s\n",
		figure_count(accesses, count), file, view, is_default ? "" : " -i ",
		is_default ? "" : file);
}
