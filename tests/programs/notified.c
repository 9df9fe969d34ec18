/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that another process answers (SECCOMP_RET_USER_NOTIF). The first filter is for a
 * call that an engine does not need, the second for one that it does.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#define ANSWERS 40

static int pair[2];
static volatile int handled;

static int listen_to(long nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {sizeof(code) / sizeof(*code), code};

	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &p);
}

static void send_descriptor(int fd)
{
	char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = room,
			   .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	NEED(sendmsg(pair[1], &m, 0) == 1);
}

static int receive_descriptor(void)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = room,
			   .msg_controllen = sizeof(room)};
	int fd;

	NEED(recvmsg(pair[0], &m, 0) == 1 && CMSG_FIRSTHDR(&m));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/* The nth call gets 1000 + its first argument, but each fourth an error, and each fifth goes on. */
static void answer(int fd, int calls, pid_t who, long nr)
{
	for (int i = 0; i < calls; i++) {
		struct seccomp_notif asked = {0};
		struct seccomp_notif_resp a = {0};

		while (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
			NEED(errno == EINTR);
		CHECK(asked.data.nr == nr && asked.data.arch == AUDIT_ARCH_X86_64);
		CHECK((pid_t)asked.pid == who);
		a.id = asked.id;
		if (i % 5 == 4)
			a.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		else if (i % 4 == 3)
			a.error = -EXDEV;
		else
			a.val = 1000 + (int64_t)asked.data.args[0];
		if (i % 10 == 0)
			usleep(3000);
		CHECK(ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &a) == 0);
	}
}

static void ask(void)
{
	for (int i = 0; i < ANSWERS; i++) {
		errno = 0;
		const long r = syscall(SYS_getpgid, i % 5 == 4 ? 0 : i);

		if (i % 5 == 4)
			CHECK(r == getpgrp());
		else if (i % 4 == 3)
			CHECK(r == -1 && errno == EXDEV);
		else
			CHECK_EQ(r, 1000 + i);
	}
}

static void count(int sig)
{
	(void)sig;
	handled = handled + 1;
}

/* Timers run meanwhile: none of their signals is lost, and no call is made twice. */
static void start_timer(void)
{
	struct sigaction sa = {.sa_handler = count, .sa_flags = SA_RESTART};
	struct itimerval t = {{0, 50000}, {0, 50000}};

	NEED(sigaction(SIGALRM, &sa, NULL) == 0 && setitimer(ITIMER_REAL, &t, NULL) == 0);
}

static void check(long nr, const char *what)
{
	int status;

	fflush(stdout);
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	pid_t pid = fork();

	if (pid == 0) {
		const int fd = listen_to(nr);

		NEED(fd >= 0);
		send_descriptor(fd);
		close(fd);
		if (nr == SYS_getpgid) {
			ask();
		} else {
			/* The kernel makes it in the end. */
			for (int i = 0; i < 5; i++)
				CHECK(syscall(SYS_getpid, 0) == (i == 4	  ? gettid()
								 : i == 3 ? -1
									  : 1000));
		}
		_exit(check_failures ? 1 : 5);
	}
	const int fd = receive_descriptor();

	if (nr == SYS_getpgid)
		start_timer();
	answer(fd, nr == SYS_getpgid ? ANSWERS : 5, pid, nr);
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 5 << 8);
	close(fd);
	STEP("%s", what);
}

int main(void)
{
	struct seccomp_notif_sizes sizes;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0 ||
	    sizes.seccomp_notif != sizeof(struct seccomp_notif)) {
		STEP("not here");
		return check_end();
	}
	check(SYS_getpgid, "a call of the program's");
	check(SYS_getpid, "a call of everybody's");
	return check_end();
}
