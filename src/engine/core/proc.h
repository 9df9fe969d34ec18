/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and parsing /proc. The functions allocate no memory and need no lock.
 */
#ifndef DWELL_ENGINE_CORE_PROC_H
#define DWELL_ENGINE_CORE_PROC_H

#include <stdbool.h>
#include <stdint.h>

/* The text of s behind `prefix`, or NULL if s does not begin with it. */
const char *text_behind(const char *s, const char *prefix);
/* Read decimal digits, or hexadecimal ones in lower case. Returns the text behind them. */
const char *text_decimal(const char *p, uint64_t *value);
const char *text_hexadecimal(const char *p, uint64_t *value);

#define PROC_PATH_BYTES 64

/* Write the path of a file of a process or thread: "mem", "ns/pid". */
void proc_path(char path[PROC_PATH_BYTES], uint64_t pid, const char *file);
/* Read the beginning of a file in /proc, ended by 0. Returns its length; 0: unreadable. */
uint32_t proc_read(const char *path, char *text, uint32_t room);
/* The same for a file of one thread, of any process: "stat", "syscall". */
uint32_t proc_read_of_task(uint32_t tid, const char *file, char *text, uint32_t room);
/* The state in the text of a thread's "stat": 'R', 'S' and so on; 'X' if there is none. */
char proc_state_in(const char *stat);
/* Has the thread, of any process, ended or been killed? False where /proc cannot be read. */
bool proc_is_gone(uint32_t tid);
/*
 * The path of the file that `fd` is open on, ended by 0, perhaps cut. Returns its length; or the
 * kernel's error, with an empty name.
 */
long proc_name_of_fd(long fd, char *name, uint64_t room);

/* A line of /proc/self/maps. */
struct proc_mapping {
	uint64_t start, end;
	bool writable, private;
	bool kernels; /* made by the kernel: [stack], [heap], [vdso], /[aio] */
};

/* Call `look` with each mapping until it returns true. False: they cannot be read. */
bool proc_mappings(bool (*look)(const struct proc_mapping *m, void *with), void *with);

#endif
