/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes an event profile: its columns with their views, nodes, and counts. */
#include <assert.h>
#include <string.h>

#include "store/events.h"
#include "store/lists.h"
#include "store/row.h"

static_assert(ARC_VALUES + STORE_MAX_COLUMNS <= NUMBERS_MAX, "an arc is one inner array");

/*
 * Create a view of costs or arcs, with a column for each measured event under its own name. So the
 * views are created when the events are known. first: the position of the first event's number in
 * the list.
 */
static int create_view(struct store *s, const char *head, const char *tail, int first,
		       const struct store_event *events, size_t count, struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(s->db);
	char *text;
	size_t i;
	int status;

	sqlite3_str_appendall(sql, head);
	for (i = 0; i < count; i++)
		sqlite3_str_appendf(sql, ", coalesce(json_extract(value, '$[%d]'), 0) AS \"%w\"",
				    first + (int)i, events[i].name);
	sqlite3_str_appendall(sql, tail);
	text = sqlite3_str_finish(sql);
	if (text == NULL)
		return row_out_of_memory(s, err);
	status = sqlite3_exec(s->db, text, NULL, NULL, NULL);
	sqlite3_free(text);
	return status == SQLITE_OK ? 0 : row_failed(s, err);
}

static int create_views(struct store *s, const struct store_event *events, size_t count,
			struct err *err)
{
	static const char cost_head[] =
		"CREATE VIEW cost AS SELECT json_extract(value, '$[0]') AS node_id,"
		" nullif(json_extract(value, '$[1]'), -1) AS location_id";
	static const char arc_head[] =
		"CREATE VIEW arc AS SELECT nullif(json_extract(value, '$[0]'), -1) AS caller_id,"
		" nullif(json_extract(value, '$[1]'), -1) AS location_id,"
		" json_extract(value, '$[2]') AS callee_id,"
		" CASE json_extract(value, '$[3]') WHEN 0 THEN 'call' WHEN 1 THEN 'jump'"
		" WHEN 2 THEN 'start' WHEN 3 THEN 'signal' WHEN 4 THEN 'recursive' END AS kind,"
		" json_extract(value, '$[4]') AS calls";

	if (create_view(s, cost_head, " FROM cost_batch, json_each(list)", COST_VALUES, events,
			count, err) != 0)
		return -1;
	return create_view(s, arc_head, " FROM arc_batch, json_each(list)", ARC_VALUES, events,
			   count, err);
}

static int put_event(struct store *s, int64_t id, const struct store_event *e, struct err *err)
{
	struct row r = row_begin(s, PUT_EVENT);

	row_int(&r, id);
	row_text(&r, e->name);
	row_text(&r, e->description);
	row_text(&r, e->formula);
	return row_end(&r, err);
}

int store_put_events(struct store *s, const struct store_event *events, size_t count,
		     struct err *err)
{
	size_t i, measured = 0;

	while (measured < count && events[measured].formula == NULL)
		measured++;
	if (measured > STORE_MAX_COLUMNS)
		return err_set(err, "%zu events: a profile has up to %d", measured,
			       STORE_MAX_COLUMNS);
	for (i = 0; i < count; i++) {
		assert((events[i].formula != NULL) == (i >= measured));
		if (put_event(s, s->events + (int64_t)i, &events[i], err) != 0)
			return -1;
	}
	assert(s->events == 0 || measured == 0);
	if (s->events == 0) {
		s->columns = measured;
		if (create_views(s, events, measured, err) != 0)
			return -1;
	}
	s->events += (int64_t)count;
	return 0;
}

int store_put_geometry(struct store *s, const char *name, const char *value, struct err *err)
{
	struct row r = row_begin(s, PUT_GEOMETRY);

	row_text(&r, name);
	row_text(&r, value);
	return row_end(&r, err);
}

