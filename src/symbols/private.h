/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of src/symbols share. */
#ifndef DWELL_SYMBOLS_PRIVATE_H
#define DWELL_SYMBOLS_PRIVATE_H

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "symbols/symbols.h"

#define SYMBOLS_MAX_FRAMES 64 /* deeper inlining is cut at the outer end */

/* A PT_LOAD of an ELF file. */
struct symbols_segment {
	uint64_t offset, bytes; /* in the file */
	uint64_t address;
	uint64_t memory; /* bytes in memory; .bss is not in the file */
};

/* The frames of an address; many addresses share one answer. */
struct symbols_answer {
	size_t count;
	struct symbols_frame frames[];
};

/* A symbol, addresses as in the file. */
struct symbols_entry {
	uint64_t address, bytes;
	int rank; /* lower is the better name */
	const char *name;
	const struct symbols_answer *answer; /* for the addresses it covers, once asked */
};

/* Symbols by address, read when the first question is asked. */
struct symbols_table {
	struct symbols_entry *items;
	size_t count, room;
	bool is_read;
};

struct symbols_runtime;

/* The sources of names that a file may be read for. */
enum symbols_source {
	SYMBOLS_BY_LINES = 1,  /* debug information, for code */
	SYMBOLS_BY_TYPES = 2,  /* the same for data */
	SYMBOLS_BY_TABLES = 4, /* tables of symbols */
	SYMBOLS_BY_ALL = 7,
};

struct symbols_file {
	char *path;
	struct symbols_runtime *runtime; /* code made while a process runs; NULL: a file */
	char *build_id;			 /* or NULL */
	int fd;				 /* or -1: not kept, or not readable */
	int debug_fd; /* its debug file in the mount namespace of its process, checked; or -1 */
	dev_t device;
	ino_t inode;
	size_t older; /* another one with this path's hash, or SIZE_MAX */
	struct timespec modified;
	struct symbols_segment *segments;
	size_t segment_count;
	uint32_t sources; /* enum symbols_source */
	uint32_t told;	  /* generation of the reader that knows the file */
	/* the mapped file is gone or was replaced */
	bool is_missing;
	bool lacks_split; /* a unit's content is in a .dwo file, which was not found */
	bool was_asked;	  /* for names */
	bool has_lost;	  /* it crashed a reader */

	/* Opened at the first question. */
	bool asked;
	Dwfl *dwfl;
	Dwfl_Module *module;	       /* NULL: no symbols */
	GElf_Addr bias;		       /* of the module's addresses over the file's */
	struct symbols_packed *packed; /* in place of libdwfl's debug information; or NULL */
	struct symbols_ranges *units;  /* of units.c; NULL: nobody asked yet */
	struct map locals;	       /* of local_names.c */
	struct map cus;		       /* DIE offset of a CU -> struct symbols_ranges: functions */

	/* The last answer and its addresses, and the last name made of a function's start. */
	uint64_t last_address, last_count, last_start;
	const struct symbols_answer *last, *last_bare; /* or NULL: none yet */

	struct symbols_table code, data;
	struct symbols_go *go; /* of go_file.c; NULL: nobody asked yet */
	/* it has a Go table that is damaged or of an unknown format */
	bool has_bad_table;
	struct symbols_variables *variables; /* by DWARF; NULL: nobody asked yet */

	/* The sorted table of .eh_frame_hdr, or NULL: starts of functions. */
	const unsigned char *starts;
	size_t start_count;
	uint64_t starts_address; /* what the table's entries are relative to */
	Elf *elf;		 /* of the module; the Dwfl owns it */
};

/* elf_file.c: read the file's headers, fill path to segments. Returns 0, or -1: out of memory. */
int symbols_file_init(struct symbols_file *f, const char *path, int fd, struct arena *a);

/* elf_file.c: the start of the function around the address, by the unwind table; 0 if unknown. */
uint64_t symbols_function_start(struct symbols_file *f, uint64_t address);

/*
 * go_file.c: frames by the Go linker's table; they hold for the next *same addresses. 0: there is
 * no table, or it does not know the address.
 */
size_t symbols_go_frames(struct symbols_file *f, uint64_t address, struct arena *a,
			 struct symbols_frame frames[SYMBOLS_MAX_FRAMES], uint64_t *same);
void symbols_go_release(struct symbols_file *f);

