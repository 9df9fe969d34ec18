/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of the process, and how its text is read. No memory is taken; no lock is wanted.
 */
#ifndef DWELL_ENGINE_CORE_PROC_H
#define DWELL_ENGINE_CORE_PROC_H

#include <stdbool.h>
#include <stdint.h>

/* The text behind `prefix`, or NULL: s does not begin with that. */
const char *text_behind(const char *s, const char *prefix);
/* Read decimal digits, or those of hexadecimal numbers in lower case. Returns their end. */
const char *text_decimal(const char *p, uint64_t *value);
const char *text_hexadecimal(const char *p, uint64_t *value);

#define PROC_PATH_BYTES 64

/* The name of a file of a process's, or thread's: "mem", "ns/pid". */
void proc_path(char path[PROC_PATH_BYTES], uint64_t pid, const char *file);
/* The beginning of a file in /proc, ended by 0. Returns its length, 0: it cannot be read. */
uint32_t proc_read(const char *path, char *text, uint32_t room);
/* The same for a file of one thread's: "stat", "syscall". */
uint32_t proc_read_of_task(uint32_t tid, const char *file, char *text, uint32_t room);
/*
 * The name of what a descriptor is open on, ended by 0; it may be cut. Returns its length, or an
 * error of the kernel's, and then the name is empty.
 */
long proc_name_of_fd(long fd, char *name, uint64_t room);

/* A line of /proc/self/maps. */
struct proc_mapping {
	uint64_t start, end;
	bool writable, private;
	bool kernels; /* [stack], [heap], [vdso], /[aio]: the kernel has made it */
};

/* Show each to `look`, which ends it by true. False: they cannot be read. */
bool proc_mappings(bool (*look)(const struct proc_mapping *m, void *with), void *with);

#endif
