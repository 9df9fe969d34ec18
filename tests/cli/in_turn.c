/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads and maps files in turn at one address; see names_over_time.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static long at[2];

/* Load the library, let it make n accesses to its table, and unload it. */
static void visit(const char *name, int n)
{
	char path[64], symbol[64];
	void *library;
	int (*walk)(int);

	snprintf(path, sizeof path, "./lib%s.so", name);
	snprintf(symbol, sizeof symbol, "walk_%s", name);
	library = dlopen(path, RTLD_NOW);
	walk = (int (*)(int))dlsym(library, symbol);
	if (walk == NULL)
		exit(2);
	at[name[0] == 'b'] = (long)walk & ~0xfffL;
	walk(n);
	dlclose(library);
}

static void in_turn(int rounds, int n)
{
	for (int i = 0; i < rounds; i++)
		visit(i & 1 ? "blue" : "red", i & 1 ? n : 3 * n);
	if (at[0] != at[1])
		exit(77);
}

/* Something else takes the place of a library that is loaded again. */
static void moved(int n)
{
	visit("red", n);
	if (mmap((void *)at[0], 0x1000, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		exit(3);
	visit("red", n);
	visit("blue", n);
}

static void children(int n)
{
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			visit(i ? "blue" : "red", n);
			_exit(0);
		}
		wait(NULL);
	}
	visit("red", n);
	if (fork() == 0) {
		visit("blue", n);
		_exit(0);
	}
	wait(NULL);
}

/* Anonymous memory where a library was. */
static void memory_after(int n)
{
	volatile int *p;

	visit("red", n);
	p = mmap((void *)at[0], 1 << 18, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (int i = 0; i < n; i++)
		p[i * 4099L & 0xffff]++;
}

static void files(int rounds, int n)
{
	for (int i = 0; i < rounds; i++) {
		int fd = open(i & 1 ? "b.data" : "a.data", O_RDONLY);
		volatile int *p = mmap(NULL, 1 << 18, PROT_READ, MAP_PRIVATE, fd, 0);

		at[i & 1] = (long)p;
		for (int k = 0, m = i & 1 ? n : 3 * n; k < m; k++)
			(void)p[k * 4099L & 0xffff];
		munmap((void *)p, 1 << 18);
		close(fd);
	}
	if (at[0] != at[1])
		exit(77);
}

/* Of a heap that was unmapped with its blocks in it: nothing is left of them. */
static void heap_after(int n)
{
	void *library = dlopen("./libheap.so", RTLD_NOW);
	void *(*get)(size_t) = (void *(*)(size_t))dlsym(library, "calloc_piece");
	void (*drop)(void) = (void (*)(void))dlsym(library, "drop_heap");
	volatile int *p = get(1 << 18);

	for (int i = 0; i < n; i++)
		p[i * 4099L & 0xffff]++;
	drop();
	p = mmap((void *)p, 1 << 18, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (int i = 0; i < 3 * n; i++)
		p[i * 4099L & 0xffff]++;
}

static void visit_and_execute(int n, char **argv)
{
	visit("red", n);
	execl(argv[0], argv[0], "last", argv[2], NULL);
}

int main(int argc, char **argv)
{
	const int n = atoi(argv[2]);

	if (strcmp(argv[1], "turn") == 0)
		in_turn(6, n);
	else if (strcmp(argv[1], "often") == 0)
		in_turn(150, n);
	else if (strcmp(argv[1], "moved") == 0)
		moved(n);
	else if (strcmp(argv[1], "children") == 0)
		children(n);
	else if (strcmp(argv[1], "memory") == 0)
		memory_after(n);
	else if (strcmp(argv[1], "heap") == 0)
		heap_after(n);
	else if (strcmp(argv[1], "files") == 0)
		files(6, n);
	else if (strcmp(argv[1], "exec") == 0)
		visit_and_execute(n, argv);
	else if (strcmp(argv[1], "last") == 0)
		visit("blue", n);
	return argc != 3;
}
