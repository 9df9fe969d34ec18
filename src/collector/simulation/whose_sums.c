/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up misses by data structure, and writes the sums; see whose_sums.h. */
#include "collector/simulation/whose_sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/whose.h"

/* A place's sums: 1 + the index of each; 0: there is none. */
struct whose_place_sums {
	struct whose_place place;
	uint32_t bins[BIN_CACHES];
	uint32_t references;
};

struct whose_bin {
	uint32_t place;
	uint8_t cache;
	bool has_changed; /* since it was written */
	struct bin_counts counts;
};

struct whose_pair {
	uint32_t missed, evictor; /* places */
	uint32_t cache : 31;
	uint32_t has_changed : 1;
	uint64_t count, conflicts;
};

struct whose_references {
	uint32_t place;
	bool has_changed;
	uint64_t counted, seen, weights[BIN_WINDOW_GROUPS];
};

/* A key of two places and a cache has room for so many places. */
#define CACHE_BITS  3
#define MOST_PLACES ((size_t)1 << (32 - CACHE_BITS))

static_assert(BIN_CACHES <= 1 << CACHE_BITS, "a key holds any cache");

void whose_sums_release(struct whose_sums *s)
{
	map_release(&s->places);
	free(s->by_place.items);
	free(s->bins.items);
	map_release(&s->pairs);
	free(s->evictions.items);
	free(s->references.items);
	*s = (struct whose_sums){0};
}

/* The number of the place, which is made if it is new; -1 when memory ran out. */
static int64_t find(struct whose_sums *s, struct whose_place place)
{
	const uint64_t key = (uint64_t)place.structure << 32 ^ (uint64_t)place.location;
	uint64_t number;

	if (map_get(&s->places, key, &number))
		return (int64_t)number;
	number = s->by_place.count;
	if (number == MOST_PLACES || !ARRAY_GROW(&s->by_place) ||
	    map_set(&s->places, key, number) != 0)
		return -1;
	s->by_place.items[s->by_place.count++] = (struct whose_place_sums){.place = place};
	return (int64_t)number;
}

int whose_add_misses(struct whose_sums *s, struct whose_place place, uint32_t cache,
		     const struct bin_counts *counts)
{
	const int64_t number = find(s, place);
	struct whose_bin *b;
	uint32_t *index;

	if (number < 0)
		return -1;
	index = &s->by_place.items[number].bins[cache];
	if (*index == 0) {
		if (!ARRAY_GROW(&s->bins))
			return -1;
		s->bins.items[s->bins.count++] =
			(struct whose_bin){.place = (uint32_t)number, .cache = (uint8_t)cache};
		*index = (uint32_t)s->bins.count;
	}
	b = &s->bins.items[*index - 1];
	b->counts.missed += counts->missed;
	b->counts.cold += counts->cold;
	b->counts.by_self += counts->by_self;
	b->counts.conflicts += counts->conflicts;
	b->counts.unknown += counts->unknown;
	b->counts.above += counts->above;
	b->has_changed = true;
	return 0;
}

int whose_add_evictions(struct whose_sums *s, struct whose_place missed, struct whose_place evictor,
			uint32_t cache, uint64_t count, uint64_t conflicts)
{
	const int64_t a = find(s, missed), b = find(s, evictor);
	const uint64_t key = (uint64_t)a << 32 | (uint64_t)b << CACHE_BITS | cache;
	uint64_t index;

	if (a < 0 || b < 0)
		return -1;
	if (!map_get(&s->pairs, key, &index)) {
		index = s->evictions.count;
		if (!ARRAY_GROW(&s->evictions) || map_set(&s->pairs, key, index) != 0)
			return -1;
		s->evictions.items[s->evictions.count++] = (struct whose_pair){
			.missed = (uint32_t)a, .evictor = (uint32_t)b, .cache = cache};
	}
	s->evictions.items[index].count += count;
	s->evictions.items[index].conflicts += conflicts;
	s->evictions.items[index].has_changed = 1;
	return 0;
}

