/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that other processes write; see visits.h. */
#define _GNU_SOURCE
#include "engine/run/visits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/addresses.h"
#include "engine/core/lock.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"
#include "engine/run/dispatch.h"
#include "engine/run/syscalls/descriptors.h"
#include "engine/run/syscalls/syscalls.h"
#include "engine/translate/world.h"

#define MAILBOX_MAGIC1 0x6f6f64206c6c6577ull
#define MAILBOX_MAGIC2 0x9d1c5be2a7f3064cull
/* Both engines must agree on the layout of what one reads in the other. */
#define LAYOUT                                                                           \
	(sizeof(struct thread) << 48 ^ offsetof(struct thread, stuck_at) << 32 ^         \
	 offsetof(struct thread, listed_at) << 16 ^ offsetof(struct process, pid) << 8 ^ \
	 sizeof(struct code_page))

struct mailbox {
	uint64_t magic[2];
	uint64_t layout;
	uint64_t asked;	     /* address of two bytes of engine_hold.asked, one for each level */
	uint64_t threads;    /* address of engine.threads */
	uint64_t pages;	     /* the table of code pages */
	uint64_t page_count; /* address of its length */
	uint32_t granted;    /* enum visit_level that holds already */
};

static struct mailbox *mailbox; /* at LOW_TABLES, or NULL: none */

/* ---- In the process that is written to ---- */

void visits_begin(void)
{
	struct mailbox *d = addresses_map_low(PAGE, PAGE, MAP_PRIVATE);
	const uint32_t *count;

	if ((uint64_t)(uintptr_t)d != LOW_TABLES)
		return;
	d->layout = LAYOUT;
	d->asked = (uint64_t)(uintptr_t)&engine_hold.asked;
	d->threads = (uint64_t)(uintptr_t)&engine.threads;
	d->pages = (uint64_t)(uintptr_t)pages_table(&count);
	d->page_count = (uint64_t)(uintptr_t)count;
	d->magic[0] = MAILBOX_MAGIC1;
	d->magic[1] = MAILBOX_MAGIC2;
	mailbox = d;
}

void visits_end(void)
{
	if (mailbox)
		mailbox->magic[0] = 0;
}

void visits_answer(struct thread *t)
{
	enum visit_level level;
	uint32_t asked;

	if (!visits_are_asked() || !mailbox)
		return;
	world_stop(t, 0);
	asked = __atomic_load_n(&engine_hold.asked, __ATOMIC_SEQ_CST);
	level = asked >> 8 ? VISIT_ALL : asked ? VISIT_WRITABLE : VISIT_NONE;
	if (mailbox->granted < level) {
		lock_take(&engine.translate_lock);
		if (level == VISIT_ALL)
			pages_trust_none();
		else
			pages_protect_no_more();
		lock_drop(&engine.translate_lock);
		__atomic_store_n(&mailbox->granted, level, __ATOMIC_SEQ_CST);
	}
	/* Clear the request, unless another one has come meanwhile. */
	__atomic_compare_exchange_n(&engine_hold.asked, &asked, 0, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
	world_release();
}

/* ---- In the process that writes ---- */

#define PATIENCE_NS  1000000000u
#define PAUSE_NS     50000
#define MOST_WALKS   3u
#define MOST_THREADS 100000u

/* The process that is written to, called the host. */
struct visit {
	uint64_t pid;
	long mem; /* descriptor of its memory */
	struct mailbox mailbox;
	bool same_pids; /* same pid namespace: thread ids are valid in both */
};

static bool get(const struct visit *v, uint64_t at, void *to, uint64_t bytes)
{
	return sys4(SYS_pread64, v->mem, to, bytes, at) == (long)bytes;
}

static bool put(const struct visit *v, uint64_t at, const void *from, uint64_t bytes)
{
	return sys4(SYS_pwrite64, v->mem, from, bytes, at) == (long)bytes;
}

static bool has_same_pids(uint64_t pid)
{
	char path[PROC_PATH_BYTES], ours[PROC_PATH_BYTES], theirs[PROC_PATH_BYTES];
	long n = sys3(SYS_readlink, "/proc/self/ns/pid", ours, sizeof ours);

	proc_path(path, pid, "ns/pid");
	return n > 0 && sys3(SYS_readlink, path, theirs, sizeof theirs) == n &&
	       memcmp(ours, theirs, (size_t)n) == 0;
}

static void end(const struct visit *v)
{
	sys1(SYS_close, v->mem);
}

/* False: the process has no engine, or the kernel denies access to its memory. */
static bool begin(struct visit *v, uint64_t pid)
{
	char path[PROC_PATH_BYTES];
	struct rlimit was;
	const bool raised = descriptors_raise(&was);

	v->pid = pid;
	proc_path(path, pid, "mem");
	v->mem = sys4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	if (raised)
		descriptors_restore(&was);
	if (sys_failed(v->mem))
		return false;
	if (get(v, LOW_TABLES, &v->mailbox, sizeof v->mailbox) &&
	    v->mailbox.magic[0] == MAILBOX_MAGIC1 && v->mailbox.magic[1] == MAILBOX_MAGIC2 &&
	    v->mailbox.layout == LAYOUT) {
		v->same_pids = has_same_pids(pid);
		return true;
	}
	end(v);
	return false;
}

/*
 * Send a signal to a thread that runs code; `at`: its address in the host. The signal must not
 * interrupt a system call. A thread that leaves the code from here on waits for the signal before
 * it makes one (stuck_await_call); a thread that left earlier is sent none.
 */
static void call_out(const struct visit *v, uint64_t at, const struct thread *t)
{
	const uint64_t called = 1, not_called = 0,
		       stuck_at = at + offsetof(struct thread, stuck_at);
	siginfo_t info = {.si_signo = TICK_SIGNAL, .si_code = SI_TIMER};
	uint32_t in_cache = 0, pid = 0;

	info.si_value.sival_ptr = (void *)(uintptr_t)at;
	if (!v->same_pids || !t->tid ||
	    !get(v, (uint64_t)(uintptr_t)t->process + offsetof(struct process, pid), &pid,
		 sizeof pid) ||
	    !put(v, stuck_at, &called, sizeof called))
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!get(v, at + offsetof(struct thread, in_cache), &in_cache, sizeof in_cache) ||
	    !in_cache || sys_failed(sys4(SYS_rt_tgsigqueueinfo, pid, t->tid, TICK_SIGNAL, &info)))
		put(v, stuck_at, &not_called, sizeof not_called);
}

