/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes down what a static program executes and accesses, an instruction at a time.
 *
 *   steps TRACE FILE NAME [ARG...]   (NAME is the program's own, its first argument)
 *
 * The processor executes each instruction, between two stops of ptrace, so nothing depends on an
 * emulation. TRACE has the lines of valgrind --tool=lackey --trace-mem=yes, and these, with numbers
 * in hex:
 *
 *   =allocates            an allocation function begins
 *   =block START END SITE what it returns: a block, with the calls that are open, innermost first
 *   =none                 it returns no new block
 *   =free START           a block ends
 *   =stack START END      where it lies, once it is deeper
 *   =brk START END        memory behind the image that no allocation function has got
 *   =heap START END       such memory that one has
 *   =locals START END     the first thread's variables
 *   =mapping START END    the newest one that the program has made
 *   =thread START END, =thread-locals START END
 *                         the stack of the newest thread, and what lies above it
 *
 * Calls follow the stack pointer. Threads may follow one another, but not run beside each other.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#define MOST_CALLS   4096
#define MOST_THREADS 16
#define SLOTS	     (1u << 17)

/* ---- Decoded instructions ---- */

struct insn {
	uint64_t pc; /* 0: no instruction is here */
	ZydisDecodedInstruction i;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static struct insn *slots[SLOTS];
static ZydisDecoder decoder;

static void read_memory(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)at, bytes};

	if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)bytes)
		err(1, "cannot read at %" PRIx64, at);
}

static const struct insn *decode(pid_t pid, uint64_t pc)
{
	uint32_t slot = (uint32_t)(pc * 0x9e3779b97f4a7c15u >> 47);
	uint8_t code[15];
	struct insn *n;

	for (; slots[slot] != NULL; slot = (slot + 1) % SLOTS)
		if (slots[slot]->pc == pc)
			return slots[slot];
	n = calloc(1, sizeof(*n));
	if (n == NULL)
		err(1, "instructions");
	n->pc = pc;
	for (size_t bytes = sizeof(code); bytes > 0; bytes--) { /* the last of a mapping */
		struct iovec here = {code, bytes}, there = {(void *)(uintptr_t)pc, bytes};

		if (process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)bytes &&
		    ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, bytes, &n->i, n->operands)))
			return slots[slot] = n;
	}
	errx(1, "no instruction at %" PRIx64, pc);
}

/* ---- Threads and their calls ---- */

struct open_call {
	uint64_t at, sp; /* its last byte; where its return address lies */
};

struct thread {
	pid_t pid;
	bool has_begun;
	struct open_call calls[MOST_CALLS];
	size_t depth;
	uint64_t maps; /* bytes, in a call of mmap */
	/* an allocation function that runs */
	uint64_t allocates, returns_to, sp, bytes, old;
};

static struct thread threads[MOST_THREADS];
static FILE *out;
static bool has_allocated;

static struct thread *thread_of(pid_t pid)
{
	struct thread *t = threads;

	while (t < threads + MOST_THREADS && t->pid != 0 && t->pid != pid)
		t++;
	if (t == threads + MOST_THREADS)
		errx(1, "too many threads");
	t->pid = pid;
	return t;
}

/* ---- Allocation functions ---- */

enum function { MALLOC, CALLOC, REALLOC, ALIGNED_ALLOC, NEW, NEW_ARRAY, FREE, FUNCTIONS };

static const char *const names[FUNCTIONS] = {"malloc", "calloc", "realloc", "aligned_alloc",
					     "_Znwm",  "_Znam",	 "free"};
static uint64_t starts[FUNCTIONS];
static uint64_t locals_bytes; /* of a thread, from the program's file */

static void read_symbols(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const uint8_t *file;
	const Elf64_Ehdr *h;
	const Elf64_Shdr *s;

	if (fd < 0 || fstat(fd, &st) != 0)
		err(1, "%s", path);
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	h = (const void *)file;
	for (unsigned i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = (const void *)(file + h->e_phoff + i * sizeof(*p));

		if (p->p_type == PT_TLS)
			locals_bytes = (p->p_memsz + p->p_align - 1) / p->p_align * p->p_align;
	}
	s = (const void *)(file + h->e_shoff);
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const Elf64_Sym *symbols = (const void *)(file + s[i].sh_offset);
		const char *strings = (const char *)file + s[s[i].sh_link].sh_offset;

		for (size_t k = 0;
		     s[i].sh_type == SHT_SYMTAB && k < s[i].sh_size / sizeof(*symbols); k++)
			for (int f = 0; f < FUNCTIONS; f++)
				if (strcmp(strings + symbols[k].st_name, names[f]) == 0)
					starts[f] = symbols[k].st_value;
	}
}

