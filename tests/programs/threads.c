/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads: counters under mutexes, conditions and atomics; thread-local data; thousands of short
 * threads; threads that outlive the main thread; raw clone and clone3; exit_group while others run.
 * The argument chooses.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
static long counter;
static atomic_long shared;
static __thread long own = 5;
static pthread_barrier_t barrier;

static void *count(void *arg)
{
	long me = (long)arg;

	CHECK(own == 5);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&shared, me);
		own += me;
	}
	CHECK_EQ(own, 5 + 20000 * me);
	for (int i = 0; i < 300; i++) {
		pthread_mutex_lock(&lock);
		while (turn % 4 != me)
			pthread_cond_wait(&turned, &lock);
		turn++;
		pthread_cond_broadcast(&turned);
		pthread_mutex_unlock(&lock);
	}
	return (void *)(me * 10);
}

static int counters(void)
{
	pthread_t t[4];
	void *r;

	pthread_barrier_init(&barrier, NULL, 4);
	for (long i = 0; i < 4; i++)
		NEED(pthread_create(&t[i], NULL, count, (void *)i) == 0);
	for (long i = 0; i < 4; i++) {
		NEED(pthread_join(t[i], &r) == 0);
		CHECK_EQ(r, i * 10);
	}
	CHECK_EQ(counter, 80000);
	CHECK_EQ(shared, 120000);
	CHECK_EQ(turn, 1200);
	CHECK(own == 5);
	return check_end();
}

static void *brief(void *arg)
{
	own += (long)arg;
	atomic_fetch_add(&shared, own - 5);
	return (void *)own;
}

static int brief_threads(void)
{
	pthread_attr_t small;
	pthread_t t[10];

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32768);
	for (long i = 0; i < 500; i++) {
		for (long k = 0; k < 10; k++)
			NEED(pthread_create(&t[k], k & 1 ? &small : NULL, brief, (void *)(i + k)) ==
			     0);
		for (long k = 0; k < 10; k++) {
			void *r;

			NEED(pthread_join(t[k], &r) == 0);
			CHECK_EQ(r, 5 + i + k);
		}
	}
	CHECK_EQ(shared, 10 * 500 * 499 / 2 + 500 * 45);
	return check_end();
}

static sem_t main_gone;

static void *outlive(void *arg)
{
	sem_wait(&main_gone);
	usleep(20000);
	STEP("thread %ld goes on without main", (long)arg);
	exit(check_end() ? 1 : 7);
}

/* Detached threads end by themselves, main ends first, the last one ends the process. */
static int main_leaves(void)
{
	pthread_t t;

	sem_init(&main_gone, 0, 0);
	NEED(pthread_create(&t, NULL, outlive, (void *)1) == 0);
	STEP("main leaves");
	sem_post(&main_gone);
	pthread_exit(NULL);
}

static void *spin(void *arg)
{
	volatile long *n = arg;

	for (;;)
		(*n)++;
	return NULL;
}

static void *block(void *arg)
{
	char c;

	while (read(*(int *)arg, &c, 1) != 0)
		;
	return NULL;
}

static int exit_while_running(void)
{
	static volatile long n[6];
	static int pipe_fds[2];
	pthread_t t;

	NEED(pipe(pipe_fds) == 0);
	for (int i = 0; i < 6; i++)
		NEED(pthread_create(&t, NULL, i & 1 ? spin : block,
				    i & 1 ? (void *)&n[i] : pipe_fds) == 0);
	while (n[1] == 0 || n[3] == 0 || n[5] == 0)
		sched_yield();
	STEP("leaving six threads behind");
	_exit(check_failures ? 1 : 3);
}

static int raw_value;
static pid_t raw_tid;

static int raw_child(void *arg)
{
	raw_value = *(int *)arg + 1;
	return 0;
}

/* A thread as the kernel knows it, without the C library's bookkeeping. */
static void raw_clone(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(stack != MAP_FAILED);
	for (int i = 0; i < 200; i++) {
		pid_t tid = 1;

		raw_tid = 1;
		NEED(clone(raw_child, stack + 65536, flags, &i, &tid, NULL, &raw_tid) > 0);
		for (pid_t now; (now = __atomic_load_n(&raw_tid, __ATOMIC_ACQUIRE)) != 0;)
			syscall(SYS_futex, &raw_tid, FUTEX_WAIT, now, NULL, NULL, 0);
		CHECK_EQ(raw_value, i + 1);
	}
	STEP("clone");
}

/* A process that shares memory, and one that does not, by clone3. */
static void raw_clone3(void)
{
	int status, fd = -1;
	struct clone_args args = {
		.flags = CLONE_PIDFD, .pidfd = (uint64_t)&fd, .exit_signal = SIGCHLD};
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0 && errno == ENOSYS)
		return;
	if (pid == 0) {
		raw_value = 99;
		_exit(own == 5 ? 21 : 1);
	}
	NEED(pid > 0 && waitpid((pid_t)pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 21 && fd > 2 && raw_value != 99);
	close(fd);
	/* The child returns on another stack and may touch nothing of ours but it. */
	struct clone_args shared_vm = {.flags = CLONE_VM | CLONE_VFORK,
				       .exit_signal = SIGCHLD,
				       .stack = (uint64_t)stack,
				       .stack_size = 65536};

	asm volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tpush $31\n\tmovl $77, %4\n\tpop "
		     "%%rdi\n\t"
		     "mov $60, %%eax\n\tsyscall\n\tud2\n1:"
		     : "=a"(pid)
		     : "a"(SYS_clone3), "D"(&shared_vm), "S"(sizeof(shared_vm)), "m"(raw_value)
		     : "rcx", "r11", "memory", "cc");
	NEED(pid > 0 && waitpid((pid_t)pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 31 && raw_value == 77);
	STEP("clone3");
}

static void *cancel_me(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int raw(void)
{
	pthread_t t;
	void *r;

	raw_clone();
	raw_clone3();
	NEED(pthread_create(&t, NULL, cancel_me, NULL) == 0);
	usleep(1000);
	CHECK(pthread_cancel(t) == 0 && pthread_join(t, &r) == 0 && r == PTHREAD_CANCELED);
	STEP("cancelled");
	return check_end();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "counters";

	if (!strcmp(what, "brief"))
		return brief_threads();
	if (!strcmp(what, "main-leaves"))
		return main_leaves();
	if (!strcmp(what, "exit-group"))
		return exit_while_running();
	if (!strcmp(what, "raw"))
		return raw();
	return counters();
}
