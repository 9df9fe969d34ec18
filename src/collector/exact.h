/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run whose every access is simulated exactly (src/sim) while the program makes it: miss-ratio
 * curves, and the misses of each instruction or piece of data. Nothing is written to a profile.
 *
 * Each process has caches of its own. The threads of a process share them, in the order in which
 * their records arrive: stretches of some thousand accesses of one thread take turns.
 */
#ifndef DWELL_COLLECTOR_EXACT_H
#define DWELL_COLLECTOR_EXACT_H

#include "base/arena.h"
#include "base/map.h"
#include "collector/code_map.h"
#include "collector/collector.h"
#include "collector/data_map.h"
#include "sim/curve/keys.h"
#include "symbols/symbols.h"

#define EXACT_MAX_LINES 11 /* sizes of line: 4 to 4096 */

enum exact_by {
	EXACT_BY_NOTHING,
	EXACT_BY_CODE,	 /* by code location; exact_rows makes lines or functions of them */
	EXACT_BY_DATA,	 /* by the line of memory that an access begins in */
	EXACT_BY_OBJECT, /* by the variable or the site of the block that it begins in */
};

/* Where blocks came from, as the process told. */
struct exact_site {
	uint32_t id, depth;
	uint32_t kind; /* enum site_kind, or behind it */
	uint64_t position;
	uint64_t path[SITE_MAX_DEPTH]; /* return addresses */
	char name[SITE_NAME_BYTES];    /* of what is mapped, or empty */
};

struct exact_options {
	struct collector_options run;	      /* gear, sink and output are set by exact_run */
	uint32_t line_bytes[EXACT_MAX_LINES]; /* powers of two from 4 to 4096 */
	unsigned line_count;
	const uint64_t *size_bytes; /* rising, in whole lines of each size */
	unsigned size_count;	    /* with random replacement at most SIM_RANDOM_MAX_SIZES */
	bool policies[SIM_POLICIES];
	uint64_t seed;
	int64_t process;  /* order of the one to look at; -1: the one with most accesses */
	enum exact_by by; /* with line_bytes[0] */
	/* By object: whether a function (of a module, a path) only hands allocations on. */
	bool (*is_wrapper)(const char *function, const char *file, const char *module);
	unsigned at; /* index of the size for `by` */
};

struct exact_process {
	uint32_t order;
	uint32_t pid;
	char *command;
	uint64_t accesses;
	bool has_ended;
	struct sim_curve curves[EXACT_MAX_LINES]; /* summed up, after exact_run */
	struct code_map code;
	struct sim_keys keys; /* by code_location.id, or by the values of `data` */
	struct map data;      /* by data: line of memory -> key; by object: see exact_object_key */
	struct data_map variables; /* where files' variables lie */
	struct {
		struct exact_site *items;
		size_t count, room;
	} sites;
};

struct exact {
	const struct exact_options *options;
	struct symbols *symbols;
	struct arena strings; /* names made up for rows */
	struct {
		struct exact_process **items;
		size_t count, room;
	} processes;		/* those that run, and the one with most accesses of the others */
	uint64_t process_count; /* that the run had */
	uint64_t accesses;	/* of all of them */
	bool failed;		/* memory ran out */
	bool has_warned;
};

/* All that is passed in stays the caller's, and has to live as long as e. Returns -1: no memory. */
int exact_init(struct exact *e, const struct exact_options *options, struct err *err);
void exact_release(struct exact *e);

/* Run the command to its end; what it returns, and *result, are collector_run's. */
int exact_run(struct exact *e, struct collector_result *result, struct err *err);

/* The process asked for, or the one with the most accesses; NULL when there is none. e owns it. */
const struct exact_process *exact_chosen(const struct exact *e);

/* What belongs to a source line, a function, a line of memory, or a data structure. */
struct exact_row {
	const char *function; /* or the data structure's name; NULL for data */
	const char *file;     /* or NULL: no line information, or by function */
	uint32_t line;	      /* or 0 */
	uint64_t address;     /* of data */
	bool is_object;
	struct sim_key sums;
};

enum exact_rows_by { EXACT_LINES, EXACT_FUNCTIONS, EXACT_DATA, EXACT_OBJECTS };

/*
 * The rows of a process, most misses first: of LRU where it was simulated, else of random.
 * The caller frees *rows; their strings are e's. Returns 0, or -1 when memory ran out.
 */
int exact_rows(struct exact *e, const struct exact_process *p, enum exact_rows_by by,
	       struct exact_row **rows, size_t *count, struct err *err);

/* For the files of exact: the key of an access to `address` in a block of the site, 0: in none. */
uint64_t exact_object_key(const struct exact_process *p, uint64_t address, uint32_t site);
/* Rows of the objects, unmerged; `rows` has room for each of p->data. -1: memory ran out. */
int exact_name_objects(struct exact *e, const struct exact_process *p, struct exact_row *rows,
		       size_t *count);

#endif
