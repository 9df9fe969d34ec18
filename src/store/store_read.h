/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a profile. All views use it. docs/schema.md explains the fields; users may also query the
 * file with SQLite.
 *
 * A store opened for reading shows the file as it was at that moment, even if the run continues;
 * open it again to see more.
 *
 * Ownership: the arrays that store_read_... return belong to the caller (free()). Their strings
 * belong to the store and live until store_close. One thread uses a store at a time; each thread
 * may have its own.
 */
#ifndef DWELL_STORE_STORE_READ_H
#define DWELL_STORE_STORE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define STORE_ALL	(-1)	 /* for `process`: those of the whole run */
#define STORE_NONE	(-1)	 /* ids that may be absent */
#define STORE_CONTRASTS 16	 /* of misses between stretches: see stretches.h */
#define STORE_NAMELESS	"[anon]" /* function name for code in no file */

struct store;

/*
 * Open for reading. The error distinguishes a missing file, a directory, a file that is not a
 * profile, a damaged one, and one of another version.
 */
int store_open_readonly(const char *path, struct store **s, struct err *err);
void store_close(struct store *s); /* NULL is allowed */

/*
 * Values of the table meta; see schema.sql for the keys. The store owns the text; NULL for a
 * missing key.
 */
const char *store_meta_text(struct store *s, const char *key);
int64_t store_meta_int(struct store *s, const char *key, int64_t otherwise);
/* Tell whether the run only counted (`--mode count`): there are no samples. */
bool store_is_counted(struct store *s);
/* The process that is writing the profile, or 0. */
int64_t store_writer(struct store *s);

/* The least distance of a far reuse: accesses of the thread inside windows. */
#define STORE_FAR	16384u
#define STORE_FAR_SIZES 11 /* of lines, from 4 to 4096 bytes */

/*
 * Touches of counted far lines, by the accesses of the thread since the last touch of their 64
 * bytes: class c from 1024 * 4^c on; the last but one has all later ones, the last one first
 * touches.
 */
#define STORE_TOUCH_CLASSES 7

struct store_process {
	int64_t id;	   /* order in the run, from 0 */
	int64_t parent_id; /* or STORE_NONE */
	uint32_t pid;
	const char *cause; /* "start", "fork", "exec" */
	const char *exe;
	const char *command; /* argv, separated by blanks */
	const char *state;   /* "running", "exited", "exec", "killed", "detached" */
	int64_t exit_status; /* exit code; -1: unknown */
	int64_t signal;	     /* the signal that killed it; 0: none, or unknown */
	uint32_t told_end;   /* 1: its engine reported its end; 0: cut off, or still running */
	uint64_t start_ns;   /* CLOCK_MONOTONIC */
	uint64_t end_ns;     /* 0: not ended */
	uint64_t accesses;   /* loads + stores + modifies */
	uint64_t loads;
	uint64_t stores;
	uint64_t modifies;
	uint64_t instructions;
	uint64_t rep_iterations;
	uint64_t vector_elements;
	uint64_t watch_accesses; /* inside windows */
	uint64_t translate_cycles;
	uint64_t scan_cycles;
	uint64_t engine_bytes;
	uint64_t footprint_pages;
	uint64_t lost_records;
	/* accesses after which misses were not counted by data any more; 0: they always were */
	uint64_t data_until;
	uint64_t far_lines[STORE_FAR_SIZES];	 /* chosen lines of 4 << i bytes seen in windows */
	double far_line_weight[STORE_FAR_SIZES]; /* lines that each of them stands for */
	/* Computed from the tables of samples, far reuses and windows. */
	uint64_t samples; /* near + far + cut */
	uint64_t near_samples, far_samples, cut_samples;
	uint64_t far_reuses; /* recorded ones */
	uint64_t windows;
};

struct store_thread {
	int64_t process_id;
	uint32_t index;
	uint32_t tid;
	uint64_t accesses, loads, stores, instructions;
};

struct store_module {
	int64_t id;
	int64_t process_id;
	const char *path;
	const char *build_id; /* hex, or NULL */
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t mapped_at;   /* accesses of the process */
	uint64_t unmapped_at; /* UINT64_MAX: still mapped */
};

/* Of the samples with a shorter reuse distance, a window keeps only some, see `chosen`. */
#define STORE_NEAR 64u

