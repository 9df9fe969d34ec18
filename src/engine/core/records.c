/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records for the collector; see records.h. */
#include "engine/core/records.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#include "channel/sys.h"
#include "engine/core/limits.h"
#include "engine/core/lock.h"
#include "engine/core/slots.h"
#include "engine/core/upward.h"
#include "engine/core/util.h"

/* tries of 200 us and more without anything read: the collector is gone */
#define GIVE_UP_TRIES 10000u
/* times as many where a loss ends profiling: the collector may write to a slow disk */
#define EXACT_FACTOR 5u
/* pauses of 200 us: with more threads than processors the collector gets to run */
#define ROOM_PAUSES   250u
#define READ_PAUSES   2500u /* for the collector to read what is there */
#define ROOM_PAUSE_NS 200000

static struct channel_header *header;

const char *records_open(int fd)
{
	struct channel_header h;
	long p;

	if (sys4(SYS_pread64, fd, &h, sizeof h, 0) != (long)sizeof h || h.magic != CHANNEL_MAGIC)
		return "the channel to dwell cannot be opened";
	if (h.version != CHANNEL_VERSION)
		return "dwell and dwell-engine are of different versions";
	if (h.slot_count == 0 || h.slot_count > 65536 || h.ring_bytes < 4096 ||
	    h.ring_bytes > (1ull << 32) || (h.ring_bytes & (h.ring_bytes - 1)) ||
	    h.slot_bytes < h.ring_bytes + CHANNEL_SLOT_HEADER_BYTES || h.slot_bytes > (1ull << 33))
		return "the channel to dwell is damaged";
	p = sys6(SYS_mmap, 0, CHANNEL_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed(p))
		return "the channel to dwell cannot be mapped";
	header = (struct channel_header *)p;
	engine.channel = (void *)p;
	util_failed = &header->marks;
	engine.slot_bytes = h.slot_bytes;
	engine.ring_bytes = h.ring_bytes;
	engine.slot_count = h.slot_count;
	engine.config = h.config;
	engine.collector_pid = h.collector_pid;
	return NULL;
}

