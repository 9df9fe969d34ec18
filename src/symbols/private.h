/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of src/symbols. */
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
	uint64_t memory; /* size in memory; .bss is not in the file */
};

/* The frames of an address; many addresses share one answer. */
struct symbols_answer {
	size_t count;
	struct symbols_frame frames[];
};

/* A symbol, with addresses in the file. */
struct symbols_entry {
	uint64_t address, bytes;
	int rank; /* lower: better name */
	const char *name;
	const struct symbols_answer *answer; /* answer for its addresses, once used */
};

/* Symbols by address, read at the first question. */
struct symbols_table {
	struct symbols_entry *items;
	size_t count, room;
	bool is_read;
};

struct symbols_runtime;

/* The sources of names in a file. */
enum symbols_source {
	SYMBOLS_BY_LINES = 1,  /* debug information, for code */
	SYMBOLS_BY_TYPES = 2,  /* the same for data */
	SYMBOLS_BY_TABLES = 4, /* symbol tables */
	SYMBOLS_BY_ALL = 7,
};

/* Why debug information cannot be read. */
enum symbols_unread {
	SYMBOLS_UNREAD_ZSTD = 1,    /* compressed in a way that the libraries do not know */
	SYMBOLS_UNREAD_VERSION = 2, /* of DWARF */
	SYMBOLS_UNREAD_SHARED = 4,  /* a part that several files share (dwz) is missing */
	SYMBOLS_UNREAD_ALL = 7,
};

struct symbols_file {
	char *path;
	struct symbols_runtime *runtime; /* code made at run time; NULL: a file */
	char *build_id;			 /* or NULL */
	int fd;				 /* -1: not kept open, or not readable */
	int debug_fd; /* its debug file in its process's mount namespace, already checked; or -1 */
	dev_t device;
	ino_t inode;
	size_t older; /* next file with this path's hash, or SIZE_MAX */
	struct timespec modified;
	struct symbols_segment *segments;
	size_t segment_count;
	uint32_t sources; /* enum symbols_source */
	uint32_t told;	  /* generation of the reader that knows the file */
	/* the mapped file has been deleted or replaced */
	bool is_missing;
	uint32_t unread;  /* enum symbols_unread, a bit for each reason */
	bool lacks_split; /* some .dwo file, with the content of a unit, was not found */
	bool was_asked;	  /* names were asked for */
	bool has_lost;	  /* it crashed a reader, or */
	bool was_killed;  /* a reader was killed while it read the file; */
	bool lost_it_so;  /* twice, which is why some of it is not read any more */

	/* Set at the first question. */
	bool asked;
	Dwfl *dwfl;
	Dwfl_Module *module;	       /* NULL: no symbols */
	GElf_Addr bias;		       /* module address minus file address */
	struct symbols_packed *packed; /* replaces libdwfl's debug information; or NULL */
	struct symbols_ranges *units;  /* in units.c; NULL: not read yet */
	struct map locals;	       /* in local_names.c */
	struct map cus;		       /* functions: DIE offset of a CU -> struct symbols_ranges */

	/* The last answer and its addresses, and the last name from a function's start. */
	uint64_t last_address, last_count, last_start;
	const struct symbols_answer *last, *last_bare; /* NULL: none yet */

	struct symbols_table code, data;
	struct symbols_go *go; /* in go_file.c; NULL: not read yet */
	/* its Go table is damaged or has an unknown format */
	bool has_bad_table;
	struct symbols_variables *variables; /* by DWARF; NULL: not read yet */

	/* The sorted table of .eh_frame_hdr, with starts of functions; or NULL. */
	const unsigned char *starts;
	size_t start_count;
	uint64_t starts_address; /* base of the table's entries */
	Elf *elf;		 /* of the module; owned by the Dwfl */
};

/*
 * elf_file.c: read the file's headers, and set its members from path to segments. Returns 0, or -1
 * when memory ran out.
 */
int symbols_file_init(struct symbols_file *f, const char *path, int fd, struct arena *a);

/* elf_file.c: the start of the function around the address, from the unwind table; 0 if unknown. */
uint64_t symbols_function_start(struct symbols_file *f, uint64_t address);

/*
 * go_file.c: frames from the Go linker's table; they hold for *same addresses. Returns 0 if there
 * is no table, or the address is not in it.
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
 * runtime_code.c: make the file represent code that the process makes at run time. Returns 0, or -1
 * when memory ran out.
 */
int symbols_runtime_init(struct symbols_file *f, uint32_t pid, time_t since, struct arena *a);
/*
 * The function at the address, from the process's map file or jitdump; NULL: unknown. The first
 * question reads them.
 */
struct symbols_entry *symbols_runtime_find(struct symbols_file *f, uint64_t address,
					   struct arena *a);
