/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boundary between the engine (inside the target) and the collector.
 *
 * One shared memory file holds a header page and a fixed number of process slots. A process of the
 * run claims a slot, and writes records into the slot's ring. This file is freestanding: it is
 * compiled into both sides.
 *
 *   0                16384               16384 + slot_bytes       ...
 *   +----------------+-------------------+-------------------+-- --+
 *   | channel_header | slot 0            | slot 1            | ... |
 *   +----------------+-------------------+-------------------+-- --+
 *                    | channel_slot 4096 | ring, ring_bytes (a power of two) |
 *
 * Raise CHANNEL_VERSION when any layout or meaning in this file changes; both sides refuse a
 * channel of another version.
 *
 * The reader trusts nothing here: a target may overwrite its mapping.
 */
#ifndef DWELL_CHANNEL_CHANNEL_H
#define DWELL_CHANNEL_CHANNEL_H

#include <stdint.h>

#define CHANNEL_MAGIC		  0x3148434c4c455744ull /* "DWELLCH1" */
#define CHANNEL_VERSION		  37u
#define CHANNEL_HEADER_BYTES	  16384u
#define CHANNEL_NAME_BYTES	  256u
#define CHANNEL_MOST_TOGGLES	  16u
#define CHANNEL_TOGGLE_BYTES	  1024u /* total of all names */
#define CHANNEL_MOST_ALLOCATORS	  16u
#define CHANNEL_ALLOCATOR_BYTES	  1024u /* total of all names */
#define CHANNEL_SLOT_HEADER_BYTES 4096u
#define CHANNEL_MAX_GEOMETRIES	  8u
#define CHANNEL_GEOMETRY_WORDS	  1536u /* total of all geometries */

/* The environment variable by which an engine finds the channel: "FD:SLOT". */
#define CHANNEL_ENV "DWELL_CHANNEL"

/*
 * The run modes: what a run does with the accesses of its target. The name is the word in profiles;
 * the engine's functions for a mode are its struct run_mode NAME_mode.
 *
 * count	count accesses only
 * sample	count between windows, watch inside them
 * stream	every access goes to the ring, as RECORD_STREAM
 * watch	one window over the whole run (tests)
 * simulate	every access goes through simulated caches, inside the target
 * lines		accesses to a sample of lines go to the ring, as RECORD_LINES
 */
/* clang-format off */
#define CHANNEL_MODES(row) \
	row(COUNT, count, 1) \
	row(SAMPLE, sample, 2) \
	row(STREAM, stream, 3) \
	row(WATCH, watch, 4) \
	row(SIMULATE, simulate, 5) \
	row(LINES, lines, 6)
/* clang-format on */

#define CHANNEL_MODE(id, name, number) CHANNEL_MODE_##id = (number),
enum channel_mode { CHANNEL_MODES(CHANNEL_MODE) };
#undef CHANNEL_MODE

/*
 * The collector's settings for every engine of the run. After t accesses of the process, a window
 * is clamp(t / 100, window_min, window_max) accesses long, or t / window_divisor if that is more. A
 * period with one window in it is as long, divided by the duty. Beyond the first accesses of the
 * run it is at least t * window_growth_ppm / 1,000,000, see pacing.c.
 *
 * Sampling begins at run_start_ns + delay_ns and lasts for duration_ns. With start_off or start_at
 * it also waits, in each process, for a mark of the program or the function's first entry; the
 * duration counts from there. Entering stop_at then ends it. See src/engine/drive/control.h.
 */
