/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts a program under the engine: used by the collector for the first process, and by the engine
 * for every later execve.
 *
 * The engine is executed in place of the program, with the program's own argv, so that
 * /proc/PID/cmdline is the same as natively. The engine's parameters are at the front of the
 * environment; the engine removes them before the program sees it:
 *
 *   DWELL_CHANNEL=<channel fd>:<engine fd>:<parent order or ->:<cause>
 *   DWELL_EXE=<open fd of the ELF file to run>:<name given to execve>
 *   DWELL_LIMITS=<soft>:<hard>:<soft>:<hard>: the program's own limits: address space, data
 *   DWELL_KEEP_x=...   for each variable x that would change how the engine itself is loaded
 *                      (such as LD_PRELOAD)
 *
 * Freestanding: raw system calls only, and one private mapping for the vectors.
 */
#ifndef DWELL_CHANNEL_LAUNCH_H
#define DWELL_CHANNEL_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAUNCH_EXE_ENV	   "DWELL_EXE"
#define LAUNCH_LIMITS_ENV  "DWELL_LIMITS"
#define LAUNCH_KEEP_PREFIX "DWELL_KEEP_"

#define LAUNCH_LIMITS 2 /* RLIMIT_AS, RLIMIT_DATA */

struct launch_limit {
	bool set;
	uint64_t soft, hard;
};

enum launch_verdict {
	LAUNCH_ENGINE = 0, /* execveat(engine_fd, "", argv, envp, AT_EMPTY_PATH) */
	LAUNCH_NATIVE = 1, /* cannot be profiled (see `reason`): execute without the engine */
};

struct launch {
	char **argv; /* for the engine; NULL-ended */
	char **envp;
	/* with LAUNCH_NATIVE: unknown format, which the kernel may refuse */
	bool may_be_text;
	const char *reason; /* with LAUNCH_NATIVE: "is setuid", "is a 32-bit program", ... */
	int program_fd;	    /* the ELF file, open; the engine inherits and closes it */
	void *memory;	    /* the mapping with all of these */
	size_t memory_bytes;
};

struct launch_request {
	const char *path; /* as given to execve; no PATH search */
	int dir_fd;	  /* base of a relative path, or AT_FDCWD */
	int flags;	  /* of execveat: 0, AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW */
	char *const *argv;
	char *const *envp;
	int channel_fd;
	int engine_fd;
	uint32_t parent;		   /* order of the parent process; UINT32_MAX: none */
	uint32_t cause;			   /* as in struct record_process */
	const struct launch_limit *limits; /* LAUNCH_LIMITS items; NULL: none is set */
};

/*
 * Prepare the vectors. Follows #! lines (four deep, like the kernel) and reads the ELF header.
 * Returns an enum launch_verdict, or a negative errno as execve would (the program does not exist,
 * is not executable, ...). On LAUNCH_ENGINE the caller owns l->memory, and frees it with
 * launch_release if the exec fails.
 */
int launch_prepare(struct launch *l, const struct launch_request *rq);
void launch_release(struct launch *l);

#endif
