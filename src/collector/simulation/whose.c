/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a simulation's misses by data structure to the store; see whose.h. */
#include "collector/simulation/whose.h"

#include <assert.h>
#include <string.h>

#include "collector/recorder_parts.h"
#include "store/layouts.h"
#include "store/whose.h"

/* A structure is not told apart from others by more than these bits of its address. */
#define ADDRESS_BITS 47

void whose_release(struct whose *w)
{
	for (size_t kind = 0; kind < BIN_DATA_KINDS; kind++)
		map_release(&w->ids[kind]);
	*w = (struct whose){0};
}

/* The site of blocks or of named memory; 0: of neither, or unknown. */
static int64_t site_of(const struct recorder *r, const struct process *p, const struct bin_data *d)
{
	if (d->kind == BIN_NAMED)
		return regions_numbered(&p->regions, d->site);
	return d->kind == BIN_SITE ? sites_find(&r->sites, p->row.id, d->site) : 0;
}

static void put_structure(struct recorder *r, struct process *p, const struct bin_data *d,
			  int64_t id)
{
	static const enum store_structure_kind kinds[BIN_DATA_KINDS] = {
		[BIN_UNKNOWN] = STORE_OF_UNKNOWN,   [BIN_SITE] = STORE_OF_SITE,
		[BIN_VARIABLE] = STORE_OF_VARIABLE, [BIN_NAMED] = STORE_OF_SITE,
		[BIN_CODE] = STORE_OF_CODE,
	};
	const int64_t site = site_of(r, p, d);
	const struct store_structure row = {
		.id = id,
		.process_id = p->row.id,
		.kind = store_structure_kinds[kinds[d->kind]],
		.site_id = site != 0 ? site : STORE_NONE,
		.start = d->start,
		.end = d->end,
	};

	note(r, store_put_structure(r->store, &row, &r->err));
	if (d->kind == BIN_VARIABLE &&
	    data_map_touch(&p->data, p->row.id, d->start, &r->naming.data) != 0)
		out_of_memory(r);
}

static bool is_numbered(const struct bin_data *d)
{
	return d->kind == BIN_SITE || d->kind == BIN_NAMED;
}

/* The structure's id in the store; 0 when memory ran out. */
static int64_t structure_id(struct recorder *r, struct process *p, const struct bin_data *d)
{
	struct map *ids = &r->whose.ids[d->kind];
	const uint64_t key =
		(uint64_t)p->row.id << ADDRESS_BITS ^ (is_numbered(d) ? d->site : d->start);
	uint64_t id;

	if (map_get(ids, key, &id))
		return (int64_t)id;
	id = (uint64_t)++r->whose.last_id;
	if (map_set(ids, key, id) != 0) {
		out_of_memory(r);
		return 0;
	}
	put_structure(r, p, d, (int64_t)id);
	return (int64_t)id;
}

static uint64_t conflicts(const struct recorder *r, uint64_t n)
{
	return r->whose.finds_conflicts ? n : STORE_NOT_TOLD_APART;
}

static void put_bin(struct recorder *r, const struct bin_counts *c, const char *cache,
		    int64_t structure, int64_t location)
{
	const struct store_bin row = {
		.structure_id = structure,
		.location_id = location,
		.cache = cache,
		.misses = c->missed,
		.cold = c->cold,
		.by_self = c->by_self,
		.unknown = c->unknown,
		.above = c->above,
		.conflicts = conflicts(r, c->conflicts),
	};

	if (c->missed != 0 && !r->failed)
		note(r, store_put_bin(r->store, &row, &r->err));
}

static void put_range(struct recorder *r, const struct bin_range *x, int64_t structure,
		      int64_t location)
{
	const struct store_bin_range row = {
		.structure_id = structure,
		.location_id = location,
		.low = x->low,
		.high = x->high,
		.step = x->step,
	};

	if (x->low <= x->high && !r->failed)
		note(r, store_put_bin_range(r->store, &row, &r->err));
}

const char *whose_cache_name(const struct recorder *r, uint64_t cache)
{
	static const char *const names[] = {"L1d", "L2", "L3", "L4"};

	if (cache == BIN_FIRST_CODE)
		return "L1i";
	if (cache >= r->whose.levels)
		return NULL;
	return cache > 0 && cache + 1 == r->whose.levels ? "LL" : names[cache];
}

const char *recorder_on_bin(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_bin *b = (const void *)h;
	const int64_t location = recorder_locate(r, p, b->pc, b->position);
	const int64_t structure = r->failed ? 0 : structure_id(r, p, &b->data);

	put_range(r, &b->range, structure, location);
	for (uint64_t level = 0; level < BIN_MOST_LEVELS; level++) {
		const bool is_fetch = level == 0 && b->data.kind == BIN_CODE;
		const char *cache = whose_cache_name(r, is_fetch ? BIN_FIRST_CODE : level);

		if (b->counts[level].missed != 0 && cache == NULL)
			return "misses in a cache that there is not";
		put_bin(r, &b->counts[level], cache, structure, location);
	}
	return NULL;
}

static int64_t locate(struct recorder *r, struct process *p, uint64_t function, uint64_t position)
{
	return function != 0 ? recorder_locate(r, p, function, position) : STORE_NONE;
}

const char *recorder_on_eviction(struct recorder *r, struct process *p,
				 const struct record_header *h)
{
	const struct record_eviction *e = (const void *)h;
	struct store_eviction row = {
		.cache = whose_cache_name(r, e->cache),
		.misses = e->count,
		.conflicts = conflicts(r, e->conflicts),
		.location_id = locate(r, p, e->function, e->position),
		.evictor_location_id = locate(r, p, e->evictor, e->position),
	};

	if (row.cache == NULL)
		return "misses in a cache that there is not";
	if (!r->failed)
		row.structure_id = structure_id(r, p, &e->data);
	if (!r->failed)
		row.evictor_structure_id = structure_id(r, p, &e->evictor_data);
	if (!r->failed)
		note(r, store_put_eviction(r->store, &row, &r->err));
	return NULL;
}

const char *recorder_on_references(struct recorder *r, struct process *p,
				   const struct record_header *h)
{
	const struct record_references *x = (const void *)h;
	struct store_references row = {
		.location_id = recorder_locate(r, p, x->pc, x->position),
		.counted = x->counted,
		.seen = x->seen,
	};

	static_assert(sizeof(row.weights) == sizeof(x->weights), "the same groups");
	memcpy(row.weights, x->weights, sizeof(row.weights));
	if (!r->failed)
		row.structure_id = structure_id(r, p, &x->data);
	if (!r->failed)
		note(r, store_put_references(r->store, &row, &r->err));
	return NULL;
}
