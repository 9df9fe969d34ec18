/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads the tables of misses by data structure; see whose.h. */
#include "store/whose.h"

#include "store/row.h"
#include "store/select.h"

const char *const store_structure_kinds[STORE_STRUCTURE_KINDS] = {
	[STORE_OF_UNKNOWN] = "unknown",
	[STORE_OF_SITE] = "site",
	[STORE_OF_VARIABLE] = "variable",
	[STORE_OF_CODE] = "code",
};

int store_put_structure(struct store *s, const struct store_structure *x, struct err *err)
{
	struct row r = row_begin(s, PUT_STRUCTURE);

	row_int(&r, x->id);
	row_int(&r, x->process_id);
	row_text(&r, x->kind);
	row_id(&r, x->site_id);
	row_count(&r, x->start);
	row_count(&r, x->end);
	row_int(&r, x->image);
	return row_end(&r, err);
}

static void row_conflicts(struct row *r, uint64_t n)
{
	if (n == STORE_NOT_TOLD_APART)
		row_null(r);
	else
		row_count(r, n);
}

static void put_id(struct row *r, int64_t id)
{
	row_id(r, id != 0 ? id : STORE_NONE);
}

int store_put_bin(struct store *s, const struct store_bin *b, struct err *err)
{
	struct row r = row_begin(s, PUT_BIN);

	put_id(&r, b->id);
	row_int(&r, b->structure_id);
	row_int(&r, b->location_id);
	row_text(&r, b->cache);
	row_count(&r, b->misses);
	row_count(&r, b->cold);
	row_count(&r, b->by_self);
	row_conflicts(&r, b->conflicts);
	row_count(&r, b->unknown);
	row_count(&r, b->above);
	for (size_t i = 0; i < STORE_SEEN; i++)
		row_count(&r, b->seen[i]);
	return row_end(&r, err);
}

int store_put_eviction(struct store *s, const struct store_eviction *e, struct err *err)
{
	struct row r = row_begin(s, PUT_EVICTION);

	put_id(&r, e->id);
	row_text(&r, e->cache);
	row_int(&r, e->structure_id);
	row_id(&r, e->location_id);
	row_int(&r, e->evictor_structure_id);
	row_id(&r, e->evictor_location_id);
	row_count(&r, e->misses);
	row_conflicts(&r, e->conflicts);
	for (size_t i = 0; i < STORE_CONTRASTS; i++)
		row_int(&r, e->contrasts[i]);
	return row_end(&r, err);
}

int store_put_references(struct store *s, const struct store_references *x, struct err *err)
{
	struct row r = row_begin(s, PUT_REFERENCES);

	put_id(&r, x->id);
	row_int(&r, x->structure_id);
	row_int(&r, x->location_id);
	row_count(&r, x->counted);
	row_count(&r, x->seen);
	for (size_t i = 0; i < STORE_WINDOW_GROUPS; i++)
		row_count(&r, x->weights[i]);
	return row_end(&r, err);
}

static const struct select_column structure_columns[] = {
	{SELECT_ID, offsetof(struct store_structure, id), NULL},
	{SELECT_ID, offsetof(struct store_structure, process_id), NULL},
	{SELECT_TEXT, offsetof(struct store_structure, kind), "unknown"},
	{SELECT_ID, offsetof(struct store_structure, site_id), NULL},
	{SELECT_U64, offsetof(struct store_structure, start), NULL},
	{SELECT_U64, offsetof(struct store_structure, end), NULL},
	{SELECT_ID, offsetof(struct store_structure, image), NULL},
};

static const struct select structure_query = {
	"SELECT id, process_id, kind, site_id, start, end, image FROM structure"
	" WHERE ?1 < 0 OR process_id = ?1 ORDER BY id",
	sizeof(struct store_structure),
	SELECT_COLUMNS(structure_columns),
	NULL,
};

int store_read_structures(struct store *s, int64_t process, struct store_structure **items,
			  size_t *count, struct err *err)
{
	return select_all(s, &structure_query, process, (void **)items, count, err);
}

static const struct select_column bin_columns[] = {
	{SELECT_ID, offsetof(struct store_bin, structure_id), NULL},
	{SELECT_ID, offsetof(struct store_bin, location_id), NULL},
	{SELECT_TEXT, offsetof(struct store_bin, cache), "LL"},
	{SELECT_U64, offsetof(struct store_bin, misses), NULL},
	{SELECT_U64, offsetof(struct store_bin, cold), NULL},
	{SELECT_U64, offsetof(struct store_bin, by_self), NULL},
	{SELECT_END, offsetof(struct store_bin, conflicts), NULL},
	{SELECT_U64, offsetof(struct store_bin, unknown), NULL},
	{SELECT_U64, offsetof(struct store_bin, above), NULL},
	{SELECT_U64, offsetof(struct store_bin, seen[0]), NULL},
	{SELECT_U64, offsetof(struct store_bin, seen[1]), NULL},
	{SELECT_U64, offsetof(struct store_bin, seen[2]), NULL},
};

