/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, processes, signals, stacks, modules; see grows.c. */
#define _GNU_SOURCE
#include "grows.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static void *touch(void *p)
{
	sink += *(long *)p;
	return NULL;
}

void threads(unsigned long n)
{
	pthread_t thread;
	long word = 1;

	for (unsigned long i = 0; i < n; i++) {
		if (pthread_create(&thread, NULL, touch, &word) != 0)
			exit(1);
		pthread_join(thread, NULL);
	}
}

static pthread_barrier_t all_there;

static void *wait_for_all(void *p)
{
	sink += *(long *)p;
	pthread_barrier_wait(&all_there);
	return NULL;
}

void live_threads(unsigned long n)
{
	pthread_t *thread = must(malloc(n * sizeof *thread));
	pthread_attr_t attributes;
	long word = 1;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	pthread_barrier_init(&all_there, NULL, (unsigned)n);
	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&thread[i], &attributes, wait_for_all, &word) != 0)
			exit(1);
	for (unsigned long i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

void forks(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

void live_forks(unsigned long n)
{
	int gate[2];
	char byte;

	if (pipe(gate) != 0)
		exit(1);
	for (unsigned long i = 0; i < n; i++)
		if (fork() == 0) {
			close(gate[1]);
			_exit(read(gate[0], &byte, 1) != 0);
		}
	close(gate[1]);
	while (wait(NULL) > 0)
		;
}

void executed(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		pid_t child = fork();

		if (child == 0) {
			execl("/proc/self/exe", "grows", "functions", "1", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
}

void executed_in_turn(unsigned long n)
{
	char left_over[24];

	snprintf(left_over, sizeof left_over, "%lu", n - 1);
	if (n > 1)
		execl("/proc/self/exe", "grows", "executed_in_turn", left_over, (char *)NULL);
}

static void handle(int number)
{
	sink += number;
}

void signals(unsigned long n)
{
	signal(SIGUSR1, handle);
	for (unsigned long i = 0; i < n; i++)
		raise(SIGUSR1);
}

static sigjmp_buf behind_fault;

static void handle_fault(int number)
{
	sink += number;
	siglongjmp(behind_fault, 1);
}

void faults(unsigned long n)
{
	const char *p = map(PAGE, PROT_NONE);

	signal(SIGSEGV, handle_fault);
	for (volatile unsigned long i = 0; i < n; i++)
		if (sigsetjmp(behind_fault, 1) == 0)
			sink += *p;
}

void descriptors(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		int fd = open("/dev/null", O_RDWR);

		sink += write(fd, "", 1);
		if (i > 500)
			close(fd);
	}
}

/* ---- Stacks ---- */

static ucontext_t home, *fiber;
static unsigned long running;

static void on_fiber(void)
{
	for (;;) {
		sink += call_one_of(many_functions, 1);
		swapcontext(&fiber[running], &home);
	}
}

void stacks(unsigned long n)
{
	fiber = must(calloc(n, sizeof *fiber));
	for (unsigned long i = 0; i < n; i++) {
		getcontext(&fiber[i]);
		fiber[i].uc_stack.ss_sp = map(8 * PAGE, PROT_READ | PROT_WRITE);
		fiber[i].uc_stack.ss_size = 8 * PAGE;
		makecontext(&fiber[i], on_fiber, 0);
	}
	for (int round = 0; round < 4; round++)
		for (running = 0; running < n; running++)
			swapcontext(&home, &fiber[running]);
}

/* ---- Modules ---- */

static void copy_to(const char *to)
{
	static char bytes[1 << 16];
	int in = open(library, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ssize_t got;

	while ((got = read(in, bytes, sizeof bytes)) > 0)
		if (write(out, bytes, (size_t)got) != got)
			exit(1);
	close(in);
	close(out);
}

/* Copies of the library. */
void modules(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		char path[64];

		snprintf(path, sizeof path, "/tmp/grows-%d-%lu.so", (int)getpid(), i);
		copy_to(path);
		long (*f)(long) =
			(long (*)(long))(uintptr_t)dlsym(must(dlopen(path, RTLD_NOW)), "twice");

		unlink(path);
		sink += f(1);
	}
}

void module_in_turns(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		void *handle_of = must(dlopen(library, RTLD_NOW));

		sink += ((function *)(uintptr_t)dlsym(handle_of, "twice"))(1);
		dlclose(handle_of);
	}
}
