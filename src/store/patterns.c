/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads how data structures are accessed; see patterns.h. */
#include "store/patterns.h"

#include <stdlib.h>

#include "base/search.h"
#include "store/row.h"
#include "store/select.h"

static int put_step(struct store *s, int64_t structure, size_t number,
		    const struct store_pattern_step *x, struct err *err)
{
	struct row r = row_begin(s, PUT_PATTERN_STEP);

	row_int(&r, structure);
	row_int(&r, (int64_t)number);
	row_count(&r, x->bytes);
	row_count(&r, x->accesses);
	row_count(&r, x->touched);
	row_count(&r, x->narrowest);
	row_count(&r, x->widest);
	return row_end(&r, err);
}

int store_put_pattern(struct store *s, const struct store_pattern *x, struct err *err)
{
	struct row r = row_begin(s, PUT_PATTERN);

	row_int(&r, x->structure_id);
	row_count(&r, x->windows);
	row_count(&r, x->seen);
	row_count(&r, x->accesses);
	row_count(&r, x->known);
	row_count(&r, x->usual);
	row_count(&r, x->near);
	row_count(&r, x->words);
	row_count(&r, x->to_self);
	row_count(&r, x->to_others);
	row_count(&r, x->from_self);
	row_count(&r, x->from_others);
	row_count(&r, x->inside);
	row_count(&r, x->hops);
	row_count(&r, x->rows);
	if (row_end(&r, err) != 0)
		return -1;
	for (size_t i = 0; i < STORE_PATTERN_STEPS; i++)
		if (x->steps[i].bytes != 0 &&
		    put_step(s, x->structure_id, i, &x->steps[i], err) != 0)
			return -1;
	return 0;
}

static const struct select_column pattern_columns[] = {
	{SELECT_ID, offsetof(struct store_pattern, structure_id), NULL},
	{SELECT_U64, offsetof(struct store_pattern, windows), NULL},
	{SELECT_U64, offsetof(struct store_pattern, seen), NULL},
	{SELECT_U64, offsetof(struct store_pattern, accesses), NULL},
	{SELECT_U64, offsetof(struct store_pattern, known), NULL},
	{SELECT_U64, offsetof(struct store_pattern, usual), NULL},
	{SELECT_U64, offsetof(struct store_pattern, near), NULL},
	{SELECT_U64, offsetof(struct store_pattern, words), NULL},
	{SELECT_U64, offsetof(struct store_pattern, to_self), NULL},
	{SELECT_U64, offsetof(struct store_pattern, to_others), NULL},
	{SELECT_U64, offsetof(struct store_pattern, from_self), NULL},
	{SELECT_U64, offsetof(struct store_pattern, from_others), NULL},
	{SELECT_U64, offsetof(struct store_pattern, inside), NULL},
	{SELECT_U64, offsetof(struct store_pattern, hops), NULL},
	{SELECT_U64, offsetof(struct store_pattern, rows), NULL},
};

static const struct select pattern_query = {
	"SELECT structure_id, windows, seen, accesses, known, usual, near, words, to_self,"
	" to_others, from_self, from_others, inside, hops, rows FROM pattern"
	" JOIN structure ON structure.id = structure_id WHERE ?1 < 0 OR process_id = ?1"
	" ORDER BY structure_id",
	sizeof(struct store_pattern),
	SELECT_COLUMNS(pattern_columns),
	NULL,
};

struct step_row {
	int64_t structure_id;
	uint64_t number;
	struct store_pattern_step step;
};

static const struct select_column step_columns[] = {
	{SELECT_ID, offsetof(struct step_row, structure_id), NULL},
	{SELECT_U64, offsetof(struct step_row, number), NULL},
	{SELECT_U64, offsetof(struct step_row, step.bytes), NULL},
	{SELECT_U64, offsetof(struct step_row, step.accesses), NULL},
	{SELECT_U64, offsetof(struct step_row, step.touched), NULL},
	{SELECT_U64, offsetof(struct step_row, step.narrowest), NULL},
	{SELECT_U64, offsetof(struct step_row, step.widest), NULL},
};

static const struct select step_query = {
	"SELECT structure_id, number, bytes, accesses, touched, narrowest, widest FROM pattern_step"
	" JOIN structure ON structure.id = structure_id WHERE ?1 < 0 OR process_id = ?1"
	" ORDER BY structure_id, number",
	sizeof(struct step_row),
	SELECT_COLUMNS(step_columns),
	NULL,
};

static void take_steps(struct store_pattern *x, size_t count, const struct step_row *rows,
		       size_t row_count)
{
	for (size_t i = 0; i < row_count; i++) {
		const size_t at = SEARCH_FIRST(k, count, x[k].structure_id >= rows[i].structure_id);

		if (at < count && x[at].structure_id == rows[i].structure_id &&
		    rows[i].number < STORE_PATTERN_STEPS)
			x[at].steps[rows[i].number] = rows[i].step;
	}
}

int store_read_patterns(struct store *s, int64_t process, struct store_pattern **items,
			size_t *count, struct err *err)
{
	struct step_row *rows = NULL;
	size_t row_count = 0;

	if (select_all(s, &pattern_query, process, (void **)items, count, err) != 0)
		return -1;
	if (select_all(s, &step_query, process, (void **)&rows, &row_count, err) != 0) {
		free(*items);
		*items = NULL;
		return -1;
	}
	take_steps(*items, *count, rows, row_count);
	free(rows);
	return 0;
}
