/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a snippet. Its signal handler may have any %fs, so it uses nothing of libc and no stack
 * protector while a snippet runs. It leaves all registers unchanged, and only sends the thread to
 * difftest_leave.
 */
#include "difftest/run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "difftest/rng.h"
#include "difftest/state.h"

#define HANDLER_STACK_BYTES 0x20000u

/* RF in a saved rflags says how the processor reports, not what the program did. */
#define FLAG_RF 0x10000u

/* CF PF AF ZF SF OF */
#define STATUS_FLAGS 0x8d5ull

#define TRAP_STACK	12
#define TRAP_PROTECTION 13
#define TRAP_PAGE_FAULT 14

/* Offsets in an XSAVE image. */
#define X87_OPCODE 6 /* 2 bytes; 8 of the instruction's address follow */
#define X87_MXCSR  24

static volatile sig_atomic_t running;
static struct fault last;
static const struct place *where;
static struct run_rules rules;
static uint8_t *before; /* scratch before the run, if changes shall be shown */

/* Order of the registers in a ucontext, by their numbers. */
static const uint8_t context_order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					  REG_R12, REG_R13, REG_R14, REG_R15};

static inline int is_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

__attribute__((no_stack_protector)) static void on_signal(int number, siginfo_t *info,
							  void *context)
{
	ucontext_t *uc = context;
	greg_t *g = uc->uc_mcontext.gregs;

	if (!running) {
		static const char text[] = "difftest: the harness itself got a signal\n";

		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
		_exit(3);
	}
	last.signal = (uint64_t)number;
	last.code = (uint64_t)(uint32_t)info->si_code;
	last.address = (uint64_t)(uintptr_t)info->si_addr;
	last.rip = (uint64_t)g[REG_RIP];
	last.flags = (uint64_t)g[REG_EFL] & ~(uint64_t)FLAG_RF;
	last.trap = (uint64_t)g[REG_TRAPNO];
	last.error = last.trap == TRAP_PAGE_FAULT ? (uint64_t)g[REG_ERR] : 0;
	for (unsigned int i = 0; i < 16; i++)
		last.gpr[i] = (uint64_t)g[context_order[i]];
	g[REG_RIP] = (greg_t)(uintptr_t)difftest_leave;
	/*
	 * Some hypervisors cannot go back to a stack pointer that is no address: the handler would
	 * be called for ever.
	 */
	if (!is_canonical(last.gpr[4]))
		g[REG_RSP] = 0;
}

int run_init(const struct place *place, const struct run_rules *wanted)
{
	static const int signals[] = {SIGILL, SIGSEGV, SIGFPE, SIGBUS, SIGTRAP};
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_size = HANDLER_STACK_BYTES};

	where = place;
	rules = *wanted;
	stack.ss_sp = mmap(0, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, 0))
		return -1;
	action.sa_sigaction = on_signal;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, 0))
			return -1;
	return 0;
}

/* Four chains, or the multiplier's latency would be most of a run. */
static uint64_t digest(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint64_t h[4] = {1, 2, 3, 4}, words[4];

	while (bytes >= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (unsigned int i = 0; i < 4; i++) {
			h[i] = (h[i] ^ words[i]) * 0x9e3779b97f4a7c15ull;
			h[i] ^= h[i] >> 29;
		}
		at += sizeof(words);
		bytes -= sizeof(words);
	}
	for (; bytes; bytes--)
		h[bytes & 3] = (h[bytes & 3] ^ *at++) * 0x100000001b3ull;
	return rng_mix(h[0] + rng_mix(h[1] + rng_mix(h[2] + rng_mix(h[3]))));
}

static uint64_t digest_vectors(const uint8_t *image)
{
	const struct state_layout *l = state_layout();
	uint64_t h = digest(image + 160, 256);

	if (l->ymm_high)
		h = rng_mix(h + digest(image + l->ymm_high, 256));
	if (l->zmm_high)
		h = rng_mix(h + digest(image + l->zmm_high, 512));
	if (l->zmm_16)
		h = rng_mix(h + digest(image + l->zmm_16, 1024));
	return h;
}

/* Is there a %gs override among the prefixes of the instruction at rip? */
static int has_gs_prefix(uint64_t rip)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x65, 0};
	const uint8_t *at = (const uint8_t *)(uintptr_t)rip;

	/* A branch that led to what is no address may have faulted there. */
	if (!is_canonical(rip))
		return 0;
	while (*at && strchr((const char *)prefixes, *at)) {
		if (*at++ == 0x65)
			return 1;
	}
	return 0;
}

