/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an address in an ELF file to function, file and line, with inlined calls; and from an
 * address of data to the variable. Debug information comes from the file, from a separate file
 * (.gnu_debuglink, build-id), or from debuginfod when the user has set DEBUGINFOD_URLS. Without it,
 * names come from the Go linker's table or the symbol tables. Without these, a function is named by
 * its start address in the unwind table.
 *
 * Files are remembered when they become mapped, and kept open: a program may be deleted or replaced
 * before the run ends, which is when names are asked for.
 *
 * A separate process, forked at the first question, reads the files. A damaged file that crashes a
 * library costs only that process and some of the names.
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

/* NULL when memory ran out. All results live until symbols_free. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/*
 * Remember a mapped file. Returns its number, or -1 when memory ran out; the same file has the same
 * number. An unreadable file has a number as well: its addresses get names like [libx.so+0x1234].
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
 * As symbols_file, but checks that the file is the one mapped. Tries its path, as we and as the
 * process see it; then what the process has mapped or open, while it lives. If all fail, the file
 * is unreadable.
 */
int symbols_mapped_file(struct symbols *s, const struct symbols_mapping *m);

/*
 * A file number for the code that process `pid` makes at run time; addresses are those in memory.
 * Names are those that the process wrote to /tmp/perf-PID.map since symbols_new(), else "[anon]".
 * The first question reads that file, so ask when the process is done. -1 when memory ran out.
 */
int symbols_runtime_code(struct symbols *s, uint32_t pid);

/*
 * The process has mapped this file: if it is named like a jitdump file, use its contents as well.
 */
void symbols_runtime_dump(struct symbols *s, int runtime, int file);
/* Is the path named like a jitdump file? The process writes to it while it is mapped. */
bool symbols_is_dump(const char *path);

/* Does the file number stand for code made at run time? */
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
 * One thread may call this, symbols_is_runtime_code(), symbols_variable(), the versions for many
 * addresses, and symbols_prepare() while another thread calls the other functions.
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
 * Unpack the file's debug file before the first question, if it has at most `most` bytes: for code
 * and, if has_data, variables, which take more memory. Returns how many of these bytes are left.
 * Call it on the thread that asks the questions.
 */
uint64_t symbols_prepare(struct symbols *s, int file, bool has_data, uint64_t most);

/* In a forked child: its questions go to a reader of its own. */
void symbols_forked(struct symbols *s);

/* CPU time of the processes that read symbols; *ended: the part of those that were waited for. */
uint64_t symbols_cpu_ns(const struct symbols *s, uint64_t *ended);

/*
 * A sentence about the next file, from number *next on, that crashed its reader; false: there is
 * none. It says where the file's names come from now.
 */
bool symbols_next_loss(const struct symbols *s, size_t *next, struct text *line);

/* The range of file addresses that its segments take; false when it has none. */
bool symbols_extent(struct symbols *s, int file, uint64_t *low, uint64_t *high);

#endif
