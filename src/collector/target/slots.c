/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots of the channel. channel.h describes their states; all content is untrusted. */
#include "collector/target/slots.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "channel/ring.h"
#include "collector/record_check.h"
#include "collector/target/liveness.h"

/*
 * A slot whose process never identified itself, or is not visible to us, is freed after this time.
 */
#define SILENT_NS ((uint64_t)5000000000u)

enum slot_use {
	USE_NONE = 0,
	USE_READ,   /* records are read */
	USE_IGNORE, /* it wrote invalid records, which are discarded until the process ends */
};

struct slot {
	struct ring ring;
	enum slot_use use;
	bool has_process; /* a RECORD_PROCESS arrived: `order` is set */
	bool is_busy;	  /* its records are being read, further up in the call chain */
	uint32_t order;
	struct liveness process;
	uint64_t moved_at_ns; /* when it was first seen, or last wrote */
	uint64_t moved_to;    /* write_pos then */
};

int slots_init(struct slots *s, struct host *host, const struct slot_events *events,
	       struct err *err)
{
	uint32_t i;

	*s = (struct slots){.host = host, .events = *events, .charged_ns = clock_self_cpu_ns()};
	/* Engines never write records longer than a quarter of a ring. */
	s->buffer_bytes = (uint32_t)(host->ring_bytes / 4);
	s->items = calloc(host->slot_count, sizeof(*s->items));
	s->buffer = malloc(s->buffer_bytes);
	if (s->items == NULL || s->buffer == NULL) {
		slots_release(s);
		return err_set(err, "out of memory");
	}
	for (i = 0; i < host->slot_count; i++)
		ring_of_slot(&s->items[i].ring, host->header, host->slot_bytes, host->ring_bytes,
			     i);
	return 0;
}

void slots_release(struct slots *s)
{
	free(s->items);
	free(s->buffer);
	s->items = NULL;
	s->buffer = NULL;
}

static uint32_t state_of(const struct slot *t)
{
	return __atomic_load_n(&t->ring.slot->state, __ATOMIC_ACQUIRE);
}

static struct slot_counts counts_of(const struct slot *t)
{
	return (struct slot_counts){
		.counters = t->ring.slot->counters,
		.lost_records = __atomic_load_n(&t->ring.slot->lost_records, __ATOMIC_RELAXED),
	};
}

/* Check the counts in the slot's header. Returns the fault, or NULL. */
static const char *check_counts(const struct slot_counts *c)
{
	return c->lost_records <= INT64_MAX ? record_check_counters(&c->counters)
					    : "impossible counts";
}

/* Report the end of the process; later records of it are discarded. */
static void bid_farewell(struct slots *s, struct slot *t, enum slot_farewell how, const char *why)
{
	struct slot_counts counts = counts_of(t);

	if (how != SLOT_NONSENSE && check_counts(&counts) != NULL) {
		how = SLOT_NONSENSE;
		why = check_counts(&counts);
	}
	if (how == SLOT_NONSENSE)
		counts = (struct slot_counts){0};
	if (t->has_process)
		s->events.on_gone(s->events.context, t->order, how, why, &counts);
	t->has_process = false;
}

/*
 * Free the slot for engines. Positions start at 0 again, so that a little-used ring takes little
 * memory.
 */
static void free_slot(struct slot *t)
{
	struct channel_slot *shared = t->ring.slot;

	shared->counters = (struct channel_counters){0};
	shared->lost_records = 0;
	shared->pid = 0;
	__atomic_store_n(&shared->read_pos, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->taken_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->write_pos, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->state, CHANNEL_SLOT_FREE, __ATOMIC_RELEASE);
	t->use = USE_NONE;
	t->has_process = false;
}