int whose_add_references(struct whose_sums *s, struct whose_place place,
			 const struct record_references *new)
{
	const int64_t number = find(s, place);
	struct whose_references *x;
	uint32_t *index;

	if (number < 0)
		return -1;
	index = &s->by_place.items[number].references;
	if (*index == 0) {
		if (!ARRAY_GROW(&s->references))
			return -1;
		s->references.items[s->references.count++] =
			(struct whose_references){.place = (uint32_t)number};
		*index = (uint32_t)s->references.count;
	}
	x = &s->references.items[*index - 1];
	x->counted += new->counted;
	x->seen += new->seen;
	for (size_t i = 0; i < BIN_WINDOW_GROUPS; i++)
		x->weights[i] += new->weights[i];
	x->has_changed = true;
	return 0;
}

/* ---- Writing ---- */

static const struct whose_place *place_of(const struct whose_sums *s, uint32_t number)
{
	return &s->by_place.items[number].place;
}

static int64_t location_of(const struct whose_place *p)
{
	return p->location != 0 ? p->location : STORE_NONE;
}

static int write_bins(struct whose_sums *s, const char *const *names, bool finds_conflicts,
		      struct store *store, struct err *err)
{
	for (size_t i = 0; i < s->bins.count; i++) {
		struct whose_bin *b = &s->bins.items[i];
		const struct store_bin row = {
			.structure_id = place_of(s, b->place)->structure,
			.location_id = place_of(s, b->place)->location,
			.cache = names[b->cache],
			.misses = b->counts.missed,
			.cold = b->counts.cold,
			.by_self = b->counts.by_self,
			.conflicts = finds_conflicts ? b->counts.conflicts : STORE_NOT_TOLD_APART,
			.unknown = b->counts.unknown,
			.above = b->counts.above,
			.id = (int64_t)i + 1,
		};

		if (b->has_changed && store_put_bin(store, &row, err) != 0)
			return -1;
		b->has_changed = false;
	}
	return 0;
}

static int write_evictions(struct whose_sums *s, const char *const *names, bool finds_conflicts,
			   struct store *store, struct err *err)
{
	for (size_t i = 0; i < s->evictions.count; i++) {
		struct whose_pair *p = &s->evictions.items[i];
		const struct store_eviction row = {
			.cache = names[p->cache],
			.structure_id = place_of(s, p->missed)->structure,
			.location_id = location_of(place_of(s, p->missed)),
			.evictor_structure_id = place_of(s, p->evictor)->structure,
			.evictor_location_id = location_of(place_of(s, p->evictor)),
			.misses = p->count,
			.conflicts = finds_conflicts ? p->conflicts : STORE_NOT_TOLD_APART,
			.id = (int64_t)i + 1,
		};

		if (p->has_changed && store_put_eviction(store, &row, err) != 0)
			return -1;
		p->has_changed = 0;
	}
	return 0;
}

static int write_references(struct whose_sums *s, struct store *store, struct err *err)
{
	static_assert(STORE_WINDOW_GROUPS == BIN_WINDOW_GROUPS, "the same groups");
	static_assert(BIN_WINDOW_REFERENCES == STORE_WINDOW_REFERENCES, "the same windows");
	for (size_t i = 0; i < s->references.count; i++) {
		struct whose_references *x = &s->references.items[i];
		struct store_references row = {
			.structure_id = place_of(s, x->place)->structure,
			.location_id = place_of(s, x->place)->location,
			.counted = x->counted,
			.seen = x->seen,
			.id = (int64_t)i + 1,
		};

		memcpy(row.weights, x->weights, sizeof(row.weights));
		if (x->has_changed && store_put_references(store, &row, err) != 0)
			return -1;
		x->has_changed = false;
	}
	return 0;
}

int whose_sums_write(struct whose_sums *s, const char *const names[BIN_CACHES],
		     bool finds_conflicts, struct store *store, struct err *err)
{
	if (write_bins(s, names, finds_conflicts, store, err) != 0 ||
	    write_evictions(s, names, finds_conflicts, store, err) != 0)
		return -1;
	return write_references(s, store, err);
}
