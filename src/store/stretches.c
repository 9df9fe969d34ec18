/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads the table of simulated stretches; see stretches.h. */
#include "store/stretches.h"

#include <stdlib.h>
#include <string.h>

#include "store/events.h"
#include "store/row.h"
#include "store/select.h"

int store_put_stretch(struct store *s, const struct store_stretch *x, struct err *err)
{
	struct row r = row_begin(s, PUT_STRETCH);

	row_int(&r, x->process_id);
	row_count(&r, x->number);
	row_text(&r, x->cache);
	row_count(&r, x->signs);
	row_count(&r, x->start);
	row_count(&r, x->accesses);
	row_count(&r, x->instructions);
	row_count(&r, x->misses);
	row_count(&r, x->unknown);
	row_count(&r, x->above);
	row_count(&r, x->late);
	row_count(&r, x->half);
	row_count(&r, x->timed);
	row_count(&r, x->dead);
	row_count(&r, x->dead_late);
	return row_end(&r, err);
}

static const struct select_column columns[] = {
	{SELECT_ID, offsetof(struct store_stretch, process_id), NULL},
	{SELECT_U64, offsetof(struct store_stretch, number), NULL},
	{SELECT_TEXT, offsetof(struct store_stretch, cache), "LL"},
	{SELECT_U64, offsetof(struct store_stretch, signs), NULL},
	{SELECT_U64, offsetof(struct store_stretch, start), NULL},
	{SELECT_U64, offsetof(struct store_stretch, accesses), NULL},
	{SELECT_U64, offsetof(struct store_stretch, instructions), NULL},
	{SELECT_U64, offsetof(struct store_stretch, misses), NULL},
	{SELECT_U64, offsetof(struct store_stretch, unknown), NULL},
	{SELECT_U64, offsetof(struct store_stretch, above), NULL},
	{SELECT_U64, offsetof(struct store_stretch, late), NULL},
	{SELECT_U64, offsetof(struct store_stretch, half), NULL},
	{SELECT_U64, offsetof(struct store_stretch, timed), NULL},
	{SELECT_U64, offsetof(struct store_stretch, dead), NULL},
	{SELECT_U64, offsetof(struct store_stretch, dead_late), NULL},
};

static const struct select query = {
	"SELECT process_id, number, cache, signs, start, accesses, instructions, misses, unknown,"
	" above, late, half, timed, dead, dead_late FROM stretch"
	" WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, number, cache",
	sizeof(struct store_stretch),
	SELECT_COLUMNS(columns),
	NULL,
};

int store_read_stretches(struct store *s, int64_t process, struct store_stretch **items,
			 size_t *count, struct err *err)
{
	return select_all(s, &query, process, (void **)items, count, err);
}

/* ---- Contrasts ---- */

int store_put_contrasts(struct store *s, const struct store_contrasts *x, struct err *err)
{
	struct row r = row_begin(s, PUT_CONTRASTS);

	row_id(&r, x->id != 0 ? x->id : STORE_NONE);
	row_int(&r, x->process_id);
	row_id(&r, x->structure_id);
	row_int(&r, x->location_id);
	row_text(&r, x->cache);
	for (size_t i = 0; i < STORE_CONTRASTS; i++)
		row_int(&r, x->known[i]);
	for (size_t i = 0; i < STORE_CONTRASTS; i++)
		row_int(&r, x->unknown[i]);
	return row_end(&r, err);
}

#define ONE(of, n)                                                        \
	{                                                                 \
		SELECT_U64, offsetof(struct store_contrasts, of[n]), NULL \
	}
#define FOUR(of, n) ONE(of, n), ONE(of, (n) + 1), ONE(of, (n) + 2), ONE(of, (n) + 3)
#define ALL(of)	    FOUR(of, 0), FOUR(of, 4), FOUR(of, 8), FOUR(of, 12)

_Static_assert(STORE_CONTRASTS == 16, "as many columns");