struct channel_config {
	uint32_t mode;		     /* enum channel_mode */
	uint32_t line_bytes;	     /* watched line, a power of two, 64 by default */
	uint64_t seed;		     /* the engine mixes in the process's order number */
	uint64_t window_min;	     /* accesses */
	uint64_t window_max;	     /* accesses */
	uint32_t window_divisor;     /* see above */
	uint32_t duty_ppm;	     /* accesses inside windows, per million, see above */
	uint32_t samples_per_window; /* mean; used when sample_period is 0 */
	/* one sample in this many is a multi-size sample; 0: none */
	uint32_t nested_one_in;
	uint64_t sample_period; /* mean accesses per sample over the run, or 0 */
	uint32_t stream_marks;	/* STREAM_MARK_...: what streams record besides accesses */
	uint32_t only_failures; /* 1: say nothing on stderr about a program that runs unprofiled */
	uint32_t objects;	/* 1: track allocations, and record the blocks of samples */
	uint32_t paths; /* one window in so many records call paths: see paths_choose; 0: none */
	/* one near sample in this many is kept; 0: all, see CHANNEL_NEAR */
	uint32_t near_one_in;
	uint32_t start_off;	    /* 1: sampling waits for a mark of the program */
	uint32_t doubling_windows;  /* windows each time that the run doubles its length */
	uint32_t window_growth_ppm; /* the same: length of a period, as a part of the run so far */
	/* CPU time of sampling, translation included: ppm of that of counting; 0: no budget */
	uint32_t overhead_ppm;
	uint64_t run_start_ns; /* CLOCK_MONOTONIC */
	uint64_t delay_ns;
	uint64_t duration_ns;		   /* 0: no limit */
	char start_at[CHANNEL_NAME_BYTES]; /* function names; empty: none */
	char stop_at[CHANNEL_NAME_BYTES];
	/*
	 * Simulation is on only while a thread is inside an odd number of these functions; see
	 * src/engine/drive/toggles.h. Names, each with its NUL; none: it is always on.
	 */
	char toggles[CHANNEL_TOGGLE_BYTES];
	uint32_t toggle_count;
	uint32_t allocator_count;
	uint64_t lines_one_in; /* of the sample of lines, from 1 to 2^31 */
	/*
	 * Allocating functions: for each its name, and the name of the function that frees (empty:
	 * none), each with its NUL; and the argument, from 1, with the size, or the block.
	 */
	char allocators[CHANNEL_ALLOCATOR_BYTES];
	uint8_t allocator_size[CHANNEL_MOST_ALLOCATORS];
	uint8_t allocator_freed[CHANNEL_MOST_ALLOCATORS];
	/*
	 * The simulated caches: an array of struct sim_geometry (src/sim/base/geometry.h), each of
	 * geometry_bytes. This freestanding file cannot include that header; both sides are built
	 * from the same sources.
	 */
	uint32_t geometry_count;
	uint32_t geometry_bytes;
	uint32_t asks; /* of a simulation: enum sim_ask */
	/* callers in a context, at most SIM_MAX_DEPTH */
	uint32_t context_depth;
	/*
	 * A simulation of a part of the accesses, in stretches: see
	 * src/engine/simulate/mode/stretches.h. sample_ppm 0: of all.
	 */
	uint64_t sample_length; /* accesses; a mean, unless sample_fixed is 1 */
	uint32_t sample_ppm;
	uint32_t sample_fixed;
	uint64_t geometry[CHANNEL_GEOMETRY_WORDS];
};

struct channel_header {
	uint64_t magic;
	uint32_t version;
	uint32_t slot_count;
	uint64_t slot_bytes; /* header and ring of one slot */
	uint64_t ring_bytes; /* a power of two */
	struct channel_config config;
	uint32_t collector_pid;
	uint32_t collector_gone; /* 1: the collector has ended, and engines stop profiling */
	uint32_t wake;		 /* futex; engines add 1 and wake when a ring is half full */
	uint32_t stop;		 /* enum channel_stop */
	uint32_t process_order;	 /* next order number; engines fetch-and-add */
	uint32_t lost_processes; /* processes that found no free slot */
	uint32_t marks;		 /* enum channel_marks, set by engines, atomic */
	uint32_t toggles_found;	 /* a bit for each of config.toggles that some module defines */
	uint32_t toggles_entered;
	uint32_t allocators_found; /* two bits for each of config.allocators: it, and its free */
	uint32_t read_up_to;	   /* all rings have been read since `wake` had this value */
	uint32_t report;	   /* number of the collector's last request for current counts */
	uint32_t native_programs;  /* programs executed without the engine, as it cannot run them */
	/*
	 * The collector's view of files: inode of its mount namespace, device and inode of its
	 * root. An engine with another view waits at each module until the collector has opened the
	 * file.
	 */
	uint64_t mount_namespace, root_device, root_inode;
	uint64_t accesses; /* of all processes, each up to its planned windows */
};

/* A request to end profiling while the targets continue. */
enum channel_stop {
	CHANNEL_RUN = 0,
	CHANNEL_STOP_AT_ONCE = 1,  /* engines write nothing more */
	CHANNEL_STOP_IN_ORDER = 2, /* engines close their windows, and write RECORD_END */
};