_Static_assert(STORE_NOT_TOLD_APART == UINT64_MAX, "as SELECT_END has it");

static const struct select bin_query = {
	"SELECT structure_id, location_id, cache, misses, cold, by_self, conflicts, unknown, above,"
	" seen1, seen2, seen3 FROM bin"
	" JOIN structure ON structure.id = structure_id WHERE ?1 < 0 OR process_id = ?1",
	sizeof(struct store_bin),
	SELECT_COLUMNS(bin_columns),
	NULL,
};

int store_read_bins(struct store *s, int64_t process, struct store_bin **items, size_t *count,
		    struct err *err)
{
	return select_all(s, &bin_query, process, (void **)items, count, err);
}

#define CONTRAST(n)                                                             \
	{                                                                       \
		SELECT_U64, offsetof(struct store_eviction, contrasts[n]), NULL \
	}
#define FOUR_CONTRASTS(n) CONTRAST(n), CONTRAST((n) + 1), CONTRAST((n) + 2), CONTRAST((n) + 3)

static const struct select_column eviction_columns[] = {
	{SELECT_TEXT, offsetof(struct store_eviction, cache), "LL"},
	{SELECT_ID, offsetof(struct store_eviction, structure_id), NULL},
	{SELECT_ID, offsetof(struct store_eviction, location_id), NULL},
	{SELECT_ID, offsetof(struct store_eviction, evictor_structure_id), NULL},
	{SELECT_ID, offsetof(struct store_eviction, evictor_location_id), NULL},
	{SELECT_U64, offsetof(struct store_eviction, misses), NULL},
	{SELECT_END, offsetof(struct store_eviction, conflicts), NULL},
	FOUR_CONTRASTS(0),
	FOUR_CONTRASTS(4),
	FOUR_CONTRASTS(8),
	FOUR_CONTRASTS(12),
};

static const struct select eviction_query = {
	"SELECT cache, structure_id, location_id, evictor_structure_id, evictor_location_id,"
	" misses, conflicts, k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15"
	" FROM eviction JOIN structure ON structure.id = structure_id"
	" WHERE ?1 < 0 OR process_id = ?1",
	sizeof(struct store_eviction),
	SELECT_COLUMNS(eviction_columns),
	NULL,
};

int store_read_evictions(struct store *s, int64_t process, struct store_eviction **items,
			 size_t *count, struct err *err)
{
	return select_all(s, &eviction_query, process, (void **)items, count, err);
}

#define WEIGHT(n)                                                               \
	{                                                                       \
		SELECT_U64, offsetof(struct store_references, weights[n]), NULL \
	}
#define FOUR_WEIGHTS(n) WEIGHT(n), WEIGHT((n) + 1), WEIGHT((n) + 2), WEIGHT((n) + 3)

static const struct select_column reference_columns[] = {
	{SELECT_ID, offsetof(struct store_references, structure_id), NULL},
	{SELECT_ID, offsetof(struct store_references, location_id), NULL},
	{SELECT_U64, offsetof(struct store_references, counted), NULL},
	{SELECT_U64, offsetof(struct store_references, seen), NULL},
	FOUR_WEIGHTS(0),
	FOUR_WEIGHTS(4),
	FOUR_WEIGHTS(8),
	FOUR_WEIGHTS(12),
};

static const struct select reference_query = {
	"SELECT structure_id, location_id, counted, seen, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9,"
	" w10, w11, w12, w13, w14, w15 FROM reference"
	" JOIN structure ON structure.id = structure_id WHERE ?1 < 0 OR process_id = ?1"
	" ORDER BY structure_id, location_id",
	sizeof(struct store_references),
	SELECT_COLUMNS(reference_columns),
	NULL,
};

int store_read_references(struct store *s, int64_t process, struct store_references **items,
			  size_t *count, struct err *err)
{
	return select_all(s, &reference_query, process, (void **)items, count, err);
}

bool store_has_bins(struct store *s)
{
	sqlite3_stmt *q = NULL;
	bool has = select_prepare(s, "SELECT 1 FROM bin LIMIT 1", STORE_ALL, &q, NULL) == 0 &&
		   sqlite3_step(q) == SQLITE_ROW;

	sqlite3_finalize(q);
	return has;
}
