/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of calls, by the walks before; see call_sites.h. */
#include "engine/call_sites.h"

#include "engine/sites.h"
#include "engine/state.h"
#include "engine/unwind.h"

/*
 * So many steps are made each time: programs allocate through functions of their own, which most of their
 * parts call, with the same stack pointer, too. With 0, 2, 3 and 4 steps 60, 82, 90 and 97 % of the walks of a
 * short compilation by cc1 went on as one that was known, and 85, 85, 100 and 100 % of sqlite3's.
 */
#define FIRST_STEPS 4u
#define STEPS	    (SITE_MAX_DEPTH - 1 - FIRST_STEPS)
#define KNOWN_STEPS 4u /* of a recursion */
#define SET_BITS    10
/* That a walk is known by: one for each frame, two where the frame pointer leads on. */
#define MOST_READS (2 * STEPS)

/*
 * How a walk went on behind its first steps. All that it read of the stack is compared, in the time of two
 * steps: none waits for the one before. As long as the same stands there, it leads to the same frames. A
 * saved frame pointer counts only where a frame farther out is found by it: in most programs it is a
 * register like others, with another value each time.
 */
struct known_walk {
	uint64_t pc, rsp, rbp; /* where the first steps led */
	uint64_t sum;	       /* of the frames beyond; see sites_sum */
	uint32_t generation;   /* of the rules */
	uint8_t depth;	       /* of the whole path; 0: nothing is known */
	uint8_t count;
	bool uses_rbp;
	uint16_t place[MOST_READS]; /* words above rsp */
	uint64_t value[MOST_READS];
};

/* Two walks from one frame, which differ farther out, do not throw out each other. */
static struct known_set {
	uint32_t last; /* that was used; beside the first one's head */
	struct known_walk walk[2];
} known[1u << SET_BITS];

/* What the steps of a walk have read. */
struct trail {
	struct unwind_reads step[STEPS];
	uint32_t steps;
};

static struct known_set *set_of(const struct unwind_walk *w)
{
	uint64_t hash = (w->pc ^ w->rsp << 20) * 0x9e3779b97f4a7c15ull;

	return &known[hash >> (64 - SET_BITS)];
}

static bool goes_on_as(const struct known_walk *k, const struct unwind_walk *w)
{
	return k->pc == w->pc && k->rsp == w->rsp && k->depth &&
	       k->generation == unwind_generation() && (!k->uses_rbp || k->rbp == w->rbp) &&
	       engine_same_at((const uint64_t *)(uintptr_t)w->rsp, k->value, k->place, k->count) ==
		       0;
}

/* The rest of the path, and what was read on the way; returns the length of the whole. */
static uint32_t walk_on(struct unwind_walk *w, uint64_t *path, struct trail *t)
{
	uint32_t n = FIRST_STEPS;

	t->steps = 0;
	while (t->steps < STEPS && unwind_step_noting(w, &t->step[t->steps++]))
		path[++n] = w->pc;
	return n + 1;
}

static bool keep_read(struct known_walk *k, const uint64_t read[2])
{
	uint64_t place = (read[0] - k->rsp) / 8;

	if ((read[0] - k->rsp) % 8 || place > UINT16_MAX || k->count == MOST_READS)
		return false;
	k->place[k->count] = (uint16_t)place;
	k->value[k->count++] = read[1];
	return true;
}

/* From the outermost frame inwards, since whether a saved rbp matters is known farther out. */
static bool keep_reads(struct known_walk *k, const struct trail *t)
{
	bool uses_rbp = false;

	k->count = 0;
	for (uint32_t i = t->steps; i-- > 0;) {
		const struct unwind_reads *r = &t->step[i];

		if (r->failed)
			return false;
		for (uint32_t n = 0; n < r->count; n++)
			if ((n + 1 != r->rbp || uses_rbp) && !keep_read(k, r->read[n]))
				return false;
		uses_rbp = r->uses_rbp || (uses_rbp && !r->rbp);
	}
	k->uses_rbp = uses_rbp;
	return k->count != 0;
}

