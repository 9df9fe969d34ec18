/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that hardly any program has: far returns, iret, far calls and jumps within the code
 * segment. And faults of the branch unit and the decoder: non-canonical targets, and instructions
 * of 16 bytes.
 */
#define _GNU_SOURCE
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define FN(name) uint64_t name(uint64_t a, uint64_t b)
FN(far_return);
FN(far_return_pops);
FN(interrupt_return);
FN(interrupt_flags);
FN(far_call);
FN(far_jump);

asm(".text\n"
    "far_return: mov %cs, %eax\n\tpush %rax\n\tlea 1f(%rip), %rax\n\tpush %rax\n\tlretq\n\tud2\n"
    "1:\tlea (%rdi,%rsi), %rax\n\tret\n"
    "far_return_pops: mov %rsp, %rdx\n\tpush %rdi\n\tpush %rsi\n\tmov %cs, %eax\n\tpush "
    "%rax\n\tlea 1f(%rip), %rax\n\tpush %rax\n"
    "\tlretq $16\n\tud2\n1:\tsub %rsp, %rdx\n\tlea (%rdi,%rsi), %rax\n\tadd %rdx, %rax\n\tret\n"
    "interrupt_return: mov %rsp, %rdx\n\tmov %ss, %eax\n\tpush %rax\n\tpush %rdx\n\tpushfq\n\tmov "
    "%cs, %eax\n\tpush %rax\n"
    "\tlea 1f(%rip), %rax\n\tpush %rax\n\tiretq\n\tud2\n1:\tsub %rsp, %rdx\n\tlea (%rdi,%rsi), "
    "%rax\n\tadd %rdx, %rax\n\tret\n"
    /* with carry and overflow set on the way */
    "interrupt_flags: mov %rsp, %rdx\n\tmov %ss, %eax\n\tpush %rax\n\tpush %rdx\n\tpushfq\n\torq "
    "$0x801, (%rsp)\n\tmov %cs, %eax\n"
    "\tpush %rax\n\tlea 1f(%rip), %rax\n\tpush %rax\n\tiretq\n\tud2\n1:\tseto %al\n\tsetc "
    "%dl\n\tmovzbl %al, %eax\n\tmovzbl %dl, %edx\n"
    "\tlea (%rax,%rdx,2), %rax\n\tret\n"
    "far_call: lea -64(%rsp), %rsp\n\tlea far_callee(%rip), %rax\n\tmov %rax, 16(%rsp)\n\tmov %cs, "
    "%eax\n\tmov %ax, 24(%rsp)\n"
    "\tmov $2, %ecx\n\trex.W lcall *(%rsp,%rcx,8)\n\tlea 64(%rsp), %rsp\n\tret\n"
    "far_callee: lea (%rdi,%rsi), %rax\n\tlretq\n"
    "far_jump: lea 1f(%rip), %rax\n\tmov %rax, far_place(%rip)\n\tmov %cs, %eax\n\tmov %ax, "
    "8+far_place(%rip)\n"
    "\trex.W ljmp *far_place(%rip)\n\tud2\n1:\tlea (%rdi,%rsi), %rax\n\tret\n"
    ".section .data\n.balign 16\nfar_place: .quad 0, 0\n.text\n");

static void check_transfers(void)
{
	static const struct {
		const char *name;
		FN((*run));
	} all[] = {{"far return", far_return},
		   {"far return with operand", far_return_pops},
		   {"iret", interrupt_return},
		   {"far call", far_call},
		   {"far jump", far_jump}};

	/* Processors of AMD know no far pointers of 64 bits. */
	__builtin_cpu_init();
	for (int i = 0; i < (__builtin_cpu_is("intel") ? 5 : 3); i++) {
		for (uint64_t n = 0; n < 200; n++)
			CHECK_EQ(all[i].run(n, 5), n + 5);
		STEP("%s", all[i].name);
	}
	CHECK_EQ(interrupt_flags(0, 0), 3);
}

/* ---- Faults ---- */

static sigjmp_buf back;
static volatile int code;
static volatile uint64_t address, trap;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	code = info->si_code;
	address = (uint64_t)info->si_addr;
	trap = (uint64_t)uc->uc_mcontext.gregs[REG_TRAPNO];
	siglongjmp(back, 1);
}

static void check_fault(void *at, const char *what)
{
	code = -1;
	if (sigsetjmp(back, 1) == 0)
		((void (*)(void))at)();
	CHECK_EQ(code, SI_KERNEL);
	CHECK_EQ(address, 0);
	CHECK_EQ(trap, 13);
	STEP("%s", what);
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED);
	check_transfers();
	NEED(sigaction(SIGSEGV, &sa, NULL) == 0);
	check_fault((void *)0x1122334455667788, "a target that is no address");
	memset(p, 0x66, 15);
	p[15] = 0x90, p[16] = 0xc3;
	check_fault(p, "sixteen bytes of prefixes");
	memset(p, 0x2e, 9);
	memcpy(p + 9, "\x81\x84\x24\x00\x01\x00\x00\x01\x00\x00\x00", 11);
	check_fault(p, "twenty bytes with operands");
	return check_end();
}