/* The line of that function's code, valid for *same addresses. Returns false if unknown. */
bool symbols_runtime_line(const struct symbols_file *f, const struct symbols_entry *e,
			  uint64_t address, struct symbols_frame *frame, uint64_t *same);
void symbols_runtime_set_dump(struct symbols_file *f, const struct symbols_file *dump);
/*
 * Append a line about code without names, because its file was damaged or too large. Returns false
 * if nothing was lost.
 */
bool symbols_runtime_loss(const struct symbols_file *f, struct text *line);
void symbols_runtime_release(struct symbols_file *f);

/*
 * dwarf.c: frames from DWARF, valid for *same addresses from this one; 0 if it has none. Strings go
 * into the arena. The outermost function is NULL if DWARF has no name for it, though a symbol may.
 * If only the line is known, there is one frame, with the line.
 */
size_t symbols_dwarf_frames(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_frame frames[SYMBOLS_MAX_FRAMES], uint64_t *same);
/*
 * The function around the address, and the blocks and inlined calls in it, outermost first. The
 * address becomes one of their DWARF. Returns their number; 0: unknown.
 */
#define SYMBOLS_MAX_SCOPES 64
size_t symbols_dwarf_scopes(struct symbols_file *f, uint64_t *address,
			    Dwarf_Die scopes[SYMBOLS_MAX_SCOPES]);
void symbols_dwarf_release(struct symbols_file *f);

/*
 * units.c: the unit around the DWARF address, by the units' own ranges; NULL if there is none. The
 * first question reads all units.
 */
Dwarf_Die *symbols_unit_around(struct symbols_file *f, Dwarf *dwarf, uint64_t address,
			       Dwarf_Die *die);
void symbols_units_release(struct symbols_file *f);

/* dwarf.c: the unit that has the DIEs: itself, or with -gsplit-dwarf the one in its .dwo file. */
Dwarf_Die *symbols_unit_content(Dwarf_Die *cu_die, Dwarf_Die *memory);

/*
 * dwarf.c: go from an inlined instance to its function, or from a definition to its declaration.
 * Returns false if there is neither.
 */
bool symbols_follow_origin(struct symbols_file *f, Dwarf_Die *die);
/* dwarf.c: like dwarf_attr_integrate, but also for units that are not decompressed yet. */
const char *symbols_inherited_string(struct symbols_file *f, const Dwarf_Die *die, unsigned name);

/*
 * local_names.c: the full name of a C++ function without a linkage name, in the unit `content`;
 * NULL if the DIE's own name is complete. Unit addresses plus the bias are file addresses.
 */
const char *symbols_local_name(struct symbols_file *f, struct arena *a, Dwarf_Die *content,
			       const Dwarf_Die *die, uint64_t bias);

/* dwarf.c: the name of a subprogram, demangled; NULL if it has none. */
const char *symbols_function_name(struct symbols_file *f, struct arena *a, const Dwarf_Die *die);

/* dwarf.c: a file name of the unit as an absolute, tidied path in the arena; NULL for NULL. */
const char *symbols_tidy_path(struct arena *a, Dwarf_Die *cu_die, const char *name);

/*
 * variables.c: the variable at the address, from DWARF. Returns false if there is none. Strings go
 * into the arena.
 */
bool symbols_dwarf_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_variable *out);
/* variables.c: that variable itself, and its address in the file. */
bool symbols_variable_die(struct symbols_file *f, uint64_t address, Dwarf_Die *die,
			  uint64_t *start);
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

/*
 * types.c: the type of a variable, or of a member; of a pointer or an array that of its target.
 * NULL: void, or unknown.
 */
Dwarf_Die *symbols_type_of(Dwarf_Die *die, Dwarf_Die *memory);
/* types.c: the type as written in its language. `scopes` has the scopes of types. */
void symbols_type_name(Dwarf_Die *type, enum symbols_language language,
		       struct symbols_variables *scopes, struct text *out);
/* The size of an array's elements in bytes; 0: not an array. */
uint64_t symbols_element_bytes(Dwarf_Die *type);
/* variables.c: the language of a unit. */
enum symbols_language symbols_language_of(Dwarf_Die *unit);
/*
 * layouts.c: the layout of the type, of an array that of its elements. NULL: the size is unknown,
 * or memory ran out. The index of variables owns it.
 */
const struct symbols_layout *symbols_layout_of(struct symbols_variables *v, Dwarf_Die *type);
/*
 * layouts.c: the type of the innermost member at the offset, which is neither a struct nor an
 * array. Returns false if none begins there.
 */
bool symbols_member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *member);
/* Append "a::b::". */
void symbols_scope_name(const struct symbols_scope *s, struct text *out);

/* elf_file.c: tell whether the notes in the open file's sections have this build-id. */
bool symbols_has_build_id(int fd, const char *build_id);

/* A file's reference to its separate debug file (.gnu_debuglink). */
struct symbols_debug_link {
	char name[256]; /* without folder */
	uint32_t crc;	/* of the whole file */
};

