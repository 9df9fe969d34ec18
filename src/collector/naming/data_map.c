/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file of a data address, and whether the address is new. */
#include "collector/naming/data_map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

/* A target can fill only bounded memory. Beyond the limit, newly touched variables have no name. */
#define MAX_TOUCHED ((size_t)1 << 20)

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
	free(d->locals.items);
	free(d->items);
	*d = (struct data_map){0};
}

static int add_range(struct data_map *d, struct data_range r)
{
	if (!ARRAY_GROW(d))
		return -1;
	if (d->count == 0 || r.low < d->low)
		d->low = r.low;
	if (r.high > d->high)
		d->high = r.high;
	d->items[d->count++] = r;
	return 0;
}

/* A range of a new image, which is mapped now. */
static int add_image(struct data_map *d, struct data_range r, int64_t *next_image)
{
	if (d->count >= MAX_RANGES)
		return 0;
	r.first = (uint32_t)d->count;
	r.image = (*next_image)++;
	r.to = UINT64_MAX;
	return add_range(d, r);
}

/* Map the range of a known image again. */
static int add_again(struct data_map *d, struct data_range *known, struct data_range r)
{
	r.first = known->first;
	r.image = known->image;
	r.to = UINT64_MAX;
	if (d->count < MAX_RANGES)
		return add_range(d, r);
	known->to = UINT64_MAX;
	return 0;
}

int data_map_add(struct data_map *d, struct symbols *symbols, const struct code_module *m,
		 size_t index, uint64_t position, int64_t *next_image)
{
	struct data_range r = {.from = position, .module = (uint32_t)index, .file = m->file};
	uint64_t low, high;

	if (!symbols_extent(symbols, m->file, &low, &high))
		return 0;
	r.bias = m->start - symbols_address(symbols, m->file, m->file_offset);
	r.low = r.bias + low;
	r.high = r.bias + high;
	if (m->start < r.low || m->end > ((r.high + 4095) & ~(uint64_t)4095) ||
	    r.high >> ADDRESS_BITS != 0)
		return 0; /* mapped in an unusual way: the memory around it is unknown */
	for (size_t i = d->count; i-- > 0;)
		if (d->items[i].file == r.file && d->items[i].low == r.low && !d->items[i].is_local)
			return add_again(d, &d->items[i], r);
	return add_image(d, r, next_image);
}

static int add_locals(struct data_map *d, int file, uint64_t low, uint64_t high, uint64_t position,
		      int64_t *next_image)
{
	const struct data_range r = {.low = low,
				     .high = high,
				     .bias = low - SYMBOLS_LOCALS,
				     .from = position,
				     .module = UINT32_MAX,
				     .file = file,
				     .is_local = true};

	return high >> ADDRESS_BITS != 0 ? 0 : add_image(d, r, next_image);
}

int data_map_inherit_locals(struct data_map *child, const struct data_map *parent,
			    int64_t *next_image)
{
	for (size_t i = 0; i < parent->count; i++) {
		const struct data_range *r = &parent->items[i];

		/* The parent's ranges do not overlap, so there is nothing to replace. */
		if (r->is_local && r->to == UINT64_MAX &&
		    add_locals(child, r->file, r->low, r->high, 0, next_image) != 0)
			return -1;
	}
	return 0;
}

void data_map_remove(struct data_map *d, size_t module, uint64_t position)
{
	for (size_t i = d->count; i-- > 0;) {
		struct data_range *r = &d->items[i];

		if (r->is_local || r->module != module)
			continue;
		r->to = position > r->from ? position : r->from;
		return;
	}
}

/*
 * The range around the address at `position`; else, as records are not in exact order, the nearest
 * in time, unless the memory is known to be something else then.
 */
