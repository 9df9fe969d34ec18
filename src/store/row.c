/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepared statements, bound in the order of the columns in schema.sql. */
#include "store/row.h"

#include <assert.h>

static const char *const statement_sql[STATEMENT_COUNT] = {
	[PUT_META] = "REPLACE INTO meta(key, value) VALUES(?,?)",
	[PUT_PROCESS] = "REPLACE INTO process(id, pid, parent_id, cause, exe, command, start_ns,"
			" end_ns, state, exit_status, signal, told_end, accesses, loads, stores, "
			"instructions,"
			" rep_iterations, vector_elements, watch_accesses, translate_cycles,"
			" scan_cycles, engine_bytes, footprint_pages, lost_records, data_until,"
			" far_lines, far_line_weight)"
			" VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_THREAD] = "REPLACE INTO thread(process_id, idx, tid, accesses, loads, stores,"
		       " instructions) VALUES(?,?,?,?,?,?,?)",
	[PUT_MODULE] = "REPLACE INTO module(id, process_id, path, build_id, start, end,"
		       " file_offset, mapped_at, unmapped_at) VALUES(?,?,?,?,?,?,?,?,?)",
	[PUT_WINDOW] = "REPLACE INTO window(process_id, number, start, length, stands_for,"
		       " samples, footprint_pages, chosen, chosen_loads, close, far, touches)"
		       " VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_ACCESSES] = "INSERT INTO access_batch(first_id, list) VALUES(?,?)",
	[PUT_SAMPLES] = "INSERT INTO sample_batch(first_id, process_id, window, position, near,"
			" far, cut, list) VALUES(?,?,?,?,?,?,?,?)",
	[PUT_FAR] = "INSERT INTO far_batch(first_id, process_id, window, position, reuses,"
		    " weights, list) VALUES(?,?,?,?,?,?,?)",
	[PUT_STACK_DISTANCES] =
		"INSERT INTO stack_distance_batch(first_id, process_id, list) VALUES(?,?,?)",
	[PUT_NESTED] = "INSERT INTO nested_batch(first_id, process_id, window, position, list)"
		       " VALUES(?,?,?,?,?)",
	[PUT_LOCATIONS] = "REPLACE INTO location_batch(first_id, list) VALUES(?,?)",
	[PUT_NAMES] = "REPLACE INTO name_batch(first_id, list) VALUES(?,?)",
	[PUT_PLACE] = "INSERT INTO place(id, function, file, line) VALUES(?,?,?,?)",
	[PUT_PATHS] = "REPLACE INTO path_batch(first_id, list) VALUES(?,?)",
	[PUT_SITE] =
		"REPLACE INTO site(id, process_id, kind, name, path, element_size, blocks, bytes,"
		" live_blocks, live_bytes, peak_bytes, smallest, largest, layout_id)"
		" VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_VARIABLE] = "REPLACE INTO variable(id, process_id, start, end, name, type, file, line,"
			 " element_size, module, thread_local, layout_id, image)"
			 " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_MESSAGE] = "INSERT INTO message(process_id, time_ns, text) VALUES(?,?,?)",
	[PUT_EVENT] = "INSERT INTO event(id, name, description, formula) VALUES(?,?,?,?)",
	[PUT_GEOMETRY] = "REPLACE INTO geometry(name, value) VALUES(?,?)",
	[PUT_OBJECT] = "INSERT INTO object(id, path) VALUES(?,?)",
	[PUT_NODES] = "REPLACE INTO node_batch(first_id, list) VALUES(?,?)",
	[PUT_COSTS] = "INSERT INTO cost_batch(first_id, list) VALUES(?,?)",
	[PUT_ARCS] = "INSERT INTO arc_batch(first_id, list) VALUES(?,?)",
	[PUT_JUMPS] = "INSERT INTO jump_batch(first_id, list) VALUES(?,?)",
	[PUT_CURVE] =
		"INSERT INTO curve(process_id, line_bytes, policy, size_bytes, accesses, misses,"
		" lines, low, high) VALUES(?,?,?,?,?,?,?,?,?)",
	[PUT_DATA_COST] = "INSERT INTO data_cost(process_id, site_id, address, image, accesses,"
			  " first_touches, lru_misses, random_misses) VALUES(?,?,?,?,?,?,?,?)",
	[PUT_STRUCTURE] = "INSERT INTO structure(id, process_id, kind, site_id, start, end, image)"
			  " VALUES(?,?,?,?,?,?,?)",
	[PUT_BIN] = "REPLACE INTO bin(id, structure_id, location_id, cache, misses, cold, by_self,"
		    " conflicts, unknown, above, seen1, seen2, seen3)"
		    " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_BIN_RANGE] = "REPLACE INTO bin_range(structure_id, location_id, low, high, step,"
			  " places) VALUES(?,?,?,?,?,?)",
	[PUT_OPERAND] = "INSERT INTO operand(location_id, bytes, form) VALUES(?,?,?)",
	[PUT_WRAPPER] = "INSERT INTO wrapper(location_id, frames) VALUES(?,?)",
	[PUT_LAYOUT] = "INSERT INTO layout(id, type, bytes) VALUES(?,?,?)",
	[PUT_MEMBER] = "INSERT INTO member(layout_id, number, depth, offset, bytes, elements,"
		       " name, type, form) VALUES(?,?,?,?,?,?,?,?,?)",
	[PUT_EVICTION] = "REPLACE INTO eviction(id, cache, structure_id, location_id,"
			 " evictor_structure_id, evictor_location_id, misses, conflicts, k0, k1,"
			 " k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15)"
			 " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_STRETCH] = "REPLACE INTO stretch(process_id, number, cache, signs, start,"
			" accesses, instructions, misses, unknown, above, late, half, timed, dead,"
			" dead_late) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_CONTRASTS] = "REPLACE INTO contrast VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
			  "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_REFERENCES] =
		"REPLACE INTO reference(id, structure_id, location_id, counted, seen, w0, w1,"
		" w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15)"
		" VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_PATTERN] = "REPLACE INTO pattern VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_PATTERN_STEP] = "REPLACE INTO pattern_step VALUES(?,?,?,?,?,?,?)",
	[PUT_SOURCE] = "REPLACE INTO source(path, text) VALUES(?,?)",
};

/* Remember the failure, so that later rows are not tried: a full disk stays full. */
int row_failed(struct store *s, struct err *err)
{
	if (!s->failed) {
		s->failed = true;
		store_fail(s, "write", &s->failure);
	}
	if (err != NULL)
		*err = s->failure;
	return -1;
}

int row_out_of_memory(struct store *s, struct err *err)
{
	if (!s->failed)
		err_set(&s->failure, "out of memory");
	s->failed = true;
	return row_failed(s, err);
}

struct row row_begin(struct store *s, enum store_statement which)
{
	struct row r = {.s = s};

	if (s->failed)
		return r;
	if (!s->in_transaction) {
		if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
			row_failed(s, NULL);
			return r;
		}
		s->in_transaction = true;
	}
	if (s->statements[which] == NULL &&
	    sqlite3_prepare_v3(s->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
			       &s->statements[which], NULL) != SQLITE_OK) {
		row_failed(s, NULL);
		return r;
	}
	r.q = s->statements[which];
	return r;
}

void row_int(struct row *r, int64_t v)
{
	if (r->q != NULL)
		sqlite3_bind_int64(r->q, ++r->column, v);
}

void row_count(struct row *r, uint64_t v)
{
	row_int(r, (int64_t)v);
}

void row_null(struct row *r)
{
	if (r->q != NULL)
		sqlite3_bind_null(r->q, ++r->column);
}

void row_text(struct row *r, const char *text)
{
	if (r->q != NULL)
		sqlite3_bind_text(r->q, ++r->column, text, -1, SQLITE_STATIC);
}

void row_list(struct row *r, const struct text *list)
{
	if (r->q != NULL)
		sqlite3_bind_text64(r->q, ++r->column, text_get(list), list->count, SQLITE_STATIC,
				    SQLITE_UTF8);
}

void row_id(struct row *r, int64_t id)
{
	if (id == STORE_NONE)
		row_null(r);
	else
		row_int(r, id);
}

int row_end(struct row *r, struct err *err)
{
	int code;

	if (r->q == NULL)
		return row_failed(r->s, err);
	assert(r->column == sqlite3_bind_parameter_count(r->q));
	code = sqlite3_step(r->q);
	if (code != SQLITE_DONE)
		row_failed(r->s, err);
	sqlite3_reset(r->q);
	return code == SQLITE_DONE ? 0 : -1;
}
