/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an address in an ELF file to function, file and line, with inlined calls; and from a data
 * address to its variable. Debug information comes from the file, from a separate file
 * (.gnu_debuglink, build-id), or from debuginfod if the user has set DEBUGINFOD_URLS. Without it,
 * names come from the Go linker's table or the symbol tables. Without these, a function is named by
 * its start address in the unwind table.
 *
 * Files are opened when they are mapped, and kept open: a program may be deleted or replaced before
 * the end of the run, when names are asked for.
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
	const char *file;     /* tidied; absolute if the compiler wrote it so; or NULL */
	uint32_t line;	      /* or 0 */
};

/* Returns NULL when memory ran out. All results live until symbols_free. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/*
 * Add a mapped file. Returns its number, the same for the same file, or -1 when memory ran out. An
 * unreadable file has a number, too: its addresses get names like [libx.so+0x1234]. Names in
 * brackets ("[vdso]", "[anon]") name everything in them.
 */
int symbols_file(struct symbols *s, const char *path);

/*
 * A mapping of a file in a process, with the file's identity according to fstat() there; inode 0:
 * unknown.
 */
struct symbols_mapping {
	const char *path;
	uint32_t pid;
	uint64_t start, end; /* addresses */
	uint64_t device, inode, modified_ns;
};

/*
 * Like symbols_file, but checks that the file is the mapped one. Tries its path, as we and as the
 * process see it; then the process's mappings and open files, while it lives. If all fail, the file
 * is unreadable.
 */
int symbols_mapped_file(struct symbols *s, const struct symbols_mapping *m);

/*
 * A file number for the code that process `pid` makes at run time; addresses are those in memory.
 * Names come from /tmp/perf-PID.map, if the process wrote it since symbols_new(); else it is
 * "[anon]". The first question reads that file, so ask when the process has ended. Returns -1 when
 * memory ran out.
 */
int symbols_runtime_code(struct symbols *s, uint32_t pid);

/* The process has mapped this file: if it is named like a jitdump file, use its contents, too. */
void symbols_runtime_dump(struct symbols *s, int runtime, int file);
/*
 * Tell whether the path is named like a jitdump file, which the process writes while it is mapped.
 */
bool symbols_is_dump(const char *path);

/* Tell whether the file number represents code made at run time. */
bool symbols_is_runtime_code(struct symbols *s, int file);

/* The path as it was added; NULL for -1, and for code made at run time. */
const char *symbols_path(const struct symbols *s, int file);

/* The file's build-id in hexadecimal digits, or NULL. */
const char *symbols_build_id(const struct symbols *s, int file);

/* The ELF file's address of the byte at file_offset; the offset itself if it has none. */
uint64_t symbols_address(const struct symbols *s, int file, uint64_t file_offset);

/*
 * Name the address: frames[0] is the innermost inlined function, frames[1] the one it was inlined
 * into, at the line of the call, and so on. File -1 means code in no file. Returns the number of
 * frames, at least 1 (a name in brackets if nothing is known); or 0 when memory ran out. Questions
 * in order of file and address are cheapest: neighbours share tables, and often their answer.
 *
 * One thread may call this, symbols_is_runtime_code(), symbols_variable(), the versions for many
 * addresses, and symbols_prepare() while another thread calls the other functions.
 */
size_t symbols_resolve(struct symbols *s, int file, uint64_t address,
		       const struct symbols_frame **frames);

/* The same for many addresses of one file, which is much faster. Without frames, memory ran out. */
struct symbols_frames {
	const struct symbols_frame *items;
	size_t count;
};
void symbols_resolve_many(struct symbols *s, int file, const uint64_t *addresses, size_t count,
			  struct symbols_frames *out);

/*
 * A member of a type. Members of a member follow it, and are one level deeper; those of an array
 * are those of an element. Members of base classes, and of structs without a name, are the type's
 * own; those of a union have one
 * offset, those of a union without a name, and variants of Rust, are the type's own.
 */
enum symbols_form { SYMBOLS_FORM_UNKNOWN, SYMBOLS_FORM_INTEGER, SYMBOLS_FORM_FLOAT };

