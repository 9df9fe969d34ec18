/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of a simulation take turns; see scheduler.h. */
#include "engine/simulate/mode/scheduler.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/proc.h"
#include "engine/core/stuck.h"
#include "engine/core/util.h"
#include "engine/drive/buffers.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/mode/results.h"
#include "engine/simulate/mode/stretches.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/replay/replay.h"

#define PIPE_ROOM  4096 /* bytes that a writable pipe takes without waiting */
#define ARRIVAL_NS 20000u
#define MOST_WAITS 100000u /* for a thread to arrive: 2 s, then the order is left to chance */
#define DISK_WAITS 100u	   /* of these for a thread that seems to wait for a disk */

/*
 * A turn lasts a millisecond or so. A holder that sleeps, and has used no processor time between
 * two looks, loses the turn. Some programs do this repeatedly: looks become more frequent each
 * time.
 */
#define LOOKS	      2u
#define MOST_LOOK_NS  20000000u
#define LEAST_LOOK_NS 500000u
/* in a longer queue each thread looks less often, to leave processors free */
#define LOOKERS 64u

/*
 * Under `lock`. Threads also read `holder`, to compare it with themselves, and `arrivals` without
 * it.
 */
static struct {
	uint32_t lock;
	struct thread *holder;
	struct thread *first, *last; /* of the waiting threads */
	uint32_t row;		     /* their number */
	uint32_t arrivals;	     /* threads that have arrived, ever */
	/* tid of the thread that dropped the turn for a system call it may not have begun; or 0 */
	uint32_t left;
	/* time of the last look at the holder; the time between looks */
	uint64_t looked_ns, look_ns;
} b = {.look_ns = MOST_LOOK_NS};

enum { CALL_NONE, CALL_IN, CALL_TAKEN };

static const struct {
	long s, ns;
} a_moment = {0, ARRIVAL_NS};

static bool takes_turns(const struct thread *t)
{
	return engine_simulates() && !t->process->borrowed_memory &&
	       (t->variant == VARIANT_STREAM || (t->variant == VARIANT_FILTER && plan.turns));
}

static bool is_alone(const struct thread *t)
{
	return engine.threads == t && !t->next_thread;
}

/* Gives the free turn to the first waiting thread. The lock is held. */
static void hand_on(void)
{
	struct thread *t = b.first;

	b.holder = t;
	if (!t)
		return;
	b.first = t->scheduler_next;
	b.row--;
	if (!b.first)
		b.last = 0;
	__atomic_store_n(&t->scheduler_turn, 1, __ATOMIC_RELEASE);
	futex_wake_all(&t->scheduler_turn);
}

/* The kernel's state of the thread: 'R', 'S' and so on; 'X' if it has ended. */
static char state_of(uint32_t tid)
{
	char text[64];

	proc_read_of_task(tid, "stat", text, sizeof text);
	return proc_state_in(text);
}

/*
 * A thread that dropped the turn for a system call must wait in the kernel, or be back, before the
 * next one runs. Else it would be left to chance whether that one finds a thread to wake.
 */
static void await_leaver(void)
{
	for (uint32_t i = 0; i < MOST_WAITS; i++) {
		uint32_t tid = __atomic_load_n(&b.left, __ATOMIC_ACQUIRE);

		char state = tid ? state_of(tid) : 'X';

		/* a parent also waits in this state for its vfork child, perhaps for long */
		if (state != 'R' && (state != 'D' || i >= DISK_WAITS))
			break;
		sys2(SYS_nanosleep, &a_moment, 0);
	}
	__atomic_store_n(&b.left, 0, __ATOMIC_RELEASE);
}

/* Queues t behind all others. The lock is held. */
static void line_up(struct thread *t)
{
	b.arrivals++;
	t->scheduler_next = 0;
	t->scheduler_turn = 0;
	t->scheduler_waits = true;
	if (b.last)
		b.last->scheduler_next = t;
	else
		b.first = t;
	b.last = t;
	b.row++;
}

