/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory where a process leaves the names of its code, and the owners that are trusted
 * there.
 */
#ifndef DWELL_SYMBOLS_RUNTIME_HOME_H
#define DWELL_SYMBOLS_RUNTIME_HOME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct runtime_home {
	int tmp;       /* the process's /tmp, if it is not ours; or -1 */
	uint32_t pid;  /* in the process's namespace, as in file names */
	bool is_known; /* it was seen alive: the ids below are set */
	uid_t real, effective;
};

/* Fill *h for process `pid`, while it lives. */
void runtime_home_find(struct runtime_home *h, uint32_t pid);
void runtime_home_release(struct runtime_home *h);

/*
 * Open a file there to read. Returns the descriptor, or -1: it does not exist, is a link, a pipe or
 * a device, or its owner is neither the process's user, nor us, nor root.
 */
int runtime_home_open(const struct runtime_home *h, const char *name, struct stat *st);

#endif