/* The process's pid in our namespace; it may be in another one. */
static uint32_t pid_of(const struct slots *s, uint32_t index)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = index, .l_len = 1};

	if (fcntl(s->host->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
		return (uint32_t)lock.l_pid;
	return __atomic_load_n(&s->items[index].ring.slot->pid, __ATOMIC_RELAXED);
}

static void begin_use(struct slots *s, struct slot *t)
{
	uint32_t index = (uint32_t)(t - s->items);

	if (index >= s->used)
		s->used = index + 1;
	t->use = USE_READ;
	t->has_process = false;
	t->moved_at_ns = clock_now_ns();
	t->moved_to = 0;
	liveness_begin(&t->process, pid_of(s, index));
}

static void give_up(struct slots *s, struct slot *t, const char *why)
{
	bid_farewell(s, t, SLOT_NONSENSE, why);
	t->use = USE_IGNORE;
}

static void discard(struct slot *t)
{
	uint64_t written = __atomic_load_n(&t->ring.slot->write_pos, __ATOMIC_ACQUIRE);

	__atomic_store_n(&t->ring.slot->read_pos, written, __ATOMIC_RELEASE);
}

/* Handle one record. Returns its fault, or NULL. */
static const char *take_record(struct slots *s, struct slot *t, struct record_header *h)
{
	const char *why = record_check(h);

	if (why != NULL)
		return why;
	if (h->type == RECORD_PROCESS) {
		/* A new image in the same slot: the engine replaced itself. */
		bid_farewell(s, t, SLOT_ENDED, NULL);
		t->order = ((const struct record_process *)(const void *)h)->order;
		t->has_process = true;
	}
	if (!t->has_process)
		return h->type == RECORD_MESSAGE ? NULL : "a record before its process";
	if (h->type == RECORD_MODULE)
		((struct record_module *)(void *)h)->pid = t->process.pid;
	why = s->events.on_record(s->events.context, t->order, h);
	if (why != NULL && h->type == RECORD_PROCESS)
		t->has_process = false; /* it was refused, so its end is not reported */
	return why;
}

/* Read at most one full ring, so that a busy process does not delay the others. */
static uint64_t drain_slot(struct slots *s, struct slot *t, uint8_t *buffer)
{
	uint64_t taken = 0;

	if (t->is_busy)
		return 0;
	t->is_busy = true;
	while (t->use == USE_READ && taken < t->ring.bytes) {
		int64_t bytes = ring_peek(&t->ring, buffer, s->buffer_bytes);
		const char *why = "bytes that are no record";

		if (bytes == 0)
			break;
		if (bytes > 0)
			why = take_record(s, t, (struct record_header *)(void *)buffer);
		if (why != NULL) {
			give_up(s, t, why);
			break;
		}
		ring_consume(&t->ring, (uint64_t)bytes);
		taken += (uint64_t)bytes;
	}
	if (t->use == USE_IGNORE)
		discard(t);
	t->is_busy = false;
	return taken;
}

/*
 * The same, and charge our CPU time since the last call to the process, see budget.h. It includes
 * names and transactions: processes' records cause these, too.
 */
static uint64_t drain_timed(struct slots *s, struct slot *t)
{
	uint64_t taken = drain_slot(s, t, s->buffer), now;

	if (taken == 0)
		return 0;
	now = clock_self_cpu_ns();
	__atomic_fetch_add(&t->ring.slot->taken_ns, now - s->charged_ns, __ATOMIC_RELAXED);
	s->charged_ns = now;
	return taken;
}

static uint64_t drain_one(struct slots *s, struct slot *t)
{
	uint32_t state = state_of(t);
	uint64_t taken;

	if (t->is_busy || state == CHANNEL_SLOT_CLAIMED)
		return 0;
	if (state == CHANNEL_SLOT_FREE) {
		if (t->use != USE_NONE) { /* only the collector may free slots */
			give_up(s, t, "a slot freed by its owner");
			free_slot(t);
		}
		return 0;
	}
	if (t->use == USE_NONE)
		begin_use(s, t);
	if (state > CHANNEL_SLOT_ENDED && t->use == USE_READ)
		give_up(s, t, "a state that does not exist");
	taken = drain_timed(s, t);
	/* The state was read before the ring: if it is ENDED, all records have arrived. */
	if (state == CHANNEL_SLOT_ENDED && (t->use == USE_IGNORE || ring_used(&t->ring) == 0)) {
		bid_farewell(s, t, SLOT_ENDED, NULL);
		free_slot(t);
	}
	return taken;
}

/*
 * Engines claim the lowest free slot, and only the collector frees slots. So no slot is in use
 * above a free slot that was never used. Looking at all slots would cost a page and a fault for
 * each (measured: 2.5 ms a run).
 */
static bool is_worth_a_look(const struct slots *s, uint32_t index)
{
	return index < s->host->slot_count &&
	       (index < s->used || state_of(&s->items[index]) != CHANNEL_SLOT_FREE);
}

uint64_t slots_drain(struct slots *s)
{
	uint64_t taken = 0;
	uint32_t i;

	for (i = 0; is_worth_a_look(s, i); i++)
		taken += drain_one(s, &s->items[i]);
	return taken;
}

void slots_drain_process(struct slots *s, uint32_t order)
{
	uint8_t *buffer;
	uint32_t i;

	if (s->draining > 0)
		return;
	s->draining++;
	for (i = 0; is_worth_a_look(s, i); i++) {
		struct slot *t = &s->items[i];

		if (t->use != USE_READ || t->is_busy || !t->has_process || t->order != order)
			continue;
		/* The caller is reading a record in s->buffer: use another buffer. */
		buffer = malloc(s->buffer_bytes);
		if (buffer != NULL)
			drain_slot(s, t, buffer);
		free(buffer);
		break;
	}
	s->draining--;
}

/* A process that is not visible, in another PID namespace, lives as long as it writes. */
static bool is_dead(struct slot *t, uint64_t now)
{
	uint64_t written = __atomic_load_n(&t->ring.slot->write_pos, __ATOMIC_ACQUIRE);

	if (written != t->moved_to) {
		t->moved_to = written;
		t->moved_at_ns = now;
	}
	if (liveness_was_seen(&t->process))
		return !liveness_check(&t->process);
	return now - t->moved_at_ns > SILENT_NS;
}

static void check_one(struct slots *s, struct slot *t, uint64_t now)
{
	uint32_t state = state_of(t);
	struct slot_counts counts;

	if (state == CHANNEL_SLOT_FREE || state == CHANNEL_SLOT_ENDED)
		return;
	if (t->use == USE_NONE)
		begin_use(s, t);
	if (t->process.pid == 0)
		liveness_begin(&t->process, pid_of(s, (uint32_t)(t - s->items)));
	if (!is_dead(t, now)) {
		counts = counts_of(t);
		if (check_counts(&counts) != NULL && t->use == USE_READ)
			give_up(s, t, check_counts(&counts));
		if (t->has_process)
			s->events.on_counts(s->events.context, t->order, &counts);
		return;
	}
	/*
	 * Records written before its death are still in the ring; it may even have ended properly.
	 */
	while (drain_slot(s, t, s->buffer) > 0)
		;
	if (state_of(t) != CHANNEL_SLOT_ENDED) {
		bid_farewell(s, t, SLOT_KILLED, NULL);
		free_slot(t);
	}
}

void slots_check(struct slots *s)
{
	uint64_t now = clock_now_ns();
	uint32_t i;

	for (i = 0; is_worth_a_look(s, i); i++)
		check_one(s, &s->items[i], now);
}

uint32_t slots_live(struct slots *s)
{
	uint32_t i, live = 0;

	for (i = 0; is_worth_a_look(s, i); i++) {
		struct slot *t = &s->items[i];

		if (state_of(t) == CHANNEL_SLOT_LIVE && t->use == USE_READ &&
		    liveness_check(&t->process))
			live++;
	}
	return live;
}

bool slots_have(struct slots *s, uint32_t pid)
{
	uint32_t i;

	for (i = 0; is_worth_a_look(s, i); i++) {
		if (s->items[i].use == USE_READ && s->items[i].process.pid == pid &&
		    liveness_check(&s->items[i].process))
			return true;
	}
	return false;
}

bool slots_answered(struct slots *s, uint32_t question)
{
	uint32_t i;

	for (i = 0; is_worth_a_look(s, i); i++) {
		struct slot *t = &s->items[i];

		if (state_of(t) == CHANNEL_SLOT_LIVE && t->use == USE_READ &&
		    __atomic_load_n(&t->ring.slot->reported, __ATOMIC_ACQUIRE) != question &&
		    liveness_check(&t->process))
			return false;
	}
	return true;
}

uint64_t slots_cpu_ns(struct slots *s)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; is_worth_a_look(s, i); i++) {
		struct slot *t = &s->items[i];

		if (t->use == USE_READ && liveness_check(&t->process))
			sum += clock_process_cpu_ns((int)t->process.pid);
	}
	return sum;
}

void slots_finish(struct slots *s)
{
	uint32_t i;

	slots_check(s);
	slots_drain(s);
	for (i = 0; is_worth_a_look(s, i); i++) {
		struct slot *t = &s->items[i];

		if (t->use == USE_READ)
			bid_farewell(s, t,
				     state_of(t) == CHANNEL_SLOT_ENDED ? SLOT_ENDED
				     : liveness_was_seen(&t->process) &&
						     !liveness_check(&t->process)
					     ? SLOT_KILLED
					     : SLOT_LEFT_OVER,
				     NULL);
	}
}