/* The id of the path, written if new; STORE_NONE for NULL. */
static int find_object(struct store *s, const char *path, int64_t *id, struct err *err)
{
	const char *kept = store_intern(s, path);
	uint64_t known;
	struct row r;

	*id = STORE_NONE;
	if (path == NULL)
		return 0;
	if (kept == NULL)
		return row_out_of_memory(s, err);
	if (map_get(&s->object_by_name, (uintptr_t)kept, &known)) {
		*id = (int64_t)known;
		return 0;
	}
	*id = (int64_t)s->object_by_name.count + 1;
	if (map_set(&s->object_by_name, (uintptr_t)kept, (uint64_t)*id) != 0)
		return row_out_of_memory(s, err);
	r = row_begin(s, PUT_OBJECT);
	row_int(&r, *id);
	row_text(&r, kept);
	return row_end(&r, err);
}

int store_put_node(struct store *s, const struct store_node *n, struct err *err)
{
	struct store_frame name = {.function = n->function, .file = n->file};
	int64_t numbers[NODE_NUMBERS] = {
		[NODE_PROCESS] = n->process_id,
		[NODE_THREAD] = n->thread,
		[NODE_CALLER] = n->caller_id,
	};

	assert(n->id >= 0 && n->id <= STORE_MAX_ID);
	if (lists_find_place(s, &name, &numbers[NODE_PLACE], err) != 0 ||
	    find_object(s, n->object, &numbers[NODE_OBJECT], err) != 0)
		return -1;
	return lists_add(s, PUT_NODES, &s->nodes, n->id, numbers, NODE_NUMBERS, err);
}

/* Omit trailing zeros: most instructions miss no cache. */
static size_t add_values(int64_t *numbers, size_t count, const uint64_t *values, size_t columns)
{
	while (columns > 0 && values[columns - 1] == 0)
		columns--;
	memcpy(numbers + count, values, columns * sizeof(*values));
	return count + columns;
}

/* Add the next item of a table without ids of its own. */
static int add_next(struct store *s, enum store_statement which, struct store_batch *b,
		    const int64_t *numbers, size_t count, struct err *err)
{
	return lists_add(s, which, b, b->first_id + b->count, numbers, count, err);
}

int store_put_cost(struct store *s, const struct store_cost *c, struct err *err)
{
	int64_t numbers[COST_VALUES + STORE_MAX_COLUMNS];
	size_t count;

	numbers[COST_NODE] = c->node_id;
	numbers[COST_LOCATION] = c->location_id;
	count = add_values(numbers, COST_VALUES, c->values, s->columns);
	if (count == COST_VALUES)
		return s->failed ? row_failed(s, err) : 0;
	return add_next(s, PUT_COSTS, &s->costs, numbers, count, err);
}

int store_put_arc(struct store *s, const struct store_arc *a, struct err *err)
{
	int64_t numbers[ARC_VALUES + STORE_MAX_COLUMNS];
	size_t count;

	assert(a->kind < STORE_ARC_KINDS);
	numbers[ARC_CALLER] = a->caller_id;
	numbers[ARC_LOCATION] = a->location_id;
	numbers[ARC_CALLEE] = a->callee_id;
	numbers[ARC_KIND] = a->kind;
	numbers[ARC_CALLS] = (int64_t)a->calls;
	count = add_values(numbers, ARC_VALUES, a->values, s->columns);
	if (count == ARC_VALUES && a->calls == 0)
		return s->failed ? row_failed(s, err) : 0;
	return add_next(s, PUT_ARCS, &s->arcs, numbers, count, err);
}

int store_put_jump(struct store *s, const struct store_jump *j, struct err *err)
{
	int64_t numbers[JUMP_NUMBERS] = {
		[JUMP_NODE] = j->node_id,
		[JUMP_FROM] = j->from_id,
		[JUMP_TO] = j->to_id,
		[JUMP_CONDITIONAL] = j->conditional,
		[JUMP_EXECUTED] = (int64_t)j->executed,
		[JUMP_TAKEN] = (int64_t)j->taken,
	};

	if (j->executed == 0)
		return s->failed ? row_failed(s, err) : 0;
	return add_next(s, PUT_JUMPS, &s->jumps, numbers, JUMP_NUMBERS, err);
}
