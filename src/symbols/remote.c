/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends questions to the process that reads symbols (reader.c). If it dies or does not finish,
 * another one replaces it, and the file is no longer read for this purpose: first its debug
 * information is skipped, then the whole file.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "symbols/message.h"
#include "symbols/private.h"
#include "symbols/remote.h"

#define POLL_MS	    1000
#define ENDING_MS   1000
#define PATIENCE_NS ((uint64_t)120000000000) /* CPU time for one question */

static uint64_t cpu_ns(const struct symbols_remote *r)
{
	struct timespec t;
	clockid_t clock;

	if (r->pid <= 0 || clock_getcpuclockid(r->pid, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t symbols_remote_cpu_ns(const struct symbols_remote *r)
{
	return r->reaped_ns + cpu_ns(r);
}

void symbols_remote_end(struct symbols_remote *r)
{
	struct rusage used;
	int status;

	if (r->pid <= 0)
		return;
	close(r->fd);
	kill(r->pid, SIGKILL);
	while (wait4(r->pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	r->reaped_ns += clock_usage_ns(&used);
	r->pid = 0;
}

void symbols_remote_forked(struct symbols_remote *r)
{
	if (r->pid > 0)
		close(r->fd);
	*r = (struct symbols_remote){.generation = r->generation + 1};
}

int symbols_remote_start(struct symbols *s)
{
	struct symbols_remote *r = symbols_remote_of(s);
	int ends[2];

	if (r->pid > 0)
		return 0;
	if (r->has_failed || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	r->generation++;
	symbols_lock(s);
	r->known = symbols_count(s);
	r->pid = fork();
	symbols_unlock(s);
	if (r->pid == 0) {
		close(ends[0]);
		symbols_reader_run(s, ends[1]);
	}
	close(ends[1]);
	r->fd = ends[0];
	if (r->pid > 0)
		return 0;
	close(ends[0]);
	r->pid = 0;
	r->has_failed = true; /* do not try again */
	return -1;
}

unsigned symbols_remote_stuck_s = 60;

/*
 * Wait until there is something to read. A reader that does not run for long is not busy: it waits
 * for a lock that somebody held when it was forked, or was stopped.
 */
static int wait_for_answer(struct symbols_remote *r)
{
	const uint64_t begin_ns = cpu_ns(r);
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	uint64_t before_ns = begin_ns, now_ns;
	unsigned idle_s = 0;
	int n;

	while ((n = poll(&p, 1, POLL_MS)) <= 0) {
		if (n < 0 && errno != EINTR)
			return -1;
		now_ns = cpu_ns(r);
		idle_s = now_ns != before_ns ? 0 : n == 0 ? idle_s + 1 : idle_s;
		before_ns = now_ns;
		r->is_stuck = idle_s >= symbols_remote_stuck_s;
		if (r->is_stuck || now_ns - begin_ns > PATIENCE_NS)
			return -1;
	}
	return 0;
}

static int ask(struct symbols_remote *r, struct symbols_file *f, struct message_question *q,
	       const uint64_t *addresses, struct symbols_reply *reply)
{
	int along[MESSAGE_ALONG] = {-1, -1};
	uint64_t bytes;

	r->is_stuck = false;
	q->sources = f->sources;
	q->tells_file = q->file >= r->known && f->told != r->generation;
	q->path_bytes = q->tells_file ? (uint32_t)strlen(f->path) : 0;
	q->device = f->device;
	q->inode = f->inode;
	q->modified = f->modified;
	if (q->tells_file) {
		along[MESSAGE_FILE] = f->fd;
		along[MESSAGE_DEBUG_FILE] = f->debug_fd;
	}
	if (message_send_question(r->fd, q, along) != 0 ||
	    message_send(r->fd, f->path, q->path_bytes) != 0 ||
	    message_send(r->fd, addresses, q->count * sizeof(*addresses)) != 0 ||
	    wait_for_answer(r) != 0 || message_receive(r->fd, &bytes, sizeof(bytes)) != 0 ||
	    bytes > MESSAGE_MOST_BYTES)
		return -1;
	f->told = r->generation;
	reply->bytes = malloc(bytes + 1);
	if (reply->bytes == NULL || message_receive(r->fd, reply->bytes, bytes) != 0)
		return -1;
	reply->reader = (struct message_reader){reply->bytes, reply->bytes + bytes, false};
	return 0;
}

/*
 * Tell whether somebody else has killed the reader, as the kernel does without memory. A process
 * closes its files before it can be waited for.
 */
static bool was_killed(struct symbols_remote *r)
{
	static const int of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	siginfo_t info = {0};

	for (int i = 0; i < ENDING_MS && info.si_pid == 0; i++) {
		if (poll(&p, 1, 0) < 0 || !(p.revents & POLLHUP) ||
		    waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
			return false;
		if (info.si_pid == 0)
			usleep(1000);
	}
	if (info.si_code != CLD_KILLED)
		return false;
	for (size_t i = 0; i < sizeof(of_faults) / sizeof(of_faults[0]); i++)
		if (info.si_status == of_faults[i])
			return false;
	return true;
}

bool symbols_remote_loss(const struct symbols_file *f, struct text *line)
{
	if (!f->has_lost)
		return false;
	text_addf(line,
		  f->lost_it_so ? "%s: the process that read its %s was killed twice, so %s"
				: "%s: libdw failed on its %s, so %s",
		  f->path, f->sources != 0 ? "debug information" : "contents",
		  f->sources == 0 ? "its code and data have no names"
		  : f->sources & SYMBOLS_BY_LINES
			  ? "its data have the names of its symbols, without types"
			  : "its code has the names of its symbols, without lines");
	return true;
}

/*
 * The reader died on this file: drop its debug information for such questions; the second time, the
 * whole file.
 */
static void give_up_source(struct symbols_file *f, enum message_kind kind)
{
	const uint32_t debug = kind == MESSAGE_RESOLVE ? SYMBOLS_BY_LINES
			       : kind == MESSAGE_VARIABLE || kind == MESSAGE_RESULT
				       ? SYMBOLS_BY_TYPES
				       : SYMBOLS_BY_LINES | SYMBOLS_BY_TYPES;

	f->sources = f->sources & debug ? f->sources & ~debug : 0;
	f->has_lost = true;
}

int symbols_remote_ask(struct symbols *s, struct symbols_file *f, struct message_question *q,
		       const uint64_t *addresses, struct symbols_reply *reply)
{
	struct symbols_remote *r = symbols_remote_of(s);
	bool is_victim;

	while (f->sources != 0) {
		*reply = (struct symbols_reply){0};
		if (symbols_remote_start(s) != 0)
			return -1;
		if (ask(r, f, q, addresses, reply) == 0)
			return 0;
		free(reply->bytes);
		is_victim = r->is_stuck || was_killed(r);
		symbols_remote_end(r);
		if (is_victim && !f->was_killed) { /* not the file's fault: once more */
			f->was_killed = true;
			continue;
		}
		f->lost_it_so = is_victim;
		give_up_source(f, (enum message_kind)q->kind);
	}
	return -1;
}
