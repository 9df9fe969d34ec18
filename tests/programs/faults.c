/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of the program's own making: SIGTRAP, SIGILL, SIGFPE, SIGSEGV, SIGBUS.
 * The handler sees si_code, si_addr, the address of the instruction and every
 * register as the machine would show them, changes some, and resumes elsewhere.
 */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Registers as the handler saw them, and what it is to do. */
static struct {
	int count, signal, code;
	uint64_t address, rip, regs[NGREG], trapno, error;
	uint64_t resume; /* new rip, or 0: leave it */
	uint64_t new_rbx;
} seen;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	seen.count++;
	seen.signal = sig, seen.code = info->si_code;
	seen.address = (uint64_t)info->si_addr;
	seen.rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	seen.trapno = (uint64_t)uc->uc_mcontext.gregs[REG_TRAPNO];
	seen.error = (uint64_t)uc->uc_mcontext.gregs[REG_ERR];
	memcpy(seen.regs, uc->uc_mcontext.gregs, sizeof(seen.regs));
	if (seen.resume)
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)seen.resume;
	if (sig == SIGTRAP)
		uc->uc_mcontext.gregs[REG_EFL] &= ~0x100; /* step no further */
	if (seen.new_rbx)
		uc->uc_mcontext.gregs[REG_RBX] = (greg_t)seen.new_rbx;
}

/*
 * Each run_x(p, q) puts known values into all registers, faults at x_at, and
 * returns rbx at x_after, where the handler sends it.
 */
#define FAULT(name, insn)                                                                          \
	uint64_t run_##name(uint64_t p, uint64_t q);                                               \
	extern char name##_at[], name##_after[];                                                   \
	asm(".text\nrun_" #name                                                                    \
	    ": push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"       \
	    "\tmov $0x1b, %ebx\n\tmov $0x1bb, %ebp\n\tmov $0x12, %r12d\n\tmov $0x13, "             \
	    "%r13d\n\tmov $0x14, %r14d\n"                                                          \
	    "\tmov $0x15, %r15d\n\tmov $0x10, %r10d\n\tmov $0x11, %r11d\n\tmov $0x8, %r8d\n\tmov " \
	    "$0x9, %r9d\n"                                                                         \
	    "\tmov $0xa, %eax\n\tmov $0xd, %edx\n\tmov $0xc, %ecx\n\tcmp $0xa, "                   \
	    "%eax\n\tstc\n" #name "_at: " insn "\n"                                                \
	    "\tmov $0xbad, %ebx\n" #name "_after:\n\tmov %rbx, %rax\n"                             \
	    "\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\tret\n")

FAULT(load, "mov (%rdi), %rcx");
FAULT(store, "mov %rsi, 8(%rdi)");
FAULT(indexed, "add %esi, -8(%rdi,%r8,8)");
FAULT(pushmem, "pushq (%rdi)");
FAULT(vector, "movups %xmm0, 16(%rdi)");
FAULT(rmw, "lock incq (%rdi)");
FAULT(repmovs, "rep movsb");
FAULT(ud, "ud2");
FAULT(int3, "int3");
FAULT(divide, "xor %edx, %edx\n\txor %ecx, %ecx\ndivide_here: div %ecx");
FAULT(hlt, "hlt");
FAULT(badcode, "mov %rdi, %rax\n\tjmp *%rdi");
FAULT(noncanon, "movabs $0x8000000000000000, %rax\nnoncanon_here: mov (%rax), %rax");
FAULT(trapflag, "pushfq\n\torq $0x100, (%rsp)\n\tpopfq\ntrap_here: nop\ntrap_next: nop");
extern char divide_here[], noncanon_here[], trap_next[];

static char *hole, *readonly;

static void check_registers(void)
{
	CHECK_EQ(seen.regs[REG_RBP], 0x1bb);
	CHECK_EQ(seen.regs[REG_RBX], 0x1b);
	for (int i = 0; i < 8; i++) {
		static const int reg[8] = {REG_R8,  REG_R9,  REG_R10, REG_R11,
					   REG_R12, REG_R13, REG_R14, REG_R15};

		CHECK_EQ(seen.regs[reg[i]], i + (i < 2 ? 8 : 14));
	}
}

static void expect(const char *what, uint64_t result, int sig, int code, uint64_t address,
		   char *rip)
{
	static int total;

	CHECK_EQ(seen.count, ++total);
	CHECK_EQ(result, 0x77);
	CHECK_EQ(seen.signal, sig);
	CHECK_EQ(seen.code, code);
	CHECK_EQ(seen.address, address);
	CHECK_EQ(seen.rip, rip);
	check_registers();
	if (check_failures)
		STEP("at %s, round %d", what, total);
}