/* An allocation function is about to begin. */
static void enter(struct thread *t, const struct user_regs_struct *r)
{
	int f = 0;

	while (f < FUNCTIONS && starts[f] != r->rip)
		f++;
	if (f == FUNCTIONS || t->allocates != 0)
		return;
	read_memory(t->pid, r->rsp, &t->returns_to, sizeof(t->returns_to));
	t->allocates = r->rip;
	t->sp = r->rsp;
	t->old = f == REALLOC || f == FREE ? r->rdi : 0;
	t->bytes = f == CALLOC				? r->rdi * r->rsi
		   : f == REALLOC || f == ALIGNED_ALLOC ? r->rsi
							: r->rdi;
	if (f == FREE && t->old != 0)
		fprintf(out, "=free %" PRIx64 "\n", t->old);
	if (f != FREE)
		fprintf(out, "=allocates\n");
	has_allocated |= f != FREE;
}

/* It has returned. */
static void leave(struct thread *t, const struct user_regs_struct *r)
{
	if (t->allocates == 0 || r->rip != t->returns_to || r->rsp != t->sp + 8)
		return;
	if (t->allocates != starts[FREE]) {
		if (t->allocates == starts[REALLOC] && t->old != 0)
			fprintf(out, "=free %" PRIx64 "\n", t->old);
		if (r->rax == 0) {
			fprintf(out, "=none\n");
		} else {
			fprintf(out, "=block %llx %llx ", r->rax, r->rax + t->bytes);
			fprintf(out, "%" PRIx64, t->returns_to - 1);
			for (size_t i = t->depth; i-- > 0;)
				if (t->calls[i].sp > t->sp)
					fprintf(out, ",%" PRIx64, t->calls[i].at);
			fprintf(out, "\n");
		}
	}
	t->allocates = 0;
}

/* ---- An instruction ---- */

static uint64_t value_of(const struct user_regs_struct *r, ZydisRegister reg, const struct insn *n)
{
	const unsigned long long registers[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp,
						r->rsi, r->rdi, r->r8,	r->r9,	r->r10, r->r11,
						r->r12, r->r13, r->r14, r->r15};
	const int id = ZydisRegisterGetId(reg);

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR64:
		return registers[id];
	case ZYDIS_REGCLASS_GPR32:
		return (uint32_t)registers[id];
	case ZYDIS_REGCLASS_IP:
		return n->pc + n->i.length;
	default:
		return 0;
	}
}

