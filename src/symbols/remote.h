/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asking the process that reads symbols; of one thread at a time. */
#ifndef DWELL_SYMBOLS_REMOTE_H
#define DWELL_SYMBOLS_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/message.h"

struct symbols;
struct symbols_file;

/* All zero: there is no process yet. */
struct symbols_remote {
	pid_t pid; /* or 0 */
	int fd;
	uint32_t generation; /* of processes */
	size_t known;	     /* files before this one it has had from the start */
	bool has_failed;     /* no process can be had */
	uint64_t reaped_ns;  /* CPU time of those that have ended */
};

struct symbols_reply {
	unsigned char *bytes; /* the caller frees them */
	struct message_reader reader;
};

/*
 * Have a process to ask. It is a copy of this one, so best made before there are threads: what they
 * hold at that time it never gets. 0 or -1.
 */
int symbols_remote_start(struct symbols *s);
/*
 * Returns 0 with the answer, or -1: no process can be had, or the file cannot be read for this
 * question; the latter when f->sources is 0.
 */
int symbols_remote_ask(struct symbols *s, struct symbols_file *f, struct message_question *q,
		       const uint64_t *addresses, struct symbols_reply *reply);
void symbols_remote_end(struct symbols_remote *r);
/* In a child of the asking process: the reader is the parent's. */
void symbols_remote_forked(struct symbols_remote *r);
/* CPU time of all such processes; and of it, that of those that have been waited for. */
uint64_t symbols_remote_cpu_ns(const struct symbols_remote *r);

#endif
