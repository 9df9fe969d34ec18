/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which data the misses of one cache size belong to. Each access lies in a data structure: a
 * variable, the blocks that come from one place of the program, the stacks, or memory of which
 * nothing is known. Unlike code, data is the same at both ends of a reuse: so misses
 * whose reuse was not seen belong to it as well, and no row of their own is needed.
 */
#ifndef DWELL_ESTIMATE_DATA_H
#define DWELL_ESTIMATE_DATA_H

#include "base/arena.h"
#include "estimate/hot.h"

enum data_kind {
	DATA_HEAP,     /* blocks of malloc, operator new, ... */
	DATA_MAPPING,  /* memory that the program itself had from mmap or brk */
	DATA_REGION,   /* memory that the program gave a name */
	DATA_STACK,    /* of all threads */
	DATA_LOCAL,    /* variables of threads */
	DATA_VARIABLE, /* global or static */
	DATA_SECTION,  /* variables without names: of a section of a file */
	DATA_UNKNOWN,
	DATA_LINE, /* of memory, in runs that were simulated by them */
};

extern const char *const data_kind_names[];

/* Of all threads together, whoever made them. */
bool data_is_of_threads(enum data_kind kind);

/*
 * What makes blocks one data structure: the function that had them allocated, its line, or the
 * whole call path.
 */
enum data_by {
	DATA_BY_FUNCTION,
	DATA_BY_LINE,
	DATA_BY_PATH,
};

/* Strings are the profile's, but for the name. */
struct data_row {
	enum data_kind kind;
	const char *name; /* "list::head", "malloc in make_tree (tree.c:42)", "[stack]" */
	const char
		*unnumbered;   /* the name without "[2 of 3]", the number of the call of its line */
	uint64_t call_pc;      /* of blocks: the call that had them allocated; 0: not known */
	const char *allocator; /* of blocks: "malloc", "mmap", ...; else NULL */
	const char *function;  /* that had blocks allocated; or NULL */
	const char *file;      /* of that place, or of the declaration; or NULL */
	uint32_t line;	       /* or 0 */
	const char *type;      /* of a variable; or NULL */
	const char *module;    /* path of the file with the variable; or NULL */
	uint64_t element_size; /* bytes; 0: not known */
	uint64_t blocks;       /* allocated in all; variables: 1 each */
	uint64_t bytes;	       /* held at the most; of several sites the sum of each one's most */
	uint64_t allocated_bytes;	  /* in all */
	uint64_t live_blocks, live_bytes; /* not freed */
	uint64_t smallest, largest;	  /* block or variable, bytes; 0: not known */
	size_t sites;			  /* call paths */
	const struct store_site *site;	  /* that with the most bytes; or NULL */
	struct hot_cost cost;
	struct model_ratio ratio; /* misses per access, with a 95 % interval: see model_part */
	uint64_t misses, first_touches; /* counted, in an exact run, which has no interval */
};

#define DATA_NO_ROW UINT32_MAX

struct data {
	const struct profile *profile;
	const struct query *query;
	enum model_policy policy; /* of an exact run, that which was simulated */
	uint64_t size_bytes;
	struct data_row *rows; /* most misses first; only what samples touched */
	size_t count;
	uint32_t *
		/*
		 * of each of the profile's samples, by the address of ratios_access(), or of its
		 * data_costs
		 */
		row_of;
	uint32_t *
		/* of each of the profile's sites; DATA_NO_ROW: no sample is of its row */
		row_of_site;
	struct hot_cost total;
	uint64_t accesses; /* in an exact run: all that were counted */
	struct arena strings;
};

/*
 * For a cache of size_bytes; of an exact run that which was simulated, with the other policy where
 * this one was not: d->policy says which. Release with data_release; the profile must outlive it.
 */
int data_init(struct data *d, const struct profile *p, const struct query *q, enum data_by by,
	      struct err *err);
void data_release(struct data *d);

/*
 * Mark the rows that a name means: the whole name of the row, its last part ("head" for
 * "list::head"), the function or the FILE:LINE that allocates or declares, "stack". Returns how
 * many, or 0 with a sentence in *err that names what is near. `marks` has d->count entries.
 */
size_t data_find(const struct data *d, const char *name, bool *marks, struct err *err);

#endif
