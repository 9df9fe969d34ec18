/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program to profile: finding it as a shell would, starting it under the
 * engine with the signals and descriptors it would natively have, waiting for it.
 */
#ifndef DWELL_COLLECTOR_TARGET_TARGET_H
#define DWELL_COLLECTOR_TARGET_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "channel/launch.h"
#include "collector/target/host.h"

/* Why a target did not start, for the exit code. */
enum target_failure {
	TARGET_NOT_FOUND,      /* as a shell's 127 */
	TARGET_NOT_EXECUTABLE, /* as a shell's 126 */
	TARGET_OUR_FAULT,
};

struct target {
	char *const *command; /* as the user gave it; not owned */
	char *path;	      /* of the file to execute */
	char *script;	      /* text without #!: then `path` is the shell; or NULL */
	char **argv;	 /* the command's, or with the shell in front for a script without #! */
	bool is_native;	 /* it cannot run under the engine */
	char reason[64]; /* with is_native: "is setuid or setgid" */
	struct launch launch; /* unless is_native */
	int channel_fd;	      /* descriptor numbers in the target: high, out of its way */
	int engine_fd;
	pid_t pid;
	bool has_signals; /* our own dispositions are installed */
};

/* Find it and prepare its start. On failure *failure is the kind. */
int target_prepare(struct target *t, char *const *command, enum target_failure *failure,
		   struct err *err);
void target_release(struct target *t);

/*
 * Start it. From now until target_release SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2,
 * SIGALRM and SIGTSTP do not end or stop this process: signals sent to it alone are passed on to
 * the target, as is SIGCONT. The host, NULL for a native start, is woken when a child ends.
 */
int target_start(struct target *t, struct host *host, int engine_fd, enum target_failure *failure,
		 struct err *err);

/*
 * Whether the target has ended, and then how (see wait(2)). Waits for it if `block`. Where the
 * target has stopped, this process stops by the same signal, and goes on with it.
 */
bool target_ended(struct target *t, bool block, int *wait_status);

/*
 * Open the engine for execveat: the file `given`, or when that is NULL
 * dwell-engine beside our own executable, or in the installed place.
 */
int target_find_engine(const char *given, int *fd, struct err *err);

#endif
