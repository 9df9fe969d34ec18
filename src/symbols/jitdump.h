/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in which a process tells of the code that it makes, in binary (jit-PID.dump): what `perf
 * inject --jit` reads, written by V8, .NET, Java agents and LLVM. Functions, lines, and moves of
 * code. Nothing in one is believed.
 */
#ifndef DWELL_SYMBOLS_JITDUMP_H
#define DWELL_SYMBOLS_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What is told, in the file's order; each returns false to end the reading. Strings live for the
 * call.
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

/* Is this the name, of a path, that such files have? */
bool jitdump_is_named(const char *path);

/*
 * Read up to `most` bytes. Returns false when it is no such file, or damaged: what stood in front
 * of that was told. An incomplete record at the end is what a process leaves that was killed.
 */
bool jitdump_read(FILE *in, uint64_t most, const struct jitdump_sink *sink, void *context);

#endif
