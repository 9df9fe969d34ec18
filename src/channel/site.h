/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records about the origin of memory; a part of channel.h, which includes it. */
#ifndef DWELL_CHANNEL_SITE_H
#define DWELL_CHANNEL_SITE_H

#include "channel/channel.h"

enum site_kind {
	SITE_MALLOC = 1,
	SITE_CALLOC,
	SITE_REALLOC,
	SITE_REALLOCARRAY,
	SITE_ALIGNED_ALLOC,
	SITE_POSIX_MEMALIGN,
	SITE_MEMALIGN,
	SITE_VALLOC,
	SITE_PVALLOC,
	SITE_NEW,
	SITE_NEW_ARRAY,
	SITE_MALLOCX,
	SITE_RALLOCX,
	SITE_MMAP,	/* mapped by the program itself, not by an allocation function */
	SITE_BRK,	/* allocated by the program itself, through brk or sbrk */
	SITE_SHMAT,	/* shared memory of System V */
	SITE_STACK,	/* a thread's stack */
	SITE_LOCAL,	/* thread-local variables, in the same mapping above the stack */
	SITE_GO,	/* runtime.mallocgc */
	SITE_ALLOCATOR, /* memory that an allocation function got, and which no block holds */
	SITE_KINDS	/* the following kinds are config.allocators */
};

#define SITE_ALL_KINDS (SITE_KINDS + CHANNEL_MOST_ALLOCATORS)

#define SITE_MAX_DEPTH	16u
#define SITE_MAX_ID	(1u << 20)
#define SITE_NAME_BYTES 48u

/*
 * A site: an allocation function and the call path to it. Written before the first access that
 * refers to it. Return addresses follow: into the function's caller, its caller, ...
 */
struct record_site {
	struct record_header h;
	uint32_t id;		    /* within the process, from 1 */
	uint16_t kind;		    /* enum site_kind */
	uint16_t depth;		    /* of the path, at most SITE_MAX_DEPTH */
	uint64_t element_size;	    /* from the first call's argument (calloc); 0: unknown */
	uint64_t position;	    /* accesses of the process so far */
	char name[SITE_NAME_BYTES]; /* of the mapped file; empty: none, or another kind */
};

/* The allocations of a site so far. Each record replaces the previous one. */
struct record_site_counts {
	struct record_header h;
	uint32_t id;
	uint32_t reserved;
	uint64_t element_size;		  /* 0: the calls differ */
	uint64_t blocks, bytes;		  /* total */
	uint64_t live_blocks, live_bytes; /* not yet freed */
	uint64_t peak_bytes;		  /* largest total of live bytes */
	uint64_t smallest, largest;	  /* block sizes */
};

_Static_assert(sizeof(struct record_site) == 32 + SITE_NAME_BYTES, "layout of record_site");
_Static_assert(sizeof(struct record_site_counts) == 80, "layout of record_site_counts");

#endif
