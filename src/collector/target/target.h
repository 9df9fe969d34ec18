/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program to profile: finds it as a shell would, starts it under the engine with its native
 * signals and descriptors, and waits for it.
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
	TARGET_NOT_FOUND,      /* 127 in a shell */
	TARGET_NOT_EXECUTABLE, /* 126 in a shell */
	TARGET_OUR_FAULT,
};

struct target {
	char *const *command; /* as the user gave it; not owned */
	char *path;	      /* of the file to execute */
	char *script;	      /* text without #!, and `path` is the shell; or NULL */
	char **argv;	 /* the command's, or with the shell in front for a script without #! */
	bool is_native;	 /* cannot run under the engine */
	char reason[64]; /* with is_native: "is setuid or setgid" */
	struct launch launch; /* unless is_native */
	int channel_fd;	      /* descriptor numbers in the target; high, to keep out of its way */
	int engine_fd;
	pid_t pid;
	bool has_signals; /* our signal handlers are installed */
};

/* Find the program and prepare its start. On failure, *failure is its kind. */
int target_prepare(struct target *t, char *const *command, enum target_failure *failure,
		   struct err *err);
void target_release(struct target *t);

/*
 * Start the program. From now until target_release, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1,
 * SIGUSR2, SIGALRM and SIGTSTP do not end or stop this process. If sent to it alone, they, and
 * SIGCONT, are passed on to the target. The host, NULL for a native start, is woken when a child
 * ends.
 */
int target_start(struct target *t, struct host *host, int engine_fd, enum target_failure *failure,
		 struct err *err);

/*
 * Tell whether the target has ended; *wait_status says how (see wait(2)). Waits for it if `block`.
 * When the target stops, this process stops by the same signal, and continues with it.
 */
bool target_ended(struct target *t, bool block, int *wait_status);

/*
 * Open the engine for execveat: the file `given`; or if NULL, dwell-engine beside our own
 * executable, or in its installed place.
 */
int target_find_engine(const char *given, int *fd, struct err *err);

#endif
