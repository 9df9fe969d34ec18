/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up misses by data structure, and writes the sums; see whose_sums.h. */
#include "collector/simulation/whose_sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/stretches.h"
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

/* Of a pair; in memory of their own, as they are only of sampled simulations. */
struct whose_pair_contrasts {
	int64_t sums[STRETCH_CONTRASTS];
};

struct whose_contrasts {
	uint32_t place;
	uint32_t cache : 31;
	uint32_t has_changed : 1;
	int64_t process;
	int64_t sums[STRETCH_MISSES][STRETCH_CONTRASTS];
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
	free(s->eviction_contrasts.items);
	free(s->references.items);
	map_release(&s->contrast_index);
	free(s->contrasts.items);
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
	for (size_t i = 0; i < BIN_SEEN; i++)
		b->counts.seen[i] += counts->seen[i];
	b->has_changed = true;
	return 0;
}

/* To those of the pair of that index. */
static int add_contrasts(struct whose_sums *s, uint64_t index,
			 const int64_t contrasts[STRETCH_CONTRASTS])
{
	static const int64_t none[STRETCH_CONTRASTS];

	if (memcmp(contrasts, none, sizeof(none)) == 0)
		return 0;
	while (s->eviction_contrasts.count <= index) {
		if (!ARRAY_GROW(&s->eviction_contrasts))
			return -1;
		s->eviction_contrasts.items[s->eviction_contrasts.count++] =
			(struct whose_pair_contrasts){0};
	}
	for (size_t i = 0; i < STRETCH_CONTRASTS; i++)
		s->eviction_contrasts.items[index].sums[i] += contrasts[i];
	return 0;
}

int whose_add_evictions(struct whose_sums *s, struct whose_place missed, struct whose_place evictor,
			uint32_t cache, uint64_t count, uint64_t conflicts,
			const int64_t contrasts[STRETCH_CONTRASTS])
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
	return add_contrasts(s, index, contrasts);
}

int whose_add_contrasts(struct whose_sums *s, struct whose_place place, int64_t process,
			const struct record_contrasts *new)
{
	const int64_t number = find(s, place);
	const uint64_t key = (uint64_t)number << CACHE_BITS | new->cache;
	struct whose_contrasts *x;
	uint64_t index;

	if (number < 0)
		return -1;
	if (!map_get(&s->contrast_index, key, &index)) {
		index = s->contrasts.count;
		if (!ARRAY_GROW(&s->contrasts) || map_set(&s->contrast_index, key, index) != 0)
			return -1;
		s->contrasts.items[s->contrasts.count++] =
			(struct whose_contrasts){.place = (uint32_t)number,
						 .cache = (uint32_t) new->cache &INT32_MAX,
						 .process = process};
	}
	x = &s->contrasts.items[index];
	for (size_t kind = 0; kind < STRETCH_MISSES; kind++)
		for (size_t i = 0; i < STRETCH_CONTRASTS; i++)
			x->sums[kind][i] += new->sums[kind][i];
	x->has_changed = 1;
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
		struct store_bin row = {
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

		static_assert(STORE_SEEN == BIN_SEEN, "the same counts");
		memcpy(row.seen, b->counts.seen, sizeof(row.seen));
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
		struct store_eviction row = {
			.cache = names[p->cache],
			.structure_id = place_of(s, p->missed)->structure,
			.location_id = location_of(place_of(s, p->missed)),
			.evictor_structure_id = place_of(s, p->evictor)->structure,
			.evictor_location_id = location_of(place_of(s, p->evictor)),
			.misses = p->count,
			.conflicts = finds_conflicts ? p->conflicts : STORE_NOT_TOLD_APART,
			.id = (int64_t)i + 1,
		};

		if (i < s->eviction_contrasts.count)
			memcpy(row.contrasts, s->eviction_contrasts.items[i].sums,
			       sizeof(row.contrasts));
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

static int write_contrasts(struct whose_sums *s, const char *const *names, struct store *store,
			   struct err *err)
{
	static_assert(STORE_CONTRASTS == STRETCH_CONTRASTS, "the same contrasts");
	for (size_t i = 0; i < s->contrasts.count; i++) {
		struct whose_contrasts *x = &s->contrasts.items[i];
		struct store_contrasts row = {
			.process_id = x->process,
			.structure_id = place_of(s, x->place)->structure,
			.location_id = place_of(s, x->place)->location,
			.cache = names[x->cache],
			.id = (int64_t)i + 1,
		};

		if (row.structure_id == 0)
			row.structure_id = STORE_NONE;
		memcpy(row.known, x->sums[0], sizeof(row.known));
		memcpy(row.unknown, x->sums[1], sizeof(row.unknown));
		if (x->has_changed && store_put_contrasts(store, &row, err) != 0)
			return -1;
		x->has_changed = 0;
	}
	return 0;
}

int whose_sums_write(struct whose_sums *s, const char *const names[BIN_CACHES],
		     bool finds_conflicts, struct store *store, struct err *err)
{
	if (write_bins(s, names, finds_conflicts, store, err) != 0 ||
	    write_evictions(s, names, finds_conflicts, store, err) != 0 ||
	    write_contrasts(s, names, store, err) != 0)
		return -1;
	return write_references(s, store, err);
}
