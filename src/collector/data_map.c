/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From addresses that samples touched to the variables they are in. */
#include "collector/data_map.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

/* What a target can make us keep is bounded: beyond, variables that nothing else touched have no name. */
#define MAX_TOUCHED ((size_t)1 << 20)

#define GRANULE_BITS 3
#define ADDRESS_BITS 47 /* of user space */
#define RANGE_SHIFT  (ADDRESS_BITS - GRANULE_BITS)
#define MAX_RANGES   ((size_t)1 << (64 - RANGE_SHIFT - 1))
#define GRANULE_MASK (((uint64_t)1 << RANGE_SHIFT) - 1)

void data_map_release(struct data_map *d)
{
	map_release(&d->touched);
	free(d->items);
	*d = (struct data_map){0};
}

int data_map_add(struct data_map *d, const struct symbols *symbols, const struct code_module *m,
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

int data_map_touch(struct data_map *d, uint64_t address)
{
	if (address < d->low || address >= d->high || d->touched.count >= MAX_TOUCHED)
		return 0;
	/* Backwards: what was mapped last lies on top. */
	for (size_t i = d->count; i-- > 0;) {
		const struct data_range *r = &d->items[i];
		uint64_t known;

		if (r->is_gone || address < r->low || address >= r->high)
			continue;
		address = (uint64_t)i << RANGE_SHIFT | address >> GRANULE_BITS;
		return map_get(&d->touched, address, &known) ? 0 : map_set(&d->touched, address, 0);
	}
	return 0;
}

/* The keys in order of range and address. Returns NULL when memory ran out. */
static struct sort_item *sort_touched(const struct data_map *d, size_t *count)
{
	struct sort_item *sorted = calloc(d->touched.count + 1, sizeof(*sorted));

	*count = 0;
	for (size_t i = 0; sorted != NULL && i < d->touched.room; i++)
		if (d->touched.entries[i].value != 0)
			sorted[(*count)++] = (struct sort_item){d->touched.entries[i].key, 0};
	if (sorted != NULL && sort_by_key(sorted, *count) != 0) {
		free(sorted);
		return NULL;
	}
	return sorted;
}

/* What has been written already: forked modules and several mappings of a file give the same again. */
static bool is_new(struct map *written, const struct store_variable *v, bool is_section)
{
	uint64_t key = v->start << 1 | is_section, known;

	return !map_get(written, key, &known) && map_set(written, key, 0) == 0;
}

static struct store_variable to_row(const struct symbols_variable *v, const struct data_range *r,
				    int64_t process, const struct symbols *symbols)
{
	return (struct store_variable){
		.process_id = process,
		.start = v->start + r->bias,
		.end = v->end + r->bias,
		.name = v->name,
		.type = v->type,
		.file = v->file,
		.line = v->line,
		.element_size = v->element_bytes,
		.module = symbols_path(symbols, r->file),
	};
}

int data_map_finish(struct data_map *d, int64_t process, struct symbols *symbols,
		    struct store *store, int64_t *next_id, struct err *err)
{
	struct map written = {0};
	size_t count;
	struct sort_item *sorted = sort_touched(d, &count);
	struct symbols_variable last = {0};
	size_t last_range = SIZE_MAX;
	int status = 0;

	if (sorted == NULL)
		return err_set(err, "out of memory");
	for (size_t i = 0; status == 0 && i < count; i++) {
		size_t range = (size_t)(sorted[i].key >> RANGE_SHIFT);
		const struct data_range *r = &d->items[range];
		uint64_t address = ((sorted[i].key & GRANULE_MASK) << GRANULE_BITS) - r->bias;
		struct store_variable row;

		/*
		 * All of a granule that was touched counts as its first byte. A section may hold
		 * variables with names, so only of these the rest is skipped.
		 */
		if (range == last_range && !last.is_section && address < last.end)
			continue;
		if (!symbols_variable(symbols, r->file, address, &last)) {
			last = (struct symbols_variable){0};
			continue;
		}
		last_range = range;
		row = to_row(&last, r, process, symbols);
		row.id = *next_id;
		if (!is_new(&written, &row, last.is_section))
			continue;
		++*next_id;
		status = store_put_variable(store, &row, err);
	}
	map_release(&written);
	free(sorted);
	return status;
}
