/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The misses in a cache of one size, by data structure. Each access is in a data structure: a
 * variable, the blocks allocated at one place of the program, the stacks, or unknown memory.
 */
#ifndef DWELL_ESTIMATE_DATA_H
#define DWELL_ESTIMATE_DATA_H

#include "base/arena.h"
#include "estimate/hot.h"

enum data_kind {
	DATA_HEAP,	/* blocks of malloc, operator new, ... */
	DATA_MAPPING,	/* memory that the program itself got from mmap or brk */
	DATA_REGION,	/* memory that the program gave a name */
	DATA_ALLOCATOR, /* memory of an allocator, outside of its blocks */
	DATA_STACK,	/* stacks of all threads */
	DATA_LOCAL,	/* thread-local variables */
	DATA_VARIABLE,	/* global or static */
	DATA_SECTION,	/* variables without names, of a section of a file */
	DATA_UNKNOWN,
	DATA_CODE, /* of all files, as fetches see it; in simulations by data structure */
	DATA_LINE, /* a line of memory, in runs simulated by memory */
};

extern const char *const data_kind_names[];

/* The size of the elements in a site's blocks, in bytes; 0: unknown. */
uint64_t data_element_size(const struct profile *p, const struct store_site *s);

/* Tell whether all data of this kind is one structure, whoever made it. */
bool data_is_one(enum data_kind kind);

/*
 * The key of blocks of one data structure: the function that had them allocated, its line, the
 * whole call path, or the function with the order of its lines, which other versions of a program
 * keep.
 */
enum data_by {
	DATA_BY_FUNCTION,
	DATA_BY_LINE,
	DATA_BY_PATH,
	DATA_BY_ORDER,
};

/* The profile owns all strings, except the name. */
struct data_row {
	enum data_kind kind;
	const char *name; /* "list::head", "malloc in make_tree (tree.c:42)", "[stack]" */
	const char
		*unnumbered;   /* the name without "[2 of 3]", the number of the call on its line */
	uint64_t call_pc;      /* for blocks: the call in its file, or its line; 0: unknown */
	const char *allocator; /* for blocks: "malloc", "mmap", ...; else NULL */
	const char *function;  /* had the blocks allocated; or NULL */
	const char *file;      /* of that function, or of the declaration; or NULL */
	uint32_t line;	       /* or 0 */
	const char *type;      /* of a variable; of what blocks hold; or NULL */
	const char *module;    /* path of the variable's file; or NULL */
	uint64_t element_size; /* bytes; 0: unknown */
	int64_t layout;	       /* of its type, or its elements' type; 0: unknown */
	uint64_t blocks;       /* total allocated; 1 for a variable */
	uint64_t bytes;	       /* peak size; for several sites the sum of their peaks */
	uint64_t allocated_bytes;	  /* total */
	uint64_t live_blocks, live_bytes; /* not freed */
	uint64_t smallest, largest;	  /* block or variable, in bytes; 0: unknown */
	size_t sites;			  /* number of call paths */
	const struct store_site *site;	  /* the site with the most bytes; or NULL */
	struct hot_cost cost;
	struct model_ratio ratio;	/* misses per access, with 95 % interval: see model_part */
	uint64_t misses, first_touches; /* exact counts, without an interval */
};

#define DATA_NO_ROW UINT32_MAX

struct data {
	const struct profile *profile;
	const struct query *query;
	enum model_policy policy; /* for an exact run: the simulated policy */
	uint64_t size_bytes;
	struct data_row *rows; /* most misses first; only touched data */
	size_t count;
	uint32_t *
		/*
		 * for each of the profile's ends; or for each of its data_costs
		 */
		row_of;
	uint32_t *
		/* for each of the profile's sites; DATA_NO_ROW: its row has no samples */
		row_of_site;
	struct hot_cost total;
	uint64_t accesses; /* for an exact run: all counted accesses */
	struct arena strings;
};

/*
 * For a cache of size_bytes. For an exact run, the simulated cache, and if needed the other policy;
 * d->policy has it. Release with data_release; the profile must outlive it.
 */
int data_init(struct data *d, const struct profile *p, const struct query *q, enum data_by by,
	      struct err *err);
void data_release(struct data *d);

/*
 * Mark the rows that a name means: the whole name of the row, its last part ("head" for
 * "list::head"), the allocating or declaring function or FILE:LINE, "stack". Returns their number;
 * or 0 with *err, which lists similar names. `marks` has d->count items.
 */
size_t data_find(const struct data *d, const char *name, bool *marks, struct err *err);

#endif
