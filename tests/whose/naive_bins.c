/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The naive reference; see naive_bins.h. */
#define _GNU_SOURCE /* tdestroy, twalk_r */
#include "naive_bins.h"

#include <err.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core/records.h"
#include "sim/base/bits.h"

struct place {
	bool is_taken;
	uint64_t line, came, used; /* times */
};

struct cache {
	struct sim_cache_geometry shape;
	uint64_t sets, ways, random;
	struct place *places; /* set by set */
	void *evictors;	      /* struct evictor, by line */
	uint64_t *recent;     /* a fully associative LRU cache: its lines, the last used first */
	uint64_t recent_count;
};

/* Who evicted a line last. */
struct evictor {
	uint64_t line, function, structure;
};

struct naive_bins {
	struct sim_geometry geometry;
	struct cache caches[NAIVE_CACHES];
	uint64_t now, shortest;
	void *counts; /* struct naive_count, by key */
};

static void *get(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (p == NULL)
		err(1, "naive_bins");
	return p;
}

static void init_cache(struct cache *c, const struct sim_cache_geometry *g)
{
	const uint64_t lines = g->size_bytes > 0 ? g->size_bytes / g->line_bytes : 0;

	c->shape = *g;
	c->ways = g->ways > 0 ? g->ways : lines;
	c->sets = lines > 0 ? lines / c->ways : 0;
	c->random = g->seed * 2 + 1;
	c->places = get(lines + 1, sizeof(*c->places));
	c->recent = get(lines + 1, sizeof(*c->recent));
}

struct naive_bins *naive_bins_new(const struct sim_geometry *g)
{
	struct naive_bins *n = get(1, sizeof(*n));

	n->geometry = *g;
	n->shortest = g->code.size_bytes > 0 ? g->code.line_bytes : SIM_MAX_LINE;
	init_cache(&n->caches[NAIVE_FIRST_CODE], &g->code);
	for (unsigned level = 0; level < g->level_count; level++) {
		init_cache(&n->caches[level], &g->levels[level]);
		if (g->levels[level].line_bytes < n->shortest)
			n->shortest = g->levels[level].line_bytes;
	}
	return n;
}

void naive_bins_free(struct naive_bins *n)
{
	for (unsigned cache = 0; cache < NAIVE_CACHES; cache++) {
		free(n->caches[cache].places);
		free(n->caches[cache].recent);
		tdestroy(n->caches[cache].evictors, free);
	}
	tdestroy(n->counts, free);
	free(n);
}

/* ---- Trees ---- */

