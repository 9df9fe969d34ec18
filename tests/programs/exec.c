/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execve: of binaries and scripts, by descriptor, from a thread, and failing. Some state passes to
 * the new program (signal mask, ignored signals, pending signals, descriptors, directory), some
 * does not (handlers).
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;
static char self[4096], dir[64];

static void handler(int sig)
{
	(void)sig;
}

static int run(void (*child)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		child();
		_exit(120);
	}
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	NEED(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	fchmod(fd, mode);
	close(fd);
}

static void check_failures_of_exec(void)
{
	char *argv[] = {"x", NULL};

	CHECK(execve("/nonexistent", argv, environ) == -1 && errno == ENOENT);
	CHECK(execve("plain", argv, environ) == -1 && errno == EACCES);
	CHECK(execve("garbage", argv, environ) == -1 && errno == ENOEXEC);
	CHECK(execve("/etc/passwd/x", argv, environ) == -1 && errno == ENOTDIR);
	CHECK(execve("/tmp", argv, environ) == -1 && errno == EACCES);
	CHECK(execve("badscript", argv, environ) == -1 && errno == ENOENT);
	CHECK(execve((char *)8, argv, environ) == -1 && errno == EFAULT);
	CHECK(execve(self, (char **)8, environ) == -1 && errno == EFAULT);
	CHECK(execve("loop", argv, environ) == -1 && errno == ELOOP);
	CHECK(execve("", argv, environ) == -1 && errno == ENOENT);
	STEP("failures go on");
}

static void exec_script(void)
{
	execl("script", "ignored", "one two", "three", NULL);
}
static void exec_nested(void)
{
	execl("nested", "ignored", "x", NULL);
}
static void exec_path(void)
{
	execlp("true", "true", NULL);
}
static void exec_shell_less(void)
{
	execlp("sh", "sh", "-c", "exit 44", NULL);
}

static void exec_fd(void)
{
	char *argv[] = {"by descriptor", "arguments", "f", NULL};

	fexecve(open(self, O_RDONLY | O_CLOEXEC), argv, environ);
}

static void exec_at(void)
{
	char *argv[] = {"at", "arguments", "a", NULL};
	int d = open(dir, O_PATH | O_DIRECTORY);

	chdir("/");
	syscall(SYS_execveat, d, "link", argv, environ, 0);
}

static void exec_proc_self(void)
{
	char *argv[] = {"again", "arguments", "p", NULL};

	execve("/proc/self/exe", argv, environ);
}

static void *exec_from_thread(void *arg)
{
	char *argv[] = {"thread", "arguments", "t", NULL};

	execve(arg, argv, environ);
	return NULL;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void exec_thread(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, wait_for_ever, NULL);
	pthread_create(&t, NULL, exec_from_thread, self);
	wait_for_ever(NULL);
}

static void exec_state(void)
{
	struct sigaction ign = {.sa_handler = SIG_IGN}, h = {.sa_handler = handler};
	sigset_t set;
	char *argv[] = {"state", "state", NULL}, *env[] = {"ONLY=1", NULL};

	sigaction(SIGUSR1, &ign, NULL), sigaction(SIGUSR2, &h, NULL), sigaction(SIGSEGV, &h, NULL);
	sigemptyset(&set), sigaddset(&set, SIGTERM), sigaddset(&set, SIGUSR2),
		sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_SETMASK, &set, NULL);
	raise(SIGTERM), raise(SIGUSR2);
	NEED(open("/dev/null", O_RDONLY) >= 0 && dup2(0, 50) == 50 && dup3(0, 51, O_CLOEXEC) == 51);
	umask(0123);
	execve(self, argv, env);
}

/* In the new program: what exec_state left. */
static int state(void)
{
	struct sigaction sa;
	sigset_t mask, pending;

	sigprocmask(SIG_SETMASK, NULL, &mask), sigpending(&pending);
	for (int i = 1; i < 32; i++) {
		CHECK_EQ(sigismember(&mask, i), i == SIGTERM || i == SIGUSR2 || i == SIGSEGV);
		CHECK_EQ(sigismember(&pending, i), i == SIGTERM || i == SIGUSR2);
	}
	NEED(sigaction(SIGUSR1, NULL, &sa) == 0);
	CHECK(sa.sa_handler == SIG_IGN);
	for (int i = 1; i < 65; i++)
		if (i != SIGUSR1 && i != 32 && i != 33 && sigaction(i, NULL, &sa) == 0)
			CHECK(sa.sa_handler == SIG_DFL || i == SIGPIPE || i == SIGXFSZ);
	CHECK(fcntl(50, F_GETFD) == 0 && fcntl(51, F_GETFD) == -1);
	CHECK(umask(0) == 0123);
	CHECK(environ[0] && !strcmp(environ[0], "ONLY=1") && !environ[1]);
	if (check_failures)
		return check_end();
	STEP("state kept; now the pending SIGTERM");
	sigdelset(&mask, SIGUSR2);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	return 1;
}

static int arguments(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("argv[%d] %s\n", i,
		       strstr(argv[i], "/exec-") ? "(in the directory)" : argv[i]);
	return check_failures ? 1 : argv[argc - 1][0];
}

static void make_files(void)
{
	char text[8192];

	/*
	 * mkdtemp would run code that chance decides; an earlier process may have left such a
	 * folder.
	 */
	for (int i = 0; i < 10; i++) {
		snprintf(dir, sizeof(dir), "/tmp/exec-%d-%d", (int)getpid(), i);
		if (mkdir(dir, 0700) == 0)
			break;
	}
	NEED(chdir(dir) == 0 && symlink(self, "link") == 0);
	write_file("plain", "text", 0600);
	write_file("garbage", "\001\002\003 no format", 0700);
	write_file("badscript", "#!/nonexistent/interpreter\n", 0700);
	write_file("loop", "#!loop\n", 0700);
	snprintf(text, sizeof(text), "#! link arguments and all \n");
	write_file("script", text, 0700);
	write_file("nested", "#!script\n", 0700);
}

int main(int argc, char **argv)
{
	int s;

	if (argc > 1 && strncmp(argv[1], "arguments", 9) == 0)
		return arguments(argc, argv);
	if (argc > 1 && strcmp(argv[1], "state") == 0)
		return state();
	for (int i = 1; i < 32;
	     i++) /* nohup ignores some for all that it runs, and shells in the background */
		signal(i, SIG_DFL);
	NEED(realpath(argv[0], self));
	make_files();
	check_failures_of_exec();
	CHECK_EQ(run(exec_script), 't' << 8);
	CHECK_EQ(run(exec_nested), 'x' << 8);
	CHECK_EQ(run(exec_path), 0);
	CHECK_EQ(run(exec_shell_less), 44 << 8);
	CHECK_EQ(run(exec_fd), 'f' << 8);
	CHECK_EQ(run(exec_at), 'a' << 8);
	CHECK_EQ(run(exec_proc_self), 'p' << 8);
	CHECK_EQ(run(exec_thread), 't' << 8);
	s = run(exec_state);
	CHECK(WIFSIGNALED(s) && WTERMSIG(s) == SIGTERM);
	static const char *const files[] = {"link", "plain",  "garbage", "badscript",
					    "loop", "script", "nested"};

	for (int i = 0; i < 7; i++)
		unlink(files[i]);
	CHECK(chdir("/") == 0 && rmdir(dir) == 0);
	return check_end();
}
