/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `dwell dump`: a profile of a run in progress. First the engines are asked for their counts;
 * running ones answer at once. Then the profile is copied. A forked child completes the copy as at
 * the end of a run, while the collector continues.
 */
#ifndef DWELL_COLLECTOR_DUMP_H
#define DWELL_COLLECTOR_DUMP_H

#include <sys/types.h>

#include "collector/recorder.h"
#include "collector/target/control_socket.h"
#include "collector/target/host.h"
#include "collector/target/slots.h"
#include "store/store.h"

enum dump_state {
	DUMP_NONE,
	DUMP_ASKED,   /* waiting for the engines' counts */
	DUMP_WRITING, /* a child completes the copy */
};

/* The parts of the run that a dump needs. */
struct dump_run {
	struct host *host;
	struct slots *slots;
	struct recorder *recorder; /* NULL: the run writes no profile */
	struct store *store;
	struct control *control; /* control_dump_file is the destination */
	void *context;
	int (*finish)(void *context, struct err *err); /* completes the profile, in the child */
};

struct dump {
	enum dump_state state;
	uint32_t question;
	uint64_t deadline_ns;
	pid_t writer;
	struct new_file *copy; /* its file, while there is a writer */
	int said;	       /* a pipe: the child's error, or nothing */
	uint64_t cpu_ns;       /* of all writers so far */
};

/* Start a requested dump, or advance one in progress. Never waits long. */
void dump_step(struct dump *d, const struct dump_run *run, uint64_t now_ns);
/* The run is over: wait until all requested dumps are answered. */
void dump_end(struct dump *d, const struct dump_run *run);

#endif
