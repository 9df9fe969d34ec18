/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the process that reads symbols (the reader). For one thread at a time. */
#ifndef DWELL_SYMBOLS_REMOTE_H
#define DWELL_SYMBOLS_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/message.h"

struct symbols;
struct symbols_file;
struct text;

/* All zero: no process yet. */
struct symbols_remote {
	pid_t pid; /* 0: none */
	int fd;
	uint32_t generation; /* counts readers */
	size_t known;	     /* the reader knew files before this one when it was forked */
	bool has_failed;     /* no reader can be started */
	bool is_stuck;	     /* it neither answered nor ran while it was asked */
	uint64_t reaped_ns;  /* CPU time of ended readers */
};

/* The seconds without a run of the reader after which it is taken for stuck. Tests take fewer. */
extern unsigned symbols_remote_stuck_s;

struct symbols_reply {
	unsigned char *bytes; /* owned by the caller */
	struct message_reader reader;
};

/*
 * Start the reader, a fork of this process. Best before there are threads: a lock held at the fork
 * stays locked in the reader. Returns 0 or -1.
 */
int symbols_remote_start(struct symbols *s);
/*
 * Returns 0 with the answer; or -1 if no reader can be started, or the file cannot be read for this
 * question (f->sources is 0).
 */
int symbols_remote_ask(struct symbols *s, struct symbols_file *f, struct message_question *q,
		       const uint64_t *addresses, struct symbols_reply *reply);
void symbols_remote_end(struct symbols_remote *r);
/* Describe a file on which readers ended; false: none did. */
bool symbols_remote_loss(const struct symbols_file *f, struct text *line);
/* Call this in a forked child: the reader belongs to the parent. */
void symbols_remote_forked(struct symbols_remote *r);
/* CPU time of all readers so far. */
uint64_t symbols_remote_cpu_ns(const struct symbols_remote *r);

#endif