/* Takes the turn from h, which waits in the kernel, for the next thread. The lock is held. */
static void take_away(struct thread *h, uint64_t pc)
{
	uint32_t in = CALL_IN;

	if (__atomic_compare_exchange_n(&h->scheduler_call, &in, CALL_TAKEN, 0, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		filter_turn_leave(h);
		hand_on();
	} else if (pc == STUCK_SOMEWHERE || cache_contains(pc)) {
		stuck_call_out(h, pc);
	} else {
		return;
	}
	b.look_ns = b.look_ns / 2 > LEAST_LOOK_NS ? b.look_ns / 2 : LEAST_LOOK_NS;
}

/* t is the next in the queue. */
static void look_at_holder(struct thread *t)
{
	uint64_t now = now_ns(), pc;

	lock_take(&b.lock);
	if (b.first == t && b.holder && now - b.looked_ns >= b.look_ns / 2) {
		b.looked_ns = now;
		if (stuck_look(b.holder, LOOKS, &pc)) {
			take_away(b.holder, pc);
		} else if (stuck_is_gone(b.holder)) {
			filter_turn_is_lost(t);
			hand_on();
		}
	}
	lock_drop(&b.lock);
}

/*
 * Sleeps as the program would, with its registers, because tracers see them; unless a signal comes
 * first.
 */
static void sleep_for_turn(struct thread *t)
{
	const uint64_t ns = b.look_ns * (1 + __atomic_load_n(&b.row, __ATOMIC_RELAXED) / LOOKERS);
	struct timespec most = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	const long args[6] = {(long)&t->scheduler_turn, FUTEX_WAIT, 0, (long)&most};

	if (engine_syscall(t, SYS_futex, args) == RESTART_CALL)
		futex_wait_ns(&t->scheduler_turn, 0, ns);
}

static void await_turn(struct thread *t)
{
	if (t->buf == t->buf_start)
		buffers_park(t);
	while (!__atomic_load_n(&t->scheduler_turn, __ATOMIC_ACQUIRE) && !native_is_on(t)) {
		sleep_for_turn(t);
		if (__atomic_load_n(&b.first, __ATOMIC_RELAXED) == t && !engine.quiet)
			look_at_holder(t);
	}
	t->scheduler_waits = false;
	await_leaver();
}

bool scheduler_take(struct thread *t)
{
	bool is_free;

	if (!takes_turns(t)) {
		scheduler_drop(t);
		return false;
	}
	if (t->scheduler_waits) {
		await_turn(t);
		return true;
	}
	if (__atomic_load_n(&b.holder, __ATOMIC_RELAXED) == t)
		return false;
	lock_take(&b.lock);
	if (b.left == t->tid)
		b.left = 0;
	is_free = !b.holder;
	if (is_free) {
		b.arrivals++;
		b.holder = t;
	} else {
		line_up(t);
	}
	lock_drop(&b.lock);
	if (is_free)
		await_leaver();
	else
		await_turn(t);
	return !is_free;
}

bool scheduler_pass(struct thread *t)
{
	if (__atomic_load_n(&b.holder, __ATOMIC_RELAXED) != t ||
	    !__atomic_load_n(&b.first, __ATOMIC_RELAXED))
		return false;
	filter_turn_leave(t);
	lock_take(&b.lock);
	line_up(t);
	hand_on();
	lock_drop(&b.lock);
	return true;
}

void scheduler_drop(struct thread *t)
{
	if (t->scheduler_waits)
		await_turn(t);
	if (__atomic_load_n(&b.holder, __ATOMIC_RELAXED) != t)
		return;
	filter_turn_leave(t);
	lock_take(&b.lock);
	hand_on();
	lock_drop(&b.lock);
}

bool scheduler_is_held_by(const struct thread *t)
{
	return __atomic_load_n(&b.holder, __ATOMIC_RELAXED) == t;
}

bool scheduler_enter_call(struct thread *t)
{
	if (!scheduler_is_held_by(t) || t->scheduler_call != CALL_NONE)
		return false;
	__atomic_store_n(&t->scheduler_call, CALL_IN, __ATOMIC_SEQ_CST);
	return true;
}

bool scheduler_leave_call(struct thread *t)
{
	if (__atomic_exchange_n(&t->scheduler_call, CALL_NONE, __ATOMIC_SEQ_CST) != CALL_TAKEN)
		return false;
	lock_take(&b.lock); /* so that the thread that has taken the turn is done */
	lock_drop(&b.lock);
	scheduler_take(t);
	return true;
}

void scheduler_end_turn(struct thread *t)
{
	t->turn = filter_turn_blocks;
	if (plan.stretches && stretches_turn_ends(t)) {
		t->turn_is_over = true;
		poll_call(t);
		return;
	}
	if (__atomic_load_n(&b.holder, __ATOMIC_RELAXED) != t ||
	    !__atomic_load_n(&b.first, __ATOMIC_RELAXED))
		return;
	t->turn_is_over = true;
	poll_call(t);
}

void scheduler_forked(void)
{
	b.lock = 0;
	b.holder = b.first = b.last = 0;
	b.row = 0;
	b.left = 0;
}

/* ---- System calls ---- */

enum may_wait {
	WAITS = 0, /* calls that are not in the table */
	NEVER,
	IF_NOTHING_TO_READ, /* from descriptor args[0] */
	IF_NO_ROOM,	    /* to write args[2] bytes to descriptor args[0] */
	IF_FUTEX_WAITS,
	IF_VFORK,
};

static const uint8_t calls[] = {
	[SYS_read] = IF_NOTHING_TO_READ,
	[SYS_readv] = IF_NOTHING_TO_READ,
	[SYS_recvfrom] = IF_NOTHING_TO_READ,
	[SYS_write] = IF_NO_ROOM,
	[SYS_futex] = IF_FUTEX_WAITS,
	[SYS_pread64] = NEVER,
	[SYS_pwrite64] = NEVER,
	[SYS_close] = NEVER,
	[SYS_fstat] = NEVER,
	[SYS_newfstatat] = NEVER,
	[SYS_stat] = NEVER,
	[SYS_lseek] = NEVER,
	[SYS_mmap] = NEVER,
	[SYS_mprotect] = NEVER,
	[SYS_munmap] = NEVER,
	[SYS_mremap] = NEVER,
	[SYS_madvise] = NEVER,
	[SYS_mincore] = NEVER,
	[SYS_brk] = NEVER,
	[SYS_rt_sigaction] = NEVER,
	[SYS_rt_sigprocmask] = NEVER,
	[SYS_rt_sigreturn] = NEVER,
	[SYS_getpid] = NEVER,
	[SYS_gettid] = NEVER,
	[SYS_getuid] = NEVER,
	[SYS_clock_gettime] = NEVER,
	[SYS_gettimeofday] = NEVER,
	[SYS_getrusage] = NEVER,
	[SYS_getrandom] = NEVER,
	[SYS_prlimit64] = NEVER,
	[SYS_sched_getaffinity] = NEVER,
	[SYS_set_robust_list] = NEVER,
	[SYS_rseq] = NEVER,
	[SYS_clone] = IF_VFORK,
	[SYS_clone3] = IF_VFORK,
	[SYS_fork] = NEVER, /* the child must find the caches unused */
	[SYS_tgkill] = NEVER,
};

static bool is_ready(long fd, short events)
{
	struct pollfd p = {.fd = (int)fd, .events = events};

	return sys3(SYS_poll, &p, 1, 0) == 1;
}

static bool futex_may_wait(const long args[6])
{
	switch (args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
	case FUTEX_WAKE_BITSET:
	case FUTEX_UNLOCK_PI:
		return false;
	default:
		return true;
	}
}

/* The flags of a clone or clone3: its first argument, or the first field of its struct. */
static uint64_t clone_flags(long nr, const long args[6])
{
	uint64_t flags = (uint64_t)args[0];

	if (nr == SYS_clone3 && engine_copy(&flags, (const void *)args[0], sizeof flags) != 0)
		return 0;
	return flags;
}

static bool may_wait(long nr, const long args[6])
{
	uint32_t how = (uint64_t)nr < sizeof calls ? calls[nr] : WAITS;

	switch (how) {
	case NEVER:
		return false;
	case IF_NOTHING_TO_READ:
		return !is_ready(args[0], POLLIN);
	case IF_NO_ROOM:
		return args[2] > PIPE_ROOM || !is_ready(args[0], POLLOUT);
	case IF_FUTEX_WAITS:
		return futex_may_wait(args);
	case IF_VFORK:
		return clone_flags(nr, args) & CLONE_VFORK;
	default:
		return true;
	}
}

void scheduler_before_call(struct thread *t, long nr, const long args[6])
{
	bool waits = engine_simulates() && !t->process->borrowed_memory && may_wait(nr, args);

	if (waits)
		results_flush_before_wait(t->process);
	if (__atomic_load_n(&b.holder, __ATOMIC_RELAXED) != t)
		return;
	t->scheduler_seen = b.arrivals;
	/*
	 * Even a lone thread drops the turn: a later thread must not wait for a call without end.
	 */
	if (!waits)
		return;
	if (!is_alone(t))
		__atomic_store_n(&b.left, t->tid, __ATOMIC_RELEASE);
	scheduler_drop(t);
}

/* The number of threads that the call has woken or made. */
static long woken_by(long nr, const long args[6], long result)
{
	if (result <= 0)
		return 0;
	/*
	 * waiters of a shared futex may be in another process, as may all if another process shares
	 * the memory
	 */
	if (nr == SYS_futex && !engine.is_shared && !futex_may_wait(args) &&
	    (args[1] & FUTEX_PRIVATE_FLAG))
		return result < args[2] ? result : args[2];
	if (nr != SYS_clone && nr != SYS_clone3)
		return 0;
	return clone_flags(nr, args) & CLONE_THREAD ? 1 : 0;
}

void scheduler_after_call(struct thread *t, long nr, const long args[6], long result)
{
	long woken = woken_by(nr, args, result);

	if (!woken || is_alone(t) || __atomic_load_n(&b.holder, __ATOMIC_RELAXED) != t)
		return;
	for (uint32_t i = 0; i < MOST_WAITS; i++) {
		if (__atomic_load_n(&b.arrivals, __ATOMIC_RELAXED) - t->scheduler_seen >=
		    (uint32_t)woken)
			return;
		sys2(SYS_nanosleep, &a_moment, 0);
	}
}
