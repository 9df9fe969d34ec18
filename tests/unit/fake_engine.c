/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for dwell-engine in the tests of the collector: tells, through the
 * channel, of a run that never was, then executes the program natively.
 *
 * FAKE_ENGINE=WORD chooses what goes wrong:
 *   (nothing)  all is well: 2 windows of 3 samples and a far reuse each, 1000 accesses
 *   garbage    bytes that are no record follow
 *   badtype    a record of unknown type follows
 *   liar       a module record whose path has no end
 *   far-...    a far reuse that cannot be, see tell_bad_far
 *   far-over   a far reuse of a window that is over
 *   window     a window with more far touches than can be
 *   segment, node, arc, jump   a record of a simulation; all right by itself
 *   counts     impossible counts in the slot
 *   modules    20,000 files mapped at different places, each of them twice; one that comes and goes
 *   forks      3,000 processes that are forked with 1,500 files mapped
 *   names      12,000 pieces of memory with names
 *   killed     SIGKILL before the end is told
 *   stay       forks a child that stays alive for a second, after the command has ended
 *   stream     three records of RECORD_STREAM with 1000 entries each
 *   flood      100000 windows of one sample, through a ring that wraps
 *   natively   runs the program without a word
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "channel/channel.h"
#include "channel/launch.h"
#include "channel/ring.h"

