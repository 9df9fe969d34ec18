/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole signal frames, in a form without addresses: each field that the kernel writes, for signals
 * that are sent and for faults, nested, on alternative stacks. It also checks that each field that
 * a handler writes takes effect when the handler returns.
 */
#define _GNU_SOURCE
#include "frames.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* ---- What is looked at ---- */

#define MOST_FRAMES 3
#define FRAME_UC    8 /* behind the return address */

struct raw_frame {
	uint64_t restorer;
	uint8_t uc[304];
	siginfo_t info;
};

_Static_assert(sizeof(struct raw_frame) == 440, "layout");

static struct seen {
	struct raw_frame frame;
	uint8_t fp[IMAGE_BYTES];
	struct state entry;
	uint64_t at, fp_at;
	uint64_t mask; /* inside the handler */
} seen[MOST_FRAMES];
static int frames, nested_signal;
static void (*change)(ucontext_t *, uint8_t *fp);
static uint64_t image_bytes;

static uint64_t mask_now(void)
{
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	return mask;
}

__attribute__((used)) void handler(int signal, siginfo_t *info, void *context);

void handler(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint8_t *fp = (uint8_t *)uc->uc_mcontext.fpregs;
	struct seen *s = &seen[frames];

	(void)signal;
	(void)info;
	if (frames == MOST_FRAMES)
		_exit(98);
	memcpy(&s->frame, (uint8_t *)context - FRAME_UC, sizeof s->frame);
	memcpy(s->fp, fp, image_bytes + 4);
	s->entry = entry;
	s->at = (uint64_t)(uintptr_t)context - FRAME_UC;
	s->fp_at = (uint64_t)(uintptr_t)fp;
	s->mask = mask_now();
	frames++;
	if (nested_signal && frames == 1)
		send(getpid(), gettid(), nested_signal);
	if (change)
		change(uc, fp);
}

/* An address as the name of what is there, and the distance. */
static void print_place(const char *what, uint64_t value)
{
	static const struct {
		const char *name;
		uint64_t bytes;
		const void *at;
	} areas[] = {
		{"stack", STACK_BYTES + 1, stack},
		{"other stack", STACK_BYTES + 1, other_stack},
		{"read", 8, by_read},
		{"write", 8, by_write},
		{"pointer", 4, by_pointer},
		{"call", 3, by_call},
		{"divide", 5, by_divide},
		{"opcode", 3, by_opcode},
		{"trap", 2, by_trap},
		{"bus", 4, by_bus},
		{"step", 24, by_step},
		{"handler", 1, handler_entry},
	};

	for (uint32_t i = 0; i < sizeof areas / sizeof *areas; i++)
		if (value - (uint64_t)(uintptr_t)areas[i].at < areas[i].bytes) {
			printf(" %s=%s+%llu", what, areas[i].name,
			       (unsigned long long)value - (uintptr_t)areas[i].at);
			return;
		}
	if (value == (uint64_t)(uintptr_t)past_end || value == (uint64_t)(uintptr_t)no_code)
		printf(" %s=%s", what, value == (uint64_t)(uintptr_t)past_end ? "end" : "data");
	else if (value == (uint64_t)(uintptr_t)go_on)
		printf(" %s=back", what);
	else
		printf(" %s=%llx", what, (unsigned long long)value);
}

static const char *const names[] = {"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rdi",
				    "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp", "rip", "efl"};

/* Registers that are not as they were set. */
static void print_changed(const char *what, const uint64_t *r)
{
	printf("  %s:", what);
	for (int i = 0; i < 15; i++)
		if (r[i] != before.r[i])
			print_place(names[i], r[i]);
	printf("\n");
}

static uint64_t word(const uint8_t *image, uint32_t at, uint32_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, image + at, bytes);
	return v;
}

/*
 * The parts that the image says it holds. Whether a part of zeros counts is the processor's choice;
 * of xmm it says so while an engine uses one of the registers, unless the kernel says it always.
 */
static uint64_t held_parts(const uint8_t *image, bool by_kernel)
{
	uint64_t held = word(image, 512, 8);

	for (int part = 2; part < 19; part++) {
		uint32_t bytes, at, set = 0;

		if (!(parts >> part & 1))
			continue;
		at = offset_of_part(part, &bytes);
		for (uint32_t i = 0; i < bytes; i++)
			set |= image[at + i];
		if (set == 0)
			held &= ~(1ull << part);
	}
	return by_kernel ? held : held & ~2ull;
}