/* State of start_at, stop_at and start_off, over all processes of the run. */
enum channel_marks {
	CHANNEL_START_FOUND = 1, /* a module defines the function */
	CHANNEL_START_ENTERED = 2,
	CHANNEL_STOP_FOUND = 4,
	CHANNEL_STOP_ENTERED = 8,
	CHANNEL_MARK_SEEN = 16,	    /* the program ran DWELL_START */
	CHANNEL_ENGINE_FAILED = 32, /* an engine ended a program or its profiling, and said why */
};

enum channel_slot_state {
	CHANNEL_SLOT_FREE = 0,
	CHANNEL_SLOT_CLAIMED = 1, /* an engine is filling it in */
	CHANNEL_SLOT_LIVE = 2,
	CHANNEL_SLOT_ENDED = 3, /* all records written; the reader frees it when drained */
};

/*
 * Raw event counts. An access is one memory operand, or one element of a string instruction with
 * REP or of a gather or scatter. It is a load, a store, or both (a modify): accesses = loads +
 * stores + modifies.
 */
struct channel_counters {
	uint64_t accesses;
	uint64_t loads;
	uint64_t stores;
	uint64_t instructions;	   /* instructions with REP count once */
	uint64_t rep_iterations;   /* elements processed by instructions with REP */
	uint64_t vector_elements;  /* elements processed by gathers and scatters */
	uint64_t translate_cycles; /* time stamp cycles spent translating */
	uint64_t scan_cycles;	   /* ... spent looking for reuses and samples */
	uint64_t watch_accesses;   /* accesses made inside windows */
	uint64_t blocks;	   /* translated blocks, all variants */
	uint64_t code_bytes;	   /* used code cache */
	uint64_t engine_bytes;	   /* memory of the engine, including the code cache */
	uint64_t counting_ns;	   /* with overhead_ppm: CPU time of counting alone, an estimate */
	uint64_t sampling_ns;	   /* ... and of sampling on top of it, including translation */
	uint64_t translate_ns;	   /* ... part of sampling_ns: translation */
	/* accesses after which misses were not counted by data any more; 0: they always were */
	uint64_t data_until;
};

struct channel_slot {
	uint32_t state; /* enum channel_slot_state, atomic */
	/*
	 * In the process's own pid namespace. The process locks the slot's byte of the channel;
	 * this lock tells the collector its own pid of the process.
	 */
	uint32_t pid;
	uint32_t order;	   /* order number of the process in the run, from 0 */
	uint32_t parent;   /* order number of the process that started it, or UINT32_MAX */
	uint32_t reported; /* the last answered request of header.report; atomic */
	uint8_t pad0[44];
	uint64_t write_pos; /* bytes ever written; engine only, atomic */
	uint8_t pad1[56];
	uint64_t read_pos; /* bytes ever read; collector only, atomic */
	uint64_t taken_ns; /* the collector's CPU time for this ring; collector only, atomic */
	uint8_t pad2[48];
	uint64_t lost_records;		  /* records dropped because the ring was full */
	struct channel_counters counters; /* as last published, may be outdated */
};

/* ---- Records: 8-byte aligned, each begins with this header. ---- */

enum channel_record_type {
	RECORD_PAD = 0,		 /* skip `bytes`; fills the ring's end */
	RECORD_PROCESS = 1,	 /* struct record_process + strings */
	RECORD_MODULE = 2,	 /* struct record_module + path */
	RECORD_UNMAP = 3,	 /* struct record_unmap */
	RECORD_THREAD = 4,	 /* struct record_thread */
	RECORD_WINDOW = 5,	 /* struct record_window, written when the window closes */
	RECORD_SAMPLE = 6,	 /* struct record_sample */
	RECORD_END = 7,		 /* struct record_end */
	RECORD_STREAM = 8,	 /* struct record_stream + uint64_t[count] */
	RECORD_MESSAGE = 9,	 /* text for the user, about a limit */
	RECORD_FAR = 10,	 /* struct record_far + a struct far_line for each size */
	RECORD_NESTED = 11,	 /* struct record_nested + struct nested_event[count] */
	RECORD_REGION = 14,	 /* struct record_region + name */
	RECORD_SITE = 12,	 /* struct record_site + uint64_t[depth] */
	RECORD_SITE_COUNTS = 13, /* struct record_site_counts */
	RECORD_PATH = 15,	 /* struct record_path + uint64_t[depth] */
	RECORD_SEGMENT = 16,	 /* struct record_segment + struct segment_part[parts] + events */
	RECORD_NODE = 17,	 /* struct record_node */
	RECORD_ARC = 18,	 /* struct record_arc + uint64_t[events] */
	RECORD_JUMP = 19,	 /* struct record_jump */
	RECORD_LOCALS = 21,	 /* struct record_locals */
	RECORD_STACK_DISTANCE = 22, /* see stack_distance.h */
	RECORD_BIN = 23,	    /* struct record_bin */
	RECORD_EVICTION = 24,	    /* struct record_eviction */
	RECORD_STRETCH = 25,	    /* struct record_stretch */
	RECORD_LINES = 26,	    /* struct record_lines + uint64_t[count] */
	RECORD_PROBES = 27,	    /* struct record_probes + uint64_t[count] */
	RECORD_REFERENCES = 28,	    /* struct record_references */
	RECORD_PATTERN = 29,	    /* struct record_pattern */
	RECORD_CONTRASTS = 30,	    /* struct record_contrasts */
};

