/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process leaves the names of its code, and who must own them. A container has another
 * /tmp, and other pids: this can be found out only while the process lives.
 */
#include "symbols/runtime_home.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_HELD    64 /* folders of all processes */
#define MOST_PARENTS 64 /* ancestors up to the collector */

static atomic_int held;

/* From /proc/PID/status. */
struct status {
	uint32_t pid;	/* in our namespace */
	uint32_t inner; /* in the process's own namespace */
	uint32_t parent;
	bool is_apart; /* the two pids are of different namespaces */
	uid_t real, effective;
};

static bool read_status(uint32_t pid, struct status *s)
{
	char path[64], line[256];
	unsigned seen = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	f = fopen(path, "re");
	*s = (struct status){.pid = pid};
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		const char *last = strrchr(line, '\t');

		if (sscanf(line, "PPid: %" SCNu32, &s->parent) == 1 ||
		    sscanf(line, "Uid: %u %u", &s->real, &s->effective) == 2) {
			seen++;
		} else if (strncmp(line, "NSpid:", 6) == 0 && last != NULL) {
			s->inner = (uint32_t)strtoul(last, NULL, 10);
			s->is_apart = strchr(line, '\t') != last;
			seen++;
		}
	}
	if (f != NULL)
		fclose(f);
	return seen == 3;
}

static bool is_ours(struct status s)
{
	for (unsigned i = 0; i < MOST_PARENTS && s.parent != 0; i++)
		if (s.parent == (uint32_t)getpid() || !read_status(s.parent, &s))
			return s.parent == (uint32_t)getpid();
	return false;
}

/* Find the process with this pid in its own namespace among our descendants. */
static bool find_apart(uint32_t inner, struct status *s)
{
	DIR *all = opendir("/proc");
	const struct dirent *e;
	bool found = false;

	while (all != NULL && !found && (e = readdir(all)) != NULL)
		found = isdigit((unsigned char)e->d_name[0]) &&
			read_status((uint32_t)strtoul(e->d_name, NULL, 10), s) && s->is_apart &&
			s->inner == inner && is_ours(*s);
	if (all != NULL)
		closedir(all);
	return found;
}

/* Open the process's /tmp if it is not ours. Returns -1 otherwise. */
static int open_tmp(uint32_t pid)
{
	struct stat own, theirs;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root/tmp", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &theirs) == 0 && stat("/tmp", &own) == 0 &&
	    (own.st_dev != theirs.st_dev || own.st_ino != theirs.st_ino) &&
	    atomic_fetch_add(&held, 1) < MOST_HELD)
		return fd;
	close(fd);
	return -1;
}

void runtime_home_find(struct runtime_home *h, uint32_t pid)
{
	struct status same, s;
	/* Outside, another process may have this pid. */
	const bool is_there = read_status(pid, &same) && !same.is_apart;

	*h = (struct runtime_home){.tmp = -1, .pid = pid};
	if (is_there && is_ours(same))
		s = same;
	else if (!find_apart(pid, &s)) {
		if (!is_there)
			return;
		s = same; /* its parent has ended */
	}
	h->is_known = true;
	h->real = s.real;
	h->effective = s.effective;
	h->tmp = open_tmp(s.pid);
}

void runtime_home_release(struct runtime_home *h)
{
	if (h->tmp < 0)
		return;
	close(h->tmp);
	atomic_fetch_sub(&held, 1);
	h->tmp = -1;
}

/*
 * Tell whether the owner's files are trusted: only root's, our own, and those of the process's
 * user.
 */
static bool may_write(const struct runtime_home *h, uid_t owner)
{
	return owner == geteuid() || owner == 0 ||
	       (h->is_known && (owner == h->real || owner == h->effective));
}

int runtime_home_open(const struct runtime_home *h, const char *name, struct stat *st)
{
	char path[320];
	int fd;

	snprintf(path, sizeof(path), "/tmp/%s", name);
	fd = openat(h->tmp, h->tmp >= 0 ? name : path,
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && may_write(h, st->st_uid))
		return fd;
	close(fd);
	return -1;
}
