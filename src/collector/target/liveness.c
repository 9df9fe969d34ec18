/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/PID/stat, see proc(5). */
#include "collector/target/liveness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct proc_stat {
	char state;
	int64_t threads;
	uint64_t start_ticks;
};

static bool read_stat(uint32_t pid, struct proc_stat *out)
{
	char path[32], text[1024];
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name before it may contain brackets */
	return p != NULL && sscanf(p + 1,
				   " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d"
				   " %*d %*d %" SCNd64 " %*d %" SCNu64,
				   &out->state, &out->threads, &out->start_ticks) == 3;
}

void liveness_begin(struct liveness *l, uint32_t pid)
{
	struct proc_stat st;

	*l = (struct liveness){.pid = pid};
	if (pid != 0 && read_stat(pid, &st))
		l->start_ticks = st.start_ticks;
}

bool liveness_was_seen(const struct liveness *l)
{
	return l->start_ticks != 0;
}

bool liveness_check(const struct liveness *l)
{
	struct proc_stat st;

	if (!read_stat(l->pid, &st) || st.start_ticks != l->start_ticks)
		return false;
	/* A zombie with other threads still lives: only its first thread has ended. */
	return !((st.state == 'Z' || st.state == 'X') && st.threads <= 1);
}
