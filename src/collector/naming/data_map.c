/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file of a data address, and whether the address is new. */
#include "collector/naming/data_map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

/* A target can fill only bounded memory. Beyond the limit, newly touched variables have no name. */
#define MAX_TOUCHED ((size_t)1 << 20)

#define GRANULE_BITS 3
#define PAGE_BITS    12
#define ADDRESS_BITS 47 /* of user space */
#define RANGE_SHIFT  (ADDRESS_BITS - PAGE_BITS)
#define MAX_RANGES   ((size_t)1 << 16) /* each access searches all of them */

static_assert(MAX_RANGES <= (size_t)1 << (64 - RANGE_SHIFT - 1),
	      "the key of a page holds its number");

void data_map_release(struct data_map *d)
{
	map_release(&d->touched.by_page);
	free(d->touched.items);
	map_release(&d->written);
	free(d->items);
	*d = (struct data_map){0};
}

static void widen(struct data_map *d, uint64_t low, uint64_t high)
{
	if (d->count == 1 || low < d->low)
		d->low = low;
	if (high > d->high)
		d->high = high;
}

bool data_map_again(struct data_map *d, size_t module)
{
	for (size_t i = d->count; i-- > 0;) {
		if (d->items[i].is_local || d->items[i].module != module)
			continue;
		d->items[i].is_gone = false;
		return true;
	}
	return false;
}

int data_map_add(struct data_map *d, struct symbols *symbols, const struct code_module *m,
		 size_t index)
{
	uint64_t low, high, bias;

	if (!symbols_extent(symbols, m->file, &low, &high) || d->count >= MAX_RANGES)
		return 0;
	bias = m->start - symbols_address(symbols, m->file, m->file_offset);
	if (m->start < bias + low || m->end > ((bias + high + 4095) & ~(uint64_t)4095) ||
	    (bias + high) >> ADDRESS_BITS != 0)
		return 0; /* mapped in an unusual way: the memory around it is unknown */
	if (!ARRAY_GROW(d))
		return -1;
	d->items[d->count++] = (struct data_range){bias + low, bias + high, bias, (uint32_t)index,
						   m->file,    false,	    false};
	widen(d, bias + low, bias + high);
	return 0;
}

static int add_locals(struct data_map *d, int file, uint64_t low, uint64_t high)
{
	if (d->count >= MAX_RANGES || high >> ADDRESS_BITS != 0)
		return 0;
	if (!ARRAY_GROW(d))
		return -1;
	d->items[d->count++] =
		(struct data_range){low, high, low - SYMBOLS_LOCALS, UINT32_MAX, file, false, true};
	widen(d, low, high);
	d->local_low = d->local_high == 0 || low < d->local_low ? low : d->local_low;
	d->local_high = high > d->local_high ? high : d->local_high;
	return 0;
}

int data_map_add_locals(struct data_map *d, int file, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < d->count; i++) {
		struct data_range *r = &d->items[i];

		if (!r->is_local || r->is_gone || r->low >= high || r->high <= low)
			continue;
		if (r->low == low && r->high == high && r->file == file)
			return 0; /* of an ended thread, whose stack is used again */
		r->is_gone = true;
	}
	return add_locals(d, file, low, high);
}

int data_map_inherit_locals(struct data_map *child, const struct data_map *parent)
{
	for (size_t i = 0; i < parent->count; i++) {
		const struct data_range *r = &parent->items[i];

		/* The parent's ranges do not overlap, so there is nothing to replace. */
		if (r->is_local && !r->is_gone && add_locals(child, r->file, r->low, r->high) != 0)
			return -1;
	}
	return 0;
}

void data_map_remove(struct data_map *d, size_t index)
{
	for (size_t i = 0; i < d->count; i++)
		if (!d->items[i].is_local && d->items[i].module == index)
			d->items[i].is_gone = true;
}

/* Returns the page's bits, all 0 if it is new; NULL when memory ran out. */
static struct data_page *page_of(struct data_touched *t, size_t range, uint64_t address)
{
	uint64_t key = (uint64_t)range << RANGE_SHIFT | address >> PAGE_BITS, index;

	if (map_get(&t->by_page, key, &index))
		return &t->items[index];
	if (!ARRAY_GROW(t) || map_set(&t->by_page, key, t->count) != 0)
		return NULL;
	t->items[t->count] = (struct data_page){{0}};
	return &t->items[t->count++];
}

/* Returns 1 at the first touch of these 8 bytes, else 0, or -1 when memory ran out. */
static int touch(struct data_touched *t, size_t range, uint64_t address)
{
	unsigned granule = (address & ((1u << PAGE_BITS) - 1)) >> GRANULE_BITS;
	uint64_t bit = (uint64_t)1 << granule % 64;
	struct data_page *p = page_of(t, range, address);

	if (p == NULL)
		return -1;
	if (p->bits[granule / 64] & bit)
		return 0;
	p->bits[granule / 64] |= bit;
	t->bits++;
	return 1;
}

int data_map_touch(struct data_map *d, int64_t process, uint64_t address, struct data_names *names)
{
	if (address < d->low || address >= d->high || d->touched.bits >= MAX_TOUCHED)
		return 0;
	/* From the end: a later mapping covers an earlier one. */
	for (size_t i = d->count; i-- > 0;) {
		const struct data_range *r = &d->items[i];
		struct data_question q = {&d->written, process, address - r->bias,
					  r->bias,     r->file, r->is_local};
		int is_new;

		if (r->is_gone || address < r->low || address >= r->high)
			continue;
		is_new = touch(&d->touched, i, address);
		return is_new == 1 ? data_names_add(names, &q) : is_new;
	}
	return 0;
}

bool data_map_holds(const struct data_map *d, uint64_t address)
{
	if (address < d->low || address >= d->high)
		return false;
	for (size_t i = d->count; i-- > 0;)
		if (!d->items[i].is_gone && address >= d->items[i].low &&
		    address < d->items[i].high)
			return true;
	return false;
}
