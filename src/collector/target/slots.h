/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the process slots of the channel: takes valid records out of all rings, and notices
 * processes that end, die silently, or write nonsense. Knows nothing of what the records mean
 * beyond where a process begins.
 */
#ifndef DWELL_COLLECTOR_TARGET_SLOTS_H
#define DWELL_COLLECTOR_TARGET_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "collector/target/host.h"

enum slot_farewell {
	SLOT_ENDED,	/* the engine said so */
	SLOT_KILLED,	/* the process is gone, the slot was still in use */
	SLOT_NONSENSE,	/* it is not read any more */
	SLOT_LEFT_OVER, /* it still ran when the run ended */
};

/* A slot's counters, checked to be possible. */
struct slot_counts {
	struct channel_counters counters;
	uint64_t lost_records;
};

struct slot_events {
	void *context;
	/*
	 * A valid record of process `order`, RECORD_PROCESS first. Returns NULL, or the record's
	 * fault: then the slot is not read any more.
	 */
	const char *(*on_record)(void *context, uint32_t order, const struct record_header *h);
	/* The last event of a process. With SLOT_NONSENSE `why` tells more, and `counts` are 0. */
	void (*on_gone)(void *context, uint32_t order, enum slot_farewell how, const char *why,
			const struct slot_counts *counts);
	/* From time to time while it lives. */
	void (*on_counts)(void *context, uint32_t order, const struct slot_counts *counts);
};

struct slot;

struct slots {
	struct host *host;
	struct slot_events events;
	struct slot *items; /* one per slot of the channel */
	uint32_t used;	    /* slots from this one on were never seen in use */
	uint8_t *buffer;    /* a private copy of one record */
	uint32_t buffer_bytes;
	uint32_t draining; /* depth; see slots_drain_process */
	/* our CPU time charged to processes so far; see channel_slot.taken_ns */
	uint64_t charged_ns;
};

int slots_init(struct slots *s, struct host *host, const struct slot_events *events,
	       struct err *err);
void slots_release(struct slots *s);

/* Take what is in the rings now, at most one ring full from each. Returns the bytes taken. */
uint64_t slots_drain(struct slots *s);

/*
 * From within on_record: first drain the slot of another process, because a child's records depend
 * on its parent's earlier ones. Does nothing when nested.
 */
void slots_drain_process(struct slots *s, uint32_t order);

/* Look for processes that died; report the counts of those that live. */
void slots_check(struct slots *s);

/* The number of slots in use by processes that are alive. */
uint32_t slots_live(struct slots *s);

/* Is this the pid of a process whose records are read? */
bool slots_have(struct slots *s, uint32_t pid);

/* Have all engines that are alive answered this question of host_ask? */
bool slots_answered(struct slots *s, uint32_t question);

/* CPU time so far of those that are alive. */
uint64_t slots_cpu_ns(struct slots *s);

/* End every process that is left: SLOT_KILLED if it is dead, else SLOT_LEFT_OVER. */
void slots_finish(struct slots *s);

#endif
