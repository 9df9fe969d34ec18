/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The initial stack of a program; see initial_stack.h. */
#define _GNU_SOURCE
#include "engine/run/initial_stack.h"

#include <elf.h>
#include <linux/prctl.h>
#include <sys/personality.h>

#include "channel/channel.h"
#include "channel/launch.h"
#include "channel/sys.h"
#include "engine/core/limits.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/run/load.h"

#define NAME_BYTES 4096u

/* The vectors that the kernel made for the engine. */
struct vectors {
	char **argv, **envp;
	Elf64_auxv_t *auxv;
	uint64_t argc, envc, auxc;
};

/* The program's strings, one behind the other. */
struct strings {
	uint64_t args, variables, end;
};

static uint64_t length(const char *s)
{
	uint64_t n = 0;

	while (s[n])
		n++;
	return n;
}

static struct vectors find_vectors(char **argv)
{
	struct vectors v = {.argv = argv};

	while (argv[v.argc])
		v.argc++;
	v.envp = argv + v.argc + 1;
	while (v.envp[v.envc])
		v.envc++;
	v.auxv = (Elf64_auxv_t *)(void *)(v.envp + v.envc + 1);
	while (v.auxv[v.auxc].a_type != AT_NULL)
		v.auxc++;
	return v;
}

/* Removes variables that are for the engine only. */
static void drop_variables(struct vectors *v)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < v->envc; i++) {
		const char *s = v->envp[i];

		if (!text_behind(s, CHANNEL_ENV "=") && !text_behind(s, LAUNCH_EXE_ENV "=") &&
		    !text_behind(s, LAUNCH_LIMITS_ENV "="))
			v->envp[kept++] = v->envp[i];
	}
	v->envc = kept;
}

/* Moves s up to end at `end`. */
static char *move_up(char *end, const char *s)
{
	uint64_t bytes = length(s) + 1;

	memmove(end - bytes, s, bytes);
	return end - bytes;
}

/*
 * Moves the strings together, like the kernel's: the space of the engine's variables is free below.
 */
static struct strings move_strings(struct vectors *v, char *end)
{
	struct strings s = {.end = (uint64_t)(uintptr_t)end};

	for (uint64_t i = v->envc; i-- > 0;) {
		const char *kept = text_behind(v->envp[i], LAUNCH_KEEP_PREFIX);

		end = v->envp[i] = move_up(end, kept ? kept : v->envp[i]);
	}
	s.variables = (uint64_t)(uintptr_t)end;
	for (uint64_t i = v->argc; i-- > 0;)
		end = v->argv[i] = move_up(end, v->argv[i]);
	s.args = (uint64_t)(uintptr_t)end;
	return s;
}

/*
 * Fixes the auxiliary vector for the target. Returns the address of the engine's name, which the
 * kernel puts above all else.
 */
static const char *fix_auxv(struct vectors *v, const struct image *image, const char *name)
{
	const struct {
		uint64_t type, value;
	} fixes[] = {
		{AT_PHDR, image->phdr},	  {AT_PHENT, image->phent},
		{AT_PHNUM, image->phnum}, {AT_BASE, image->interpreter_base},
		{AT_ENTRY, image->entry}, {AT_EXECFN, (uint64_t)(uintptr_t)name},
	};
	const char *old = name;

	for (Elf64_auxv_t *a = v->auxv; a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_EXECFN)
			old = (const char *)(uintptr_t)a->a_un.a_val;
		for (uint32_t i = 0; i < sizeof fixes / sizeof *fixes; i++)
			if (a->a_type == fixes[i].type)
				a->a_un.a_val = fixes[i].value;
	}
	return old;
}

#define HEAP_RANGE (32ull << 20)

/* Does the kernel choose addresses at random, those of heaps, too? */
static bool is_random(void)
{
	char level[8] = {0};

	if (sys1(SYS_personality, 0xffffffff) & ADDR_NO_RANDOMIZE)
		return false;
	proc_read("/proc/sys/kernel/randomize_va_space", level, sizeof level);
	return level[0] != '0' && level[0] != '1';
}

