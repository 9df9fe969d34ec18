/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket of a run; see control_socket.h. Its input is untrusted, although only this user and
 * root can write to it.
 */
#include "collector/target/control_socket.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/size.h"

#define PLACES	     2
#define LINE_BYTES   4200  /* a verb, a number and a path */
#define PATIENCE_MS  50	   /* for a silent caller: the collector has other work */
#define ANSWER_MS    60000 /* a profile is usually complete in seconds, but names may take long */
#define ANSWER_BYTES 4200

static const char *const verbs[] = {
	[CONTROL_WHERE] = "where", [CONTROL_STOP] = "stop", [CONTROL_DUMP] = "dump"};

/* A directory for sockets; "" if there is none. */
static void find_place(int which, char path[80])
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n;

	path[0] = '\0';
	if (which == 1)
		n = snprintf(path, 80, "/tmp/dwell-%u", (unsigned)geteuid());
	else if (runtime != NULL && runtime[0] == '/')
		n = snprintf(path, 80, "%s/dwell", runtime);
	else
		return;
	if (n < 0 || n >= 80)
		path[0] = '\0';
}

/* Tell whether it is a directory, not a link, that only this user can enter. */
static bool is_safe(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

static void set_patience(int fd, int ms)
{
	struct timeval t = {ms / 1000, ms % 1000 * 1000};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

/* `path` always fits: find_place limits it. */
static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	memcpy(a.sun_path, path, strnlen(path, sizeof(a.sun_path) - 1));
	return a;
}

static bool listen_in(struct control *d, const char *place)
{
	struct sockaddr_un a;

	if (place[0] == '\0' || (mkdir(place, 0700) != 0 && errno != EEXIST) || !is_safe(place))
		return false;
	snprintf(d->path, sizeof(d->path), "%s/%d", place, (int)getpid());
	unlink(d->path); /* left by a killed process with our pid */
	a = address_of(d->path);
	d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (d->fd >= 0 && bind(d->fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
	    listen(d->fd, CONTROL_CALLERS) == 0)
		return true;
	control_close(d);
	return false;
}

void control_open(struct control *d)
{
	char place[80];
	int i;

	*d = (struct control){.fd = -1, .dumper = -1};
	for (i = 0; i < PLACES; i++) {
		find_place(i, place);
		if (listen_in(d, place))
			return;
	}
}

void control_close(struct control *d)
{
	if (d->fd >= 0)
		unlink(d->path);
	control_forked(d);
}

void control_forked(struct control *d)
{
	while (d->count > 0)
		close(d->waiting[--d->count]);
	if (d->dumper >= 0)
		close(d->dumper);
	if (d->fd >= 0)
		close(d->fd);
	d->dumper = d->fd = -1;
}

/* ---- The run's side ---- */

static bool is_allowed(int fd)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       (who.uid == geteuid() || who.uid == 0);
}

static void reply(int fd, const char *text)
{
	/* No SIGPIPE when the caller has gone. */
	send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void reply_file(int fd, const char *file)
{
	char line[ANSWER_BYTES];

	snprintf(line, sizeof(line), "ok %s\n", file);
	reply(fd, line);
}

/* A request: "VERB PID\n", or "VERB PID FILE\n". */
struct question {
	char line[LINE_BYTES];
	enum control_verb verb;
	uint32_t pid;
	const char *file; /* in `line`; "": none */
};

/* Returns false if it is not a request. */
static bool read_question(int fd, struct question *q)
{
	ssize_t n = recv(fd, q->line, sizeof(q->line) - 1, 0);
	int file_at = 0;
	char word[16];
	size_t i;

	if (n <= 0)
		return false;
	q->line[n] = '\0';
	q->line[strcspn(q->line, "\n")] = '\0';
	if (sscanf(q->line, "%15s %" SCNu32 " %n", word, &q->pid, &file_at) != 2)
		return false;
	q->file = q->line + file_at;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		q->verb = (enum control_verb)i;
		if (strcmp(word, verbs[i]) == 0)
			return (q->verb == CONTROL_DUMP) == (q->file[0] == '/');
	}
	return false;
}

static void reply_failure(int fd, const char *why)
{
	char line[sizeof(struct err) + 8];

	snprintf(line, sizeof(line), "err %s\n", why);
	reply(fd, line);
}

/* Reply with the profile's file, if the run writes one. */
static void reply_where(int fd, const char *file)
{
	if (file[0] != '\0')
		reply_file(fd, file);
	else
		reply_failure(fd, CONTROL_NO_PROFILE);
}

/* Reply to a caller of CONTROL_STOP. */
static void reply_end(const struct control *d, int fd, const char *file)
{
	if (d->failure != NULL)
		reply_failure(fd, d->failure->text);
	else
		reply_file(fd, file);
}

/* Keep the connection until the dump is complete, and return true; or reply why not. */
static bool takes_dumper(struct control *d, int fd, const char *file)
{
	if (d->is_over) {
		reply_failure(fd, d->failure != NULL ? d->failure->text
						     : "profiling of this run has ended: "
						       "its own profile is complete");
		return false;
	}
	if (d->dump_file != NULL) {
		reply_failure(fd, "another dump of this run is being written: try again");
		return false;
	}
	d->dump_file = strdup(file);
	if (d->dump_file == NULL) {
		reply_failure(fd, "out of memory");
		return false;
	}
	d->dumper = fd;
	return true;
}

bool control_serve(struct control *d, bool (*concerns)(void *context, uint32_t pid), void *context,
		   const char *file)
{
	struct question q;
	bool stop = false;
	int fd;

	while (d->fd >= 0 && (fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		set_patience(fd, PATIENCE_MS);
		if (!is_allowed(fd) || !read_question(fd, &q) ||
		    (q.pid != (uint32_t)getpid() && !concerns(context, q.pid))) {
			reply(fd, "no\n");
		} else if (q.verb == CONTROL_WHERE) {
			reply_where(fd, file);
		} else if (q.verb == CONTROL_DUMP) {
			if (takes_dumper(d, fd, q.file))
				continue;
		} else if (d->is_over) {
			reply_end(d, fd, file);
		} else if (d->count < CONTROL_CALLERS) {
			d->waiting[d->count++] = fd;
			stop = true;
			continue;
		}
		close(fd);
	}
	return stop;
}

void control_answer(struct control *d, const char *file, const struct err *failure)
{
	d->is_over = true;
	d->failure = failure;
	while (d->count > 0) {
		reply_end(d, d->waiting[--d->count], file);
		close(d->waiting[d->count]);
	}
}

const char *control_dump_file(const struct control *d)
{
	return d->dump_file;
}

void control_dump_answer(struct control *d, const struct err *failure)
{
	if (d->dumper >= 0) {
		if (failure != NULL)
			reply_failure(d->dumper, failure->text);
		else
			reply_file(d->dumper, d->dump_file);
		close(d->dumper);
	}
	free(d->dump_file);
	d->dump_file = NULL;
	d->dumper = -1;
}

/* ---- The caller's side ---- */

/* Returns the connection, or -1. Removes a socket that nobody listens to. */
static int call(const char *path)
{
	struct sockaddr_un a = address_of(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	set_patience(fd, ANSWER_MS);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	if (errno == ECONNREFUSED)
		unlink(path);
	close(fd);
	return -1;
}

/* Read until the other side closes. Returns 1; 0 if nothing came; -1 if it took too long. */
static int read_answer(int fd, char line[ANSWER_BYTES])
{
	size_t count = 0;
	ssize_t n;

	while (count + 1 < ANSWER_BYTES &&
	       (n = recv(fd, line + count, ANSWER_BYTES - 1 - count, 0)) > 0)
		count += (size_t)n;
	while (count > 0 && line[count - 1] == '\n')
		count--;
	line[count] = '\0';
	if (count == 0 && n < 0 && errno == EAGAIN)
		return -1;
	return count > 0;
}

/* Returns 2: refused; 1: answered; 0: not this run, or it just ended; -1: no answer in time. */
static int ask_one(const char *path, const char *question, struct text *answer)
{
	char line[ANSWER_BYTES];
	int fd = call(path), status;

	if (fd < 0)
		return 0;
	status = send(fd, question, strlen(question), MSG_NOSIGNAL) > 0 ? read_answer(fd, line) : 0;
	if (status == 1 && strncmp(line, "err ", 4) == 0)
		status = 2;
	else if (status == 1 && strncmp(line, "ok ", 3) != 0)
		status = 0;
	if (status > 0)
		text_add(answer, line + (status == 2 ? 4 : 3));
	close(fd);
	return status;
}

static int ask_in(const char *place, const char *question, struct text *answer)
{
	DIR *dir = is_safe(place) ? opendir(place) : NULL;
	struct dirent *entry;
	char path[108];
	uint64_t number;
	int status = 0, one;

	while (dir != NULL && status <= 0 && (entry = readdir(dir)) != NULL) {
		if (number_parse("socket", entry->d_name, 1, INT32_MAX, &number, NULL) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%" PRIu64, place, number);
		one = ask_one(path, question, answer);
		status = one != 0 ? one : status;
	}
	if (dir != NULL)
		closedir(dir);
	return status;
}

int control_ask(enum control_verb verb, uint32_t pid, const char *file, struct text *answer,
		struct err *err)
{
	char place[80], question[LINE_BYTES];
	int i, status = 0;

	if (snprintf(question, sizeof(question), "%s %" PRIu32 "%s%s\n", verbs[verb], pid,
		     file != NULL ? " " : "", file != NULL ? file : "") >= (int)sizeof(question))
		return err_set(err, "the name of the file is too long: %s", file);

	for (i = 0; i < PLACES && status <= 0; i++) {
		int one;

		find_place(i, place);
		one = place[0] != '\0' ? ask_in(place, question, answer) : 0;
		status = one != 0 ? one : status;
	}
	if (status == 1)
		return 0;
	if (status == 2) {
		err_set(err, "%s", text_get(answer));
		return CONTROL_REFUSED;
	}
	if (status < 0)
		return err_set(err,
			       "a run does not answer whether it has to do with process %" PRIu32,
			       pid);
	return err_set(
		err,
		"process %" PRIu32
		" is neither profiled by you nor a 'dwell record' or 'dwell simulate' of yours",
		pid);
}
