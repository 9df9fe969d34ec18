/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code: functions, calls and jumps, made code; see grows.c. */
#include "grows.h"

#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

/* mov eax, value; ret */
static void put_function(unsigned char *at, int value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
}

static long call(void *code)
{
	return ((long (*)(void))(uintptr_t)code)();
}

/* Of 1000 functions on the same pages one is rewritten, and called. */
void rewritten(unsigned long n)
{
	unsigned char *code = map(4 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);

	for (unsigned long i = 0; i < 1000; i++)
		put_function(code + 16 * i, 0);
	for (unsigned long i = 0; i < n; i++) {
		put_function(code + 16 * (i % 1000), (int)i);
		sink += call(code + 16 * (i % 1000));
	}
}

/* Functions on the boundary of two pages, of which only the first is written to. */
void rewritten_at_boundary(unsigned long n)
{
	unsigned char *code = map(2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);

	for (unsigned long i = 0; i < n; i++) {
		unsigned char *at = code + PAGE - 5;

		if (i < 2)
			put_function(at, 0);
		at[1] = (unsigned char)i;
		sink += call(at);
	}
}

/* Written, made executable, called, made writable. */
void protected_in_turns(unsigned long n)
{
	unsigned char *code = map(4 * PAGE, PROT_READ | PROT_WRITE);

	for (unsigned long i = 0; i < n; i++) {
		mprotect(code, 4 * PAGE, PROT_READ | PROT_WRITE);
		put_function(code + 16 * (i % 1000), (int)i);
		mprotect(code, 4 * PAGE, PROT_READ | PROT_EXEC);
		sink += call(code + 16 * (i % 1000));
	}
}

/* Code of a compiler that runs in the program: regions with names nobody knows. */
void made_regions(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		unsigned char *code = map(2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);

		put_function(code, (int)i);
		sink += call(code);
		mprotect(code + PAGE, PAGE, PROT_NONE);
	}
}

void made_and_gone(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		unsigned char *code = map(2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);

		put_function(code, (int)i);
		sink += call(code);
		munmap(code, 2 * PAGE);
	}
}

/* Functions of one region of made code, with names in a perf map. */
void named_by_map(unsigned long n)
{
	unsigned char *code = map((n + 255) / 256 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	f = must(fopen(path, "w"));
	for (unsigned long i = 0; i < n; i++) {
		put_function(code + 16 * i, (int)i);
		fprintf(f, "%lx 10 made_%lu\n", (unsigned long)(uintptr_t)(code + 16 * i), i);
	}
	fclose(f);
	for (unsigned long i = 0; i < n; i++)
		sink += call(code + 16 * i);
	if (n < 10) /* the last of these runs removes nothing that is still read */
		unlink(path);
}

/* Each function runs once. */
void functions(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += ((function *)code_at(many_functions, i))((long)i);
}

/* One call site leads to N functions in turns. */
void callees(unsigned long n)
{
	for (unsigned long i = 0; i < 16 * n; i++)
		sink += call_one_of(code_at(many_functions, i % n), (long)i);
}

/* The same, for a jump at the end of a function. */
void jumped_to(unsigned long n)
{
	for (unsigned long i = 0; i < 16 * n; i++)
		sink += jump_to_one_of(code_at(many_functions, i % n), (long)i);
}

/* N functions call the same one. */
void callers(unsigned long n)
{
	for (unsigned long i = 0; i < 16 * n; i++)
		sink += ((function *)code_at(many_callers, i % n))((long)i);
}

/* A switch of N cases. */
void cases(unsigned long n)
{
	for (unsigned long i = 0; i < 16 * n; i++)
		sink += many_targets((unsigned)(i % n));
}

/* Calls fixed in number, to N functions, for the price of the call graph. */
void fixed_callees(unsigned long n)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += call_one_of(code_at(many_functions, i % n), (long)i);
}

void fixed_jumps(unsigned long n)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += jump_to_one_of(code_at(many_functions, i % n), (long)i);
}

void fixed_callers(unsigned long n)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += ((function *)code_at(many_callers, i % n))((long)i);
}

void fixed_cases(unsigned long n)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += many_targets((unsigned)(i % n));
}

static __attribute__((noinline)) long recurse(unsigned long n)
{
	volatile char room[64];

	room[n % 64] = 1;
	return n ? recurse(n - 1) + room[n % 64] : call_one_of(many_functions, 1);
}

/* A recursion of depth N, on a stack of its own. */
static void *deep(void *n)
{
	sink += recurse((unsigned long)(uintptr_t)n);
	return NULL;
}

void recursion(unsigned long n)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, n * 256 + (1 << 20));
	if (pthread_create(&thread, &attributes, deep, (void *)(uintptr_t)n) != 0)
		exit(1);
	pthread_join(thread, NULL);
}

/* Paths of calls: two functions call each other, as the bits of a number say. */
static __attribute__((noinline)) long left(unsigned long path, int depth);

static __attribute__((noinline)) long right(unsigned long path, int depth)
{
	return depth ? (path & 1 ? right(path / 2, depth - 1) : left(path / 2, depth - 1)) + 1 : 0;
}

static __attribute__((noinline)) long left(unsigned long path, int depth)
{
	return depth ? (path & 1 ? right(path / 2, depth - 1) : left(path / 2, depth - 1)) + 2 : 0;
}

void paths(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		sink += left(i, 16);
		free(malloc(24));
	}
}

void jumps_out(unsigned long n)
{
	static jmp_buf back;

	for (volatile unsigned long i = 0; i < n; i++)
		if (setjmp(back) == 0) {
			sink += (long)i;
			longjmp(back, 1);
		}
}