static void print_image(const char *what, const uint8_t *image, bool by_kernel)
{
	printf("  %s: cw %llx sw %llx tags %llx op %llx ip %llx dp %llx mxcsr %llx mask %llx\n",
	       what, (unsigned long long)word(image, 0, 2), (unsigned long long)word(image, 2, 2),
	       (unsigned long long)word(image, 4, 1), (unsigned long long)word(image, 6, 2),
	       (unsigned long long)word(image, 8, 8), (unsigned long long)word(image, 16, 8),
	       (unsigned long long)word(image, 24, 4), (unsigned long long)word(image, 28, 4));
	printf("  held %llx compact %llx st %llx xmm %llx",
	       (unsigned long long)held_parts(image, by_kernel),
	       (unsigned long long)word(image, 520, 8), (unsigned long long)sum_of(image + 32, 128),
	       (unsigned long long)sum_of(image + 160, 256));
	for (int part = 2; part < 19; part++) {
		uint32_t bytes, at;

		if (!(parts >> part & 1))
			continue;
		at = offset_of_part(part, &bytes);
		printf(" %d:%llx", part, (unsigned long long)sum_of(image + at, bytes));
	}
	printf("\n");
}

static void print_info(const siginfo_t *info)
{
	const uint8_t *bytes = (const uint8_t *)info;

	printf("  info: %d errno %d code %d", info->si_signo, info->si_errno, info->si_code);
	if (info->si_code <= 0)
		printf(" own %d uid %d value %llx", info->si_pid == getpid(),
		       info->si_uid == getuid(), (unsigned long long)word(bytes, 24, 8));
	else
		print_place("address", (uint64_t)(uintptr_t)info->si_addr);
	printf(" rest %llx\n", (unsigned long long)sum_of(bytes + 32, 96));
}

static void print_frame(const struct seen *s, bool nested)
{
	ucontext_t uc;
	const uint64_t *g;

	memcpy(&uc, s->frame.uc, sizeof s->frame.uc);
	g = (const uint64_t *)uc.uc_mcontext.gregs;
	printf("  frame:");
	print_place("at", s->at);
	print_place("fp", s->fp_at);
	print_place("rsp", g[15]);
	print_place("rip", g[16]);
	print_place("altstack", (uint64_t)(uintptr_t)uc.uc_stack.ss_sp);
	printf(" %x %zx\n", (unsigned)uc.uc_stack.ss_flags, uc.uc_stack.ss_size);
	if (!nested)
		print_changed("changed", g);
	printf("  flags %lx link %d efl %llx segments %llx error %llx trap %llx oldmask %llx mask "
	       "%llx",
	       uc.uc_flags, uc.uc_link != 0, (unsigned long long)g[17], (unsigned long long)g[18],
	       (unsigned long long)g[19], (unsigned long long)g[20], (unsigned long long)g[21],
	       (unsigned long long)word((const uint8_t *)&uc.uc_sigmask, 0, 8));
	print_place("cr2", g[22]);
	printf("\n");
	if (!nested) /* what the handler in C has left there may be addresses */
		print_image("saved", s->fp, true);
	printf("  note:");
	for (int i = 464; i < 512; i += 4)
		printf(" %llx", (unsigned long long)word(s->fp, (uint32_t)i, 4));
	printf(" header %llx end %llx\n", (unsigned long long)sum_of(s->fp + 528, 48),
	       (unsigned long long)word(s->fp, (uint32_t)image_bytes, 4));
	print_info(&s->frame.info);
	printf("  begin: %llx efl %llx %d %d", (unsigned long long)s->entry.r[8],
	       (unsigned long long)s->entry.r[17],
	       s->entry.r[9] == s->at + offsetof(struct raw_frame, info),
	       s->entry.r[12] == s->at + offsetof(struct raw_frame, uc));
	printf(" rax %llx mask %llx\n", (unsigned long long)s->entry.r[13],
	       (unsigned long long)s->mask);
	print_image("first", s->entry.image, false);
}

/* ---- Situations ---- */

#define ALL  (~0ull)
#define SENT SYS_tgkill

struct situation {
	const char *name;
	void (*trigger)(void);
	int signal, flags;
	uint64_t used;
	enum { NO_STACK, ALTERNATIVE, ALTERNATIVE_ON, DISARMING } stack;
	int nested;
	void (*change)(ucontext_t *, uint8_t *fp);
};

static void set_altstack(int kind)
{
	stack_t ss = {.ss_flags = SS_DISABLE};

	if (kind != NO_STACK) {
		ss.ss_sp = other_stack;
		ss.ss_size = sizeof other_stack;
		ss.ss_flags = kind == DISARMING	       ? AUTODISARM
			      : kind == ALTERNATIVE_ON ? SS_ONSTACK
						       : 0;
	}
	CHECK(sigaltstack(&ss, 0) == 0);
}