struct record_header {
	uint32_t type;	/* enum channel_record_type */
	uint32_t bytes; /* whole record, header included, a multiple of 8 */
};

/*
 * A process begins (after fork or exec). NUL-ended strings of string_bytes in all follow: path of
 * the executable, then argv.
 */
struct record_process {
	struct record_header h;
	uint32_t pid;
	uint32_t ppid;
	uint32_t order;
	uint32_t parent; /* order of the parent, or of the replaced image; UINT32_MAX: none */
	uint32_t cause;	 /* 0 started, 1 fork, 2 exec */
	uint32_t string_bytes;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
};

/*
 * A file became mapped with execute permission, or is the target's own image. NUL-ended path
 * follows.
 */
struct record_module {
	struct record_header h;
	uint64_t start, end;  /* addresses */
	uint64_t file_offset; /* of start */
	uint64_t position;    /* accesses of the process so far */
	/* Of the mapped file, from fstat(); inode 0: unknown. */
	uint64_t device, inode;
	uint64_t modified_ns; /* time of the last change, since 1970 */
	uint32_t path_bytes;
	/* in the collector's pid namespace; set by the collector */
	uint32_t pid;
};

struct record_unmap {
	struct record_header h;
	uint64_t start, end;
	uint64_t position;
};

/* Written when a thread, or its process, ends. */
struct record_thread {
	struct record_header h;
	uint32_t tid;
	uint32_t index; /* order of the thread in the process, from 0 */
	uint64_t accesses, loads, stores, instructions;
};

/*
 * A reuse is far if the thread makes CHANNEL_FAR or more accesses in between, inside windows.
 * Samples watch no farther. Far reuses are those of far lines: a random choice that is watched in
 * all windows. Entry i of an array of CHANNEL_FAR_SIZES is about lines of 1 << (NESTED_FIRST + i)
 * bytes. Weights are in units of 1 / CHANNEL_FAR_ONE.
 */
#define CHANNEL_FAR	  16384u
#define CHANNEL_FAR_SIZES 11u
#define CHANNEL_FAR_ONE	  256u

/*
 * Reuses nearer than CHANNEL_NEAR accesses are the most frequent, and hardly ever miss. Of these
 * near samples, engines keep one in near_one_in, and all others. record_window has the number of
 * both.
 */
#define CHANNEL_NEAR 64u

/*
 * What goes on between the two touches of a near sample: touches of other lines, told by those of a
 * choice of far lines that no two neighbours belong to (far_units.h). They are counted by how long
 * ago their line of 64 bytes was touched last: class c from CHANNEL_TOUCHED * 4^c accesses of the
 * thread on, all later ones in the class before the last, first touches in the last.
 */
#define CHANNEL_TOUCHED	      1024u
#define CHANNEL_TOUCH_CLASSES 7u
#define CHANNEL_TOUCHES_MOST  UINT8_MAX /* of a class between two touches; it stands for more too */

/* A window closed. Its samples come before it in the ring. */
struct record_window {
	struct record_header h;
	uint32_t number; /* within the process, from 0 */
	uint32_t samples;
	uint64_t start;	 /* accesses of the process when it began */
	uint64_t length; /* accesses inside it */
	/* accesses of its period, and of skipped periods before it */
	uint64_t stands_for;
	uint64_t footprint_pages; /* private 4096-byte pages that the program holds */
	/* accesses sampled at random, including near samples that were dropped */
	uint64_t chosen;
	uint64_t chosen_loads; /* pure loads among them */
	/* touches of the far lines that are counted, by class */
	uint64_t touches[CHANNEL_TOUCH_CLASSES];
	/* far touches in it, which all far lines tell; weighted */
	uint64_t far[CHANNEL_FAR_SIZES];
	/* far lines so far, of all threads, and how many lines each of them stands for now */
	uint64_t far_lines[CHANNEL_FAR_SIZES];
	uint64_t far_line_weight[CHANNEL_FAR_SIZES];
};

