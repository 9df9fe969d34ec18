/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings, blocks, lines; see grows.c. */
#define _GNU_SOURCE
#include "grows.h"

#include <fcntl.h>
#include <unistd.h>

void mappings(unsigned long n)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (unsigned long i = 0; i < n; i++) {
		const char *p =
			must(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, i % 2 ? (off_t)PAGE : 0));

		sink += p[i % PAGE];
	}
}

void code_mappings(unsigned long n)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (unsigned long i = 0; i < n; i++)
		must(mmap(NULL, PAGE, PROT_READ | (i % 2 ? PROT_EXEC : 0), MAP_PRIVATE, fd, 0));
}

void anonymous_mappings(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		char *p = map(3 * PAGE, PROT_READ | PROT_WRITE);

		p[i % PAGE] = 1;
		mprotect(p + PAGE, PAGE, PROT_NONE);
	}
}

void mapped_and_gone(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		char *p = map(3 * PAGE, PROT_READ | PROT_WRITE);

		p[i % PAGE] = 1;
		munmap(p, 3 * PAGE);
	}
}

/* One mapping in N parts, which come together again. */
void parts(unsigned long n)
{
	char *p = map(2 * n * PAGE, PROT_READ | PROT_WRITE);

	for (unsigned long i = 0; i < n; i++)
		mprotect(p + 2 * i * PAGE, PAGE, PROT_READ);
	for (unsigned long i = 0; i < n; i++)
		mprotect(p + 2 * i * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

void heap_ends(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		char *p = sbrk((long)PAGE);

		if (p != (void *)-1)
			*p = 1;
	}
}

void live_blocks(unsigned long n)
{
	char **block = must(malloc(n * sizeof *block));

	for (unsigned long i = 0; i < n; i++) {
		block[i] = must(malloc(16 + i % 64));
		*block[i] = 1;
	}
	for (unsigned long i = 0; i < n; i++)
		free(block[i * 7919 % n]);
}

void large_blocks(unsigned long n)
{
	char **block = must(malloc(n * sizeof *block));

	for (unsigned long i = 0; i < n; i++) {
		block[i] = must(malloc(40 * PAGE));
		*block[i] = 1;
	}
	for (unsigned long i = 0; i < n; i++)
		free(block[i]);
}

void grown_blocks(unsigned long n)
{
	char *p = NULL;

	for (unsigned long i = 1; i <= n; i++) {
		p = must(realloc(p, i * 16));
		p[i * 16 - 1] = 1;
	}
}

void freed_blocks(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		char *p = must(malloc(24 + i % 1024));

		*p = 1;
		free(p);
	}
}

/* N places allocate. */
void sites(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		char *p = ((char *(*)(long))code_at(many_allocators, i))(40);

		*(volatile char *)p = 1;
	}
}

/* Blocks of N places, which N functions use. */
void pairs(unsigned long n)
{
	char **p = must(malloc(n * sizeof *p));

	for (unsigned long i = 0; i < n; i++)
		p[i] = ((char *(*)(long))code_at(many_allocators, i))(200);
	for (unsigned long i = 0; i < 4 * n; i++)
		sink += ((function *)code_at(many_functions, i))((long)(uintptr_t)p[i * 5 % n]);
}

/* Distances between touches that grow with N. */
void lines(unsigned long n)
{
	char *p = map(n * 64, PROT_READ | PROT_WRITE);

	for (int pass = 0; pass < 3; pass++)
		for (unsigned long i = 0; i < n; i++)
			p[i * 64] = (char)i;
}

void scattered_lines(unsigned long n)
{
	char *p = must(mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));

	for (int pass = 0; pass < 3; pass++)
		for (unsigned long i = 0; i < n; i++)
			sink += p[i * PAGE];
}