static void try(const struct situation *s)
{
	struct sigaction a = {.sa_sigaction = handler_entry, .sa_flags = SA_SIGINFO | s->flags};
	uint64_t mask = 1ull << (SIGWINCH - 1), now;
	stack_t left;

	sigaddset(&a.sa_mask, SIGUSR2);
	CHECK(sigaction(s->signal, &a, 0) == 0);
	sigdelset(&a.sa_mask, SIGUSR2);
	if (s->nested)
		CHECK(sigaction(s->nested, &a, 0) == 0);
	set_altstack(s->stack);
	fill(0x1234567 + (uint64_t)s->signal, s->used & parts);
	if (s->trigger == by_call) {
		before.r[13] = SENT;
		before.r[8] = (uint64_t)getpid();
		before.r[9] = (uint64_t)gettid();
		before.r[12] = (uint64_t)s->signal;
	}
	memset(&after, 0, sizeof after);
	frames = 0;
	trigger = s->trigger;
	nested_signal = s->nested;
	change = s->change;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
	run(&before, &after, stack + sizeof stack, parts);
	now = mask_now();
	sigaltstack(0, &left);
	printf("%s:\n", s->name);
	for (int i = 0; i < frames; i++)
		print_frame(&seen[i], i > 0);
	print_changed("after", after.r);
	print_image("after", after.image, false);
	printf("  after: efl %llx mask %llx altstack %x %zx\n", (unsigned long long)after.r[17],
	       (unsigned long long)now, (unsigned)left.ss_flags, left.ss_size);
	fflush(stdout);
}

static void skip(ucontext_t *uc, uint8_t *fp)
{
	(void)fp;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)by_nothing;
}

static void no_step(ucontext_t *uc, uint8_t *fp)
{
	(void)fp;
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x100;
}

static void write_xmm(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	for (int i = 0; i < 16; i++)
		uc->uc_mcontext.fpregs->_xmm[i].element[i & 3] += 7;
}

static void write_x87(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	uc->uc_mcontext.fpregs->cwd = 0xf7f;
	uc->uc_mcontext.fpregs->swd = 0x3800;
	uc->uc_mcontext.fpregs->ftw = 0x80;
	uc->uc_mcontext.fpregs->_st[0].significand[3] = 0x8123;
	uc->uc_mcontext.fpregs->_st[0].exponent = 0x3ffe;
	uc->uc_mcontext.fpregs->mxcsr = 0x7f80;
}

static void write_upper(ucontext_t *uc, uint8_t *fp)
{
	uint64_t held = word(fp, 512, 8) | (parts & 4);
	uint32_t bytes, at = offset_of_part(2, &bytes);

	skip(uc, fp);
	if (!(parts & 4))
		return;
	for (uint32_t i = 0; i < bytes; i++)
		fp[at + i] = (uint8_t)(i + 1);
	memcpy(fp + 512, &held, 8);
}

static void clear_held(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	memset(fp + 512, 0, 8);
}

static void write_features(ucontext_t *uc, uint8_t *fp)
{
	const uint64_t features = 2;

	skip(uc, fp);
	memcpy(fp + 472, &features, 8);
}

/* Only the part that fxsave knows; what stands behind it is of no kind. */
static void write_old_form(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	memset(fp + 464, 0, 48);
	memset(fp + 512, 0x5a, 64);
}

static void no_end(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	memset(fp + image_bytes, 0, 4);
}

static void no_image(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	uc->uc_mcontext.fpregs = 0;
}

static void write_registers(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	for (int i = 0; i < 15; i++)
		uc->uc_mcontext.gregs[i] = 1000 + i;
	uc->uc_mcontext.gregs[REG_EFL] = 0x40000 | 0x400 | 0x8d5 | 0x200000 | 0x3000;
}

static void write_mask(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	sigaddset(&uc->uc_sigmask, SIGHUP);
	sigaddset(&uc->uc_sigmask, SIGKILL);
	sigdelset(&uc->uc_sigmask, SIGWINCH);
}

static void write_altstack(ucontext_t *uc, uint8_t *fp)
{
	skip(uc, fp);
	uc->uc_stack.ss_sp = other_stack + 4096;
	uc->uc_stack.ss_size = 8192;
	uc->uc_stack.ss_flags = 0;
}

/* Too small: the kernel keeps the old one. */
static void write_bad_altstack(ucontext_t *uc, uint8_t *fp)
{
	write_altstack(uc, fp);
	uc->uc_stack.ss_size = 100;
}