/* elf_file.c: returns false if the file has no valid link. */
bool symbols_read_debug_link(int fd, struct symbols_debug_link *out);

/*
 * debuginfo.c: open the file's separate debug file. Returns a new descriptor, or -1. Sets *path,
 * unless the file is in another mount namespace.
 */
int symbols_open_debuginfo(const struct symbols_file *f, struct text *path);
/*
 * The same below the process's root, if that is not ours. Also returns -1 if the kernel has no
 * openat2 (5.6).
 */
int symbols_open_inner_debuginfo(const struct symbols_file *f, uint32_t pid);

/*
 * packed.c: a separate debug file with compressed sections, decompressed as needed. Returns NULL if
 * there is none, or it cannot be read in this way: then libdwfl reads it.
 */
struct symbols_packed *symbols_packed_open(const struct symbols_file *f);
void symbols_packed_free(struct symbols_packed *p);

/* Its size after complete decompression. */
uint64_t symbols_packed_bytes(const struct symbols_packed *p);

/* The unit around the address, ready for all accesses of dwarf.c; NULL if there is none. */
Dwarf_Die *symbols_packed_unit(struct symbols_packed *p, uint64_t address, Dwarf_Die *die);

/* Tell whether symbols_packed_unit misses units, because .debug_aranges does not list them. */
bool symbols_packed_lacks_units(struct symbols_packed *p);

/* All debug information, decompressed; NULL if it is damaged. The packed file owns it. */
Dwarf *symbols_packed_dwarf(struct symbols_packed *p);

/* Decompress the unit around the offset in .debug_info. Returns false if there is none. */
bool symbols_packed_reach(struct symbols_packed *p, uint64_t offset);

/* debuginfo.c: libdwfl's callback to find separate debug files. Returns -1 if there is none. */
int symbols_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found);

/*
 * symbols.c: the file with this number, NULL for -1; the arena of answers. For one thread at a
 * time.
 */
struct symbols_file *symbols_get(struct symbols *s, int file);
struct arena *symbols_arena(struct symbols *s);

struct stat;
/*
 * mapped_file.c: open a regular file, or return -1. Never waits for a pipe or device in its place.
 */
int symbols_open_regular(const char *path, struct stat *st);
/* The same for the mapped file, identified by device, inode and time of change. */
int symbols_open_mapped(const struct symbols_mapping *m, const struct stat *wanted);

/* unread.c: the reasons why debug information of the open file cannot be read; 0: none. */
uint32_t symbols_check_debug(struct symbols_file *f);

/* symbols.c: open the module; f->module is NULL if that fails. */
void symbols_open(struct symbols_file *f);

/* The questions of symbols.h, answered in this process: symbols.c, data.c. */
const struct symbols_answer *symbols_find_answer(struct symbols *s, struct symbols_file *f,
						 uint64_t address);
bool symbols_find_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			   struct symbols_variable *out);
/* instruction.c; false: nothing is known. */
bool symbols_find_operand(struct symbols_file *f, uint64_t address, struct symbols_operand *out);
/* Read code of the file. Returns the number of bytes; 0: it has none there. */
#define SYMBOLS_CODE_BYTES 15 /* the longest instruction */
size_t symbols_read_code(const struct symbols_file *f, uint64_t address, unsigned char *bytes,
			 size_t count);
/* results.c; false: nothing is known. */
bool symbols_find_result(struct symbols_file *f, uint64_t address, struct symbols_result *out);
uint64_t symbols_prepare_file(struct symbols_file *f, bool has_data, uint64_t most,
			      struct arena *a);
/*
 * Copy the frames into an answer. Returns NULL when memory ran out; a frame without a name also
 * means that.
 */
const struct symbols_answer *symbols_make_answer(struct arena *a,
						 const struct symbols_frame *frames, size_t count);

/* symbols.c: for remote.c and reader.c. The lock prevents new files. */
void symbols_lock(struct symbols *s);
void symbols_unlock(struct symbols *s);
size_t symbols_count(const struct symbols *s);
struct symbols_remote *symbols_remote_of(struct symbols *s);
struct message_question;
/* Takes ownership of the descriptors: enum message_along. */
int symbols_learn(struct symbols *s, const struct message_question *q, const char *path,
		  const int along[]);

/* reader.c: answer questions from the socket, in a separate process. Does not return. */
void symbols_reader_run(struct symbols *s, int fd) __attribute__((noreturn));

/* demangle.c: the demangled name, in the arena; NULL when memory ran out. */
const char *symbols_demangle(struct arena *a, const char *name);
/* The same of a variable, without what its language puts around its name. */
const char *symbols_demangle_variable(struct arena *a, const char *name);
/* The same for a name that is of Ada; NULL if it does not look so. */
const char *symbols_demangle_ada(struct arena *a, const char *name);

#endif