/* Without %gs:, an address based on the stack pointer is the stack segment's. */
static void forget_gs_signal(void)
{
	if ((last.trap != TRAP_STACK && last.trap != TRAP_PROTECTION) || !has_gs_prefix(last.rip))
		return;
	last.signal = SIGSEGV;
	last.trap = TRAP_PROTECTION;
}

void run_snippet(struct outcome *out)
{
	uint8_t *image = difftest_out.xsave, x87[160];

	memset(&last, 0, sizeof(last));
	memset(image, 0, 512);
	if (before)
		memcpy(before, (const void *)(uintptr_t)where->scratch, SCRATCH_BYTES);
	running = 1;
	difftest_enter();
	running = 0;
	if (last.signal && !is_canonical(last.gpr[4]))
		difftest_out.gpr[4] = last.gpr[4];
	memcpy(x87, image, sizeof(x87));
	if (!rules.x87_address)
		memset(x87 + X87_OPCODE, 0, 10);
	memset(x87 + X87_MXCSR, 0, 8);
	out->registers = digest(difftest_out.gpr, sizeof(difftest_out.gpr));
	out->flags = difftest_out.flags;
	if (last.signal && rules.no_fault_flags) {
		out->flags &= ~STATUS_FLAGS;
		last.flags &= ~STATUS_FLAGS;
	}
	if (last.signal && rules.no_gs_signal)
		forget_gs_signal();
	out->mxcsr = 0;
	memcpy(&out->mxcsr, image + X87_MXCSR, 4);
	out->x87 = digest(x87, sizeof(x87));
	out->vectors = digest_vectors(image);
	out->masks = state_layout()->mask ? digest(image + state_layout()->mask, 64) : 0;
	out->memory = digest((const void *)(uintptr_t)where->scratch, SCRATCH_BYTES);
	out->fault = last.signal ? digest(&last, sizeof(last)) : 0;
}

const struct fault *run_fault(void)
{
	return &last;
}

uint64_t run_digest(const struct outcome *o)
{
	return digest(o, sizeof(*o));
}

int run_keep_changes(void)
{
	before = malloc(SCRATCH_BYTES);
	return before ? 0 : -1;
}

static void print_changes(FILE *to, const char *what, const uint8_t *old, const uint8_t *new,
			  uint32_t bytes)
{
	unsigned int shown = 0;

	for (uint32_t at = 0; at < bytes && shown < 32; at += 8) {
		uint64_t a, b;

		memcpy(&a, old + at, 8);
		memcpy(&b, new + at, 8);
		if (a == b)
			continue;
		fprintf(to, "    %s+%x: %016" PRIx64 " -> %016" PRIx64 "\n", what, at, a, b);
		shown++;
	}
}

void run_print(FILE *to, const struct outcome *o)
{
	static const char *const names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
					      "rsi", "rdi", "r8",  "r9",  "r10", "r11",
					      "r12", "r13", "r14", "r15"};

	for (unsigned int i = 0; i < 16; i++)
		fprintf(to, "    %-3s in %016" PRIx64 " out %016" PRIx64 "\n", names[i],
			difftest_in.gpr[i], difftest_out.gpr[i]);
	fprintf(to, "    flags in %" PRIx64 " out %" PRIx64 ", mxcsr %" PRIx64 "\n",
		difftest_in.flags, o->flags, o->mxcsr);
	fprintf(to,
		"    x87 %016" PRIx64 " vectors %016" PRIx64 " masks %016" PRIx64
		" memory %016" PRIx64 "\n",
		o->x87, o->vectors, o->masks, o->memory);
	if (last.signal)
		fprintf(to,
			"    signal %" PRIu64 " code %" PRIu64 " address %" PRIx64 " rip %" PRIx64
			" flags %" PRIx64 " trap %" PRIu64 " error %" PRIx64 "\n",
			last.signal, last.code, last.address, last.rip, last.flags, last.trap,
			last.error);
	for (unsigned int i = 0; last.signal && i < 16; i++)
		if (last.gpr[i] != difftest_out.gpr[i])
			fprintf(to, "    %s in the handler %016" PRIx64 "\n", names[i],
				last.gpr[i]);
	print_changes(to, "image", difftest_in.xsave, difftest_out.xsave, state_layout()->bytes);
	if (before)
		print_changes(to, "scratch", before, (const uint8_t *)(uintptr_t)where->scratch,
			      SCRATCH_BYTES);
}