static const struct situation situations[] = {
	{"sent, nothing in use", by_call, SIGUSR1, 0, 0, NO_STACK, 0, 0},
	{"sent, all in use", by_call, SIGUSR1, 0, ALL, NO_STACK, 0, 0},
	{"sent, x87 in use", by_call, SIGUSR1, 0, 1, NO_STACK, 0, 0},
	{"sent, xmm in use", by_call, SIGUSR1, SA_NODEFER, 2, NO_STACK, 0, 0},
	{"sent, upper halves in use", by_call, SIGUSR1, SA_RESTART, 4, NO_STACK, 0, 0},
	{"sent, alternative stack", by_call, SIGUSR1, SA_ONSTACK, ALL, ALTERNATIVE, 0, 0},
	{"sent, with SS_ONSTACK", by_call, SIGUSR1, SA_ONSTACK, ALL, ALTERNATIVE_ON, 0, 0},
	{"sent, disarming stack", by_call, SIGUSR1, SA_ONSTACK, ALL, DISARMING, 0, 0},
	{"sent, stack not used", by_call, SIGUSR1, 0, ALL, DISARMING, 0, 0},
	{"sent, nested", by_call, SIGUSR1, 0, ALL, NO_STACK, SIGHUP, 0},
	{"sent, nested itself", by_call, SIGUSR1, SA_NODEFER, ALL, NO_STACK, SIGUSR1, 0},
	{"sent, nested on one stack", by_call, SIGUSR1, SA_ONSTACK, ALL, ALTERNATIVE, SIGHUP, 0},
	{"sent, nested and disarmed", by_call, SIGUSR1, SA_ONSTACK, ALL, DISARMING, SIGHUP, 0},
	{"sent, once", by_call, SIGUSR1, SA_RESETHAND, 0, NO_STACK, 0, 0},
	{"read", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, skip},
	{"sent after a fault", by_call, SIGUSR1, 0, 0, NO_STACK, 0, 0},
	{"read, nothing in use", by_read, SIGSEGV, SA_ONSTACK, 0, ALTERNATIVE, 0, skip},
	{"read, nested", by_read, SIGSEGV, SA_NODEFER, ALL, NO_STACK, SIGHUP, skip},
	{"write", by_write, SIGSEGV, 0, ALL, NO_STACK, 0, skip},
	{"no address", by_pointer, SIGSEGV, 0, ALL, NO_STACK, 0, skip},
	{"jump to data", by_jump, SIGSEGV, 0, ALL, NO_STACK, 0, skip},
	{"end of a file", by_bus, SIGBUS, 0, ALL, NO_STACK, 0, skip},
	{"divide", by_divide, SIGFPE, 0, ALL, NO_STACK, 0, skip},
	{"opcode", by_opcode, SIGILL, 0, ALL, NO_STACK, 0, skip},
	{"trap", by_trap, SIGTRAP, 0, ALL, NO_STACK, 0, 0},
	{"sent after a trap", by_call, SIGUSR1, 0, ALL, NO_STACK, 0, 0},
	{"change xmm, all in use", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, write_xmm},
	{"change xmm, nothing in use", by_read, SIGSEGV, 0, 0, NO_STACK, 0, write_xmm},
	{"change xmm, sent", by_call, SIGUSR1, 0, 0, NO_STACK, 0, write_xmm},
	{"change x87", by_read, SIGSEGV, 0, 0, NO_STACK, 0, write_x87},
	{"change x87, in use", by_call, SIGUSR1, 0, ALL, NO_STACK, 0, write_x87},
	{"change upper halves", by_read, SIGSEGV, 0, 0, NO_STACK, 0, write_upper},
	{"change upper halves, in use", by_call, SIGUSR1, 0, ALL, NO_STACK, 0, write_upper},
	{"clear all", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, clear_held},
	{"fewer features", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, write_features},
	{"old form", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, write_old_form},
	{"no end", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, no_end},
	{"no image", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, no_image},
	{"change registers", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, write_registers},
	{"change registers, sent", by_call, SIGUSR1, 0, ALL, NO_STACK, 0, write_registers},
	{"change mask", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, write_mask},
	{"change stack", by_read, SIGSEGV, 0, ALL, NO_STACK, 0, write_altstack},
	{"change stack on it", by_read, SIGSEGV, SA_ONSTACK, ALL, ALTERNATIVE, 0, write_altstack},
	{"change stack badly", by_read, SIGSEGV, 0, ALL, ALTERNATIVE, 0, write_bad_altstack},
	{"steps", by_step, SIGTRAP, 0, ALL, NO_STACK, 0, no_step},
};

int main(void)
{
	uint32_t a, b, c, d;
	int fd = open("/proc/self/exe", O_RDONLY);

	__cpuid_count(0xd, 0, a, b, c, d);
	image_bytes = b;
	parts = xgetbv() & ~(3ull << 17); /* tiles are granted on request */
	NEED(image_bytes < IMAGE_BYTES);
	past_end = mmap(0, 1 << 24, PROT_READ, MAP_PRIVATE, fd, 0);
	no_code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(past_end != MAP_FAILED && no_code != MAP_FAILED);
	past_end += (1 << 24) - 4096;
	for (uint32_t i = 0; i < sizeof situations / sizeof *situations; i++)
		try(&situations[i]);
	return check_end();
}
