/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the target's code that call the engine: the first instruction of
 * each allocation function, and the return addresses of calls to them. The
 * translator puts a call in front of blocks that begin there; all other blocks
 * are unaffected.
 */
#ifndef DWELL_ENGINE_TRANSLATE_HOOKS_H
#define DWELL_ENGINE_TRANSLATE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/channel.h"

/* The registers of a thread at a hooked place, as engine_hook in glue.S pushes them. */
struct hook_frame {
	uint64_t flags;
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
	uint64_t back;	 /* into the block */
	uint64_t number; /* of the hook, see hooks.h */
};

/* The arguments of a function, in registers in the order of the ABI. */
enum hook_shape {
	HOOK_FREE,	   /* free(block) */
	HOOK_SIZE,	   /* malloc(size) */
	HOOK_SIZE_SECOND,  /* aligned_alloc(alignment, size) */
	HOOK_ARRAY,	   /* calloc(number, size) */
	HOOK_RESIZE,	   /* realloc(block, size) */
	HOOK_RESIZE_ARRAY, /* reallocarray(block, number, size) */
	/* posix_memalign(where to write it, alignment, size), 0 if it worked */
	HOOK_SIZE_THIRD_OUT,
	HOOK_ARGUMENT, /* the size is one of the arguments, see below */
	HOOK_GO,       /* runtime.mallocgc(size, type, whether to clear it), by Go's own ABI */
};

struct hook_function {
	const char *name; /* of the symbol */
	uint8_t kind;	  /* enum site_kind; 0 where nothing is allocated */
	uint8_t shape;	  /* enum hook_shape */
	uint8_t argument; /* of HOOK_ARGUMENT and HOOK_FREE: which one, from 0 */
};

#define HOOK_NONE 0u
/* not at a place: the end of a turn, see filter_scheduler.h */
#define HOOK_TURN   UINT32_MAX
#define HOOK_X87    (UINT32_MAX - 1) /* not at a place either: see x87.h */
#define HOOK_RETURN 1u		     /* a place to return to; above: 2 + the number of a function */

int hooks_init(void);

/* The function of a number >= 2 that hooks_find returned. */
const struct hook_function *hooks_function(uint32_t number);

/* Hook the function at pc, if its name is in the table. Takes the translate lock. */
void hooks_add_function(uint64_t pc, const char *name);

/* The same for the functions of config.allocators, and whether there are any. */
void hooks_add_named(uint64_t pc, const char *symbol);
bool hooks_have_named(void);

/*
 * Hook a return address. Blocks translated without the hook are dropped. False: there are too many
 * hooks. Takes the translate lock if the address is new.
 */
bool hooks_add_return(uint64_t pc);

/* Remove all hooks in [start, end): the code is gone. Takes the translate lock. */
void hooks_remove(uint64_t start, uint64_t end);

/* The hook at pc, or HOOK_NONE. Needs no lock. */
uint32_t hooks_find(uint64_t pc);

#endif
