/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of calls, by the walks before; see call_sites.h. */
#include "engine/call_sites.h"

#include "engine/sites.h"
#include "engine/state.h"
#include "engine/unwind.h"

#define STACKS	    8u /* whose last walks are known: threads take turns */
#define STACK_SHIFT 23 /* stacks of threads lie 8 MB apart */
#define STEPS	    (SITE_MAX_DEPTH - 1)
#define MOST_TRIES  2u /* in a walk, to go on as the one before */

/*
 * A walk from a call outwards. The step from at[i] to at[i + 1] has read reads[2 * i] and reads[2 * i + 1]: as
 * long as these are there, it needs no rule; and all of them are compared in the time of two steps,
 * because none of them waits for the one before.
 */
struct seen_walk {
	uint32_t steps;	     /* known so */
	uint32_t generation; /* of the rules */
	uint32_t kind, site; /* what the walk was for, and led to */
	struct unwind_walk at[STEPS + 1];
	uint64_t reads[2 * STEPS][2];
};

/* The last walk of each stack, and room for the next one. */
static struct {
	struct seen_walk walk[2];
	uint32_t last;
} seen[STACKS];

/* Does a walk that is at `here` go on as `old` did from step i on? */
static bool goes_on(const struct seen_walk *old, uint32_t i, const struct unwind_walk *here)
{
	const struct unwind_walk *at = &old->at[i];

	return i < old->steps && at->rsp == here->rsp && at->pc == here->pc &&
	       at->rbp == here->rbp && engine_same(old->reads + 2 * i, 2 * (old->steps - i)) == 0;
}

/* The steps of old from number i on, as those of w from number n on; returns how many. */
static uint32_t take_over(struct seen_walk *w, uint32_t n, const struct seen_walk *old, uint32_t i,
			  uint64_t *path)
{
	uint32_t m = old->steps - i < STEPS - n ? old->steps - i : STEPS - n;

	for (uint32_t k = 0; k < 2 * m; k++) {
		w->reads[2 * n + k][0] = old->reads[2 * i + k][0];
		w->reads[2 * n + k][1] = old->reads[2 * i + k][1];
	}
	for (uint32_t k = 1; k <= m; k++) {
		w->at[n + k] = old->at[i + k];
		path[n + k] = old->at[i + k].pc;
	}
	w->steps = n + m;
	return m;
}

/* Step n of w has read r. One that looked up a frame pointer on the stack is not kept, nor is what follows. */
static void keep(struct seen_walk *w, uint32_t n, const struct unwind_reads *r,
		 const struct unwind_walk *here)
{
	if (w->steps != n || r->count > 2)
		return;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t from = k < r->count ? k : 0;

		w->reads[2 * n + k][0] = r->read[from][0];
		w->reads[2 * n + k][1] = r->read[from][1];
	}
	w->at[n + 1] = *here;
	w->steps = n + 1;
}

/* The path of return addresses from w->at[0] on; returns its length. *same: all was as in old. */
static uint32_t walk(struct seen_walk *w, const struct seen_walk *old, uint64_t *path, bool *same)
{
	struct unwind_walk here = w->at[0];
	struct unwind_reads r;
	uint32_t n = 0, i = 0, tries = 0;

	path[0] = here.pc;
	while (n < STEPS) {
		while (i < old->steps && old->at[i].rsp < here.rsp)
			i++;
		if (w->steps == n && tries < MOST_TRIES && i < old->steps &&
		    old->at[i].rsp == here.rsp) {
			if (goes_on(old, i, &here)) {
				*same = n == 0 && i == 0 && old->steps == STEPS;
				n += take_over(w, n, old, i, path);
				here = w->at[n];
				tries = MOST_TRIES;
				continue;
			}
			tries += old->at[i].pc == here.pc;
		}
		if (!unwind_step_noting(&here, &r))
			break;
		keep(w, n, &r, &here);
		path[++n] = here.pc;
	}
	return n + 1;
}

uint32_t call_sites_get(uint32_t kind, uint64_t back, uint64_t rsp, uint64_t rbp)
{
	uint32_t stack = (uint32_t)(rsp >> STACK_SHIFT) % STACKS, depth;
	uint64_t path[SITE_MAX_DEPTH];
	struct seen_walk *old = &seen[stack].walk[seen[stack].last];
	struct seen_walk *w = &seen[stack].walk[!seen[stack].last];
	bool same = false;

	w->steps = 0;
	w->generation = unwind_generation();
	w->kind = kind;
	w->at[0] = (struct unwind_walk){back, rsp, rbp};
	if (old->generation != w->generation)
		old->steps = 0;
	depth = walk(w, old, path, &same);
	w->site = same && old->kind == kind ? old->site : sites_get(kind, path, depth);
	seen[stack].last = !seen[stack].last;
	return w->site;
}
