/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `dwell dump`: a profile of what there is while the run goes on. The engines are asked for what
 * they have counted, which those that run tell at once; then the profile is copied, and a child of
 * ours, which has all that is known in its memory, completes the copy as the end of the run would,
 * while we go on reading.
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
	DUMP_ASKED,   /* the engines are to tell */
	DUMP_WRITING, /* a child completes the copy */
};

/* The parts of the run that a dump needs, and how its end is written. */
struct dump_run {
	struct host *host;
	struct slots *slots;
	struct recorder *recorder; /* NULL: the run writes no profile */
	struct store *store;
	struct control *control; /* whose control_dump_file says where to */
	void *context;
	int (*finish)(void *context, struct err *err); /* in the child: what comes last */
};

struct dump {
	enum dump_state state;
	uint32_t question;
	uint64_t deadline_ns;
	pid_t writer;
	int said;	 /* a pipe: what went wrong, or nothing */
	uint64_t cpu_ns; /* of all writers so far */
};

/* Somebody wants a dump, or one is being made: do what can be done now. Never waits long. */
void dump_step(struct dump *d, const struct dump_run *run, uint64_t now_ns);
/* The run is over: wait until nobody waits for a dump any more. */
void dump_end(struct dump *d, const struct dump_run *run);

#endif