/*
 * Where there are many sites recursion is folded: of path[from] on, an address that stands in the
 * path already is left out. path[from] to path[folded - 1] have been through this. A tree of a
 * million nodes, built by a function that calls itself in two places, had 65,536 paths, and most
 * of the time went into them. Returns the depth that is left.
 */
static uint32_t fold(uint64_t *path, uint32_t from, uint32_t folded, uint32_t depth)
{
	uint32_t n = folded;

	/* Without branches on the path: which of its places a tree comes from next is chance. */
	for (uint32_t i = folded; i < depth; i++) {
		const uint64_t pc = path[i];
		bool is_known = false;

		for (uint32_t k = from; k < n; k++)
			is_known |= path[k] == pc;
		path[n] = pc;
		n += !is_known;
	}
	return n;
}

/* Is the call in the midst of recursion? */
static bool recurs(const uint64_t path[FIRST_STEPS + 1])
{
	bool found = false;

	for (uint32_t i = 0; i < FIRST_STEPS; i++)
		for (uint32_t k = i + 1; k <= FIRST_STEPS; k++)
			found |= path[i] == path[k];
	return found;
}

/*
 * The folded path of a call in the midst of recursion, whose first steps are made. Farther out it
 * is another one with each call, so it is not kept. Where some steps in a row have brought nothing
 * new the walk ends.
 */
static uint32_t walk_recursion(struct unwind_walk *w, uint64_t *path)
{
	uint32_t depth = fold(path, 0, 0, FIRST_STEPS + 1), known = 0, before;

	for (uint32_t i = 0;
	     i < STEPS && known < KNOWN_STEPS && unwind_steps(w, path + depth, 1) == 1; i++) {
		before = depth;
		depth = fold(path, 0, depth, depth + 1);
		known = depth == before ? known + 1 : 0;
	}
	return depth;
}

/* Walk on from w, and know it from now on. Returns the depth of the path. */
static uint32_t walk_and_keep(struct known_walk *k, uint64_t *path, struct unwind_walk w)
{
	struct trail t;
	uint32_t depth;

	k->pc = w.pc;
	k->rsp = w.rsp;
	k->rbp = w.rbp;
	k->generation = unwind_generation();
	depth = walk_on(&w, path, &t);
	if (sites_are_many())
		depth = fold(path, FIRST_STEPS + 1, FIRST_STEPS + 1, depth);
	k->sum = sites_sum(path, FIRST_STEPS + 1, depth);
	k->depth = keep_reads(k, &t) ? (uint8_t)depth : 0;
	return depth;
}

/* The site of a call whose first steps, on the path, have led to w. */
static uint32_t site_beyond(uint32_t kind, uint64_t *path, const struct unwind_walk *w)
{
	struct known_set *s = set_of(w);
	uint32_t tried, site;

	for (tried = 0; tried < 2; tried++, s->last ^= 1) {
		const struct known_walk *k = &s->walk[s->last];

		if (!goes_on_as(k, w))
			continue;
		site = sites_known(kind, k->depth, sites_sum(path, 0, FIRST_STEPS + 1) + k->sum);
		if (site)
			return site;
		break; /* a new one: it wants the whole path */
	}
	if (tried == 2)
		s->last ^= 1;
	return sites_get(kind, path, walk_and_keep(&s->walk[s->last], path, *w));
}

uint32_t call_sites_get(uint32_t kind, uint64_t back, uint64_t rsp, uint64_t rbp)
{
	struct unwind_walk w = {back, rsp, rbp};
	uint64_t path[SITE_MAX_DEPTH];
	uint32_t steps = unwind_steps(&w, path + 1, FIRST_STEPS);

	path[0] = back;
	if (steps < FIRST_STEPS)
		return sites_get(kind, path, steps + 1);
	if (!sites_are_many() || !recurs(path))
		return site_beyond(kind, path, &w);
	return sites_get(kind, path, walk_recursion(&w, path));
}