enum sample_status {
	SAMPLE_REUSED = 0,
	SAMPLE_FAR = 1, /* not touched for CHANNEL_FAR accesses; distance = accesses watched */
	SAMPLE_CUT = 2, /* the thread or the window ended first; distance as above */
};

enum access_kind {
	ACCESS_LOAD = 1,
	ACCESS_STORE = 2,
	ACCESS_MODIFY = 3, /* load and store of the same bytes by one instruction */
};

struct record_access {
	uint64_t pc;
	uint64_t address;
	uint32_t size;	 /* bytes */
	uint16_t kind;	 /* enum access_kind */
	uint16_t thread; /* index of the thread */
	/* site of the block at the address, see RECORD_SITE; 0: no known block */
	uint32_t site;
	uint32_t path;	/* call path of the access, see RECORD_PATH; 0: unknown */
	uint64_t block; /* address of the block, or 0 */
};

struct record_sample {
	struct record_header h;
	uint32_t window;
	uint32_t status;   /* enum sample_status */
	uint64_t position; /* accesses of the process at the sampled access */
	uint64_t distance; /* reuse distance: accesses of the thread strictly between, or so far */
	uint64_t line;	   /* address of the watched line */
	struct record_access begin; /* the sampled access */
	struct record_access end;   /* the reusing one; all zero unless SAMPLE_REUSED */
	/* in between, by class; zero unless SAMPLE_REUSED and no nearer than CHANNEL_NEAR */
	uint8_t touches[CHANNEL_TOUCH_CLASSES];
	uint8_t reserved;
};

/* Of one line size. */
struct far_line {
	uint64_t weight;   /* such touches in the window that it stands for */
	uint64_t distance; /* accesses of the thread inside windows, strictly between; first: 0 */
	uint64_t lines;	   /* other lines of the size touched in between, an estimate; first: 0 */
};

/*
 * A touch of a far line, CHANNEL_FAR or more accesses after the one before, or the first that was
 * seen. Written before the window's own record, with a struct far_line for each size at which it is
 * one, the smallest first.
 */
struct record_far {
	struct record_header h;
	uint32_t window;
	uint16_t sizes;		    /* bit i: far at lines of 1 << (NESTED_FIRST + i) bytes */
	uint16_t first;		    /* of these, those at which it is the first touch */
	uint64_t position;	    /* accesses of the process at the touch */
	struct record_access end;   /* the touch */
	struct record_access begin; /* the touch before; all zero: not known */
};

/*
 * Multi-size samples are watched at all line sizes, 1 << k bytes with k from NESTED_FIRST to
 * NESTED_LAST. The lines around one byte are nested: a touch of one line ends its watch and those
 * of all larger lines. Masks of sizes: bit k.
 */
#define NESTED_FIRST 2u
#define NESTED_LAST  12u
#define NESTED_SIZES (NESTED_LAST - NESTED_FIRST + 1)
#define NESTED_ALL   ((2u << NESTED_LAST) - (1u << NESTED_FIRST))

struct nested_event {
	uint32_t sizes;	   /* mask: touched for the first time */
	uint32_t weight;   /* watches that it represents; costly watches are dropped at random */
	uint64_t distance; /* as in record_sample */
	struct record_access end;
	uint8_t touches[CHANNEL_TOUCH_CLASSES]; /* as in record_sample */
	uint8_t reserved;
};

/*
 * A multi-size sample, written when its watch ends. Sizes in no event, and not open, were dropped.
 */
struct record_nested {
	struct record_header h;
	uint32_t window;   /* of the sample */
	uint32_t status;   /* of the open sizes: enum sample_status */
	uint64_t position; /* accesses of the process at the sampled access */
	uint64_t point;	   /* a random byte of the access, whose lines are watched */
	struct record_access begin;
	uint64_t watched; /* accesses during which the open sizes were watched */
	uint32_t open;	  /* mask of sizes whose line was not touched */
	uint32_t weight;  /* of the open sizes */
	uint32_t count;	  /* events that follow */
	uint32_t reserved;
};