struct store_window {
	int64_t process_id;
	uint32_t number;
	uint64_t start, length, stands_for; /* accesses */
	uint64_t samples;
	uint64_t footprint_pages;
	uint64_t chosen;       /* sampled accesses, including near samples that were dropped */
	uint64_t chosen_loads; /* those of them that only load */
	uint64_t close; /* samples with a distance below STORE_NEAR, whose access is in one line */
	/* far touches in it, at lines of 4 << i bytes, as all far lines tell: an estimate */
	double far[STORE_FAR_SIZES];
	uint64_t touches
		[STORE_TOUCH_CLASSES]; /* of the counted far lines, see STORE_TOUCH_CLASSES */
};

struct store_access {
	int64_t location; /* STORE_NONE: the end of a sample without a reuse */
	uint64_t address;
	uint32_t size;	 /* bytes */
	uint16_t kind;	 /* 1 load, 2 store, 3 modify */
	uint16_t thread; /* index in the process */
	int64_t site;	 /* site of the block at the address; 0: no known block */
	int64_t image;	 /* of the file whose data lay at the address; 0: no file's */
	uint64_t block;	 /* the block's address, or 0 */
	int64_t path;	 /* call path of the access; 0: unknown */
};

struct store_sample {
	int64_t process_id;
	uint32_t window;
	uint32_t status;   /* 0 reused (near), 1 far, 2 cut: the run ended, or the window */
	uint64_t position; /* accesses of the process */
	uint64_t distance; /* accesses of the thread */
	uint64_t line;	   /* address */
	struct store_access begin, end;
	/* between the two, of a near sample no nearer than STORE_NEAR */
	uint8_t touches[STORE_TOUCH_CLASSES];
};

/*
 * A far reuse: a touch of a chosen line that was last touched STORE_FAR or more accesses ago, or
 * never. of[i] is about the line of 4 << i bytes that holds the touched bytes.
 */
struct store_far {
	int64_t process_id;
	uint32_t window;
	uint64_t position;	   /* accesses of the process, at the touch */
	struct store_access end;   /* the touch */
	struct store_access begin; /* the last touch before; location STORE_NONE: unknown */
	struct store_far_line {
		double weight;	   /* such touches in its window that it stands for; 0: none */
		uint64_t distance; /* accesses of the thread inside windows, strictly between */
		uint64_t lines;	   /* other lines of this size touched in between, an estimate */
		bool is_first;	   /* no earlier touch was seen; then these two are 0 */
	} of[STORE_FAR_SIZES];
};

#define STORE_STACK_FIRST 5u /* 1 << 5 bytes */
#define STORE_STACK_SIZES 8u

/* Values for one line size. */
struct store_stack {
	bool touched;	   /* again, within the window; if not, the rest is unknown */
	uint64_t distance; /* accesses of the thread strictly between */
	uint64_t lines;	   /* lines touched by these accesses */
};

/* A sample's stack distances: of[i] is for lines of 1 << (STORE_STACK_FIRST + i) bytes. */
struct store_stack_distance {
	int64_t process_id;
	uint32_t window;
	uint64_t position; /* accesses of the process */
	struct store_stack of[STORE_STACK_SIZES];
};

#define STORE_MAX_EVENTS 11 /* one for each size */

/* First touch of some of the lines around a sample's point: bit k of sizes is 1 << k bytes. */
struct store_nested_event {
	uint32_t sizes;
	uint32_t weight;   /* watches that it represents; costly watches are dropped at random */
	uint64_t distance; /* accesses of the thread */
	struct store_access end;
	uint8_t touches[STORE_TOUCH_CLASSES]; /* as of a sample */
};

/* A multi-size sample: its byte was watched at all line sizes. */
struct store_nested {
	int64_t process_id;
	uint32_t window;
	uint32_t status;   /* of the open sizes: see store_sample */
	uint64_t position; /* accesses of the process */
	uint64_t point;	   /* address of the byte */
	uint64_t watched;  /* accesses during which the open sizes were watched */
	uint32_t open;	   /* mask of sizes that were not touched */
	uint32_t weight;   /* weight of the open sizes */
	struct store_access begin;
	uint32_t event_count;
	const struct store_nested_event *events; /* owned by the store */
};

struct store_frame {
	const char *function;
	const char *file; /* or NULL */
	uint32_t line;	  /* or 0 */
};