/* Is none of the host's threads in translated code? With `calls`, call those that are. */
static bool look_at_threads(const struct visit *v, bool calls)
{
	bool out = true;

	for (uint32_t walks = 0; walks < MOST_WALKS; walks++) {
		struct thread t;
		uint64_t at, n = 0;

		if (!get(v, v->mailbox.threads, &at, sizeof at))
			return true; /* the host has ended */
		for (; at && n < MOST_THREADS; n++) {
			if (!get(v, at, &t, sizeof t))
				return true;
			if (!t.listed_at)
				break; /* this thread has just ended; its link is not valid */
			if (t.in_cache && calls)
				call_out(v, at, &t);
			out &= !t.in_cache;
			at = (uint64_t)(uintptr_t)t.next_thread;
		}
		if (!at)
			return out;
	}
	return false;
}

static bool has_granted(const struct visit *v, enum visit_level level)
{
	uint32_t granted;

	return !get(v, LOW_TABLES + offsetof(struct mailbox, granted), &granted, sizeof granted) ||
	       granted >= level;
}

/* No thread runs old code, and none will: it sees the request before it enters. */
static bool is_at_rest(const struct visit *v, enum visit_level level, bool calls)
{
	uint8_t asked;

	return look_at_threads(v, calls) && get(v, v->mailbox.asked + level - 1, &asked, 1) &&
	       asked;
}

/* A stopped host need not be awaited: it takes its signals before it runs code again. */
static bool is_stopped(const struct visit *v)
{
	char path[PROC_PATH_BYTES], text[128];
	const char *state = 0;

	proc_path(path, v->pid, "stat");
	proc_read(path, text, sizeof text);
	for (const char *p = text; *p; p++)
		if (p[0] == ')' && p[1] == ' ')
			state = p + 2;
	return !state || *state == 'T' || *state == 't';
}

static void ask(const struct visit *v, enum visit_level level)
{
	const struct {
		long s, ns;
	} pause = {0, PAUSE_NS};
	const uint64_t until = now_ns() + PATIENCE_NS;
	const uint8_t yes = 1;
	bool calls = true;

	if (v->mailbox.granted >= level || !put(v, v->mailbox.asked + level - 1, &yes, 1))
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	while (!is_at_rest(v, level, calls) && !has_granted(v, level) && !is_stopped(v) &&
	       now_ns() < until) {
		calls = false;
		sys2(SYS_nanosleep, &pause, 0);
	}
}

void visits_ask_all(const struct thread *t, uint64_t pid)
{
	struct visit v;

	if (engine.quiet || pid == t->process->pid || !begin(&v, pid))
		return;
	ask(&v, VISIT_ALL);
	end(&v);
}

