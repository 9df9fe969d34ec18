/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals and threads at once, for about a second, different with each seed: run it a thousand
 * times to find races. Threads compute, fault, allocate, start threads and processes, and write
 * code, while timers and other threads interrupt them. Every result is checked. Output does not
 * depend on the seed.
 *
 *   storm [seed [milliseconds]]
 */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define WORKERS 6

static uint64_t base_seed = 1;
static volatile int stop;
static pthread_t workers[WORKERS];
static pthread_barrier_t all_done; /* nobody is joined while others may still signal it */
static volatile int ready;
static __thread sigjmp_buf back;
static __thread volatile int expecting;
static volatile long handled;

static void on_signal(int sig)
{
	(void)sig;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void on_fault(int sig)
{
	if (!expecting) {
		signal(sig, SIG_DFL);
		return;
	}
	siglongjmp(back, 1);
}

static void compute(uint64_t seed)
{
	uint64_t a = seed | 1, b = a;
	double x = 0, y = 0;

	for (int i = 0; i < 20000; i++) {
		x += (double)(check_random(&a) >> 40);
		y += (double)(check_random(&b) >> 40);
	}
	CHECK(a == b && x == y);
}

static void fault(uint64_t seed)
{
	(void)seed;
	for (volatile int i = 0; i < 20; i = i + 1) {
		expecting = 1;
		if (sigsetjmp(back, 1) == 0) {
			*(volatile int *)16 = 1;
			CHECK(!"a write to address 16");
		}
		expecting = 0;
	}
}

static void allocate(uint64_t seed)
{
	char *p[32];

	seed |= 1;
	for (int i = 0; i < 32; i++) {
		size_t n = check_random(&seed) % 100000 + 1;

		p[i] = malloc(n);
		NEED(p[i]);
		p[i][0] = (char)i, p[i][n - 1] = (char)i;
	}
	for (int i = 0; i < 32; i++) {
		CHECK(p[i][0] == i);
		free(p[i]);
	}
}

static void *brief(void *arg)
{
	compute((uint64_t)arg);
	return arg;
}

static void start_threads(uint64_t seed)
{
	pthread_t t[3];
	void *r;

	for (int i = 0; i < 3; i++)
		NEED(pthread_create(&t[i], NULL, brief, (void *)(seed + (uint64_t)i)) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(t[i], &r) == 0 && r == (void *)(seed + (uint64_t)i));
}

static void start_process(uint64_t seed)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		compute(seed);
		_exit(check_failures ? 1 : 19);
	}
	NEED(pid > 0);
	while (waitpid(pid, &status, 0) != pid)
		;
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 19);
}

static void write_code(uint64_t seed)
{
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED);
	for (int i = 0; i < 50; i++) {
		uint32_t v = (uint32_t)seed + (uint32_t)i;

		p[0] = 0xb8, p[5] = 0xc3;
		memcpy(p + 1, &v, 4);
		CHECK_EQ(((uint32_t(*)(void))(void *)p)(), v);
	}
	munmap(p, 4096);
}

static void wait_a_little(uint64_t seed)
{
	struct timespec t = {0, (long)(seed % 300000)};

	nanosleep(&t, NULL);
}

static void signal_others(uint64_t seed)
{
	for (int i = 0; i < 20; i++)
		pthread_kill(workers[(seed + (uint64_t)i) % WORKERS], i & 1 ? SIGUSR1 : SIGUSR2);
	raise(SIGUSR1);
}

static void block_and_unblock(uint64_t seed)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	compute(seed);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void (*const actions[])(uint64_t) = {
	compute,    fault,	   allocate,	  start_threads, start_process,
	write_code, wait_a_little, signal_others, signal_others, block_and_unblock};

static void *worker(void *arg)
{
	uint64_t seed = base_seed * 0x9e3779b97f4a7c15u + (uint64_t)arg * 77777 + 1;

	while (!ready)
		sched_yield();
	while (!stop) {
		uint64_t r = check_random(&seed);

		actions[(r >> 20) % (sizeof(actions) / sizeof(actions[0]))](r);
	}
	pthread_barrier_wait(&all_done);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction quiet = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction bad = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
	struct itimerval timer = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	long ms = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;
	struct timespec start, now;

	base_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	sigaction(SIGUSR1, &quiet, NULL), sigaction(SIGUSR2, &quiet, NULL),
		sigaction(SIGALRM, &quiet, NULL);
	sigaction(SIGSEGV, &bad, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_barrier_init(&all_done, NULL, WORKERS);
	for (long i = 0; i < WORKERS; i++)
		NEED(pthread_create(&workers[i], NULL, worker, (void *)i) == 0);
	setitimer(ITIMER_REAL, &timer, NULL);
	ready = 1;
	do {
		wait_a_little(200000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
	stop = 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(handled > 0);
	return check_end();
}
