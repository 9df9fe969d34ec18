/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's start: the kernel has executed it in place of a program, with the program's argv. It
 * maps the program, builds the initial stack as the kernel would, and translates from the first
 * instruction on. Until the jump to its own stack it is an ordinary C program, but it allocates
 * nothing: the process's heap is the target's.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <elf.h>
#include <linux/prctl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "channel/launch.h"
#include "channel/sys.h"
#include "engine/codecache/code_options.h"
#include "engine/codecache/pages.h"
#include "engine/codecache/poll.h"
#include "engine/core/fsbase.h"
#include "engine/core/limits.h"
#include "engine/core/proc.h"
#include "engine/core/program_limits.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/core/xstate.h"
#include "engine/data/alloc.h"
#include "engine/drive/collect.h"
#include "engine/run/dispatch.h"
#include "engine/run/initial_stack.h"
#include "engine/run/load.h"
#include "engine/run/process.h"
#include "engine/run/rooms.h"
#include "engine/run/signals.h"
#include "engine/run/syscalls/descriptors.h"
#include "engine/run/syscalls/limit_calls.h"
#include "engine/run/syscalls/text_busy.h"
#include "engine/run/threads.h"
#include "engine/run/visits.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/translate/translate.h"
#include "engine/unwind/modules.h"
#include "engine/unwind/paths.h"

#define EXIT_OUR_FAULT	4   /* as dwell's own, see src/cli/exit_codes.h */
#define EXIT_CANNOT_RUN 126 /* as a shell's */
#define OPTIONS_ENV	"DWELL_ENGINE_OPTIONS"

/* The engine's settings from the environment. */
struct request {
	int channel_fd, engine_fd, exe_fd;
	uint32_t parent, cause;
	const char *name; /* AT_EXECFN */
	const char *options;
	struct launch_limit limits[LAUNCH_LIMITS];
};

static struct request request;
static struct image image;
static char **argv0;

__attribute__((noreturn)) static void cannot(const char *name, const char *why, int status)
{
	util_note_failure();
	say("%s: %s", name ? name : "program", why);
	for (;;)
		sys1(SYS_exit_group, status);
}

/* "channel:engine:parent or -:cause" */
static void parse_channel(const char *p)
{
	uint64_t v;

	p = text_decimal(p, &v);
	request.channel_fd = (int)v;
	p = text_decimal(*p ? p + 1 : p, &v);
	request.engine_fd = (int)v;
	p = *p ? p + 1 : p;
	request.parent = UINT32_MAX;
	if (*p == '-') {
		p++;
	} else {
		p = text_decimal(p, &v);
		request.parent = (uint32_t)v;
	}
	text_decimal(*p ? p + 1 : p, &v);
	request.cause = (uint32_t)v;
}

/* "soft:hard:" of each; "::" if not set */
static void parse_limits(const char *p)
{
	for (int i = 0; i < LAUNCH_LIMITS; i++) {
		struct launch_limit *l = &request.limits[i];

		l->set = *p >= '0' && *p <= '9';
		p = text_decimal(p, &l->soft);
		p = text_decimal(*p ? p + 1 : p, &l->hard);
		p = *p ? p + 1 : p;
	}
}

static void parse_environment(char **envp)
{
	const char *p;
	uint64_t v;

	request.exe_fd = -1;
	request.channel_fd = -1;
	for (; *envp; envp++) {
		if ((p = text_behind(*envp, CHANNEL_ENV "=")))
			parse_channel(p);
		else if ((p = text_behind(*envp, LAUNCH_EXE_ENV "="))) {
			p = text_decimal(p, &v);
			request.exe_fd = (int)v;
			request.name = *p ? p + 1 : p;
		} else if ((p = text_behind(*envp, LAUNCH_LIMITS_ENV "=")))
			parse_limits(p);
		else if ((p = text_behind(*envp, OPTIONS_ENV "=")))
			request.options = p;
	}
}

/* "name=value,..." in DWELL_ENGINE_OPTIONS, for tests: the value, or `otherwise`. */
static uint64_t option(const char *name, uint64_t otherwise)
{
	const char *p = request.options;
	uint64_t v;

	while (p && *p) {
		const char *q = text_behind(p, name);

		if (q && *q == '=') {
			text_decimal(q + 1, &v);
			return v;
		}
		while (*p && *p++ != ',')
			;
	}
	return otherwise;
}