/*
 * Where the heap begins. That of an image at a fixed address lies behind it, as some programs
 * expect. The kernel moves it by up to 1 GB; here it is less, as the engine has tables further on.
 * An image at any address lies among the libraries, where a heap has no room: its heap is the one
 * that the kernel made for the engine.
 */
static uint64_t choose_heap(const struct image *image)
{
	uint64_t random = 0;

	if (!image->heap)
		return (uint64_t)sys1(SYS_brk, 0);
	if (is_random() && sys3(SYS_getrandom, &random, sizeof random, 0) != sizeof random)
		random = 0;
	return image->heap + (random % HEAP_RANGE & ~(PAGE - 1));
}

/*
 * Sets what /proc/PID/stat, auxv, cmdline and environ show, and where the heap begins. Needs no
 * privilege as long as /proc/PID/exe does not change. If the kernel refuses (it has no
 * CONFIG_CHECKPOINT_RESTORE, or is old), they show the engine, and the heap is the engine's.
 */
static void tell_kernel(const struct image *image, const struct strings *s, uint64_t rsp,
			const struct vectors *v)
{
	const uint64_t brk = choose_heap(image);
	const struct prctl_mm_map map = {
		.start_code = image->start_code,
		.end_code = image->end_code,
		.start_data = image->start_data,
		.end_data = image->end_data,
		.start_brk = brk,
		.brk = brk,
		.start_stack = rsp,
		.arg_start = s->args,
		.arg_end = s->variables,
		.env_start = s->variables,
		.env_end = s->end,
		.auxv = (void *)v->auxv,
		.auxv_size = (uint32_t)((v->auxc + 1) * sizeof *v->auxv),
		.exe_fd = UINT32_MAX,
	};

	sys5(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}

/*
 * Writes argc, argv, envp and auxv to end where the engine's end: there are fewer variables, so
 * they fit. Returns rsp.
 */
static uint64_t write_vectors(const struct vectors *v, uint64_t *copy)
{
	uint64_t *out = copy, words, rsp;

	*out++ = v->argc;
	for (uint64_t i = 0; i < v->argc; i++)
		*out++ = (uint64_t)(uintptr_t)v->argv[i];
	*out++ = 0;
	for (uint64_t i = 0; i < v->envc; i++)
		*out++ = (uint64_t)(uintptr_t)v->envp[i];
	*out++ = 0;
	memcpy(out, v->auxv, (v->auxc + 1) * sizeof *v->auxv);
	words = (uint64_t)(out - copy) + 2 * (v->auxc + 1);
	rsp = ((uint64_t)(uintptr_t)(v->auxv + v->auxc + 1) - words * 8) & ~15ull;
	memcpy((void *)(uintptr_t)rsp, copy, words * 8);
	return rsp;
}

int initial_stack_build(struct initial_stack *s, char **argv, const struct image *image,
			const char *name)
{
	static char kept_name[NAME_BYTES];
	struct vectors v = find_vectors(argv);
	char *lowest = v.argc ? v.argv[0] : v.envp[0], *last = v.envp[v.envc - 1];
	uint64_t name_bytes = length(name) + 1;
	uint64_t bytes = round_up((v.argc + v.envc + 2 * v.auxc + 8) * sizeof(uint64_t), PAGE);
	uint64_t *copy = pages_get(bytes); /* the vectors overlap */
	struct strings strings;

	if (!copy)
		limits_no_room();
	if (name_bytes > NAME_BYTES)
		return -1;
	memcpy(kept_name, name, name_bytes);
	drop_variables(&v);
	strings = move_strings(&v, last + length(last) + 1);
	memcpy(lowest, kept_name, name_bytes); /* in place of an engine variable */
	s->name = lowest;
	name = fix_auxv(&v, image, lowest);
	s->top = (uint64_t)(uintptr_t)name + length(name) + 1 + 8;
	s->rsp = write_vectors(&v, copy);
	pages_put(copy, bytes);
	v.auxv = (Elf64_auxv_t *)(uintptr_t)(s->rsp + (v.argc + v.envc + 3) * 8);
	tell_kernel(image, &strings, s->rsp, &v);
	return 0;
}
