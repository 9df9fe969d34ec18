/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ordered pieces of the address space, in chunks; see intervals.h. */
#include "engine/core/intervals.h"

#include "engine/core/search.h"

/*
 * Neighbours with at most this many elements together are merged, so that chunks stay well filled.
 */
#define MERGED (INTERVALS_CHUNK / 2)

/* An entry of the directory. */
struct chunk {
	uint64_t end; /* of its last element */
	uint32_t count;
	uint32_t number; /* where its elements are */
};

static struct chunk *chunk_at(const struct intervals *l, uint32_t i)
{
	return (struct chunk *)(void *)l->directory.base + i;
}

static uint64_t chunk_bytes(const struct intervals *l)
{
	return (uint64_t)l->element_bytes * INTERVALS_CHUNK;
}

static uint8_t *elements(const struct intervals *l, const struct chunk *c)
{
	return l->chunks.base + c->number * chunk_bytes(l);
}

static struct interval *element(const struct intervals *l, const struct chunk *c, uint32_t i)
{
	return (struct interval *)(void *)(elements(l, c) + (uint64_t)i * l->element_bytes);
}

int intervals_init(struct intervals *l, uint32_t element_bytes, uint32_t most)
{
	/* two neighbours have more than MERGED elements together */
	uint64_t chunks = 2 * (uint64_t)most / MERGED + 2;

	*l = (struct intervals){.element_bytes = element_bytes};
	if (grow_init(&l->chunks, chunks * chunk_bytes(l)) != 0 ||
	    grow_init(&l->directory, chunks * sizeof(struct chunk)) != 0)
		return -1;
	return 0;
}

/* The index of the first chunk that ends above address; chunk_count if there is none. */
static uint32_t chunk_after(const struct intervals *l, uint64_t address)
{
	return SEARCH_FIRST(i, l->chunk_count, chunk_at(l, i)->end > address);
}

static uint32_t element_after(const struct intervals *l, const struct chunk *c, uint64_t address)
{
	return SEARCH_FIRST(i, c->count, element(l, c, i)->end > address);
}

void *intervals_after(const struct intervals *l, uint64_t address)
{
	uint32_t i = chunk_after(l, address);
	const struct chunk *c = chunk_at(l, i);

	return i < l->chunk_count ? element(l, c, element_after(l, c, address)) : 0;
}

/* Inserts an empty chunk at index i of the directory. */
static struct chunk *add_chunk(struct intervals *l, uint32_t i)
{
	struct chunk *c;
	uint32_t number;

	if (l->directory.reserved < (l->chunk_count + 1ull) * sizeof *c)
		return 0;
	if (l->unused) {
		number = l->unused - 1;
		memcpy(&l->unused, l->chunks.base + number * chunk_bytes(l), sizeof l->unused);
	} else {
		number = (uint32_t)(l->chunks.used / chunk_bytes(l));
		if (!grow_take(&l->chunks, chunk_bytes(l)))
			return 0;
	}
	c = chunk_at(l, i);
	memmove(c + 1, c, (l->chunk_count - i) * sizeof *c);
	l->chunk_count++;
	*c = (struct chunk){.number = number};
	return c;
}

static void remove_chunk(struct intervals *l, uint32_t i)
{
	struct chunk *c = chunk_at(l, i);

	memcpy(elements(l, c), &l->unused, sizeof l->unused);
	l->unused = c->number + 1;
	l->chunk_count--;
	memmove(c, c + 1, (l->chunk_count - i) * sizeof *c);
}

static void note_end(const struct intervals *l, struct chunk *c)
{
	c->end = element(l, c, c->count - 1)->end;
}

/* Moves the upper half of a full chunk to a new one behind it. */
static bool halve(struct intervals *l, uint32_t i)
{
	struct chunk *upper = add_chunk(l, i + 1), *c = chunk_at(l, i);

	if (!upper)
		return false;
	upper->count = c->count / 2;
	c->count -= upper->count;
	memcpy(elements(l, upper), element(l, c, c->count),
	       (uint64_t)upper->count * l->element_bytes);
	note_end(l, upper);
	note_end(l, c);
	return true;
}

bool intervals_insert(struct intervals *l, const void *new)
{
	const uint64_t start = ((const struct interval *)new)->start;
	uint32_t i = chunk_after(l, start), at;
	struct chunk *c;

	if (l->chunk_count == 0 && !add_chunk(l, 0))
		return false;
	i -= i > 0 && i == l->chunk_count; /* behind all others: into the last one */
	if (chunk_at(l, i)->count == INTERVALS_CHUNK) {
		if (!halve(l, i))
			return false;
		i += chunk_at(l, i)->end <= start;
	}
	c = chunk_at(l, i);
	at = element_after(l, c, start);
	memmove(element(l, c, at + 1), element(l, c, at),
		(uint64_t)(c->count - at) * l->element_bytes);
	memcpy(element(l, c, at), new, l->element_bytes);
	c->count++;
	note_end(l, c);
	return true;
}

/* Merges chunk i and the next one, if they have few elements. */
static void merge(struct intervals *l, uint32_t i)
{
	struct chunk *c = chunk_at(l, i), *next = c + 1;

	if (i + 1 >= l->chunk_count || c->count + next->count > MERGED)
		return;
	memcpy(element(l, c, c->count), elements(l, next),
	       (uint64_t)next->count * l->element_bytes);
	c->count += next->count;
	note_end(l, c);
	remove_chunk(l, i + 1);
}

void intervals_remove(struct intervals *l, void *old)
{
	uint32_t i = chunk_after(l, ((struct interval *)old)->start);
	struct chunk *c = chunk_at(l, i);
	uint32_t at = (uint32_t)(((uint8_t *)old - elements(l, c)) / l->element_bytes);

	c->count--;
	memmove(old, (uint8_t *)old + l->element_bytes,
		(uint64_t)(c->count - at) * l->element_bytes);
	if (c->count == 0) {
		remove_chunk(l, i);
		return;
	}
	note_end(l, c);
	merge(l, i);
	if (i > 0)
		merge(l, i - 1);
}

void intervals_set_end(struct intervals *l, void *changed, uint64_t end)
{
	struct chunk *c = chunk_at(l, chunk_after(l, ((struct interval *)changed)->start));

	((struct interval *)changed)->end = end;
	note_end(l, c);
}
