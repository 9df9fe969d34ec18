/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads the tables of types, members and ranges; see layouts.h. */
#include "store/layouts.h"

#include "store/row.h"
#include "store/select.h"

int store_put_layout(struct store *s, const struct store_layout *x, struct err *err)
{
	struct row r = row_begin(s, PUT_LAYOUT);

	row_int(&r, x->id);
	row_text(&r, x->type);
	row_count(&r, x->bytes);
	return row_end(&r, err);
}

int store_put_member(struct store *s, const struct store_member *m, struct err *err)
{
	struct row r = row_begin(s, PUT_MEMBER);

	row_int(&r, m->layout_id);
	row_count(&r, m->number);
	row_count(&r, m->depth);
	row_count(&r, m->offset);
	row_count(&r, m->bytes);
	row_count(&r, m->elements);
	row_text(&r, m->name);
	row_text(&r, m->type);
	row_count(&r, m->form);
	return row_end(&r, err);
}

int store_put_bin_range(struct store *s, const struct store_bin_range *x, struct err *err)
{
	struct row r = row_begin(s, PUT_BIN_RANGE);

	row_int(&r, x->structure_id);
	row_int(&r, x->location_id);
	row_count(&r, x->low);
	row_count(&r, x->high);
	row_count(&r, x->step);
	row_text(&r, x->places);
	return row_end(&r, err);
}

int store_put_operand(struct store *s, const struct store_operand *x, struct err *err)
{
	struct row r = row_begin(s, PUT_OPERAND);

	row_int(&r, x->location_id);
	row_count(&r, x->bytes);
	row_count(&r, x->form);
	return row_end(&r, err);
}

int store_put_wrapper(struct store *s, int64_t location, uint64_t frames, struct err *err)
{
	struct row r = row_begin(s, PUT_WRAPPER);

	row_int(&r, location);
	row_count(&r, frames);
	return row_end(&r, err);
}

static const struct select_column layout_columns[] = {
	{SELECT_ID, offsetof(struct store_layout, id), NULL},
	{SELECT_TEXT, offsetof(struct store_layout, type), ""},
	{SELECT_U64, offsetof(struct store_layout, bytes), NULL},
};

static const struct select layout_query = {
	"SELECT id, type, bytes FROM layout ORDER BY id",
	sizeof(struct store_layout),
	SELECT_COLUMNS(layout_columns),
	NULL,
};

int store_read_layouts(struct store *s, struct store_layout **items, size_t *count, struct err *err)
{
	return select_all(s, &layout_query, STORE_ALL, (void **)items, count, err);
}

static const struct select_column member_columns[] = {
	{SELECT_ID, offsetof(struct store_member, layout_id), NULL},
	{SELECT_U32, offsetof(struct store_member, number), NULL},
	{SELECT_U32, offsetof(struct store_member, depth), NULL},
	{SELECT_U64, offsetof(struct store_member, offset), NULL},
	{SELECT_U64, offsetof(struct store_member, bytes), NULL},
	{SELECT_U64, offsetof(struct store_member, elements), NULL},
	{SELECT_TEXT, offsetof(struct store_member, name), ""},
	{SELECT_TEXT, offsetof(struct store_member, type), ""},
	{SELECT_U64, offsetof(struct store_member, form), NULL},
};

static const struct select member_query = {
	"SELECT layout_id, number, depth, offset, bytes, elements, name, type, form FROM member"
	" ORDER BY layout_id, number",
	sizeof(struct store_member),
	SELECT_COLUMNS(member_columns),
	NULL,
};

int store_read_members(struct store *s, struct store_member **items, size_t *count, struct err *err)
{
	return select_all(s, &member_query, STORE_ALL, (void **)items, count, err);
}

static const struct select_column range_columns[] = {
	{SELECT_ID, offsetof(struct store_bin_range, structure_id), NULL},
	{SELECT_ID, offsetof(struct store_bin_range, location_id), NULL},
	{SELECT_U64, offsetof(struct store_bin_range, low), NULL},
	{SELECT_U64, offsetof(struct store_bin_range, high), NULL},
	{SELECT_U64, offsetof(struct store_bin_range, step), NULL},
	{SELECT_TEXT, offsetof(struct store_bin_range, places), "[]"},
	{SELECT_U64, offsetof(struct store_bin_range, access_bytes), NULL},
	{SELECT_U64, offsetof(struct store_bin_range, form), NULL},
};

static const struct select range_query = {
	"SELECT structure_id, location_id, low, high, step, places, operand.bytes, operand.form"
	" FROM bin_range JOIN structure ON structure.id = structure_id"
	" LEFT JOIN operand USING (location_id) WHERE ?1 < 0 OR process_id = ?1"
	" ORDER BY structure_id, location_id",
	sizeof(struct store_bin_range),
	SELECT_COLUMNS(range_columns),
	NULL,
};

int store_read_bin_ranges(struct store *s, int64_t process, struct store_bin_range **items,
			  size_t *count, struct err *err)
{
	return select_all(s, &range_query, process, (void **)items, count, err);
}

static const struct select_column operand_columns[] = {
	{SELECT_ID, offsetof(struct store_operand, location_id), NULL},
	{SELECT_U64, offsetof(struct store_operand, bytes), NULL},
	{SELECT_U64, offsetof(struct store_operand, form), NULL},
};

static const struct select operand_query = {
	"SELECT location_id, bytes, form FROM operand ORDER BY location_id",
	sizeof(struct store_operand),
	SELECT_COLUMNS(operand_columns),
	NULL,
};

int store_read_operands(struct store *s, struct store_operand **items, size_t *count,
			struct err *err)
{
	return select_all(s, &operand_query, STORE_ALL, (void **)items, count, err);
}
