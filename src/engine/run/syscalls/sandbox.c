/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter of seccomp filters; see sandbox.h. The language is classic BPF, restricted by the
 * kernel: 32-bit words of the call, arithmetic, 16 words of memory, forward jumps, and a return.
 */
#include "engine/run/syscalls/sandbox.h"

#include <linux/audit.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define KILL SECCOMP_RET_KILL_PROCESS

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
};

/* *a = *a OP b. False: division by 0, or no such operation. */
static bool compute(uint32_t *a, uint32_t op, uint32_t b)
{
	if (op == BPF_DIV && b == 0)
		return false;
	switch (op) {
	case BPF_ADD:
		*a += b;
		break;
	case BPF_SUB:
		*a -= b;
		break;
	case BPF_MUL:
		*a *= b;
		break;
	case BPF_DIV:
		*a /= b;
		break;
	case BPF_OR:
		*a |= b;
		break;
	case BPF_AND:
		*a &= b;
		break;
	case BPF_XOR:
		*a ^= b;
		break;
	case BPF_LSH:
		*a <<= b & 31;
		break;
	case BPF_RSH:
		*a >>= b & 31;
		break;
	case BPF_NEG:
		*a = 0u - *a;
		break;
	default:
		return false;
	}
	return true;
}

static bool holds(uint32_t a, uint32_t op, uint32_t b)
{
	return op == BPF_JEQ   ? a == b
	       : op == BPF_JGT ? a > b
	       : op == BPF_JGE ? a >= b
			       : (a & b) != 0;
}

/* The target of the jump at `at`. */
static uint64_t jump(const struct machine *m, const struct sock_filter *f, uint64_t at)
{
	const uint32_t b = BPF_SRC(f->code) == BPF_X ? m->x : f->k;

	if (BPF_OP(f->code) == BPF_JA)
		return at + 1 + f->k;
	return at + 1 + (holds(m->a, BPF_OP(f->code), b) ? f->jt : f->jf);
}

/* Loads *to. False: there is no such word. */
static bool load(const struct machine *m, uint32_t *to, const struct sock_filter *f,
		 const struct seccomp_data *call)
{
	switch (BPF_MODE(f->code)) {
	case BPF_IMM:
		*to = f->k;
		return true;
	case BPF_LEN:
		*to = sizeof *call;
		return true;
	case BPF_MEM:
		if (f->k >= BPF_MEMWORDS)
			return false;
		*to = m->memory[f->k];
		return true;
	case BPF_ABS:
		if (f->k % 4 != 0 || f->k >= sizeof *call)
			return false;
		memcpy(to, (const uint8_t *)call + f->k, 4);
		return true;
	default:
		return false;
	}
}

/* Executes an instruction that is neither jump nor return. */
static bool step(struct machine *m, const struct sock_filter *f, const struct seccomp_data *call)
{
	switch (BPF_CLASS(f->code)) {
	case BPF_LD:
		return load(m, &m->a, f, call);
	case BPF_LDX:
		return load(m, &m->x, f, call);
	case BPF_ST:
	case BPF_STX:
		if (f->k >= BPF_MEMWORDS)
			return false;
		m->memory[f->k] = BPF_CLASS(f->code) == BPF_ST ? m->a : m->x;
		return true;
	case BPF_ALU:
		return compute(&m->a, BPF_OP(f->code), BPF_SRC(f->code) == BPF_X ? m->x : f->k);
	case BPF_MISC:
		if (BPF_MISCOP(f->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
		return true;
	default:
		return false;
	}
}

uint32_t sandbox_verdict(const struct sock_filter *filter, uint32_t n,
			 const struct seccomp_data *call)
{
	struct machine m = {0};

	for (uint64_t at = 0; at < n;) {
		const struct sock_filter *f = &filter[at];

		if (BPF_CLASS(f->code) == BPF_RET)
			return BPF_RVAL(f->code) == BPF_A ? m.a : f->k;
		if (BPF_CLASS(f->code) == BPF_JMP) {
			at = jump(&m, f, at);
			continue;
		}
		if (!step(&m, f, call))
			return KILL;
		at++;
	}
	return KILL;
}

#define RW     (PROT_READ | PROT_WRITE)
#define RWX    (RW | PROT_EXEC)
#define NO_FD  0xffffffffffffffffull
#define MEMORY (MAP_PRIVATE | MAP_ANONYMOUS)

struct call {
	int nr;
	uint64_t args[6];
};

/* Needed for code and its pages, threads, signals, and exec. */
static const struct call needed[] = {
	{SYS_mmap, {0, 4096, RW, MEMORY, NO_FD, 0}},
	{SYS_mmap, {0, 4096, RWX, MEMORY, NO_FD, 0}},
	{SYS_munmap, {4096, 4096}},
	{SYS_mremap, {4096, 4096, 4096, MREMAP_MAYMOVE, 0, 0}},
	{SYS_mprotect, {4096, 4096, PROT_NONE}},
	{SYS_mprotect, {4096, 4096, PROT_READ}},
	{SYS_mprotect, {4096, 4096, RW}},
	{SYS_mprotect, {4096, 4096, PROT_READ | PROT_EXEC}},
	{SYS_mprotect, {4096, 4096, RWX}},
	{SYS_futex, {4096, 0, 0, 0, 0, 0}},
	{SYS_futex, {4096, 1, 1, 0, 0, 0}},
	{SYS_nanosleep, {4096, 0}},
	{SYS_rt_sigprocmask, {2, 4096, 0, 8}},
	{SYS_rt_sigaction, {10, 4096, 0, 8}},
	{SYS_rt_sigreturn, {0}},
	{SYS_rt_tgsigqueueinfo, {2, 2, 10, 4096}},
	{SYS_sigaltstack, {4096, 0}},
	{SYS_getpid, {0}},
	{SYS_gettid, {0}},
	{SYS_clock_gettime, {1, 4096}},
	{SYS_execveat, {1023, 4096, 4096, 4096, 4096}},
};

/* Needed for rests from signals. */
static const struct call needed_by_rests[] = {
	{SYS_timer_create, {1, 4096, 4096}},
	{SYS_timer_settime, {1, 0, 4096, 0}},
	{SYS_timer_delete, {1}},
};

static bool lets_by(const struct sock_filter *filter, uint32_t n, const struct call *calls,
		    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct seccomp_data d = {.nr = calls[i].nr, .arch = AUDIT_ARCH_X86_64};
		uint32_t verdict;

		for (int k = 0; k < 6; k++)
			d.args[k] = calls[i].args[k];
		verdict = sandbox_verdict(filter, n, &d) & SECCOMP_RET_ACTION_FULL;
		if (verdict != SECCOMP_RET_ALLOW && verdict != SECCOMP_RET_LOG)
			return false;
	}
	return true;
}

bool sandbox_lets_by(const struct sock_filter *filter, uint32_t n)
{
	return lets_by(filter, n, needed, sizeof needed / sizeof *needed);
}

bool sandbox_lets_rests_by(const struct sock_filter *filter, uint32_t n)
{
	return lets_by(filter, n, needed_by_rests,
		       sizeof needed_by_rests / sizeof *needed_by_rests);
}