/* symtab.c: the symbol of code, or of data, that covers the address, or NULL. */
struct symbols_entry *symbols_table_find(struct symbols_file *f, uint64_t address);
struct symbols_entry *symbols_table_find_data(struct symbols_file *f, uint64_t address);
/* Index of the first symbol above the address. */
size_t symbols_table_above(const struct symbols_table *t, uint64_t address);
void symbols_table_release(struct symbols_file *f);

/*
 * runtime_code.c: make the file stand for code that the process makes at run time. Returns 0, or -1
 * when memory ran out.
 */
int symbols_runtime_init(struct symbols_file *f, uint32_t pid, time_t since, struct arena *a);
/*
 * The function around the address, by the process's map file or jitdump; NULL: unknown. The first
 * question reads them.
 */
struct symbols_entry *symbols_runtime_find(struct symbols_file *f, uint64_t address,
					   struct arena *a);
/* The line of that function's code, for *same addresses; false: unknown. */
bool symbols_runtime_line(const struct symbols_file *f, const struct symbols_entry *e,
			  uint64_t address, struct symbols_frame *frame, uint64_t *same);
void symbols_runtime_set_dump(struct symbols_file *f, const struct symbols_file *dump);
/* A line about code left without names: its file was damaged or too large; false: nothing lost. */
bool symbols_runtime_loss(const struct symbols_file *f, struct text *line);
void symbols_runtime_release(struct symbols_file *f);

/*
 * dwarf.c: frames by DWARF; 0 when the address has none. Strings go into the arena. They hold for
 * the next *same addresses, this one included. The outermost function is NULL when DWARF has no
 * name for it; a symbol may have one. If only the line is known, there is one frame, with the line.
 */
size_t symbols_dwarf_frames(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_frame frames[SYMBOLS_MAX_FRAMES], uint64_t *same);
void symbols_dwarf_release(struct symbols_file *f);

/*
 * units.c: the unit whose code is around the DWARF address, by the units' own ranges; NULL when
 * none has it. The first question reads all units.
 */
Dwarf_Die *symbols_unit_around(struct symbols_file *f, Dwarf *dwarf, uint64_t address,
			       Dwarf_Die *die);
void symbols_units_release(struct symbols_file *f);

/* dwarf.c: the unit that holds the DIEs: itself, or with -gsplit-dwarf the one in its .dwo file. */
Dwarf_Die *symbols_unit_content(Dwarf_Die *cu_die, Dwarf_Die *memory);

/*
 * dwarf.c: from an inlined instance to its function, from a definition to its declaration; false:
 * there is nowhere to go.
 */
bool symbols_follow_origin(struct symbols_file *f, Dwarf_Die *die);
/* dwarf.c: as dwarf_attr_integrate, but for units that are not unpacked yet. */
const char *symbols_inherited_string(struct symbols_file *f, const Dwarf_Die *die, unsigned name);

/*
 * local_names.c: the full name of a C++ function without a linkage name, in the unit `content`;
 * NULL: the DIE's own name is all. Addresses of the unit plus the bias are those of the file.
 */
const char *symbols_local_name(struct symbols_file *f, struct arena *a, Dwarf_Die *content,
			       const Dwarf_Die *die, uint64_t bias);

/* dwarf.c: the name of a subprogram, demangled; NULL when it has none. */
const char *symbols_function_name(struct symbols_file *f, struct arena *a, const Dwarf_Die *die);

/* dwarf.c: a file name of the unit as an absolute, tidied path in the arena; NULL for NULL. */
const char *symbols_tidy_path(struct arena *a, Dwarf_Die *cu_die, const char *name);

/*
 * variables.c: the variable around the address, by DWARF; false when there is none. Strings go
 * into the arena.
 */
bool symbols_dwarf_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_variable *out);
/* variable_index.c */
void symbols_variables_release(struct symbols_file *f);

/* A namespace, class or function that qualifies the names inside it. */
struct symbols_scope {
	const struct symbols_scope *up; /* or NULL */
	const char *name;
};

/* How types are written: "struct node" without scopes, "ns::node", "type(mod::node)". */
enum symbols_language {
	SYMBOLS_C,
	SYMBOLS_SCOPED, /* C++, Rust and all others */
	SYMBOLS_FORTRAN,
};

/* types.c: the type as its language would write it. `scopes` gives the scopes of types. */
void symbols_type_name(Dwarf_Die *type, enum symbols_language language,
		       struct symbols_variables *scopes, struct text *out);