#define RUN(name, p, q)                                             \
	(seen.resume = (uint64_t)name##_after, seen.new_rbx = 0x77, \
	 run_##name((uint64_t)(p), (uint64_t)(q)))

static void check_memory(void)
{
	uint64_t r = RUN(load, hole, 1);

	expect("load", r, SIGSEGV, SEGV_MAPERR, (uint64_t)hole, load_at);
	CHECK(seen.trapno == 14 && seen.error == 4);
	CHECK((seen.regs[REG_EFL] & 0x41) == 0x41 && seen.regs[REG_RAX] == 0xa &&
	      seen.regs[REG_RCX] == 0xc);
	r = RUN(store, readonly, 1);
	expect("store", r, SIGSEGV, SEGV_ACCERR, (uint64_t)readonly + 8, store_at);
	CHECK(seen.trapno == 14 && seen.error == 7);
	r = RUN(indexed, hole, 1);
	expect("indexed", r, SIGSEGV, SEGV_MAPERR, (uint64_t)hole + 56, indexed_at);
	uint64_t rsp = seen.regs[REG_RSP];

	r = RUN(pushmem, hole, 1);
	expect("push", r, SIGSEGV, SEGV_MAPERR, (uint64_t)hole, pushmem_at);
	CHECK_EQ(seen.regs[REG_RSP], rsp);
	r = RUN(vector, readonly, 1);
	expect("vector", r, SIGSEGV, SEGV_ACCERR, (uint64_t)readonly + 16, vector_at);
	r = RUN(rmw, readonly, 1);
	expect("modify", r, SIGSEGV, SEGV_ACCERR, (uint64_t)readonly, rmw_at);
	/* rcx is 12: the move crosses into the hole after 5 bytes */
	r = RUN(repmovs, hole - 5, readonly);
	expect("rep", r, SIGSEGV, SEGV_MAPERR, (uint64_t)hole, repmovs_at);
	CHECK(seen.regs[REG_RCX] == 7 && seen.regs[REG_RDI] == (uint64_t)hole &&
	      seen.regs[REG_RSI] == (uint64_t)readonly + 5);
	r = RUN(noncanon, 0, 0);
	expect("non-canonical", r, SIGSEGV, SI_KERNEL, 0, noncanon_here);
	CHECK(seen.trapno == 13);
}

static void check_execution(void)
{
	uint64_t r = RUN(ud, 0, 0);

	expect("ud2", r, SIGILL, ILL_ILLOPN, (uint64_t)ud_at, ud_at);
	r = RUN(int3, 0, 0);
	expect("int3", r, SIGTRAP, SI_KERNEL, 0, int3_at + 1);
	r = RUN(divide, 0, 0);
	expect("division", r, SIGFPE, FPE_INTDIV, (uint64_t)divide_here, divide_here);
	r = RUN(hlt, 0, 0);
	expect("hlt", r, SIGSEGV, SI_KERNEL, 0, hlt_at);
	r = RUN(badcode, hole, 0);
	expect("jump to a hole", r, SIGSEGV, SEGV_MAPERR, (uint64_t)hole, hole);
	r = RUN(badcode, readonly, 0);
	expect("jump to data", r, SIGSEGV, SEGV_ACCERR, (uint64_t)readonly, readonly);
	CHECK_EQ(seen.regs[REG_RAX], readonly);
}

static void check_step(void)
{
	uint64_t r = RUN(trapflag, 0, 0);

	expect("single step", r, SIGTRAP, TRAP_TRACE, (uint64_t)trap_next, trap_next);
}

static void check_bus(void)
{
	int fd = memfd_create("short", 0);
	char *p;

	NEED(fd >= 0 && ftruncate(fd, 100) == 0);
	p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	NEED(p != MAP_FAILED);
	uint64_t r = RUN(load, p + 4096, 0);

	expect("past the end of a file", r, SIGBUS, BUS_ADRERR, (uint64_t)p + 4096, load_at);
	munmap(p, 8192);
	close(fd);
}

/* The page appears in the handler: the instruction runs again and succeeds. */
static void on_missing(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	char *page = (char *)((uint64_t)info->si_addr & ~4095ull);

	seen.count++;
	NEED(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
}

static void check_retry(void)
{
	struct sigaction sa = {.sa_sigaction = on_missing, .sa_flags = SA_SIGINFO};
	volatile uint64_t *p = mmap(NULL, 64 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int before = seen.count;

	NEED((void *)p != MAP_FAILED && sigaction(SIGSEGV, &sa, NULL) == 0);
	for (int i = 0; i < 64; i++) {
		p[i * 512] += (uint64_t)i + 5;
		CHECK_EQ(p[i * 512], i + 5);
	}
	CHECK_EQ(seen.count - before, 64);
	STEP("faulting instructions run again");
}

/* With an argument: the trap flag. */
int main(int argc, char **argv)
{
	(void)argv;
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	char *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED && munmap(p + 4096, 4096) == 0);
	hole = p + 4096, readonly = p + 2 * 4096;
	*readonly = 1; /* so that the page is there */
	NEED(mprotect(readonly, 4096, PROT_READ) == 0);
	for (int i = 0; i < 5; i++)
		NEED(sigaction(signals[i], &sa, NULL) == 0);
	if (argc > 1) {
		check_step();
		return check_end();
	}
	check_memory();
	STEP("memory faults");
	check_execution();
	STEP("execution faults");
	check_bus();
	int before = seen.count;

	for (int i = 0; i < 2000; i++) {
		uint64_t r = i & 1 ? RUN(load, hole, i) : RUN(ud, hole, i);

		CHECK(r == 0x77 && seen.rip == (uint64_t)(i & 1 ? load_at : ud_at));
		check_registers();
	}
	CHECK_EQ(seen.count - before, 2000);
	STEP("2000 faults");
	check_retry();
	return check_end();
}
