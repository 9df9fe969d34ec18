/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the process slots of the channel: takes valid records out of all rings, and notices
 * processes that end, die silently, or write invalid records. Does not interpret records, except
 * that it sees where a process begins.
 */
#ifndef DWELL_COLLECTOR_TARGET_SLOTS_H
#define DWELL_COLLECTOR_TARGET_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "collector/target/host.h"

enum slot_farewell {
	SLOT_ENDED,	/* as reported by the engine */
	SLOT_KILLED,	/* the process died with its slot in use */
	SLOT_NONSENSE,	/* invalid records: no longer read */
	SLOT_LEFT_OVER, /* still running when the run ended */
};

/* A slot's counters, after checks. */
struct slot_counts {
	struct channel_counters counters;
	uint64_t lost_records;
};

struct slot_events {
	void *context;
	/*
	 * A valid record of process `order`; the first one is RECORD_PROCESS. Returns NULL, or the
	 * record's fault: then the slot is no longer read.
	 */
	const char *(*on_record)(void *context, uint32_t order, const struct record_header *h);
	/*
	 * The last event of a process. With SLOT_NONSENSE `why` has the reason, and `counts` are 0.
	 */
	void (*on_gone)(void *context, uint32_t order, enum slot_farewell how, const char *why,
			const struct slot_counts *counts);
	/* Called regularly while the process lives. */
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
	uint32_t draining; /* depth of calls; see slots_drain_process */
	/* our CPU time charged to processes so far; see channel_slot.taken_ns */
	uint64_t charged_ns;
};

int slots_init(struct slots *s, struct host *host, const struct slot_events *events,
	       struct err *err);
void slots_release(struct slots *s);

/* Read all rings, at most one full ring from each. Returns the number of bytes. */
uint64_t slots_drain(struct slots *s);

/*
 * For on_record: first drain the slot of another process, because a child's records depend on its
 * parent's earlier ones. Does nothing when nested.
 */
void slots_drain_process(struct slots *s, uint32_t order);

/* Find processes that died; report the counts of the others. */
void slots_check(struct slots *s);

/* The number of slots in use by processes that are alive. */
uint32_t slots_live(struct slots *s);

/* Is this the pid of a process whose records are read? */
bool slots_have(struct slots *s, uint32_t pid);

/* Tell whether all living engines have answered this request of host_ask. */
bool slots_answered(struct slots *s, uint32_t question);

/* The CPU time so far of the processes that are alive. */
uint64_t slots_cpu_ns(struct slots *s);

/* End all remaining processes: SLOT_KILLED for dead ones, else SLOT_LEFT_OVER. */
void slots_finish(struct slots *s);

#endif
