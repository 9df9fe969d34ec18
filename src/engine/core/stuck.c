/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that wait in the kernel; see stuck.h. */
#include "engine/core/stuck.h"

#include <signal.h>
#include <time.h>

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"

#define CPU_CLOCK_OF(tid) ((long)(int32_t)(~(tid) << 3 | 6)) /* as pthread_getcpuclockid returns */

static uint64_t cpu_time(uint32_t tid)
{
	struct timespec t;

	if (sys_failed(sys2(SYS_clock_gettime, CPU_CLOCK_OF(tid), &t)))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
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

bool stuck_look(struct thread *t, uint32_t looks, uint64_t *pc)
{
	const uint64_t now = cpu_time(t->tid);
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
	if (!n || text[0] == 'r')
		return false;
	if (text[0] == '-')
		*pc = last_number(text, n);
	t->stuck_looks = 0;
	return true;
}

void stuck_call_out(struct thread *t, uint64_t pc)
{
	/* like the signal of the thread's timer, which the handler knows */
	siginfo_t info = {.si_signo = TICK_SIGNAL, .si_code = SI_TIMER};

	info.si_value.sival_ptr = t;
	__atomic_store_n(&t->stuck_at, pc, __ATOMIC_SEQ_CST);
	if (sys_failed(sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), t->tid, TICK_SIGNAL, &info)))
		__atomic_store_n(&t->stuck_at, 0, __ATOMIC_SEQ_CST);
}

bool stuck_is_called_at(struct thread *t, uint64_t pc)
{
	uint64_t at = __atomic_exchange_n(&t->stuck_at, 0, __ATOMIC_SEQ_CST);

	return at && at == pc;
}

/* Another process that calls (visits.h) may end before it has sent the signal. */
#define MOST_AWAITED_NS 2000000000u

void stuck_await_call(struct thread *t)
{
	const uint64_t until = now_ns() + MOST_AWAITED_NS;

	while (__atomic_load_n(&t->stuck_at, __ATOMIC_SEQ_CST) && !t->pending && now_ns() < until)
		sys0(SYS_sched_yield);
}
