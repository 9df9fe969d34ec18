/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that wait in the kernel; see stuck.h. */
#include "engine/run/stuck.h"

#include <signal.h>
#include <time.h>

#include "channel/sys.h"
#include "engine/decode/decode.h"
#include "engine/simulate/elements.h"
#include "engine/core/fsbase.h"
#include "engine/core/proc.h"
#include "engine/sample/ticker.h"
#include "engine/translate/translate.h"
#include "engine/core/util.h"

#define CPU_CLOCK_OF(tid) ((long)(int32_t)(~(tid) << 3 | 6)) /* what pthread_getcpuclockid makes */

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
	/* As of the thread's timer, which the handler knows. */
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

static uint64_t value_of(const struct thread *t, uint8_t reg)
{
	return reg < 16 ? t->regs[reg] : 0;
}

static uint64_t address_of(const struct thread *t, const struct mem_op *m)
{
	uint64_t a = (uint64_t)m->disp;

	if (m->base != RIP_BASE)
		a += value_of(t, m->base) + value_of(t, m->index) * m->scale;
	if (m->narrow)
		a = (uint32_t)a;
	return m->fs ? a + fsbase_get(t) : a;
}

static void touch(uint64_t address, bool writes)
{
	uint8_t byte;

	if (!writes || engine_touch((uint8_t *)(uintptr_t)address) != 0)
		engine_copy(&byte, (const void *)(uintptr_t)address, 1);
}

/* What the instruction touches, in the order of its operands. */
static uint32_t touches(struct thread *t, const struct insn *in, struct element out[ELEMENTS_MOST])
{
	if (in->kind == INSN_REP || in->kind == INSN_ELEMENTS)
		return elements_next(t, in, out);
	for (uint32_t i = 0; i < in->mem_count; i++)
		out[i] = (struct element){ address_of(t, &in->mem[i]), in->mem[i].size,
					   in->mem[i].kind != ACCESS_LOAD };
	return in->mem_count;
}

bool stuck_wait(struct thread *t)
{
	struct element e[ELEMENTS_MOST];
	uint8_t code[15];
	struct insn in;
	uint32_t n;
	bool known;

	if (engine_copy(code, (const void *)(uintptr_t)t->rip, sizeof code) != 0)
		return false;
	lock_take(&engine.translate_lock);
	known = translate_decode(&in, t->rip, code, sizeof code);
	lock_drop(&engine.translate_lock);
	n = known ? touches(t, &in, e) : 0;
	t->stuck_waits = true;
	for (uint32_t i = 0; i < n && !t->pending; i++) {
		touch(e[i].address, e[i].stores);
		touch(e[i].address + e[i].bytes - 1, e[i].stores);
	}
	t->stuck_waits = false;
	return n > 0;
}
