/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a simulation's misses by data structure to the store; see whose.h. */
#include "collector/simulation/whose.h"

#include <assert.h>
#include <inttypes.h>

#include "base/text.h"
#include "collector/recorder_parts.h"
#include "store/layouts.h"
#include "store/patterns.h"
#include "store/whose.h"

void whose_release(struct whose *w)
{
	for (size_t kind = 0; kind < BIN_DATA_KINDS; kind++)
		map_release(&w->ids[kind]);
	whose_sums_release(&w->sums);
	operands_release(&w->operands);
	*w = (struct whose){0};
}

/* The site of blocks or of named memory; 0: of neither, or unknown. */
static int64_t site_of(const struct recorder *r, const struct process *p, const struct bin_data *d)
{
	if (d->kind == BIN_NAMED)
		return regions_numbered(&p->regions, d->site);
	return d->kind == BIN_SITE || d->kind == BIN_LOCAL
		       ? sites_find(&r->sites, p->row.id, d->site)
		       : 0;
}

/* Where a structure lies in memory: thread-local variables in one of their copies. */
struct where {
	int64_t image;
	uint64_t start;
};

static void put_structure(struct recorder *r, const struct process *p, const struct bin_data *d,
			  struct where where, int64_t id)
{
	static const enum store_structure_kind kinds[BIN_DATA_KINDS] = {
		[BIN_UNKNOWN] = STORE_OF_UNKNOWN,   [BIN_SITE] = STORE_OF_SITE,
		[BIN_VARIABLE] = STORE_OF_VARIABLE, [BIN_NAMED] = STORE_OF_SITE,
		[BIN_CODE] = STORE_OF_CODE,	    [BIN_LOCAL] = STORE_OF_VARIABLE,
	};
	const int64_t site = site_of(r, p, d);
	const struct store_structure row = {
		.id = id,
		.process_id = p->row.id,
		.kind = store_structure_kinds[kinds[d->kind]],
		.site_id = site != 0 ? site : STORE_NONE,
		.start = where.start,
		.end = where.start + (d->end - d->start),
		.image = where.image,
	};

	note(r, store_put_structure(r->store, &row, &r->err));
}

static bool is_numbered(const struct bin_data *d)
{
	return d->kind == BIN_SITE || d->kind == BIN_NAMED;
}

/* Structures that differ have different keys, but for a chance of 1 in 10^7 with a million. */
static uint64_t key_of(const struct process *p, const struct bin_data *d)
{
	const uint64_t owner = (uint64_t)p->row.id * 0x9e3779b97f4a7c15u;

	if (is_numbered(d))
		return owner ^ d->site;
	return (owner ^ d->position) * 0xd6e8feb86659fd93u ^ d->start ^ d->code << 20;
}

/* Have the structure's name looked up. Returns -1 when memory ran out. */
static int find_where(struct recorder *r, struct process *p, const struct bin_data *d,
		      struct where *where)
{
	size_t module;

	*where = (struct where){.start = d->start};
	if (d->kind == BIN_VARIABLE)
		return data_map_touch(&p->data, p->row.id, d->start, d->position, false,
				      &r->naming.data, &where->image);
	if (d->kind != BIN_LOCAL)
		return 0;
	module = code_map_find_module(&p->code, d->code, d->position);
	if (module == CODE_NO_MODULE)
		return 0;
	return data_map_touch_locals(&p->data, p->row.id, p->code.modules.items[module].file,
				     d->start, &r->naming.data, &where->image, &where->start);
}

/* The structure's id in the store; 0 when memory ran out. */
static int64_t structure_id(struct recorder *r, struct process *p, const struct bin_data *d)
{
	struct map *ids = &r->whose.ids[d->kind];
	const uint64_t key = key_of(p, d);
	struct where where;
	uint64_t id;

	if (map_get(ids, key, &id))
		return (int64_t)id;
	id = (uint64_t)++r->whose.last_id;
	if (map_set(ids, key, id) != 0 || find_where(r, p, d, &where) != 0) {
		out_of_memory(r);
		return 0;
	}
	put_structure(r, p, d, where, (int64_t)id);
	return (int64_t)id;
}

