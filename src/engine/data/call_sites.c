/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of calls, by the stacks seen last; see call_sites.h. */
#include "engine/data/call_sites.h"

#include "engine/core/state.h"
#include "engine/data/sites.h"
#include "engine/unwind/frames.h"
#include "engine/unwind/unwind.h"

#define STACK_BITS  20 /* the addresses of a stack mostly agree above this bit */
#define STACKS_BITS 4

/*
 * A stack on which a call has been seen. Recursion is folded: an address already on the path is
 * left out. Otherwise a tree of a million nodes, built by a function that calls itself in two
 * places, would have 65,536 paths.
 */
struct known_stack {
	struct frames frames;
	uint32_t generation;		/* of the unwind rules */
	uint32_t kind, site;		/* of the call seen last */
	uint16_t distinct[FRAMES_MOST]; /* return addresses in this and outer frames */
	uint64_t address[FRAMES_MOST];	/* the distinct ones, outermost first */
};

static struct known_stack known[1u << STACKS_BITS];

static struct known_stack *stack_of(uint64_t rsp)
{
	return &known[(rsp >> STACK_BITS) * 0x9e3779b97f4a7c15ull >> (64 - STACKS_BITS)];
}

/* Add the return addresses of the frames from number `from` on. */
static void fold(struct known_stack *s, uint32_t from)
{
	uint32_t n = from ? s->distinct[from - 1] : 0;

	for (uint32_t i = from; i < s->frames.depth; i++) {
		const uint64_t back = s->frames.frame[i].back;
		bool is_known = false;

		for (uint32_t k = 0; k < n; k++)
			is_known |= s->address[k] == back;
		s->address[n] = back;
		n += !is_known;
		s->distinct[i] = (uint16_t)n;
	}
}

/* The folded path from the call that returns to `back`, innermost first. Returns its depth. */
static uint32_t path_of(const struct known_stack *s, uint64_t back, uint64_t path[SITE_MAX_DEPTH])
{
	uint32_t n = 1;

	path[0] = back;
	for (uint32_t i = s->distinct[s->frames.depth - 1]; i-- > 0 && n < SITE_MAX_DEPTH;)
		if (s->address[i] != back)
			path[n++] = s->address[i];
	return n;
}

uint32_t call_sites_get(uint32_t kind, uint64_t back, uint64_t rsp, uint64_t rbp)
{
	struct known_stack *s = stack_of(rsp);
	uint64_t path[SITE_MAX_DEPTH];
	uint32_t before, kept;

	if (s->generation != unwind_generation()) {
		s->generation = unwind_generation();
		s->frames.depth = 0;
	}
	before = s->frames.depth;
	kept = frames_walk(&s->frames, (struct unwind_walk){back, rsp, rbp, 0}, true);
	if (kept == before && kept == s->frames.depth && s->kind == kind && s->site)
		return s->site;
	fold(s, kept);
	s->kind = kind;
	s->site = sites_get(kind, path, path_of(s, back, path));
	return s->site;
}