static const struct select_column contrast_columns[] = {
	{SELECT_ID, offsetof(struct store_contrasts, process_id), NULL},
	{SELECT_ID, offsetof(struct store_contrasts, structure_id), NULL},
	{SELECT_ID, offsetof(struct store_contrasts, location_id), NULL},
	{SELECT_TEXT, offsetof(struct store_contrasts, cache), "LL"},
	ALL(known),
	ALL(unknown),
};

static const struct select contrast_query = {
	"SELECT process_id, structure_id, location_id, cache, k0, k1, k2, k3, k4, k5, k6, k7, k8,"
	" k9, k10, k11, k12, k13, k14, k15, u0, u1, u2, u3, u4, u5, u6, u7, u8, u9, u10, u11, u12,"
	" u13, u14, u15 FROM contrast WHERE ?1 < 0 OR process_id = ?1"
	" ORDER BY structure_id, location_id, cache",
	sizeof(struct store_contrasts),
	SELECT_COLUMNS(contrast_columns),
	NULL,
};

int store_read_contrasts(struct store *s, int64_t process, struct store_contrasts **items,
			 size_t *count, struct err *err)
{
	return select_all(s, &contrast_query, process, (void **)items, count, err);
}

/* ---- What stretches saw ---- */

static bool is_among(const char *const *names, const char *name)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

int store_read_ways(struct store *s, const char *cache, uint64_t *ways, struct err *err)
{
	struct store_geometry *g;
	size_t count;
	const char *comma;

	*ways = 0;
	if (store_read_geometry(s, &g, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		comma = strchr(g[i].value, ','); /* "16K,1,64,lru" */
		if (strcmp(g[i].name, cache) == 0 && comma != NULL)
			*ways = strtoull(comma + 1, NULL, 10);
	}
	free(g);
	return 0;
}

struct store_stretch store_stretch_sums(const struct store_stretch *x, size_t count,
					const char *cache)
{
	struct store_stretch sum = {0};

	for (size_t i = 0; i < count; i++) {
		if (strcmp(x[i].cache, cache) != 0)
			continue;
		sum.misses += x[i].misses;
		sum.unknown += x[i].unknown;
		sum.above += x[i].above;
		sum.late += x[i].late;
		sum.half += x[i].half;
		sum.timed += x[i].timed;
		sum.dead += x[i].dead;
		sum.dead_late += x[i].dead_late;
	}
	return sum;
}

struct store_lengths store_stretch_lengths(const struct store_stretch *x, size_t count,
					   int64_t process)
{
	struct store_lengths l = {0};

	for (size_t i = 0; i < count; i++) {
		const bool is_next = i > 0 && x[i].process_id == x[i - 1].process_id &&
				     x[i].number == x[i - 1].number;

		if (x[i].process_id != process || is_next)
			continue;
		l.accesses += (double)x[i].accesses;
		for (size_t k = 0; k < STORE_CONTRASTS; k++)
			l.contrasts[k] += x[i].signs >> k & 1 ? (double)x[i].accesses
							      : -(double)x[i].accesses;
	}
	return l;
}

int store_stretch_series(const struct store_stretch *x, size_t count, const char *const *caches,
			 struct store_series *s, struct err *err)
{
	const struct store_stretch *last = NULL;

	s->known = calloc(4 * count + 1, sizeof(*s->known));
	if (s->known == NULL)
		return err_set(err, "not enough memory for %zu stretches", count);
	s->unknown = s->known + count;
	s->above = s->unknown + count;
	s->accesses = s->above + count;
	s->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!is_among(caches, x[i].cache))
			continue;
		if (last == NULL || last->process_id != x[i].process_id ||
		    last->number != x[i].number)
			s->count++;
		last = &x[i];
		s->accesses[s->count - 1] = (double)x[i].accesses;
		s->known[s->count - 1] += (double)(x[i].misses - x[i].unknown - x[i].above);
		s->unknown[s->count - 1] += (double)x[i].unknown;
		s->above[s->count - 1] += (double)x[i].above;
	}
	return 0;
}
