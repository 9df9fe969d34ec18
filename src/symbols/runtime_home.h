/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder in which a process leaves names of its code for others, and whose files there are
 * believed.
 */
#ifndef DWELL_SYMBOLS_RUNTIME_HOME_H
#define DWELL_SYMBOLS_RUNTIME_HOME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct runtime_home {
	int tmp;       /* its /tmp, if that is not ours; or -1 */
	uint32_t pid;  /* as the process sees it, which is in the names of files */
	bool is_known; /* it was seen alive: then */
	uid_t real, effective;
};

/* Of the process that calls itself `pid`, while it lives. */
void runtime_home_find(struct runtime_home *h, uint32_t pid);
void runtime_home_release(struct runtime_home *h);

/*
 * Open a file there to read. Returns the descriptor, or -1: there is none, it is a link, a pipe or
 * a device, or belongs to somebody else than the process's user, us or root.
 */
int runtime_home_open(const struct runtime_home *h, const char *name, struct stat *st);

#endif
