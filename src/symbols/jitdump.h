/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads jitdump files (jit-PID.dump), in which a process describes its code made at run time:
 * functions, lines, and moves of code. V8, .NET, Java agents and LLVM write them for `perf inject
 * --jit`. All content is untrusted.
 */
#ifndef DWELL_SYMBOLS_JITDUMP_H
#define DWELL_SYMBOLS_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Called for each record, in the file's order. They return false to stop the reading. Strings live
 * only during the call.
 */
struct jitdump_sink {
	/*
	 * The code from `address` on has this line. It belongs to the next code that begins at
	 * `start`.
	 */
	bool (*line)(void *context, uint64_t start, uint64_t address, uint32_t line,
		     const char *file);
	bool (*code)(void *context, uint64_t address, uint64_t bytes, const char *name);
	bool (*moved)(void *context, uint64_t from, uint64_t to, uint64_t bytes);
};

/* Tell whether the path has the name of a jitdump file. */
bool jitdump_is_named(const char *path);

/*
 * Read up to `most` bytes. Returns false if it is not a jitdump file, or damaged; records before
 * the damage were reported. An incomplete last record is not damage: a killed process leaves one.
 */
bool jitdump_read(FILE *in, uint64_t most, const struct jitdump_sink *sink, void *context);

#endif
