/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks about instructions, in order of file and address; see operands.h. */
#include "collector/naming/operands.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "store/layouts.h"

#define ASK_MOST ((size_t)256)

void operands_release(struct operands *o)
{
	free(o->items);
	map_release(&o->known);
	*o = (struct operands){0};
}

int operands_add(struct operands *o, int64_t location)
{
	uint64_t known;

	if (map_get(&o->known, (uint64_t)location, &known))
		return 0;
	if (!ARRAY_GROW(o) || map_set(&o->known, (uint64_t)location, 1) != 0)
		return -1;
	o->items[o->count++] = location;
	return 0;
}

/* Those in no file are left out. Returns the number, or -1 when memory ran out. */
static int64_t put_in_order(const struct operands *o, const struct naming *n,
			    struct sort_item *order)
{
	size_t count = 0;

	for (size_t i = 0; i < o->count; i++)
		if (naming_file(n, o->items[i]) >= 0)
			order[count++] = (struct sort_item){naming_address(n, o->items[i]),
							    (size_t)o->items[i]};
	if (sort_by_key(order, count) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		order[i].key = (uint64_t)naming_file(n, (int64_t)order[i].index);
	return sort_by_key(order, count) == 0 ? (int64_t)count : -1;
}

/* Ask about instructions of one file, and write the answers. */
static int ask(const struct sort_item *order, size_t count, const struct naming *n,
	       struct symbols *symbols, struct store *store, struct err *err)
{
	struct symbols_operand found[ASK_MOST];
	uint64_t addresses[ASK_MOST];

	for (size_t i = 0; i < count; i++)
		addresses[i] = naming_address(n, (int64_t)order[i].index);
	symbols_operands(symbols, (int)order[0].key, addresses, count, found);
	for (size_t i = 0; i < count; i++) {
		const struct store_operand row = {.location_id = (int64_t)order[i].index,
						  .bytes = found[i].bytes,
						  .form = found[i].form};

		if (found[i].bytes > 0 && store_put_operand(store, &row, err) != 0)
			return -1;
	}
	return 0;
}

int operands_find(struct operands *o, const struct naming *n, struct symbols *symbols,
		  struct store *store, struct err *err)
{
	struct sort_item *order = calloc(o->count + 1, sizeof(*order));
	const int64_t count = order != NULL ? put_in_order(o, n, order) : -1;
	int status = count < 0 ? err_set(err, "out of memory") : 0;

	for (size_t i = 0, same; status == 0 && i < (size_t)count; i += same) {
		for (same = 1; same < ASK_MOST && i + same < (size_t)count; same++)
			if (order[i + same].key != order[i].key)
				break;
		status = ask(order + i, same, n, symbols, store, err);
	}
	free(order);
	operands_release(o);
	return status;
}
