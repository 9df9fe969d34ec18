/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes types with their members to the store; see layouts.h. */
#include "collector/naming/layouts.h"

#include "store/layouts.h"

void layouts_release(struct layouts *l)
{
	map_release(&l->ids);
	*l = (struct layouts){0};
}

/* FNV-1a. */
#define HASH_FIRST 0xcbf29ce484222325u

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	return (hash ^ number) * 0x100000001b3u;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = hash_number(hash, (unsigned char)*text);
	return hash_number(hash, 0);
}

/* Of 64 bits: among a million types, two share one with a chance below 1 in 10^7. */
static uint64_t hash_of(const struct symbols_layout *x)
{
	uint64_t hash = hash_number(hash_text(HASH_FIRST, x->type), x->bytes);

	for (size_t i = 0; i < x->member_count; i++) {
		const struct symbols_member *m = &x->members[i];

		hash = hash_number(hash_number(hash, m->depth), m->offset);
		hash = hash_number(hash_number(hash, m->bytes), m->elements);
		hash = hash_number(hash, m->form);
		hash = hash_text(hash_text(hash, m->name), m->type);
	}
	return hash ^ hash >> 29;
}

static int put(const struct symbols_layout *x, int64_t id, struct store *store, struct err *err)
{
	const struct store_layout row = {.id = id, .type = x->type, .bytes = x->bytes};
	int status = store_put_layout(store, &row, err);

	for (size_t i = 0; status == 0 && i < x->member_count; i++) {
		const struct symbols_member *m = &x->members[i];
		const struct store_member member = {
			.layout_id = id,
			.number = (uint32_t)i,
			.depth = m->depth,
			.offset = m->offset,
			.bytes = m->bytes,
			.elements = m->elements,
			.form = m->form,
			.name = m->name,
			.type = m->type,
		};

		status = store_put_member(store, &member, err);
	}
	return status;
}

int layouts_put(struct layouts *l, const struct symbols_layout *x, struct store *store, int64_t *id,
		struct err *err)
{
	const uint64_t hash = x != NULL ? hash_of(x) : 0;
	uint64_t known = 0;

	if (x == NULL || map_get(&l->ids, hash, &known)) {
		*id = (int64_t)known;
		return 0;
	}
	*id = ++l->last_id;
	if (map_set(&l->ids, hash, (uint64_t)*id) != 0)
		return err_set(err, "out of memory");
	return put(x, *id, store, err);
}