static void put_range(struct recorder *r, const struct record_bin *b, int64_t structure,
		      int64_t location)
{
	const struct bin_range *x = &b->range;
	struct text places = {0};
	struct store_bin_range row = {
		.structure_id = structure,
		.location_id = location,
		.low = x->low,
		.high = x->high,
		.step = x->step,
	};

	if (x->low > x->high || r->failed)
		return;
	for (uint64_t i = 0; i < b->places.count; i++)
		text_addf(&places, "%c%" PRIu64, i > 0 ? ',' : '[', b->places.offsets[i]);
	text_add(&places, b->places.count > 0 ? "]" : "[]");
	row.places = text_get(&places);
	if (operands_add(&r->whose.operands, location) != 0)
		out_of_memory(r);
	else
		note(r, store_put_bin_range(r->store, &row, &r->err));
	text_release(&places);
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

	put_range(r, b, structure, location);
	for (uint32_t level = 0; level < BIN_MOST_LEVELS && !r->failed; level++) {
		const bool is_fetch = level == 0 && b->data.kind == BIN_CODE;
		const uint32_t cache = is_fetch ? BIN_FIRST_CODE : level;

		if (b->counts[level].missed == 0)
			continue;
		if (whose_cache_name(r, cache) == NULL)
			return "misses in a cache that there is not";
		if (whose_add_misses(&r->whose.sums, (struct whose_place){structure, location},
				     cache, &b->counts[level]) != 0)
			out_of_memory(r);
	}
	return NULL;
}

/* A function of the process and a structure; of several functions if it has no address. */
static struct whose_place place_of(struct recorder *r, struct process *p, uint64_t function,
				   uint64_t position, const struct bin_data *d)
{
	const int64_t location = function != 0 ? recorder_locate(r, p, function, position) : 0;

	return (struct whose_place){r->failed ? 0 : structure_id(r, p, d), location};
}

const char *recorder_on_eviction(struct recorder *r, struct process *p,
				 const struct record_header *h)
{
	const struct record_eviction *e = (const void *)h;
	const struct whose_place missed = place_of(r, p, e->function, e->position, &e->data);
	const struct whose_place evictor =
		place_of(r, p, e->evictor, e->evictor_position, &e->evictor_data);

	if (whose_cache_name(r, e->cache) == NULL)
		return "misses in a cache that there is not";
	if (!r->failed && whose_add_evictions(&r->whose.sums, missed, evictor, (uint32_t)e->cache,
					      e->count, e->conflicts, e->contrasts) != 0)
		out_of_memory(r);
	return NULL;
}

const char *recorder_on_contrasts(struct recorder *r, struct process *p,
				  const struct record_header *h)
{
	const struct record_contrasts *x = (const void *)h;
	const int64_t location = recorder_locate(r, p, x->pc, x->position);
	const struct whose_place place = {
		r->failed || !x->is_bin ? 0 : structure_id(r, p, &x->data), location};

	if (whose_cache_name(r, x->cache) == NULL)
		return "misses in a cache that there is not";
	if (!r->failed && whose_add_contrasts(&r->whose.sums, place, p->row.id, x) != 0)
		out_of_memory(r);
	return NULL;
}

const char *recorder_on_references(struct recorder *r, struct process *p,
				   const struct record_header *h)
{
	const struct record_references *x = (const void *)h;
	const struct whose_place place = place_of(r, p, x->pc, x->position, &x->data);

	if (!r->failed && whose_add_references(&r->whose.sums, place, x) != 0)
		out_of_memory(r);
	return NULL;
}

const char *recorder_on_pattern(struct recorder *r, struct process *p,
				const struct record_header *h)
{
	const struct record_pattern *new = (const void *)h;
	const struct pattern *x = &new->pattern;
	struct store_pattern row = {
		.structure_id = r->failed ? 0 : structure_id(r, p, &new->data),
		.windows = x->windows,
		.seen = x->seen,
		.accesses = x->accesses,
		.known = x->known,
		.usual = x->usual,
		.near = x->near,
		.words = x->words,
		.to_self = x->to_self,
		.to_others = x->to_others,
		.from_self = x->from_self,
		.from_others = x->from_others,
		.inside = x->inside,
		.hops = x->hops,
		.rows = x->rows,
	};

	static_assert(STORE_PATTERN_STEPS == PATTERN_STEPS, "as many steps");
	for (size_t i = 0; i < PATTERN_STEPS; i++)
		row.steps[i] = (struct store_pattern_step){
			.bytes = x->steps[i].bytes,
			.accesses = x->steps[i].accesses,
			.touched = x->steps[i].touched,
			.narrowest = x->steps[i].narrowest,
			.widest = x->steps[i].widest,
		};
	if (!r->failed)
		note(r, store_put_pattern(r->store, &row, &r->err));
	return NULL;
}

void whose_write(struct recorder *r)
{
	const char *names[BIN_CACHES];

	for (uint32_t cache = 0; cache < BIN_CACHES; cache++)
		names[cache] = whose_cache_name(r, cache);
	if (!r->failed)
		note(r, whose_sums_write(&r->whose.sums, names, r->whose.finds_conflicts, r->store,
					 &r->err));
}