bool records_claim(struct process *p, uint32_t parent)
{
	if (!header || records_abandoned() || records_finishing())
		return false;
	for (uint32_t i = 0; i < engine.slot_count; i++) {
		uint32_t free_state = CHANNEL_SLOT_FREE;

		if (slots_look(p, i).state != CHANNEL_SLOT_FREE || !slots_map(p, i) ||
		    !__atomic_compare_exchange_n(&p->ring.slot->state, &free_state,
						 CHANNEL_SLOT_CLAIMED, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		p->order = __atomic_fetch_add(&header->process_order, 1, __ATOMIC_RELAXED);
		p->ring.slot->pid = p->pid;
		p->slot = i;
		slots_lock(p);
		p->ring.slot->order = p->order;
		p->ring.slot->parent = parent;
		p->ring.slot->lost_records = 0;
		p->ring.slot->reported = records_question();
		p->ring.slot->counters = (struct channel_counters){0};
		__atomic_store_n(&p->ring.slot->state, CHANNEL_SLOT_LIVE, __ATOMIC_RELEASE);
		p->profiling = true;
		return true;
	}
	__atomic_fetch_add(&header->lost_processes, 1, __ATOMIC_RELAXED);
	return false;
}

bool records_has_process(const struct process *p, uint32_t pid)
{
	for (uint32_t i = 0; i < engine.slot_count; i++) {
		struct channel_slot slot = slots_look(p, i);

		if (slot.state == CHANNEL_SLOT_LIVE && slot.pid == pid)
			return true;
	}
	return false;
}

void records_native(int32_t change)
{
	if (header)
		__atomic_fetch_add(&header->native_programs, (uint32_t)change, __ATOMIC_RELAXED);
}

uint64_t records_ran(uint64_t accesses)
{
	return header ? __atomic_add_fetch(&header->accesses, accesses, __ATOMIC_RELAXED) : 0;
}

bool records_abandoned(void)
{
	return !header || __atomic_load_n(&header->collector_gone, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&header->stop, __ATOMIC_RELAXED) == CHANNEL_STOP_AT_ONCE;
}

static uint32_t gave_up; /* atomic */

void records_give_up(const struct process *p)
{
	if (!p->profiling || __atomic_exchange_n(&gave_up, 1, __ATOMIC_RELAXED))
		return;
	util_note_failure();
	say("process %lu: no memory to profile it any further: it runs on unprofiled (raise the "
	    "limits: ulimit -v, ulimit -d, vm.max_map_count)",
	    (uint64_t)p->pid);
}

#define EMPTIED_BEFORE_DETACHED 4u
#define EMPTIED_BEFORE_END	8u

void records_no_room(const struct process *p, uint32_t emptied)
{
	if (emptied == EMPTIED_BEFORE_DETACHED)
		records_give_up(p);
	else if (emptied == EMPTIED_BEFORE_END)
		limits_no_room();
}

bool records_finishing(void)
{
	return __atomic_load_n(&gave_up, __ATOMIC_RELAXED) ||
	       (header &&
		__atomic_load_n(&header->stop, __ATOMIC_RELAXED) == CHANNEL_STOP_IN_ORDER);
}

/* Returns the number of the call. */
static uint32_t wake_collector(void)
{
	const uint32_t number = __atomic_add_fetch(&header->wake, 1, __ATOMIC_RELEASE);

	sys3(SYS_futex, &header->wake, FUTEX_WAKE, 1);
	return number;
}

static bool is_watched(const struct process *p)
{
	return p->profiling && p->ring.slot && !p->borrowed_memory;
}

uint32_t records_question(void)
{
	return header ? __atomic_load_n(&header->report, __ATOMIC_ACQUIRE) : 0;
}

bool records_asked(const struct process *p)
{
	return is_watched(p) && p->ring.slot->reported != records_question();
}

void records_answer(struct process *p, uint32_t question)
{
	if (!is_watched(p))
		return;
	__atomic_store_n(&p->ring.slot->reported, question, __ATOMIC_RELEASE);
	wake_collector();
}

struct channel_header *records_header(void)
{
	return header;
}

/*
 * A collector that was killed, but not waited for, still has a process number, but no memory. Then
 * reading a byte of it fails with ESRCH, whether or not the kernel permits it.
 */
static bool collector_has_memory(void)
{
	uint8_t byte;
	struct iovec here = {&byte, 1}, there = {0, 1};

	return engine.quiet ||
	       sys6(SYS_process_vm_readv, header->collector_pid, &here, 1, &there, 1, 0) != -ESRCH;
}

static bool collector_lives(void)
{
	if (records_abandoned())
		return false;
	return sys2(SYS_kill, header->collector_pid, 0) != -ESRCH && collector_has_memory();
}

/*
 * Reserves room for a record; with `wait`, waits for it while the collector lives. The lock is
 * held.
 */
static void *reserve(struct process *p, uint32_t bytes, bool wait)
{
	uint64_t read_before = p->ring.slot->read_pos;
	bool exact = wait;

	for (uint32_t tries = 0;; tries++) {
		void *r = ring_reserve(&p->ring, bytes);

		/* a killed collector may seem to live, and a stopped one reads nothing */
		if (tries > GIVE_UP_TRIES * (exact ? EXACT_FACTOR : 1) &&
		    p->ring.slot->read_pos == read_before)
			wait = false;

		if (r)
			return r;
		wake_collector();
		if (!wait || (tries % 64 == 63 && !collector_lives()))
			break;
		struct timespec pause = {0, tries < 16 ? 20000 : 200000};

		sys2(SYS_nanosleep, &pause, 0);
	}
	p->ring.slot->lost_records++;
	if (exact)
		p->profiling = false;
	return 0;
}

/*
 * After `bytes` were added: wake at each eighth of the ring, from a quarter on. Waking at each
 * record would cost a call for each.
 */
static bool is_time_to_wake(const struct ring *r, uint32_t bytes)
{
	uint64_t part = r->bytes / 8, now = r->slot->write_pos;

	return now / part != (now - bytes) / part && ring_used(r) > r->bytes / 4;
}

/* Writes a record in two parts. False: it was lost. */
static bool put(struct process *p, uint32_t type, void *record, uint32_t fixed, const void *more,
		uint32_t more_bytes, bool wait)
{
	uint32_t bytes = (uint32_t)round_up(fixed + more_bytes, 8);
	uint8_t *at;

	if (!p->profiling || !p->ring.slot || p->borrowed_memory)
		return false;
	*(struct record_header *)record = (struct record_header){type, bytes};
	lock_take(&p->ring_lock);
	at = reserve(p, bytes, wait);
	if (at) {
		memcpy(at, record, fixed);
		memcpy(at + fixed, more, more_bytes);
		memset(at + fixed + more_bytes, 0, bytes - fixed - more_bytes);
		ring_commit(&p->ring, bytes);
		if (is_time_to_wake(&p->ring, bytes))
			wake_collector();
	}
	lock_drop(&p->ring_lock);
	return at != 0;
}

static uint32_t text_bytes(const char *s)
{
	uint32_t n = 0;

	while (s[n])
		n++;
	return n + 1;
}

void records_process(struct process *p, const char *exe, char *const argv[], uint32_t parent,
		     uint32_t cause)
{
	static char text[16384]; /* start-up and fork are single-threaded */
	struct record_process r = {.pid = p->pid,
				   .ppid = (uint32_t)sys0(SYS_getppid),
				   .order = p->order,
				   .parent = parent,
				   .cause = cause,
				   .time_ns = now_ns()};
	uint32_t n = 0, len = text_bytes(exe);

	if (len > 4096)
		len = 4096;
	memcpy(text, exe, len);
	text[len - 1] = 0;
	n = len;
	for (uint32_t i = 0; argv && argv[i]; i++) {
		len = text_bytes(argv[i]);
		if (len > 1024)
			len = 1024;
		if (n + len > sizeof text)
			break;
		memcpy(text + n, argv[i], len);
		n += len;
		text[n - 1] = 0;
	}
	r.string_bytes = n;
	put(p, RECORD_PROCESS, &r, sizeof r, text, n, true);
}

void records_await_reader(struct process *p)
{
	const struct timespec pause = {0, ROOM_PAUSE_NS};
	uint32_t wanted;

	if (!is_watched(p) || p->has_waited)
		return;
	wanted = wake_collector();
	for (uint32_t i = 0;
	     (int32_t)(__atomic_load_n(&header->read_up_to, __ATOMIC_ACQUIRE) - wanted) < 0; i++) {
		if (i == READ_PAUSES || records_abandoned()) {
			p->has_waited = true;
			return;
		}
		sys2(SYS_nanosleep, &pause, 0);
	}
}

void records_module(struct process *p, uint64_t start, uint64_t end, uint64_t offset,
		    const char *path, const struct module_file *file)
{
	struct record_module r = {.start = start,
				  .end = end,
				  .file_offset = offset,
				  .position = p->total.accesses,
				  .device = file->device,
				  .inode = file->inode,
				  .modified_ns = file->modified_ns,
				  .path_bytes = text_bytes(path)};

	/* the file may be unreachable for others once the process has ended */
	if (put(p, RECORD_MODULE, &r, sizeof r, path, r.path_bytes, true) && file->is_elsewhere)
		records_await_reader(p);
}

void records_unmap(struct process *p, uint64_t start, uint64_t end)
{
	struct record_unmap r = {.start = start, .end = end, .position = p->total.accesses};

	put(p, RECORD_UNMAP, &r, sizeof r, 0, 0, engine_simulates());
}

void records_thread(struct process *p, const struct thread *t)
{
	struct record_thread r = {.tid = t->tid,
				  .index = t->index,
				  .accesses = thread_accesses(t),
				  .loads = t->counters.loads,
				  .stores = t->counters.stores,
				  .instructions = t->counters.instructions};

	put(p, RECORD_THREAD, &r, sizeof r, 0, 0, engine_simulates());
}

uint64_t records_lost(const struct process *p)
{
	return p->ring.slot ? p->ring.slot->lost_records : 0;
}

static bool has_room(const struct process *p)
{
	return !p->ring.slot || ring_used(&p->ring) <= p->ring.bytes / 4 * 3;
}

bool records_wait_for_room(struct process *p)
{
	const struct timespec pause = {0, ROOM_PAUSE_NS};

	/* not again after it was in vain, until there is room */
	for (uint32_t i = 0; i < ROOM_PAUSES && !has_room(p) && !p->has_waited; i++) {
		if (i == 0)
			wake_collector();
		sys2(SYS_nanosleep, &pause, 0);
	}
	p->has_waited = !has_room(p);
	return !p->has_waited;
}

bool records_window(struct process *p, const struct record_window *w)
{
	struct record_window r = *w;

	return put(p, RECORD_WINDOW, &r, sizeof r, 0, 0, false);
}

void records_sample(struct process *p, const struct record_sample *s)
{
	struct record_sample r = *s;

	put(p, RECORD_SAMPLE, &r, sizeof r, 0, 0, false);
}

void records_far(struct process *p, const struct record_far *f, const struct far_line *lines,
		 uint32_t count)
{
	struct record_far r = *f;

	put(p, RECORD_FAR, &r, sizeof r, lines, count * (uint32_t)sizeof *lines, false);
}

void records_stack_distance(struct process *p, const struct record_stack_distance *d)
{
	struct record_stack_distance r = *d;

	put(p, RECORD_STACK_DISTANCE, &r, sizeof r, 0, 0, false);
}

void records_nested(struct process *p, struct record_nested *r, const struct nested_event *events)
{
	put(p, RECORD_NESTED, r, sizeof *r, events, r->count * (uint32_t)sizeof *events, false);
}

void records_region(struct process *p, uint64_t start, uint64_t end, const char *name,
		    uint32_t number)
{
	struct record_region r = {.start = start,
				  .end = end,
				  .position = p->total.accesses,
				  .name_bytes = text_bytes(name),
				  .number = number};

	put(p, RECORD_REGION, &r, sizeof r, name, r.name_bytes, true);
}

void records_locals(struct process *p, uint64_t start, uint64_t end, uint64_t code)
{
	struct record_locals r = {
		.start = start, .end = end, .code = code, .position = p->total.accesses};

	put(p, RECORD_LOCALS, &r, sizeof r, 0, 0, true);
}

uint32_t records_stream_most(const struct process *p)
{
	return (uint32_t)(p->ring.bytes / 8 / 8) - 8;
}

void records_stream(struct process *p, uint32_t thread, const uint64_t *entries, uint32_t count)
{
	uint32_t most = records_stream_most(p);

	while (count) {
		uint32_t n = count < most ? count : most;
		struct record_stream r = {.thread = thread, .count = n};

		put(p, RECORD_STREAM, &r, sizeof r, entries, n * 8, true);
		entries += n;
		count -= n;
	}
}

void records_lines(struct process *p, struct record_lines *r, const uint64_t *entries)
{
	put(p, RECORD_LINES, r, sizeof *r, entries, r->count * 8, true);
}

void records_probes(struct process *p, struct record_probes *r, const uint64_t *entries)
{
	put(p, RECORD_PROBES, r, sizeof *r, entries, r->count * 8, true);
}

bool records_site(struct process *p, const struct record_site *s, const uint64_t *path)
{
	struct record_site r = *s;

	r.position = p->total.accesses;
	return put(p, RECORD_SITE, &r, sizeof r, path, r.depth * 8, true);
}

bool records_site_counts(struct process *p, const struct record_site_counts *c)
{
	struct record_site_counts r = *c;

	return put(p, RECORD_SITE_COUNTS, &r, sizeof r, 0, 0, true);
}

bool records_path(struct process *p, uint32_t id, const uint64_t *path, uint32_t depth)
{
	struct record_path r = {.id = id, .depth = depth, .position = p->total.accesses};

	return put(p, RECORD_PATH, &r, sizeof r, path, depth * 8, false);
}

void records_segment(struct process *p, struct record_segment *r, const void *parts, uint32_t bytes)
{
	r->position = p->total.accesses;
	put(p, RECORD_SEGMENT, r, sizeof *r, parts, bytes, true);
}

void records_node(struct process *p, struct record_node *r)
{
	r->position = p->total.accesses;
	put(p, RECORD_NODE, r, sizeof *r, 0, 0, true);
}

void records_arc(struct process *p, struct record_arc *r, const uint64_t *inclusive)
{
	r->position = p->total.accesses;
	put(p, RECORD_ARC, r, sizeof *r, inclusive, r->events * 8, true);
}

void records_jump(struct process *p, struct record_jump *r)
{
	r->position = p->total.accesses;
	put(p, RECORD_JUMP, r, sizeof *r, 0, 0, true);
}

#define PLAIN(name, NAME)                                               \
	void records_##name(struct process *p, struct record_##name *r) \
	{                                                               \
		put(p, RECORD_##NAME, r, sizeof *r, 0, 0, true);        \
	}

PLAIN(bin, BIN)
PLAIN(stretch, STRETCH)
PLAIN(contrasts, CONTRASTS)
PLAIN(eviction, EVICTION)
PLAIN(references, REFERENCES)
PLAIN(pattern, PATTERN)

void records_message(struct process *p, const char *text)
{
	struct record_header r;

	put(p, RECORD_MESSAGE, &r, sizeof r, text, text_bytes(text), engine_simulates());
}

static struct channel_counters counters_of(const struct process *p)
{
	uint64_t blocks, code_bytes;

	upward.code_use(&blocks, &code_bytes);
	return (struct channel_counters){
		.accesses = p->total.accesses,
		.loads = p->total.loads,
		.stores = p->total.stores,
		.instructions = p->total.instructions,
		.rep_iterations = p->extra.rep_iterations,
		.vector_elements = p->extra.vector_elements,
		.translate_cycles = p->extra.translate_cycles,
		.scan_cycles = p->extra.scan_cycles,
		.watch_accesses = p->extra.watch_accesses,
		.blocks = blocks,
		.code_bytes = code_bytes,
		.engine_bytes = util_engine_bytes() + code_bytes,
		.counting_ns = p->counting_ns,
		.sampling_ns = p->sampling_ns,
		.translate_ns = p->translate_ns,
		.data_until = p->data_until,
	};
}

void records_counters(struct process *p)
{
	if (!is_watched(p))
		return;
	p->ring.slot->counters = counters_of(p);
	/* samples are sent at once, so the question is answered; a simulation answers later */
	if (engine.config.mode != CHANNEL_MODE_SIMULATE && records_asked(p))
		records_answer(p, records_question());
}

void records_end(struct process *p, uint32_t cause, uint32_t status, uint64_t footprint)
{
	struct record_end r = {.cause = cause,
			       .status = status,
			       .time_ns = now_ns(),
			       .footprint_pages = footprint};

	if (!is_watched(p))
		return;
	r.counters = counters_of(p);
	p->ring.slot->counters = r.counters;
	put(p, RECORD_END, &r, sizeof r, 0, 0, true);
	p->profiling = false;
	slots_unlock(p);
	__atomic_store_n(&p->ring.slot->state, CHANNEL_SLOT_ENDED, __ATOMIC_RELEASE);
	wake_collector();
}