static uint64_t xgetbv0(void)
{
	uint32_t lo, hi;

	__asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (uint64_t)hi << 32 | lo;
}

static bool is_amd(void)
{
	uint32_t a, b, c, d;

	__cpuid(0, a, b, c, d);
	return b == signature_AMD_ebx && c == signature_AMD_ecx && d == signature_AMD_edx;
}

/*
 * `features`: ebx of cpuid leaf 7. With 512-bit registers xmm15 cannot count: an addition clears
 * all higher bits, and the target's are saved for 256 bits only.
 */
static void choose_counter(uint32_t features, uint64_t xcr0, bool has_avx)
{
	const bool has_31 = (features >> 16 & 1) && (features >> 31 & 1) && (features >> 17 & 1) &&
			    (xcr0 & 0xe6) == 0xe6;
	const bool has_15 = has_avx && (xcr0 & 6) == 6 && !(xcr0 & 0xe0);

	engine_vector_counter = !option("vector", 1) ? COUNTER_SSE
				: has_31	     ? COUNTER_YMM31
				: has_15	     ? COUNTER_XMM15
						     : COUNTER_SSE;
}

static void look_at_cpu(void)
{
	uint32_t a, b, c, d;
	uint64_t xcr0 = xgetbv0();
	bool in_use, popcnt, has_avx;

	engine.amd = is_amd();
	engine.report_ns = option("report_us", COLLECT_REPORT_NS / 1000) * 1000;
	code_options.loop_checks = option("loop_checks", engine.amd);
	code_options.loop_align = (uint32_t)option("loop_align", 32);
	code_options.keeps_branches = option("keeps_branches", !engine.amd);
	xstate_look();
	__cpuid_count(0xd, 1, a, b, c, d);
	in_use = a >> 2 & 1;
	__cpuid_count(1, 0, a, b, c, d);
	popcnt = c >> 23 & 1;
	has_avx = c >> 28 & 1;
	code_options.second_tables = (c >> 20 & 1) && option("second_tables", 1);
	__cpuid_count(7, 0, a, b, c, d);
	choose_counter(b, xcr0, has_avx);
	code_options.defers = option("defers", 1);
	engine.bmi2 = (b >> 8 & 1) && popcnt;
	engine.wide =
		engine_vector_counter == COUNTER_YMM31 && (b >> 30 & 1) && engine.bmi2 && in_use;
	code_options.ib_bits = (uint8_t)option("ib_bits", b >> 8 & 1 ? 0 : 16);
	code_options.quick_reps = option("quick_reps", engine.bmi2);
	engine.fsgsbase = (getauxval(AT_HWCAP2) & 2) && option("fsgsbase", 1);
}

static void note_stack(struct thread *t, uint64_t rsp, uint64_t stack_top)
{
	uint64_t top = round_up(stack_top, PAGE);
	uint64_t low = (rsp & ~(PAGE - 1)) - (8ull << 20);

	/* code on the stack is rare and shares its pages with data: it always verifies itself */
	mappings_set(low, top, PROT_READ | PROT_WRITE | (image.exec_stack ? PROT_EXEC : 0),
		     image.exec_stack, false, true);
	alloc_stack(t, low, top);
	if (image.exec_stack)
		sys3(SYS_mprotect, rsp & ~(PAGE - 1), top - (rsp & ~(PAGE - 1)),
		     PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN);
}

static void note_vdso(struct process *p)
{
	uint64_t at = getauxval(AT_SYSINFO_EHDR);

	if (!at)
		return;
	mappings_set(at, at + 2 * PAGE, PROT_READ | PROT_EXEC, false, true, false);
	process_add_module(p, at, at + 2 * PAGE, 0, "[vdso]", -1);
	modules_add(at, at + 2 * PAGE, 0, -1, MODULE_LIBRARY, 0);
}

static void set_comm(const struct process *p)
{
	const char *name = text_behind(request.name, "/dev/fd/") ? p->exe : request.name;

	for (const char *s = name; *s; s++)
		if (*s == '/')
			name = s + 1;
	sys2(SYS_prctl, PR_SET_NAME, name);
}

