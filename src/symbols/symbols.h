/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an address in an ELF file to function, file and line, with the inlined calls that lead
 * there; and from one of its data to the variable. Debug information is taken from the file, from a
 * separate file (.gnu_debuglink, build-id), or from debuginfod when the user has set
 * DEBUGINFOD_URLS; without any, from the Go linker's table or the symbol tables; without these the
 * function's start is found in the unwind table and names it.
 *
 * Files are remembered when they become mapped, and kept open: a program may
 * be deleted or replaced before the run ends, which is when names are asked for.
 *
 * Files are read by a process of their own, which is forked at the first question: what a damaged
 * file does to the libraries that read it costs that process, and a part of the names.
 */
#ifndef DWELL_SYMBOLS_SYMBOLS_H
#define DWELL_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;
struct text;

struct symbols_frame {
	const char *function; /* demangled; never NULL */
	const char *file;     /* tidied, absolute where the compiler said so; or NULL */
	uint32_t line;	      /* or 0 */
};

/* NULL when memory ran out. All that was handed out lives until symbols_free. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/*
 * Remember the file that was mapped. Returns its number, to ask with; the same
 * file has the same number. A file that cannot be read has a number as well:
 * its addresses get names such as [libx.so+0x1234]. -1 when memory ran out.
 * Names in brackets ("[vdso]", "[anon]") name all that is inside.
 */
int symbols_file(struct symbols *s, const char *path);

/*
 * A mapping of a file in a process, and the file's identity, as fstat() has it there; inode 0: not
 * known.
 */
struct symbols_mapping {
	const char *path;
	uint32_t pid;
	uint64_t start, end; /* addresses */
	uint64_t device, inode, modified_ns;
};

/*
 * As symbols_file, but only with the file that was mapped: what is at its path, for us or for the
 * process, if that is it, or what the process has mapped, while it lives. Where none of that can be
 * had it is a file that cannot be read.
 */
int symbols_mapped_file(struct symbols *s, const struct symbols_mapping *m);

/*
 * A file's number for the code that process `pid` makes while it runs, addresses as they are in
 * memory. Named by what the process has told in /tmp/perf-PID.map since symbols_new(), or else
 * "[anon]"; the first question reads that, so ask when the process is done. -1 when memory ran out.
 */
int symbols_runtime_code(struct symbols *s, uint32_t pid);

/*
 * The process has mapped this file: if it is a jitdump file by its name, what it says counts as
 * well.
 */
void symbols_runtime_dump(struct symbols *s, int runtime, int file);
/* Has the path the name of such a file? It is written to while it is mapped. */
bool symbols_is_dump(const char *path);

/* Is the file such code? */
bool symbols_is_runtime_code(struct symbols *s, int file);

/* The path it was remembered by; NULL for -1 and for code made at run time. */
const char *symbols_path(const struct symbols *s, int file);

/* The file's build-id in hexadecimal digits, or NULL. */
const char *symbols_build_id(const struct symbols *s, int file);

/*
 * The address that the ELF file gives to the byte at file_offset; the offset itself if it gives
 * none.
 */
uint64_t symbols_address(const struct symbols *s, int file, uint64_t file_offset);

/*
 * Name the address: frames[0] is the innermost inlined function, frames[1] the one it was inlined
 * into, at the line of the call, and so on. file -1 is code in no file. Returns the number of
 * frames, at least 1 (a name in brackets if nothing is known), or 0 when memory ran out. Questions
 * in order of file and address cost least: neighbours share their tables, and often their answer.
 * This, symbols_is_runtime_code(), symbols_variable(), their like for many addresses, and
 * symbols_prepare() another thread may call while this one calls the others; only one does.
 */
size_t symbols_resolve(struct symbols *s, int file, uint64_t address,
		       const struct symbols_frame **frames);

/* The same for many addresses of one file, which costs far less. No frames: memory ran out. */
struct symbols_frames {
	const struct symbols_frame *items;
	size_t count;
};
void symbols_resolve_many(struct symbols *s, int file, const uint64_t *addresses, size_t count,
			  struct symbols_frames *out);

/* A global or static variable, or a section where the variables have no names. */
#define SYMBOLS_LOCALS ((uint64_t)1 << 62)

struct symbols_variable {
	const char *name;	/* qualified: "list::head", "next_id()::last"; never NULL */
	const char *type;	/* as C would write it, "double[40][40]"; or NULL: not known */
	const char *file;	/* of the declaration; or NULL */
	uint32_t line;		/* or 0 */
	uint64_t start, end;	/* addresses as in the file, end excluded */
	uint64_t element_bytes; /* of an array's elements; 0: no array, or not known */
	bool is_section;	/* named ".bss of libc.so.6": of unnamed variables */
};

/*
 * The variable around an address of the file: by debug information, by the symbol tables, or else
 * the section that it is in. False when the file has nothing there. Thread-local variables have no
 * address of their own: theirs begin at SYMBOLS_LOCALS, in the order of each thread's copy. The
 * first question of a file with debug information searches all of it; questions in order of address
 * cost least.
 */
bool symbols_variable(struct symbols *s, int file, uint64_t address, struct symbols_variable *out);

/* The same for many addresses, which costs far less; where there is nothing the name is NULL. */
void symbols_variables(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		       struct symbols_variable *out);

/*
 * Do now what the first questions about the file have to wait for, if it has a debug file to unpack
 * of no more than `most` bytes: about its code and, if has_data, its variables, too, which takes
 * more memory than code. Returns how many of these bytes are left. For the thread that asks the
 * questions.
 */
uint64_t symbols_prepare(struct symbols *s, int file, bool has_data, uint64_t most);

/* In a child of this process: questions are asked of a reader of its own. */
void symbols_forked(struct symbols *s);

/* CPU time of the processes that read symbols; *ended: the part of those that were waited for. */
uint64_t symbols_cpu_ns(const struct symbols *s, uint64_t *ended);

/*
 * A sentence about the next file, from number *next on, whose reader died of it; false: there is
 * none. It says what the names are now made of.
 */
bool symbols_next_loss(const struct symbols *s, size_t *next, struct text *line);

/* The addresses, as in the file, that its segments take; false when it has none. */
bool symbols_extent(struct symbols *s, int file, uint64_t *low, uint64_t *high);

#endif