struct symbols_member {
	uint32_t depth;		/* from 0 */
	uint64_t offset;	/* from the beginning of what it belongs to; bytes */
	uint64_t bytes;		/* of the whole array; 0: an array of unknown length */
	uint64_t elements;	/* of an array; of unknown length: bytes of an element; else 0 */
	enum symbols_form form; /* of a value, or of an array's */
	const char *name, *type;
};

/* A type with its members: of a variable, of an array's elements, or of what a block holds. */
struct symbols_layout {
	const char *type;
	uint64_t bytes;
	const struct symbols_member *members; /* in the order of the source */
	size_t member_count;
};

/* A global or static variable, or a section if its variables have no names. */
#define SYMBOLS_LOCALS ((uint64_t)1 << 62)

struct symbols_variable {
	const char *name;	/* qualified: "list::head", "next_id()::last"; never NULL */
	const char *type;	/* as in C, "double[40][40]"; NULL: unknown */
	const char *file;	/* of the declaration; or NULL */
	uint32_t line;		/* or 0 */
	uint64_t start, end;	/* addresses in the file, end excluded */
	uint64_t element_bytes; /* size of an array's element; 0: no array, or unknown */
	bool is_section;	/* named ".bss of libc.so.6": unnamed variables */
	const struct symbols_layout *layout; /* of its type, or its elements' type; or NULL */
};

/*
 * The variable at an address of the file: from debug information, the symbol tables, or else its
 * section. Returns false if the file has nothing there. Thread-local variables have no fixed
 * address: they begin at SYMBOLS_LOCALS, in the order of each thread's copy. The first question
 * about a file with debug information searches all of it; questions in order of address are
 * cheapest.
 */
bool symbols_variable(struct symbols *s, int file, uint64_t address, struct symbols_variable *out);

/* The same for many addresses, which is much faster; a variable without a name was not found. */
void symbols_variables(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		       struct symbols_variable *out);

#define SYMBOLS_HANDED_BY_ALL  UINT32_MAX
#define SYMBOLS_HANDED_UNTYPED (UINT32_MAX - 1)

/* What a call returns that allocates memory. */
struct symbols_result {
	const struct symbols_layout *layout; /* of what the memory holds; NULL: unknown */
	bool is_element;		     /* blocks hold whole ones only, or a table of them */
	bool is_guess;	    /* of an object made at once: holds if a block has its size */
	bool is_for_others; /* the function returns memory of any type: ask about its own call */
	/*
	 * The innermost functions around the call, inlined ones, too, so many hand the result on
	 * at once, as memory of any type. SYMBOLS_HANDED_BY_ALL: it is returned to the next call on
	 * the path; SYMBOLS_HANDED_UNTYPED: the same, but the type is not known.
	 */
	uint32_t handed;
};

/*
 * What the calls at the addresses return, each given by its last byte, from the variables that take
 * the results.
 */
void symbols_results(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		     struct symbols_result *out);

/* What an instruction reads or writes; an element of a vector. 0 bytes: unknown. */
struct symbols_operand {
	uint64_t bytes;
	enum symbols_form form;
};

/* The operands in memory of the instructions at the addresses. */
void symbols_operands(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		      struct symbols_operand *out);

/*
 * Decompress the file's debug file before the first question, if it has at most `most` bytes: for
 * code and, if has_data, for variables, which take more memory. Returns the rest of `most`. Call it
 * on the thread that asks the questions.
 */
uint64_t symbols_prepare(struct symbols *s, int file, bool has_data, uint64_t most);

/* Call this in a forked child: its questions go to its own reader. */
void symbols_forked(struct symbols *s);

/* CPU time of the processes that read symbols; *ended: the part of those that were waited for. */
uint64_t symbols_cpu_ns(const struct symbols *s, uint64_t *ended);

/*
 * Append a sentence about the next file, from number *next on, that crashed its reader: it names
 * the remaining source of the file's names. Returns false if there is none.
 */
bool symbols_next_loss(const struct symbols *s, size_t *next, struct text *line);

/* The range of file addresses of its segments. Returns false if it has none. */
bool symbols_extent(struct symbols *s, int file, uint64_t *low, uint64_t *high);

#endif