static struct channel_header *header;
static struct ring ring;
static uint32_t order;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wake(void)
{
	__atomic_fetch_add(&header->wake, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &header->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Room for a record; waits for the reader as an exact variant does. */
static void *reserve(uint32_t type, size_t bytes)
{
	struct record_header *h;

	bytes = (bytes + 7) & ~(size_t)7;
	while ((h = ring_reserve(&ring, (uint32_t)bytes)) == NULL) {
		wake();
		usleep(200);
	}
	memset(h, 0, bytes);
	h->type = type;
	h->bytes = (uint32_t)bytes;
	return h;
}

static void commit(void *record)
{
	ring_commit(&ring, ((struct record_header *)record)->bytes);
}

static void claim(uint32_t parent)
{
	uint32_t i;

	for (i = 0; i < header->slot_count; i++) {
		uint32_t expected = CHANNEL_SLOT_FREE;

		ring_of_slot(&ring, header, header->slot_bytes, header->ring_bytes, i);
		if (!__atomic_compare_exchange_n(&ring.slot->state, &expected, CHANNEL_SLOT_CLAIMED,
						 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		order = __atomic_fetch_add(&header->process_order, 1, __ATOMIC_RELAXED);
		ring.slot->pid = (uint32_t)getpid();
		ring.slot->order = order;
		ring.slot->parent = parent;
		__atomic_store_n(&ring.slot->state, CHANNEL_SLOT_LIVE, __ATOMIC_RELEASE);
		return;
	}
	fprintf(stderr, "fake engine: no slot\n");
	_exit(99);
}

static void tell_process(uint32_t parent, uint32_t cause, const char *path, char **argv)
{
	struct record_process *p;
	size_t bytes = strlen(path) + 1, at;
	int i;

	for (i = 0; argv[i] != NULL; i++)
		bytes += strlen(argv[i]) + 1;
	p = reserve(RECORD_PROCESS, sizeof(*p) + bytes);
	p->pid = (uint32_t)getpid();
	p->ppid = (uint32_t)getppid();
	p->order = order;
	p->parent = parent;
	p->cause = cause;
	p->string_bytes = (uint32_t)bytes;
	p->time_ns = now_ns();
	at = strlen(path) + 1;
	memcpy(p + 1, path, at);
	for (i = 0; argv[i] != NULL; i++) {
		memcpy((char *)(p + 1) + at, argv[i], strlen(argv[i]) + 1);
		at += strlen(argv[i]) + 1;
	}
	commit(p);
}

static void tell_module(uint64_t start, uint64_t end, uint64_t position, const char *path,
			int is_liar)
{
	struct record_module *m = reserve(RECORD_MODULE, sizeof(*m) + strlen(path) + 1);

	m->start = start;
	m->end = end;
	m->position = position;
	m->path_bytes = (uint32_t)strlen(path) + (is_liar ? 0 : 1);
	memcpy(m + 1, path, strlen(path) + 1);
	commit(m);
}

static void tell_sample(uint32_t window, uint32_t status, uint64_t position, uint64_t pc)
{
	struct record_sample *s = reserve(RECORD_SAMPLE, sizeof(*s));

	s->window = window;
	s->status = status;
	s->position = position;
	s->distance = 10;
	s->line = 0x7000000;
	s->begin = (struct record_access){pc, 0x7000008, 8, ACCESS_LOAD, 0};
	if (status == SAMPLE_REUSED)
		s->end = (struct record_access){pc + 4, 0x7000010, 4, ACCESS_STORE, 0};
	commit(s);
}

/*
 * A touch of a line that is far at three sizes: at 16 bytes for the first time, at 64 and 128 bytes
 * 20000 accesses after a touch that is known.
 */
static struct record_far *begin_far(uint32_t window)
{
	struct record_far *f = reserve(RECORD_FAR, sizeof(*f) + 3 * sizeof(struct far_line));
	struct far_line *line = (void *)(f + 1);

	f->window = window;
	f->sizes = 1 << 2 | 1 << 4 | 1 << 5;
	f->first = 1 << 2;
	f->position = 140 + 500 * window;
	f->end = (struct record_access){0x10001008, 0x7000020, 2, ACCESS_STORE, 0};
	f->begin = (struct record_access){0x10001000, 0x7000010, 8, ACCESS_LOAD, 0};
	line[0] = (struct far_line){4 * CHANNEL_FAR_ONE, 0, 0};
	line[1] = (struct far_line){CHANNEL_FAR_ONE, 20000, 700};
	line[2] = (struct far_line){CHANNEL_FAR_ONE / 2, 20000, 400};
	return f;
}

static void tell_far(uint32_t window)
{
	commit(begin_far(window));
}

/* One that cannot be. */
static void tell_bad_far(const char *how)
{
	struct record_far *f = begin_far(strcmp(how, "far-over") == 0 ? 1 : 2);
	struct far_line *line = (void *)(f + 1);

	if (strcmp(how, "far-nowhere") == 0)
		f->sizes = f->first = 0;
	else if (strcmp(how, "far-size") == 0)
		f->sizes = 1 << 2 | 1 << 4 | 1 << CHANNEL_FAR_SIZES;
	else if (strcmp(how, "far-first") == 0)
		f->first = 1 << 3;
	else if (strcmp(how, "far-short") == 0)
		f->sizes |= 1 << 10;
	else if (strcmp(how, "far-long") == 0)
		f->sizes = 1 << 2;
	else if (strcmp(how, "far-weight") == 0)
		line[2].weight = 0;
	else if (strcmp(how, "far-number") == 0)
		line[1].lines = UINT64_MAX;
	else if (strcmp(how, "far-again") == 0)
		line[0].distance = 20000;
	else if (strcmp(how, "far-end") == 0)
		f->end.kind = 0;
	else if (strcmp(how, "far-begin") == 0)
		f->begin.kind = 0;
	commit(f);
}

static void tell_window(uint32_t number, uint32_t samples)
{
	struct record_window *w = reserve(RECORD_WINDOW, sizeof(*w));

	w->number = number;
	w->samples = samples;
	w->start = 100 + 500 * number;
	w->length = 50;
	w->stands_for = 500;
	w->footprint_pages = 7;
	for (uint32_t i = 0; i < CHANNEL_FAR_SIZES; i++) {
		w->far[i] = (CHANNEL_FAR_SIZES - i) * CHANNEL_FAR_ONE;
		w->far_lines[i] = 1000 * (number + 1) + i;
		w->far_line_weight[i] = 32 * CHANNEL_FAR_ONE + i;
	}
	commit(w);
}

static void tell_thread(void)
{
	struct record_thread *t = reserve(RECORD_THREAD, sizeof(*t));

	t->tid = (uint32_t)getpid();
	t->accesses = 1000;
	t->loads = 600;
	t->stores = 300;
	t->instructions = 2500;
	commit(t);
}

static const struct channel_counters final_counters = {
	.accesses = 1000,
	.loads = 600,
	.stores = 300,
	.instructions = 2500,
	.watch_accesses = 100,
};

static void tell_end(void)
{
	struct record_end *e = reserve(RECORD_END, sizeof(*e));

	e->time_ns = now_ns();
	e->footprint_pages = 9;
	e->counters = final_counters;
	commit(e);
	__atomic_store_n(&ring.slot->state, CHANNEL_SLOT_ENDED, __ATOMIC_RELEASE);
	wake();
}

static void tell_run(const char *path)
{
	uint32_t w;

	/* Addresses of the module are those of its file: the pcs are 0x10000000 above them. */
	tell_module(0x10000000, 0x20000000, 0, path, 0);
	for (w = 0; w < 2; w++) {
		tell_sample(w, SAMPLE_REUSED, 110 + 500 * w, 0x10001000);
		tell_sample(w, SAMPLE_FAR, 120 + 500 * w, 0x10001000);
		tell_sample(w, SAMPLE_CUT, 130 + 500 * w, 0x30000000);
		tell_far(w);
		tell_window(w, 3);
	}
	tell_thread();
	ring.slot->counters = final_counters;
}

/* A child that outlives us; it has told of itself before we go on. */
static void leave_a_child(void)
{
	char *argv[] = {(char *)"child", NULL};
	uint32_t parent = order;
	int told[2], i;
	char byte;

	if (pipe(told) != 0)
		return;
	if (fork() != 0) {
		close(told[1]);
		(void)!read(told[0], &byte, 1);
		close(told[0]);
		return;
	}
	claim(parent);
	tell_process(parent, 1, "/child", argv);
	tell_sample(0, SAMPLE_FAR, 1, 0x10001000);
	tell_window(0, 1);
	close(told[0]);
	close(told[1]);
	for (i = 0; i < 20 && header->collector_gone == 0; i++)
		usleep(50000);
	_exit(header->collector_gone ? 0 : 1);
}

static void tell_simulated(const char *how)
{
	if (strcmp(how, "segment") == 0) {
		struct record_segment *s =
			reserve(RECORD_SEGMENT, sizeof(*s) + sizeof(struct segment_part));

		s->pc = 0x10001000;
		s->executions = s->parts = 1;
		((struct segment_part *)(s + 1))->has_events = 1;
		commit(s);
	} else if (strcmp(how, "node") == 0) {
		struct record_node *n = reserve(RECORD_NODE, sizeof(*n));

		n->id = 1;
		commit(n);
	} else if (strcmp(how, "arc") == 0) {
		struct record_arc *a = reserve(RECORD_ARC, sizeof(*a));

		a->callee = 1;
		commit(a);
	} else {
		struct record_jump *j = reserve(RECORD_JUMP, sizeof(*j));

		j->node = 1;
		commit(j);
	}
}

static void tell_modules(uint64_t count, bool twice)
{
	char path[32];

	for (uint64_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/no/such/%" PRIu64, i);
		for (int k = 0; k < 1 + twice; k++)
			tell_module(0x100000000 + i * 0x2000, 0x100001000 + i * 0x2000, 0, path, 0);
	}
}

static void tell_unmap(uint64_t start, uint64_t end)
{
	struct record_unmap *u = reserve(RECORD_UNMAP, sizeof(*u));

	u->start = start;
	u->end = end;
	commit(u);
}

static void tell_forks(uint64_t count)
{
	char *argv[] = {(char *)"child", NULL};
	uint32_t parent = order;

	tell_modules(1500, false);
	while (count-- > 0) {
		order = __atomic_fetch_add(&header->process_order, 1, __ATOMIC_RELAXED);
		tell_process(parent, 1, "/child", argv);
	}
}

static void tell_names(uint64_t count)
{
	while (count-- > 0) {
		struct record_region *g = reserve(RECORD_REGION, sizeof(*g) + 16);

		g->start = 0x1000 + count * 64;
		g->end = g->start + 64;
		g->name_bytes = 16;
		snprintf((char *)(g + 1), 16, "name %" PRIu64, count);
		commit(g);
	}
}

static void misbehave(const char *how)
{
	uint64_t *entries, i, j;
	struct record_stream *s;
	void *record;

	if (strcmp(how, "garbage") == 0) {
		record = reserve(RECORD_MESSAGE, 64);
		memset(record, 0xa5, 64);
		ring_commit(&ring, 64);
	} else if (strcmp(how, "badtype") == 0) {
		commit(reserve(77, 64));
	} else if (strcmp(how, "liar") == 0) {
		tell_module(1, 2, 0, "/no/end", 1);
	} else if (strncmp(how, "far-", 4) == 0) {
		tell_bad_far(how);
	} else if (strcmp(how, "window") == 0) {
		struct record_window *w = reserve(RECORD_WINDOW, sizeof(*w));

		w->far[10] = UINT64_MAX;
		commit(w);
	} else if (strcmp(how, "segment") == 0 || strcmp(how, "node") == 0 ||
		   strcmp(how, "arc") == 0 || strcmp(how, "jump") == 0) {
		tell_simulated(how);
	} else if (strcmp(how, "counts") == 0) {
		ring.slot->counters.loads = UINT64_MAX;
		wake();
		usleep(400000);
	} else if (strcmp(how, "modules") == 0) {
		tell_modules(10000, true);
		for (i = 0; i < 2000; i++) {
			tell_module(0x1000, 0x2000, i, "/no/such/plugin", 0);
			tell_unmap(0x1000, 0x2000);
		}
		tell_modules(20000, true);
	} else if (strcmp(how, "forks") == 0) {
		tell_forks(3000);
	} else if (strcmp(how, "names") == 0) {
		tell_names(12000);
	} else if (strcmp(how, "killed") == 0) {
		kill(getpid(), SIGKILL);
	} else if (strcmp(how, "flood") == 0) {
		for (i = 2; i < 100000; i++) {
			tell_sample((uint32_t)i, SAMPLE_FAR, i, 0x10001000);
			tell_window((uint32_t)i, 1);
		}
	} else if (strcmp(how, "stream") == 0) {
		for (i = 0; i < 3; i++) {
			s = reserve(RECORD_STREAM, sizeof(*s) + 1000 * sizeof(uint64_t));
			s->count = 1000;
			entries = (uint64_t *)(s + 1);
			for (j = 0; j < 1000; j++)
				entries[j] = STREAM_ENTRY(0x1000 * j, ACCESS_LOAD, 8);
			commit(s);
		}
	} else if (strcmp(how, "stay") == 0) {
		leave_a_child();
	}
}

static char *take_variable(const char *name)
{
	char *value = getenv(name);

	value = value != NULL ? strdup(value) : NULL;
	unsetenv(name);
	return value;
}

int main(int argc, char **argv)
{
	char *channel = take_variable(CHANNEL_ENV), *exe = take_variable(LAUNCH_EXE_ENV);
	const char *how = getenv("FAKE_ENGINE");
	int channel_fd, engine_fd, program_fd;
	char path[PATH_MAX], link[64];
	struct stat st;
	ssize_t n;

	(void)argc;
	if (channel == NULL || exe == NULL ||
	    sscanf(channel, "%d:%d:", &channel_fd, &engine_fd) != 2 ||
	    sscanf(exe, "%d:", &program_fd) != 1 || fstat(channel_fd, &st) != 0) {
		fprintf(stderr, "fake engine: not started by dwell\n");
		return 99;
	}
	header = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, channel_fd, 0);
	if (header == MAP_FAILED || header->magic != CHANNEL_MAGIC ||
	    header->version != CHANNEL_VERSION) {
		fprintf(stderr, "fake engine: no channel\n");
		return 99;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", program_fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (how == NULL || strcmp(how, "natively") != 0) {
		claim(UINT32_MAX);
		tell_process(UINT32_MAX, 0, path, argv);
		tell_run(path);
		if (how != NULL)
			misbehave(how);
		tell_end();
	}
	close(channel_fd);
	close(engine_fd);
	fcntl(program_fd, F_SETFD, FD_CLOEXEC);
	execveat(program_fd, "", argv, environ, AT_EMPTY_PATH);
	fprintf(stderr, "dwell: %s: %s\n", path, strerror(errno));
	return 126;
}