struct store_location {
	int64_t id;
	int64_t process_id;
	uint64_t pc;
	int64_t module_id;	 /* or STORE_NONE */
	uint64_t module_address; /* address in the ELF file */
	/*
	 * Innermost inlined function first; at least one. An unresolved location, of a run in
	 * progress or cut short, has one frame named after its module. The store owns the frames.
	 */
	const struct store_frame *frames;
	uint32_t frame_count;
	/* Of a call that allocates: the innermost functions, so many, hand its result on. */
	uint32_t handed;
};

#define STORE_MAX_PATH 16

/* The calls that led to an access. */
struct store_path {
	int64_t id; /* from 1 */
	int64_t process_id;
	const int64_t *locations; /* of the calls, innermost first; owned by the store */
	size_t count;		  /* at most STORE_MAX_PATH; outer calls are cut off */
};

/*
 * The origin of blocks of memory: a call path that ends in an allocation function or a system call.
 * All its blocks are one data structure.
 */
struct store_site {
	int64_t id; /* from 1 */
	int64_t process_id;
	const char *kind; /* the allocating function: "malloc", "new", "mmap", ...; or "stack" */
	const char *name; /* given by the program itself, or NULL */
	/* locations: the function's caller, its caller, ...; owned by the store */
	const int64_t *path;
	size_t path_count;
	uint64_t element_size;		  /* bytes; 0: unknown */
	uint64_t blocks, bytes;		  /* total allocated */
	uint64_t live_blocks, live_bytes; /* not freed yet */
	uint64_t peak_bytes;		  /* largest total of live bytes */
	uint64_t smallest, largest;	  /* block sizes in bytes */
	int64_t layout_id;		  /* type of a block, or of its elements; 0: unknown */
};

/* A global or static variable that a sample touched. */
struct store_variable {
	int64_t id; /* from 1 */
	int64_t process_id;
	uint64_t start, end; /* addresses in the process */
	const char *name;
	const char *type; /* NULL, like the three below, without debug information */
	const char *file;
	uint32_t line;	       /* of the declaration, or 0 */
	uint64_t element_size; /* bytes of an array's element; 0: no array, or unknown */
	const char *module;    /* path */
	uint32_t is_local;     /* 1: a thread's copy of a thread-local variable */
	int64_t layout_id;     /* of its type, or its elements' type; 0: unknown */
	int64_t image;	       /* of its file, or of the copy */
};

struct store_message {
	int64_t process_id; /* or STORE_NONE */
	uint64_t time_ns;
	const char *text;
};

/*
 * All rows of a table, or those of one process (`process`: an id or STORE_ALL). Sorted by process,
 * then by number, index or id. Samples are sorted by window, then by arrival; far reuses by
 * arrival. Returns 0, or -1 with *err set.
 */
int store_read_processes(struct store *s, struct store_process **items, size_t *count,
			 struct err *err);
int store_read_threads(struct store *s, int64_t process, struct store_thread **items, size_t *count,
		       struct err *err);
int store_read_modules(struct store *s, int64_t process, struct store_module **items, size_t *count,
		       struct err *err);
int store_read_windows(struct store *s, int64_t process, struct store_window **items, size_t *count,
		       struct err *err);
int store_read_samples(struct store *s, int64_t process, struct store_sample **items, size_t *count,
		       struct err *err);
int store_read_far(struct store *s, int64_t process, struct store_far **items, size_t *count,
		   struct err *err);
int store_read_stack_distances(struct store *s, int64_t process,
			       struct store_stack_distance **items, size_t *count, struct err *err);
int store_read_nested(struct store *s, int64_t process, struct store_nested **items, size_t *count,
		      struct err *err);
int store_read_locations(struct store *s, int64_t process, struct store_location **items,
			 size_t *count, struct err *err);
/* All functions, and lines of functions, of the whole file. */
int store_read_frames(struct store *s, struct store_frame **items, size_t *count, struct err *err);
int store_read_paths(struct store *s, int64_t process, struct store_path **items, size_t *count,
		     struct err *err);
int store_read_sites(struct store *s, int64_t process, struct store_site **items, size_t *count,
		     struct err *err);
int store_read_variables(struct store *s, int64_t process, struct store_variable **items,
			 size_t *count, struct err *err);
int store_read_messages(struct store *s, struct store_message **items, size_t *count,
			struct err *err);

/* The embedded copy of a source file, owned by the store; NULL if the profile has none. */
const char *store_read_source(struct store *s, const char *path);

#endif
