/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of where memory comes from; a part of channel.h, which includes it. */
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
	SITE_MMAP,  /* mapped by the program itself, not by an allocation function */
	SITE_BRK,   /* by the program itself, through brk or sbrk */
	SITE_SHMAT, /* shared memory of System V */
	SITE_STACK, /* of a thread */
	SITE_LOCAL, /* thread-local variables, above the stack in the same mapping */
	SITE_GO,    /* runtime.mallocgc */
	SITE_KINDS  /* from here on, one for each of config.allocators */
};

#define SITE_ALL_KINDS (SITE_KINDS + CHANNEL_MOST_ALLOCATORS)

#define SITE_MAX_DEPTH	16u
#define SITE_MAX_ID	(1u << 20)
#define SITE_NAME_BYTES 48u

/*
 * A site: an allocation function and the call path to it. Written before the first access that
 * names it. Return addresses follow: into the function's caller, its caller, ...
 */
struct record_site {
	struct record_header h;
	uint32_t id;		    /* in the process, from 1 */
	uint16_t kind;		    /* enum site_kind */
	uint16_t depth;		    /* of the path, up to SITE_MAX_DEPTH */
	uint64_t element_size;	    /* from the first call's argument (calloc); 0: not known */
	uint64_t position;	    /* accesses of the process so far */
	char name[SITE_NAME_BYTES]; /* of the file that is mapped; empty: none, or another kind */
};

/* What a site has allocated so far. Each record replaces the one before. */
struct record_site_counts {
	struct record_header h;
	uint32_t id;
	uint32_t reserved;
	uint64_t element_size;		  /* 0: the calls differ */
	uint64_t blocks, bytes;		  /* in all */
	uint64_t live_blocks, live_bytes; /* not yet freed */
	uint64_t peak_bytes;		  /* the most that was live at one time */
	uint64_t smallest, largest;	  /* block */
};

_Static_assert(sizeof(struct record_site) == 32 + SITE_NAME_BYTES, "layout of record_site");
_Static_assert(sizeof(struct record_site_counts) == 80, "layout of record_site_counts");

#endif