static const struct data_range *find(const struct data_map *d, uint64_t address, uint64_t position,
				     bool is_placed)
{
	const struct data_range *best = NULL;
	uint64_t best_away = is_placed ? 1 : UINT64_MAX;

	if (address < d->low || address >= d->high)
		return NULL;
	/* From the end: a later mapping covers an earlier one. */
	for (size_t i = d->count; i-- > 0 && best_away > 0;) {
		const struct data_range *r = &d->items[i];
		const uint64_t away = code_time_away(r->from, r->to, position);

		if (address < r->low || address >= r->high || away >= best_away)
			continue;
		best = r;
		best_away = away;
	}
	return best;
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

/* Returns 1 at the first touch of this byte, else 0, or -1 when memory ran out. */
static int touch(struct data_touched *t, size_t range, uint64_t address)
{
	const unsigned byte = address & ((1u << PAGE_BITS) - 1);
	const uint64_t bit = (uint64_t)1 << byte % 64;
	struct data_page *p = page_of(t, range, address);

	if (p == NULL)
		return -1;
	if (p->bits[byte / 64] & bit)
		return 0;
	p->bits[byte / 64] |= bit;
	t->bits++;
	return 1;
}

/* The first touch of an address in the range asks for its name. */
static int touch_in(struct data_map *d, const struct data_range *r, int64_t process,
		    uint64_t address, struct data_names *names)
{
	const struct data_question q = {.address = address - r->bias,
					.bias = r->bias,
					.image = r->image,
					.file = r->file,
					.is_local = r->is_local,
					.written = &d->written,
					.process = process};
	int is_new;

	if (d->touched.bits >= MAX_TOUCHED)
		return 0;
	is_new = touch(&d->touched, r->first, address);
	return is_new == 1 ? data_names_add(names, &q) : is_new;
}

int data_map_touch(struct data_map *d, int64_t process, uint64_t address, uint64_t position,
		   bool is_placed, struct data_names *names, int64_t *image)
{
	const struct data_range *r = find(d, address, position, is_placed);

	*image = r != NULL ? r->image : 0;
	return r != NULL ? touch_in(d, r, process, address, names) : 0;
}

int64_t data_map_find(const struct data_map *d, uint64_t address, uint64_t position, bool is_placed)
{
	const struct data_range *r = find(d, address, position, is_placed);

	return r != NULL ? r->image : 0;
}

/* ---- Thread-local variables ---- */

static int touch_local(struct data_map *d, size_t range, int64_t process, uint64_t offset,
		       struct data_names *names)
{
	const struct data_range *r = &d->items[range];

	return offset < r->high - r->low ? touch_in(d, r, process, r->low + offset, names) : 0;
}

int data_map_add_locals(struct data_map *d, int64_t process, int file, uint64_t low, uint64_t high,
			uint64_t position, struct data_names *names, int64_t *next_image)
{
	const size_t before = d->count;

	for (size_t i = 0; i < d->count; i++) {
		struct data_range *r = &d->items[i];

		if (!r->is_local || r->to != UINT64_MAX || r->low >= high || r->high <= low)
			continue;
		if (r->low == low && r->high == high && r->file == file)
			return 0; /* of an ended thread, whose stack is used again */
		r->to = position > r->from ? position : r->from;
	}
	if (add_locals(d, file, low, high, position, next_image) != 0)
		return -1;
	for (size_t i = 0; i < d->locals.count && before < d->count; i++)
		if (d->locals.items[i].file == file &&
		    touch_local(d, before, process, d->locals.items[i].offset, names) != 0)
			return -1;
	return 0;
}

int data_map_touch_locals(struct data_map *d, int64_t process, int file, uint64_t offset,
			  struct data_names *names, int64_t *image, uint64_t *address)
{
	*image = 0;
	*address = 0;
	if (!ARRAY_GROW(&d->locals))
		return -1;
	d->locals.items[d->locals.count++] = (struct data_local){file, offset};
	for (size_t i = 0; i < d->count; i++) {
		const struct data_range *r = &d->items[i];

		if (!r->is_local || r->file != file || offset >= r->high - r->low)
			continue;
		*image = r->image;
		*address = r->low + offset;
		if (touch_local(d, i, process, offset, names) != 0)
			return -1;
	}
	return 0;
}