/* ---- process_vm_writev ---- */

#define MOST_PARTS 1024u
#define MOST_BYTES 0x7ffff000ull /* of one call */

/* A list of struct iovec, and how many of its bytes are done. */
struct parts {
	uint64_t at, count, done;
};

static bool part_of(const struct parts *p, uint64_t i, struct iovec *v)
{
	return engine_copy(v, (const void *)(uintptr_t)(p->at + i * sizeof *v), sizeof *v) == 0;
}

/* The rest of the part that comes next. False: none, or the list cannot be read. */
static bool next_part(const struct parts *p, struct iovec *v)
{
	uint64_t skip = p->done;

	for (uint64_t i = 0; i < p->count && i < MOST_PARTS; i++) {
		if (!part_of(p, i, v))
			return false;
		if (v->iov_len > skip) {
			v->iov_base = (uint8_t *)v->iov_base + skip;
			v->iov_len -= skip;
			return true;
		}
		skip -= v->iov_len;
	}
	return false;
}

static uint64_t bytes_of(const struct parts *p)
{
	struct iovec v;
	uint64_t n = 0;

	for (uint64_t i = 0; i < p->count && i < MOST_PARTS && part_of(p, i, &v); i++)
		n += v.iov_len;
	return n;
}

/* Has the host's engine write-protected the page? */
static bool is_protected(const struct visit *v, uint64_t page)
{
	struct code_page some[32];
	uint32_t count, n;

	if (!get(v, v->mailbox.page_count, &count, sizeof count))
		return false;
	for (uint32_t i = 0; i < count; i += n) {
		n = count - i < 32 ? count - i : 32;
		if (!get(v, v->mailbox.pages + i * sizeof *some, some, n * sizeof *some))
			return false;
		for (uint32_t k = 0; k < n; k++)
			if (some[k].address == page && some[k].write_protected)
				return true;
	}
	return false;
}

/* Write to a protected page through /proc/PID/mem: no thread of the host removes protection. */
static long force(const struct visit *v, const struct iovec *from, const struct iovec *to)
{
	const uint64_t at = (uint64_t)(uintptr_t)to->iov_base, page = at & ~(PAGE - 1);
	uint64_t n = page + PAGE - at;

	n = n < from->iov_len ? n : from->iov_len;
	n = n < to->iov_len ? n : to->iov_len;
	return is_protected(v, page) ? sys4(SYS_pwrite64, v->mem, from->iov_base, n, at) : 0;
}

/* Write to one place, perhaps only a part. */
static long write_part(const struct visit *v, const struct iovec *from, const struct iovec *to)
{
	long r = sys6(SYS_process_vm_writev, v->pid, from, 1, to, 1, 0);

	if (r <= 0)
		r = force(v, from, to);
	/* The protection may have gone between the two: try again. */
	return r > 0 ? r : sys6(SYS_process_vm_writev, v->pid, from, 1, to, 1, 0);
}

/* Continue a call that stopped early, up to `most` bytes in all. Returns the bytes added. */
static long write_on(const struct visit *v, struct parts from, struct parts to, uint64_t most)
{
	const uint64_t before = from.done;
	struct iovec f, g;

	while (from.done < most && next_part(&from, &f) && next_part(&to, &g)) {
		long r;

		if (f.iov_len > most - from.done)
			f.iov_len = most - from.done;
		r = write_part(v, &f, &g);
		if (r <= 0)
			break;
		from.done += (uint64_t)r;
		to.done += (uint64_t)r;
	}
	return (long)(from.done - before);
}

long visits_writev(struct thread *t, long nr, const long a[6])
{
	const long r = syscalls_pass(t, nr, a), done = r > 0 ? r : 0;
	struct parts from = {(uint64_t)a[1], (uint64_t)a[2], (uint64_t)done},
		     to = {(uint64_t)a[3], (uint64_t)a[4], (uint64_t)done};
	const uint64_t pid = (uint32_t)a[0];
	uint64_t most = MOST_BYTES;
	struct visit v;
	long more;

	if ((r < 0 && r != -EFAULT) || engine.quiet || pid == t->process->pid)
		return r;
	most = bytes_of(&from) < most ? bytes_of(&from) : most;
	most = bytes_of(&to) < most ? bytes_of(&to) : most;
	if ((uint64_t)done >= most || !begin(&v, pid))
		return r;
	ask(&v, VISIT_WRITABLE);
	more = write_on(&v, from, to, most);
	end(&v);
	return more ? done + more : r;
}