static uint64_t address_of(const struct user_regs_struct *r, const ZydisDecodedOperand *o,
			   const struct insn *n)
{
	uint64_t at = value_of(r, o->mem.base, n) + value_of(r, o->mem.index, n) * o->mem.scale +
		      (uint64_t)o->mem.disp.value;
	const bool writes = (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;

	if (o->mem.segment == ZYDIS_REGISTER_FS)
		at += r->fs_base;
	if (o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN || o->mem.base != ZYDIS_REGISTER_RSP)
		return at;
	if (n->i.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		return r->rbp;
	return writes ? at - o->size / 8 : at; /* a push, a call */
}

static void access_operand(const struct user_regs_struct *r, const struct insn *n, int operand)
{
	const ZydisDecodedOperand *o = &n->operands[operand];
	const bool reads = (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
	const bool writes = (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;

	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
	    o->size == 0)
		return;
	fprintf(out, " %c %" PRIx64 ",%u\n",
		reads && writes ? 'M'
		: writes	? 'S'
				: 'L',
		address_of(r, o, n), o->size / 8);
}

static bool is_prefetch(const struct insn *n)
{
	return n->i.meta.category == ZYDIS_CATEGORY_PREFETCH ||
	       n->i.meta.category == ZYDIS_CATEGORY_NOP ||
	       n->i.meta.category == ZYDIS_CATEGORY_WIDENOP;
}

static void step(struct thread *t, const struct user_regs_struct *r)
{
	const struct insn *n = decode(t->pid, r->rip);
	const bool repeats = (n->i.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
						 ZYDIS_ATTRIB_HAS_REPNE)) != 0;

	fprintf(out, "I  %llx,%u\n", r->rip, n->i.length);
	t->maps = n->i.mnemonic == ZYDIS_MNEMONIC_SYSCALL && r->rax == SYS_mmap && t->allocates == 0
			  ? r->rsi
			  : 0;
	if (is_prefetch(n) || (repeats && r->rcx == 0))
		return;
	/* what is read first */
	for (int i = 0; i < n->i.operand_count; i++)
		if (!(n->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			access_operand(r, n, i);
	for (int i = 0; i < n->i.operand_count; i++)
		if (n->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			access_operand(r, n, i);
	while (t->depth > 0 && t->calls[t->depth - 1].sp < r->rsp)
		t->depth--;
	if (n->i.meta.category == ZYDIS_CATEGORY_CALL && t->depth < MOST_CALLS)
		t->calls[t->depth++] = (struct open_call){r->rip + n->i.length - 1, r->rsp - 8};
	if (n->i.meta.category == ZYDIS_CATEGORY_RET && t->depth > 0 &&
	    t->calls[t->depth - 1].sp == r->rsp)
		t->depth--;
}

/* ---- The program ---- */

/* The C library's own data of a thread, above its pointer, as src/engine/data/mapped.c has it. */
#define OF_LIBRARY 2304

static void tell(const char *what, uint64_t start, uint64_t end)
{
	fprintf(out, "=%s %" PRIx64 " %" PRIx64 "\n", what, start, end);
}

static uint64_t locals_end;

/* Memory behind the image is the program's own until it first allocates. */
static void tell_heap(uint64_t start, uint64_t end)
{
	static uint64_t told;

	if (end != told && has_allocated)
		tell("heap", start < locals_end && locals_end < end ? locals_end : start, end);
	else if (end != told)
		tell("brk", start, end);
	told = end;
}

/* A thread begins on a stack of its own. */
static void tell_thread(pid_t pid, uint64_t sp)
{
	char path[64], line[512];
	uint64_t start, end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && start <= sp &&
		    sp < end) {
			tell("thread", start, sp);
			tell("thread-locals", sp, end);
		}
	if (f != NULL)
		fclose(f);
}

static void tell_places(pid_t pid, uint64_t fs_base)
{
	static uint64_t stack_start, fs_before;
	char path[64], line[512];
	uint64_t start, end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
			continue;
		if (strstr(line, "[heap]") != NULL)
			tell_heap(start, end);
		if (strstr(line, "[stack]") != NULL && start != stack_start)
			tell("stack", stack_start = start, end);
	}
	if (f != NULL)
		fclose(f);
	if (fs_before == 0 && fs_base != 0)
		tell("locals", fs_base - locals_bytes, locals_end = fs_base + OF_LIBRARY);
	fs_before = fs_base;
}

static void run(pid_t first)
{
	bool after_call = true;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		struct thread *t = thread_of(pid);
		struct user_regs_struct r;
		int sent = 0;

		if (WIFEXITED(status) && pid == first)
			exit(fclose(out) == 0 ? WEXITSTATUS(status) : 1);
		if (WIFSIGNALED(status) && pid == first)
			errx(1, "the program ended with signal %d", WTERMSIG(status));
		if (!WIFSTOPPED(status)) {
			t->pid = -1;
			continue;
		}
		if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP)
			sent = WSTOPSIG(status);
		if (ptrace(PTRACE_GETREGS, pid, 0, &r) == 0) {
			if (pid != first && !t->has_begun)
				tell_thread(pid, r.rsp);
			t->has_begun = true;
			if (after_call)
				tell_places(pid, r.fs_base);
			if (t->maps != 0)
				tell("mapping", r.rax, r.rax + t->maps);
			leave(t, &r);
			enter(t, &r);
			step(t, &r);
			after_call = decode(pid, r.rip)->i.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
		}
		ptrace(PTRACE_SINGLESTEP, pid, 0, sent);
	}
}

int main(int argc, char **argv)
{
	pid_t pid;
	int status;

	if (argc < 4)
		errx(2, "usage: steps TRACE FILE NAME [ARG...]");
	out = fopen(argv[1], "we");
	if (out == NULL)
		err(1, "%s", argv[1]);
	read_symbols(argv[2]);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	pid = fork();
	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 3);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		errx(1, "%s does not start", argv[2]);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	{
		struct user_regs_struct r;

		if (ptrace(PTRACE_GETREGS, pid, 0, &r) != 0)
			err(1, "registers");
		tell_places(pid, r.fs_base);
		step(thread_of(pid), &r);
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	}
	run(pid);
	return 1;
}
