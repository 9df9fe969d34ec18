/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file an address of data belongs to, and whether it is new. */
#include "collector/data_map.h"

#include <stdlib.h>

#include "base/array.h"

/* What a target can make us keep is bounded: beyond, variables that nothing else touched have no name. */
#define MAX_TOUCHED ((size_t)1 << 20)

#define GRANULE_BITS 3
#define ADDRESS_BITS 47 /* of user space */
#define RANGE_SHIFT  (ADDRESS_BITS - GRANULE_BITS)
#define MAX_RANGES   ((size_t)1 << (64 - RANGE_SHIFT - 1))

void data_map_release(struct data_map *d)
{
	map_release(&d->touched);
	map_release(&d->written);
	free(d->items);
	*d = (struct data_map){0};
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
		return 0; /* the file was mapped in a way of its own: what lies around is unknown */
	if (!ARRAY_GROW(d))
		return -1;
	d->items[d->count++] =
		(struct data_range){bias + low, bias + high, bias, (uint32_t)index, m->file, false};
	if (d->count == 1 || bias + low < d->low)
		d->low = bias + low;
	if (bias + high > d->high)
		d->high = bias + high;
	return 0;
}

void data_map_remove(struct data_map *d, size_t index)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->items[i].module == index)
			d->items[i].is_gone = true;
}

int data_map_touch(struct data_map *d, int64_t process, uint64_t address, struct data_names *names)
{
	if (address < d->low || address >= d->high || d->touched.count >= MAX_TOUCHED)
		return 0;
	/* Backwards: what was mapped last lies on top. */
	for (size_t i = d->count; i-- > 0;) {
		const struct data_range *r = &d->items[i];
		uint64_t key = (uint64_t)i << RANGE_SHIFT | address >> GRANULE_BITS, known;
		struct data_question q = {&d->written, process, address - r->bias, r->bias,
					  r->file};

		if (r->is_gone || address < r->low || address >= r->high)
			continue;
		if (map_get(&d->touched, key, &known))
			return 0;
		return map_set(&d->touched, key, 0) == 0 && data_names_add(names, &q) == 0 ? 0 : -1;
	}
	return 0;
}
