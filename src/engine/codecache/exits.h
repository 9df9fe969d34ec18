/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exits of translated code: a branch to other code, or what the engine has to do. Each has a
 * stub at the cold end of its arena; those to other blocks are linked by patching. All functions
 * want the translate lock unless they say otherwise.
 */
#ifndef DWELL_ENGINE_CODECACHE_EXITS_H
#define DWELL_ENGINE_CODECACHE_EXITS_H

#include "engine/codecache/cache.h"

enum exit_kind {
	EXIT_LINK,	  /* direct branch or fall-through to target */
	EXIT_SYSCALL,	  /* target = pc after it */
	EXIT_REP,	  /* after a string instruction with REP */
	EXIT_ELEMENTS,	  /* before a gather or scatter */
	EXIT_UNSUPPORTED, /* target = pc of the instruction */
	EXIT_MARK,	  /* target = pc after it */
	EXIT_ENTRY,	  /* a marked function is entered; target = its pc */
	EXIT_ODD_STACK,	  /* the stack pointer is no multiple of 8: see filter_emit.c */
	EXIT_STALE,	  /* a checked block found its source changed; target = its pc */
};

/* Further fields of some kinds, see exits.c. */
struct exit_more {
	uint8_t *resume;	 /* REP, ELEMENTS, ENTRY: where the block goes on */
	struct tally after;	 /* counted already, but not executed at this exit */
	const struct insn *insn; /* REP, ELEMENTS, MARK: the instruction */
	uint32_t segment;	 /* REP, ELEMENTS in a simulation: its trailer, see segments.h */
};

/* Every branch has one, so they are small. Places in code are offsets from the arena's base. */
struct code_exit {
	uint64_t target; /* target pc to go on at, or of the instruction concerned */
	uint32_t from;	 /* its block, see cache_exit_block */
	uint32_t stub;	 /* see cache_exit_stub */
	union {
		struct {
			uint32_t site;	  /* EXIT_LINK: the rel32 field to patch; 0: none */
			uint32_t next_in; /* next exit linked to the same block, 0 ends */
		};
		struct exit_more *more;
	};
	uint8_t kind; /* enum exit_kind */
	bool is_linked;
	struct deferred deferred; /* EXIT_LINK */
	/* EXIT_LINK: register + 1 whose value is in the arena's spill2, or 0 */
	uint8_t kept;
};

/* A copy of *in that lives as long as the cache's contents, or NULL. */
const struct insn *cache_keep_insn(const struct insn *in);

/* A new exit record and its stub; NULL when out of memory. */
struct code_exit *cache_new_exit(struct arena *a, struct block *from, enum exit_kind kind,
				 uint64_t target);
/* No lock wanted for these, while the cache's contents live. */
struct code_exit *cache_exit(uint32_t number);
struct block *cache_exit_block(const struct code_exit *e);
uint8_t *cache_exit_stub(const struct code_exit *e);

/* EXIT_LINK: the rel32 field to patch lies here. */
void cache_exit_set_site(struct code_exit *e, const uint8_t *site);
/* Point a direct branch at a block. */
void cache_link(struct code_exit *e, struct block *to);
/* No direct branch leads to the block any more. */
void cache_unlink(struct block *to);

/* For cache.c: start-up (0 or -1); is there room for a block's exits; drop all exits. */
int exits_init(void);
bool exits_have_room(void);
void exits_forget(void);

#endif
