/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of accesses without their addresses, which lists refer to: most accesses of a run are
 * made by few instructions, so that three numbers are enough for one.
 */
#include "base/array.h"
#include "store/lists.h"
#include "store/row.h"
#include "store/select.h"

/* Ones that differ; then all are forgotten, and are written again. It bounds the memory. */
#define MOST_KINDS ((size_t)1 << 20)

static_assert(ACCESS_KIND_NUMBERS <= NUMBERS_MAX, "a kind of access is one inner array");

static bool is_kind_of(const struct store_access_kind *k, const struct store_access *a)
{
	return k->location == a->location && k->size == a->size && k->kind == a->kind &&
	       k->thread == a->thread && k->site == a->site && k->path == a->path &&
	       k->image == a->image;
}

static uint64_t hash_of(const struct store_access *a)
{
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	uint64_t rest = a->size | (uint64_t)a->kind << 32 | (uint64_t)a->thread << 48;

	uint64_t hash = (uint64_t)a->location * factor + (uint64_t)a->site;

	hash = (hash * factor + (uint64_t)a->path) * factor + (uint64_t)a->image;
	return hash * factor + rest;
}

static void forget_all(struct store_access_kinds *kinds)
{
	map_release(&kinds->by_hash);
	kinds->forgotten += kinds->count;
	kinds->count = 0;
}

#define NO_KIND SIZE_MAX

/* The index of the access's kind, written if new; NO_KIND after a failure. */
static size_t find_kind(struct store *s, const struct store_access *a)
{
	struct store_access_kinds *kinds = &s->access_kinds;
	int64_t numbers[ACCESS_KIND_NUMBERS] = {a->location,	     a->size, a->kind,
						a->thread,	     a->site, a->path,
						(int64_t)a->address, a->image};
	uint64_t hash = hash_of(a), first;
	size_t next = NO_KIND;

	if (map_get(&kinds->by_hash, hash, &first))
		next = (size_t)first;
	for (size_t i = next; i != NO_KIND; i = kinds->items[i].next)
		if (is_kind_of(&kinds->items[i], a))
			return i;
	if (kinds->count == MOST_KINDS) {
		forget_all(kinds);
		next = NO_KIND;
	}
	if (!ARRAY_GROW(kinds) || map_set(&kinds->by_hash, hash, kinds->count) != 0) {
		row_out_of_memory(s, NULL);
		return NO_KIND;
	}
	kinds->items[kinds->count++] = (struct store_access_kind){
		.location = a->location,
		.site = a->site,
		.path = a->path,
		.image = a->image,
		.address = a->address,
		.size = a->size,
		.kind = a->kind,
		.thread = a->thread,
		.next = next,
	};
	if (lists_add(s, PUT_ACCESSES, &s->accesses, (int64_t)(kinds->forgotten + kinds->count),
		      numbers, ACCESS_KIND_NUMBERS, NULL) != 0)
		return NO_KIND;
	return kinds->count - 1;
}

enum {
	BLOCK_NONE,
	BLOCK_FIRST, /* that of the item's first access */
	BLOCK_NEXT,  /* added to distances that are not negative */
};

static int64_t block_to_number(const struct store_access *a, const struct store_access *first)
{
	int64_t distance = (int64_t)(a->address - a->block);

	if (a->block == 0)
		return BLOCK_NONE;
	if (first != NULL && a->block == first->block)
		return BLOCK_FIRST;
	return distance >= 0 ? distance + BLOCK_NEXT : distance;
}

static uint64_t block_from_number(int64_t number, uint64_t address,
				  const struct store_access *first)
{
	if (number == BLOCK_NONE)
		return 0;
	if (number == BLOCK_FIRST)
		return first != NULL ? first->block : 0;
	return address - (uint64_t)(number > 0 ? number - BLOCK_NEXT : number);
}

void access_to_numbers(struct store *s, const struct store_access *a,
		       const struct store_access *first, int64_t numbers[ACCESS_NUMBERS])
{
	size_t index = a->location != STORE_NONE ? find_kind(s, a) : NO_KIND;
	uint64_t base = first != NULL ? first->address : 0;

	numbers[ACCESS_ID] = numbers[ACCESS_ADDRESS] = numbers[ACCESS_BLOCK] = 0;
	if (index == NO_KIND)
		return;
	if (first == NULL)
		base = s->access_kinds.items[index].address;
	numbers[ACCESS_ID] = (int64_t)(s->access_kinds.forgotten + index) + 1;
	numbers[ACCESS_ADDRESS] = (int64_t)(a->address - base);
	numbers[ACCESS_BLOCK] = block_to_number(a, first);
}

bool access_from_numbers(const struct store *s, const int64_t numbers[ACCESS_NUMBERS],
			 const struct store_access *first, struct store_access *a)
{
	uint64_t index = (uint64_t)numbers[ACCESS_ID] - 1, address;
	const struct store_access_kind *k;

	*a = (struct store_access){.location = STORE_NONE};
	if (numbers[ACCESS_ID] == 0)
		return true;
	if (index >= s->access_kinds.count)
		return false;
	k = &s->access_kinds.items[index];
	address = (first != NULL ? first->address : k->address) + (uint64_t)numbers[ACCESS_ADDRESS];
	*a = (struct store_access){
		.location = k->location,
		.address = address,
		.size = k->size,
		.kind = k->kind,
		.thread = k->thread,
		.site = k->site,
		.block = block_from_number(numbers[ACCESS_BLOCK], address, first),
		.path = k->path,
		.image = k->image,
	};
	return true;
}

static int add_kind(void *context, const struct list_item *item, struct err *err)
{
	struct store *s = context;
	const int64_t *n = item->numbers.items;

	if (item->numbers.count != ACCESS_KIND_NUMBERS ||
	    item->keys[0] + item->index != (int64_t)s->access_kinds.count + 1)
		return select_damaged(s, err);
	if (!ARRAY_GROW(&s->access_kinds))
		return err_set(err, "out of memory");
	s->access_kinds.items[s->access_kinds.count++] = (struct store_access_kind){
		.location = n[0],
		.size = (uint32_t)n[1],
		.kind = (uint16_t)n[2],
		.thread = (uint16_t)n[3],
		.site = n[4],
		.path = n[5],
		.address = (uint64_t)n[6],
		.image = n[7],
	};
	return 0;
}

int accesses_read(struct store *s, struct err *err)
{
	if (s->access_kinds.are_read)
		return 0;
	s->access_kinds.count = 0;
	if (lists_read(s, "SELECT list, first_id FROM access_batch ORDER BY first_id", STORE_ALL,
		       add_kind, s, err) != 0)
		return -1;
	s->access_kinds.are_read = true;
	return 0;
}