/* why: NULL if the program is broken. */
__attribute__((noreturn)) static void cannot_load(const char *why)
{
	if (!why)
		engine_end_by(SIGSEGV);
	cannot(request.name, why, EXIT_CANNOT_RUN);
}

/* Runs on the engine's own stack: no libc from here on. */
static void begin(void *arg)
{
	struct thread *t = arg;
	struct process *p = t->process;
	struct initial_stack stack;
	const char *why;
	struct rlimit was;
	bool raised;

	process_begin(t, argv0, request.parent, request.cause);
	note_vdso(p);
	raised = descriptors_raise(&was); /* the kernel needs no descriptors for an exec */
	text_busy_init(request.exe_fd);
	if (load_program(p, request.exe_fd, &image, &why) != 0)
		cannot_load(why);
	sys1(SYS_close, request.exe_fd);
	if (raised)
		descriptors_restore(&was);
	request.options = 0; /* strings move */
	if (initial_stack_build(&stack, argv0, &image, request.name) != 0)
		cannot(request.name, "has a name that is too long", EXIT_OUR_FAULT);
	request.name = stack.name;
	t->regs[RSP] = stack.rsp;
	note_stack(t, stack.rsp, stack.top);
	set_comm(p);
	t->rip = image.start;
	t->rflags = 0x202;
	limit_calls_begin(t, request.limits);
	fsbase_set(0);
	t->fs_base = 0;
}

/* Runs of all accesses are compared with each other, so the program's addresses must not differ. */
static bool is_reproducible(void)
{
	const uint32_t mode = engine.config.mode;

	return engine_simulates() || mode == CHANNEL_MODE_STREAM || mode == CHANNEL_MODE_LINES;
}

int main(int argc, char **argv, char **envp)
{
	struct process *p = &engine.first;
	struct thread *t;

	(void)argc;
	parse_environment(envp);
	if (request.exe_fd < 0) {
		say("dwell-engine runs inside other programs: use 'dwell record -- PROGRAM'");
		return 2;
	}
	argv0 = argv;
	look_at_cpu();
	p->channel_fd = request.channel_fd;
	p->engine_fd = request.engine_fd;
	p->order = UINT32_MAX;
	limits_init();
	const char *wrong = records_open(request.channel_fd);

	if (wrong)
		say_note("%s: %s: it runs unprofiled", request.name, wrong);
	rooms_open();
	if (is_reproducible())
		pages_reserve();
	if (engine_simulates()) {
		filter_memory_divides = option("pieces", 0);
		filter_turn_blocks = (uint32_t)option("turn", FILTER_TURN_BLOCKS);
		if (filter_turn_blocks < FILTER_LEAST_TURN)
			filter_turn_blocks = FILTER_LEAST_TURN;
		if (engine_vector_counter == COUNTER_XMM15)
			engine_vector_counter = COUNTER_SSE; /* the filter variant's */
	}
	uint32_t bits = code_options.ib_bits;

	if (pages_init() != 0)
		limits_no_room();
	visits_begin();
	if (decode_init() != 0 || poll_init(option("tallies", UINT64_MAX)) != 0 ||
	    cache_init(option("cache_mb", 0) << 20, bits ? (1u << bits) - 1 : IB_PEXT_MASK) != 0)
		limits_no_room();
	alloc_init();
	paths_init();
	t = thread_new(p);
	if (!t)
		limits_no_room();
	t->tid = (uint32_t)sys0(SYS_gettid);
	t->pid = (uint32_t)sys0(SYS_getpid);
	thread_list(t);
	gsbase_set((uint64_t)(uintptr_t)t);
	signals_thread_start(t);
	signals_init(t);
	proc_name_of_fd(request.exe_fd, p->exe, sizeof p->exe);
	long n = sys3(SYS_readlink, "/proc/self/exe", engine.own_path, sizeof engine.own_path);

	engine.own_path_bytes = n > 0 ? (uint64_t)n : 0;
	if (request.cause == 2 && request.parent != UINT32_MAX && engine.channel)
		process_end_predecessor(request.parent, (uint32_t)sys0(SYS_getpid));
	engine_run_on((void *)(uintptr_t)t->engine_sp, begin, t);
}
