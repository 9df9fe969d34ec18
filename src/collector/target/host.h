/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collector's end of the channel: creates the shared memory, and sleeps until there is work. */
#ifndef DWELL_COLLECTOR_TARGET_HOST_H
#define DWELL_COLLECTOR_TARGET_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "channel/channel.h"

struct host {
	int fd;			       /* the memory, close-on-exec; -1: none */
	struct channel_header *header; /* mapped memory */
	size_t bytes;
	/* Our own copies: a target may overwrite the header. */
	uint32_t slot_count;
	uint64_t slot_bytes;
	uint64_t ring_bytes;
};

/* ring_bytes must be a power of two. The memory is sparse: unused slots take none. */
int host_init(struct host *h, const struct channel_config *config, uint32_t slot_count,
	      uint64_t ring_bytes, struct err *err);
void host_release(struct host *h);

/* The current wake counter. Read it before looking for work, then pass it to host_wait. */
uint32_t host_wake_count(const struct host *h);
/* All rings have been read since the count had this value. */
void host_has_read(struct host *h, uint32_t count);

/* Sleep until the counter differs from `count`, a signal arrives, or the time has passed. */
void host_wait(struct host *h, uint32_t count, uint64_t timeout_ns);

/* End a host_wait, and make the next one return at once. Async-signal-safe. */
void host_wake(struct host *h);

/* Ask all engines for their counts so far. Returns the number of the request, see channel_slot. */
uint32_t host_ask(struct host *h);
/*
 * Make engines stop profiling while their targets continue: the disk is full, or no reader is left.
 */
void host_stop_engines(struct host *h);
/* The same, but running engines first close their windows and report their end. */
void host_finish_engines(struct host *h);
void host_say_goodbye(struct host *h);

#endif
