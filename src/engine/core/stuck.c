/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that wait in the kernel; see stuck.h. */
#include "engine/core/stuck.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"

/* As clock_getcpuclockid and pthread_getcpuclockid return them. */
#define CLOCK_OF_PROCESS(pid) ((long)(int32_t)(~(pid) << 3 | 2))
#define CLOCK_OF_THREAD(tid)  ((long)(int32_t)(~(tid) << 3 | 6))

/* A process may read the clocks of its own threads, and of other processes as a whole. */
static uint64_t cpu_time(const struct thread *o)
{
	const bool ours = o->pid == (uint32_t)sys0(SYS_getpid);
	struct timespec t;

	if (sys_failed(sys2(SYS_clock_gettime,
			    ours ? CLOCK_OF_THREAD(o->tid) : CLOCK_OF_PROCESS(o->pid), &t)))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The kernel's state of a thread; 0: unreadable. */
static char state_of(uint32_t tid)
{
	char text[128];

	return proc_read_of_task(tid, "stat", text, sizeof text) ? proc_state_in(text) : 0;
}

/* The number behind the last "0x" of the text. */
static uint64_t last_number(const char *text, uint32_t bytes)
{
	const char *p = text + bytes;
	uint64_t v;

	while (p > text && *p != 'x')
		p--;
	text_hexadecimal(p + 1, &v);
	return v;
}

/* Another process's place of sleep may not be for this one to read: its state is. */
static bool sleeps_unseen(const struct thread *t, uint64_t *pc)
{
	const char state = state_of(t->tid);

	if (__atomic_load_n(&t->in_cache, __ATOMIC_SEQ_CST))
		*pc = STUCK_SOMEWHERE;
	return state == 'S' || state == 'D';
}

bool stuck_look(struct thread *t, uint32_t looks, uint64_t *pc)
{
	const uint64_t now = t->pid ? cpu_time(t) : 0;
	char text[192];
	uint32_t n;

	*pc = 0;
	if (!now || now != t->stuck_cpu) {
		t->stuck_cpu = now;
		t->stuck_looks = 0;
		return false;
	}
	if (++t->stuck_looks < looks)
		return false;
	/* "running", "NR ARGUMENTS SP PC", or "-1 SP PC" outside of any call */
	n = proc_read_of_task(t->tid, "syscall", text, sizeof text);
	if (text[0] == 'r')
		return false;
	if (text[0] == '-')
		*pc = last_number(text, n);
	else if (!n && !sleeps_unseen(t, pc))
		return false;
	t->stuck_looks = 0;
	return true;
}

void stuck_call_out(struct thread *t, uint64_t pc)
{
	/* like the signal of the thread's timer, which the handler knows */
	siginfo_t info = {.si_signo = TICK_SIGNAL, .si_code = SI_TIMER};

	info.si_value.sival_ptr = t;
	__atomic_store_n(&t->stuck_at, pc, __ATOMIC_SEQ_CST);
	if (sys_failed(sys4(SYS_rt_tgsigqueueinfo, t->pid, t->tid, TICK_SIGNAL, &info)))
		__atomic_store_n(&t->stuck_at, 0, __ATOMIC_SEQ_CST);
}

bool stuck_is_gone(const struct thread *t)
{
	/* threads of the own process end through the engine, or all at once */
	if (engine.quiet || !t->pid || t->pid == (uint32_t)sys0(SYS_getpid))
		return false;
	return proc_is_gone(t->tid);
}

bool stuck_is_called_at(struct thread *t, uint64_t pc)
{
	uint64_t at = __atomic_exchange_n(&t->stuck_at, 0, __ATOMIC_SEQ_CST);

	return at && (at == pc || at == STUCK_SOMEWHERE);
}

/* Another process that calls (visits.h) may end before it has sent the signal. */
#define MOST_AWAITED_NS 2000000000u

void stuck_await_call(struct thread *t)
{
	const uint64_t until = now_ns() + MOST_AWAITED_NS;

	while (__atomic_load_n(&t->stuck_at, __ATOMIC_SEQ_CST) && !t->pending && now_ns() < until)
		sys0(SYS_sched_yield);
}