/* The size of an array's elements in bytes; 0: no array. */
uint64_t symbols_element_bytes(Dwarf_Die *type);
/* "a::b::" */
void symbols_scope_name(const struct symbols_scope *s, struct text *out);

/* elf_file.c: is that the build-id in the notes of the open file's sections? */
bool symbols_has_build_id(int fd, const char *build_id);

/* A file's reference to its separate debug file (.gnu_debuglink). */
struct symbols_debug_link {
	char name[256]; /* without a folder */
	uint32_t crc;	/* of all its bytes */
};

/* elf_file.c; false: the file has no valid one. */
bool symbols_read_debug_link(int fd, struct symbols_debug_link *out);

/*
 * debuginfo.c: open the file's separate debug file; returns a new descriptor, or -1. *path gets its
 * path, unless it is in another mount namespace.
 */
int symbols_open_debuginfo(const struct symbols_file *f, struct text *path);
/*
 * The same below the root of the process, if that is not ours; -1 as well where the kernel has no
 * openat2 (5.6).
 */
int symbols_open_inner_debuginfo(const struct symbols_file *f, uint32_t pid);

/*
 * packed.c: a separate debug file with compressed sections, unpacked as far as questions reach.
 * NULL when there is none, or it cannot be read this way: then libdwfl reads it.
 */
struct symbols_packed *symbols_packed_open(const struct symbols_file *f);
void symbols_packed_free(struct symbols_packed *p);

/* Its size when fully unpacked. */
uint64_t symbols_packed_bytes(const struct symbols_packed *p);

/*
 * The unit that holds the address, ready for everything that dwarf.c asks; NULL when there is none.
 */
Dwarf_Die *symbols_packed_unit(struct symbols_packed *p, uint64_t address, Dwarf_Die *die);

/* Whether symbols_packed_unit misses units, because .debug_aranges does not list them. */
bool symbols_packed_lacks_units(struct symbols_packed *p);

/* All of the debug information, unpacked; NULL when it is damaged. The packed file owns it. */
Dwarf *symbols_packed_dwarf(struct symbols_packed *p);

/* Unpack the unit around the offset in .debug_info; false when there is none. */
bool symbols_packed_reach(struct symbols_packed *p, uint64_t offset);

/* debuginfo.c: libdwfl's call-back that finds separate debug files; -1 when there is none. */
int symbols_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found);

/* symbols.c: the file of a number, NULL for -1; the arena of answers. For one thread at a time. */
struct symbols_file *symbols_get(struct symbols *s, int file);
struct arena *symbols_arena(struct symbols *s);

struct stat;
/*
 * mapped_file.c: open a regular file, or return -1; never waits for a pipe or device in its place.
 */
int symbols_open_regular(const char *path, struct stat *st);
/* The same for the mapped file, identified by device, inode and time of change. */
int symbols_open_mapped(const struct symbols_mapping *m, const struct stat *wanted);

/* symbols.c: open the module, if possible: f->module is NULL if not. */
void symbols_open(struct symbols_file *f);

/* The questions of symbols.h, answered in this process: symbols.c, data.c. */
const struct symbols_answer *symbols_find_answer(struct symbols *s, struct symbols_file *f,
						 uint64_t address);
bool symbols_find_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			   struct symbols_variable *out);
uint64_t symbols_prepare_file(struct symbols_file *f, bool has_data, uint64_t most,
			      struct arena *a);
/*
 * Copy the frames into an answer; NULL when memory ran out: a frame without a name counts as that.
 */
const struct symbols_answer *symbols_make_answer(struct arena *a,
						 const struct symbols_frame *frames, size_t count);

/* symbols.c: for remote.c and reader.c. The lock keeps new files out. */
void symbols_lock(struct symbols *s);
void symbols_unlock(struct symbols *s);
size_t symbols_count(const struct symbols *s);
struct symbols_remote *symbols_remote_of(struct symbols *s);
struct message_question;
/* Takes over the descriptors: enum message_along. */
int symbols_learn(struct symbols *s, const struct message_question *q, const char *path,
		  const int along[]);

/* reader.c: answer questions from the socket, in a process of its own. Does not return. */
void symbols_reader_run(struct symbols *s, int fd) __attribute__((noreturn));

/* symbols.c: the name as people write it, in the arena; NULL when memory ran out. */
const char *symbols_demangle(struct arena *a, const char *name);

#endif
