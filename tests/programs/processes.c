/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children in every way: fork, vfork, posix_spawn, system, popen, fork from a
 * thread, grandchildren, a child of a vfork that changes signal handlers.
 */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

extern char **environ;

static int status_of(pid_t pid)
{
	int status = -1;

	NEED(pid > 0);
	NEED(waitpid(pid, &status, 0) == pid);
	return status;
}

static void check_fork(void)
{
	volatile int value = 1;
	int fds[2];
	char buf[16] = "";

	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			value = i;
			_exit(value & 127);
		}
		int s = status_of(pid);

		CHECK(WIFEXITED(s) && WEXITSTATUS(s) == i && value == 1);
	}
	NEED(pipe(fds) == 0);
	pid_t pid = fork();

	if (pid == 0) {
		pid_t grand = fork();

		if (grand == 0) {
			CHECK(write(fds[1], "grandchild", 10) == 10);
			_exit(0);
		}
		_exit(status_of(grand) == 0 ? 4 : 1);
	}
	CHECK_EQ(WEXITSTATUS(status_of(pid)), 4);
	CHECK(read(fds[0], buf, 10) == 10 && strcmp(buf, "grandchild") == 0);
	close(fds[0]), close(fds[1]);
	STEP("fork");
}

static void parent_handler(int sig)
{
	(void)sig;
}

static void check_vfork(const char *self)
{
	struct sigaction sa = {.sa_handler = parent_handler}, now;
	volatile int shared = 0;

	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 30; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			struct sigaction ignore = {.sa_handler = SIG_IGN};

			shared++;
			sigaction(SIGUSR1, &ignore, NULL); /* the child's own */
			if (i & 1)
				execl(self, "child", "exit", "9", NULL);
			_exit(9);
		}
		int s = status_of(pid);

		CHECK(WIFEXITED(s) && WEXITSTATUS(s) == 9);
		sigaction(SIGUSR1, NULL, &now);
		CHECK(now.sa_handler == parent_handler);
	}
	CHECK_EQ(shared, 30);
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/nonexistent/program", "x", NULL);
		_exit(127);
	}
	CHECK_EQ(WEXITSTATUS(status_of(pid)), 127);
	STEP("vfork");
}

static void check_spawn(const char *self)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	char *argv[] = {"spawned", "echo", "from posix_spawn", NULL};
	char *bad[] = {"x", NULL}, buf[64] = "";
	int fds[2];
	sigset_t all;
	pid_t pid;

	NEED(pipe(fds) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_addclose(&actions, fds[0]);
	posix_spawnattr_init(&attr);
	sigfillset(&all);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	NEED(posix_spawn(&pid, self, &actions, &attr, argv, environ) == 0);
	CHECK_EQ(status_of(pid), 0);
	CHECK(read(fds[0], buf, 63) > 0 && strcmp(buf, "from posix_spawn\n") == 0);
	CHECK(posix_spawn(&pid, "/nonexistent", NULL, NULL, bad, environ) == 2);
	for (int i = 0; i < 30; i++) {
		char *exit_argv[] = {"spawned", "exit", i & 1 ? "3" : "5", NULL};

		NEED(posix_spawn(&pid, self, NULL, NULL, exit_argv, environ) == 0);
		CHECK_EQ(WEXITSTATUS(status_of(pid)), i & 1 ? 3 : 5);
	}
	close(fds[0]), close(fds[1]);
	STEP("posix_spawn");
}

static void check_shell(void)
{
	char line[128];
	FILE *f;

	fflush(stdout);
	CHECK_EQ(system("echo from system; exit 6"), 6 << 8);
	CHECK_EQ(system("kill -TERM $$"), SIGTERM);
	CHECK_EQ(system("exec /nonexistent/x 2>/dev/null"), 127 << 8);
	f = popen("printf 'a\\nb\\nc\\n' | sort -r | tr a-c A-C | head -n 2", "r");
	NEED(f);
	while (fgets(line, sizeof(line), f))
		printf("pipe %s", line);
	CHECK(pclose(f) == 0);
	f = popen("cat", "w");
	NEED(f);
	fprintf(f, "through cat\n");
	CHECK(pclose(f) == 0);
	STEP("system and popen");
}

static void *fork_in_thread(void *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)(long)arg);
	CHECK_EQ(WEXITSTATUS(status_of(pid)), arg);
	return NULL;
}

static void check_threads(void)
{
	pthread_t t[8];

	for (int round = 0; round < 5; round++) {
		for (long i = 0; i < 8; i++)
			NEED(pthread_create(&t[i], NULL, fork_in_thread, (void *)(i + 10)) == 0);
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
	}
	STEP("fork from threads");
}

/* A child that starts threads of its own, and many children at the same time. */
static void check_many(void)
{
	pid_t pids[40];

	for (int i = 0; i < 40; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			pthread_t t;
			uint64_t seed = (uint64_t)i + 1, sum = 0;

			NEED(pthread_create(&t, NULL, fork_in_thread, (void *)(long)i) == 0);
			for (int k = 0; k < 20000; k++)
				sum += check_random(&seed);
			pthread_join(t, NULL);
			_exit(check_failures || sum == 0 ? 1 : i);
		}
	}
	for (int i = 0; i < 40; i++)
		CHECK_EQ(WEXITSTATUS(status_of(pids[i])), i);
	STEP("forty at a time");
}

int main(int argc, char **argv)
{
	char self[4096];

	if (argc == 3 && strcmp(argv[1], "exit") == 0)
		return (int)strtol(argv[2], NULL, 10);
	if (argc == 3 && strcmp(argv[1], "echo") == 0)
		return puts(argv[2]) < 0;
	NEED(realpath(argv[0], self));
	check_fork();
	check_vfork(self);
	check_spawn(self);
	check_shell();
	check_threads();
	check_many();
	return check_end();
}
