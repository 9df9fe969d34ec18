/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads jitdump files (jit-PID.dump), in which a process describes its code made at run time:
 * functions, lines, and moves of code. V8, .NET, Java agents and LLVM write them for `perf inject
 * --jit`. Nothing in one is trusted.
 */
#ifndef DWELL_SYMBOLS_JITDUMP_H
#define DWELL_SYMBOLS_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Called for each record, in the file's order; each returns false to end the reading. Strings live
 * for the call.
 */
struct jitdump_sink {
	/*
	 * From here on the code at `address` has this line, which belongs to the next code that
	 * begins at `start`.
	 */
	bool (*line)(void *context, uint64_t start, uint64_t address, uint32_t line,
		     const char *file);
	bool (*code)(void *context, uint64_t address, uint64_t bytes, const char *name);
	bool (*moved)(void *context, uint64_t from, uint64_t to, uint64_t bytes);
};

/* Does the path have the name of a jitdump file? */
bool jitdump_is_named(const char *path);

/*
 * Read up to `most` bytes. Returns false when it is no jitdump file, or damaged; the sink has got
 * the records before the damage. An incomplete last record is no damage: a killed process leaves
 * one.
 */
bool jitdump_read(FILE *in, uint64_t most, const struct jitdump_sink *sink, void *context);

#endif