/* The program named memory (DWELL_NAME of include/dwell.h), or removed its name (empty). */
struct record_region {
	struct record_header h;
	uint64_t start, end;
	uint64_t position;   /* accesses of the process */
	uint32_t name_bytes; /* including its NUL */
	uint32_t number;     /* of the name, for BIN_NAMED; 0: it has none */
};

/* A thread's copy of the thread-local variables of a module. */
struct record_locals {
	struct record_header h;
	uint64_t start, end;
	uint64_t code; /* an address in the module, see RECORD_MODULE */
	uint64_t position;
};

#include "channel/bin.h"
#include "channel/call_graph.h"
#include "channel/lines.h"
#include "channel/site.h"

#define PATH_MAX_DEPTH 16u
#define PATH_MAX_ID    65536u

/*
 * A call path, written before the first access that refers to it. Return addresses follow: into the
 * caller of the function with the access, into its caller, ...
 */
struct record_path {
	struct record_header h;
	uint32_t id;	   /* within the process, from 1 */
	uint32_t depth;	   /* from 1 to PATH_MAX_DEPTH */
	uint64_t position; /* accesses of the process so far */
};

/*
 * Simulation: a code segment, and its counts since its last record. A segment_part follows for each
 * instruction, and then `events` numbers for each part with has_events. The first three numbers
 * (instructions, reads and writes) come on top of those that `executions` implies.
 *
 *   | record_segment | part | part | ... | uint64_t[events] | uint64_t[events] | ... |
 */
struct record_segment {
	struct record_header h;
	uint64_t pc;
	uint64_t executions;
	uint64_t position; /* accesses of the process so far */
	uint16_t parts;
	uint16_t events;
	uint32_t node; /* node of the call graph; 0: none */
};

struct segment_part {
	uint16_t offset; /* of the instruction, from pc */
	uint8_t length;
	uint8_t has_events;
	uint8_t reads, writes; /* per execution, as Cachegrind counts: a modify is a read */
	uint16_t reserved;
};

enum end_cause {
	END_EXIT = 0,
	END_EXEC = 1,	  /* another image replaces it */
	END_DETACHED = 2, /* profiling ended before the process */
	END_SIGNAL = 3,	  /* a signal is about to kill it */
};

struct record_end {
	struct record_header h;
	uint32_t cause;	 /* enum end_cause */
	uint32_t status; /* END_EXIT: the exit code; END_SIGNAL: the signal's number */
	uint64_t time_ns;
	uint64_t footprint_pages;
	/* far lines so far, of all threads, and how many lines each of them stands for now */
	uint64_t far_lines[CHANNEL_FAR_SIZES];
	uint64_t far_line_weight[CHANNEL_FAR_SIZES];
	struct channel_counters counters;
};

#include "channel/stream.h"

_Static_assert(sizeof(struct channel_config) == 2760 + 8 * CHANNEL_GEOMETRY_WORDS,
	       "layout of channel_config");
_Static_assert(sizeof(struct channel_header) == 2880 + 8 * CHANNEL_GEOMETRY_WORDS,
	       "layout of channel_header");
_Static_assert(sizeof(struct channel_header) <= CHANNEL_HEADER_BYTES, "header");
_Static_assert(sizeof(struct record_segment) == 40, "layout of record_segment");
_Static_assert(sizeof(struct segment_part) == 8, "layout of segment_part");
_Static_assert(sizeof(struct channel_slot) <= CHANNEL_SLOT_HEADER_BYTES, "slot header");
_Static_assert(__builtin_offsetof(struct channel_slot, write_pos) == 64, "own cache line");
_Static_assert(__builtin_offsetof(struct channel_slot, read_pos) == 128, "own cache line");
_Static_assert(sizeof(struct nested_event) == 24 + sizeof(struct record_access),
	       "layout of nested_event");
_Static_assert(sizeof(struct record_nested) == 56 + sizeof(struct record_access),
	       "layout of record_nested");
_Static_assert(sizeof(struct record_access) == 40, "layout of record_access");
_Static_assert(sizeof(struct record_sample) == 128, "layout of record_sample");
_Static_assert(sizeof(struct record_window) ==
		       64 + 24 * CHANNEL_FAR_SIZES + 8 * CHANNEL_TOUCH_CLASSES,
	       "layout of record_window");
_Static_assert(sizeof(struct record_module) == 72, "layout of record_module");
_Static_assert(sizeof(struct record_locals) == 40, "layout of record_locals");
_Static_assert(sizeof(struct record_path) == 24, "layout of record_path");

#endif