static int compare_evictors(const void *a, const void *b)
{
	const struct evictor *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

static int compare_counts(const void *a, const void *b)
{
	return memcmp(&((const struct naive_count *)a)->key, &((const struct naive_count *)b)->key,
		      sizeof(((const struct naive_count *)a)->key));
}

/* The node that equals *wanted; a copy of it is put into the tree if there is none. */
static void *find_or_put(void **tree, const void *wanted, size_t size,
			 int (*compare)(const void *, const void *))
{
	void **found = tfind(wanted, tree, compare);

	if (found == NULL) {
		void *made = get(1, size);

		memcpy(made, wanted, size);
		found = tsearch(made, tree, compare);
	}
	return *found;
}

static struct naive_count *count_of(struct naive_bins *n, const struct naive_count *wanted)
{
	return find_or_put(&n->counts, wanted, sizeof(*wanted), compare_counts);
}

/* ---- Caches ---- */

static struct place *find(struct cache *c, uint64_t line)
{
	struct place *set = &c->places[line % c->sets * c->ways];

	for (uint64_t way = 0; way < c->ways; way++)
		if (set[way].is_taken && set[way].line == line)
			return &set[way];
	return NULL;
}

/* A free place, or that of the line to evict. */
static struct place *choose(struct cache *c, uint64_t line)
{
	struct place *set = &c->places[line % c->sets * c->ways], *oldest = set;

	for (uint64_t way = 0; way < c->ways; way++)
		if (!set[way].is_taken)
			return &set[way];
	if (c->shape.replacement == SIM_REPLACE_RANDOM)
		return &set[sim_random_below(&c->random, c->ways)];
	for (uint64_t way = 1; way < c->ways; way++) {
		const bool is_older = c->shape.replacement == SIM_REPLACE_FIFO
					      ? set[way].came < oldest->came
					      : set[way].used < oldest->used;

		if (is_older)
			oldest = &set[way];
	}
	return oldest;
}

/* Uses a line of the fully associative cache. Returns whether it was there. */
static bool use_recent(struct cache *c, uint64_t line)
{
	uint64_t at = 0;
	bool is_there;

	while (at < c->recent_count && c->recent[at] != line)
		at++;
	is_there = at < c->recent_count;
	if (!is_there && c->recent_count < c->sets * c->ways)
		c->recent_count++;
	else if (!is_there)
		at--; /* the one used longest ago leaves */
	memmove(c->recent + 1, c->recent, at * sizeof(*c->recent));
	c->recent[0] = line;
	return is_there;
}

static void count_miss(struct naive_bins *n, unsigned cache, const struct naive_access *a,
		       const struct evictor *evictor, bool is_conflict)
{
	struct naive_count wanted = {
		.key = {.cache = cache, .where = a->pc, .structure = a->structure}};
	struct naive_count *bin = count_of(n, &wanted);

	bin->missed++;
	if (evictor == NULL) {
		bin->cold++;
		return;
	}
	bin->by_self += evictor->structure == a->structure;
	bin->conflicts += is_conflict;
	wanted.key.where = a->function;
	wanted.key.evictor = evictor->function;
	wanted.key.evictor_structure = evictor->structure;
	wanted.key.is_eviction = 1;
	bin = count_of(n, &wanted);
	bin->missed++;
	bin->conflicts += is_conflict;
}

/* Touches a line. Returns whether it missed; if it did, and `counts`, that is a miss of the bin. */
static bool touch(struct naive_bins *n, unsigned cache, uint64_t line, const struct naive_access *a,
		  bool counts)
{
	struct cache *c = &n->caches[cache];
	struct place *p = find(c, line);
	struct evictor wanted = {.line = line}, *evictor;
	const bool is_conflict = use_recent(c, line);

	n->now++;
	if (p != NULL) {
		p->used = n->now;
		return false;
	}
	if (counts) {
		struct evictor **found = tfind(&wanted, &c->evictors, compare_evictors);

		count_miss(n, cache, a, found != NULL ? *found : NULL, is_conflict);
	}
	p = choose(c, line);
	if (p->is_taken) {
		wanted.line = p->line;
		evictor = find_or_put(&c->evictors, &wanted, sizeof(wanted), compare_evictors);
		evictor->function = a->function;
		evictor->structure = a->structure;
	}
	*p = (struct place){.is_taken = true, .line = line, .came = n->now, .used = n->now};
	return true;
}

void naive_bins_access(struct naive_bins *n, const struct naive_access *a)
{
	const uint64_t last = a->address + (a->bytes < n->shortest ? a->bytes : n->shortest) - 1;

	for (unsigned level = 0; level < n->geometry.level_count; level++) {
		const unsigned cache =
			level == 0 && a->kind == NAIVE_FETCH ? NAIVE_FIRST_CODE : level;
		const uint64_t line_bytes = n->caches[cache].shape.line_bytes;
		bool missed = false;

		if (n->caches[cache].sets == 0)
			return;
		for (uint64_t line = a->address / line_bytes; line <= last / line_bytes; line++)
			missed |= touch(n, cache, line, a, !missed);
		if (!missed)
			return;
	}
}

/* ---- */

struct walk {
	void (*each)(const struct naive_count *c, void *context);
	void *context;
};

static void visit(const void *node, VISIT order, void *context)
{
	const struct walk *w = context;

	if (order == postorder || order == leaf)
		w->each(*(struct naive_count *const *)node, w->context);
}

void naive_bins_each(const struct naive_bins *n,
		     void (*each)(const struct naive_count *c, void *context), void *context)
{
	struct walk w = {each, context};

	twalk_r(n->counts, visit, &w);
}

/* There are no stretches. */
void records_contrasts(struct process *p, struct record_contrasts *r)
{
	(void)p;
	(void)r;
}
