/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes tables with one item per row, and ends transactions; write_lists.c writes the others. */
#include "store/lists.h"
#include "store/numbers.h"
#include "store/row.h"

int store_put_meta_text(struct store *s, const char *key, const char *text, struct err *err)
{
	struct row r = row_begin(s, PUT_META);

	row_text(&r, key);
	row_text(&r, text);
	return row_end(&r, err);
}

int store_put_meta_int(struct store *s, const char *key, int64_t value, struct err *err)
{
	struct row r = row_begin(s, PUT_META);

	row_text(&r, key);
	row_int(&r, value);
	return row_end(&r, err);
}

/* The arrays of a process for each size of far lines, as text. */
static bool far_lines_to_text(const struct store_process *p, struct text *lines,
			      struct text *weights)
{
	double counts[STORE_FAR_SIZES];

	for (size_t i = 0; i < STORE_FAR_SIZES; i++)
		counts[i] = (double)p->far_lines[i];
	numbers_reals(lines, counts, STORE_FAR_SIZES);
	numbers_reals(weights, p->far_line_weight, STORE_FAR_SIZES);
	return !lines->failed && !weights->failed;
}

static void put_process_columns(struct row *r, const struct store_process *p)
{
	row_int(r, p->id);
	row_count(r, p->pid);
	row_id(r, p->parent_id);
	row_text(r, p->cause);
	row_text(r, p->exe);
	row_text(r, p->command);
	row_count(r, p->start_ns);
	if (p->end_ns != 0)
		row_count(r, p->end_ns);
	else
		row_null(r);
	row_text(r, p->state);
	row_id(r, p->exit_status);
	row_id(r, p->signal > 0 ? p->signal : STORE_NONE);
	row_int(r, p->told_end);
	row_count(r, p->accesses);
	row_count(r, p->loads);
	row_count(r, p->stores);
	row_count(r, p->instructions);
	row_count(r, p->rep_iterations);
	row_count(r, p->vector_elements);
	row_count(r, p->watch_accesses);
	row_count(r, p->translate_cycles);
	row_count(r, p->scan_cycles);
	row_count(r, p->engine_bytes);
	row_count(r, p->footprint_pages);
	row_count(r, p->lost_records);
	row_count(r, p->data_until);
}

int store_put_process(struct store *s, const struct store_process *p, struct err *err)
{
	struct row r = row_begin(s, PUT_PROCESS);
	struct text lines = {0}, weights = {0};
	int status;

	if (far_lines_to_text(p, &lines, &weights)) {
		put_process_columns(&r, p);
		row_text(&r, text_get(&lines));
		row_text(&r, text_get(&weights));
		status = row_end(&r, err);
	} else {
		status = row_out_of_memory(s, err);
	}
	text_release(&lines);
	text_release(&weights);
	return status;
}

int store_put_thread(struct store *s, const struct store_thread *t, struct err *err)
{
	struct row r = row_begin(s, PUT_THREAD);

	row_int(&r, t->process_id);
	row_count(&r, t->index);
	row_count(&r, t->tid);
	row_count(&r, t->accesses);
	row_count(&r, t->loads);
	row_count(&r, t->stores);
	row_count(&r, t->instructions);
	return row_end(&r, err);
}

int store_put_module(struct store *s, const struct store_module *m, struct err *err)
{
	struct row r = row_begin(s, PUT_MODULE);

	row_int(&r, m->id);
	row_int(&r, m->process_id);
	row_text(&r, m->path);
	row_text(&r, m->build_id);
	row_count(&r, m->start);
	row_count(&r, m->end);
	row_count(&r, m->file_offset);
	row_count(&r, m->mapped_at);
	if (m->unmapped_at != UINT64_MAX)
		row_count(&r, m->unmapped_at);
	else
		row_null(&r);
	return row_end(&r, err);
}

int store_put_window(struct store *s, const struct store_window *w, struct err *err)
{
	struct row r = row_begin(s, PUT_WINDOW);
	double counts[STORE_TOUCH_CLASSES];
	struct text far = {0}, touches = {0};
	int status;

	for (size_t c = 0; c < STORE_TOUCH_CLASSES; c++)
		counts[c] = (double)w->touches[c];
	numbers_reals(&far, w->far, STORE_FAR_SIZES);
	numbers_reals(&touches, counts, STORE_TOUCH_CLASSES);
	if (far.failed || touches.failed) {
		text_release(&far);
		text_release(&touches);
		return row_out_of_memory(s, err);
	}
	row_int(&r, w->process_id);
	row_count(&r, w->number);
	row_count(&r, w->start);
	row_count(&r, w->length);
	row_count(&r, w->stands_for);
	row_count(&r, w->samples);
	row_count(&r, w->footprint_pages);
	row_count(&r, w->chosen);
	row_count(&r, w->chosen_loads);
	row_count(&r, w->close);
	row_text(&r, text_get(&far));
	row_text(&r, text_get(&touches));
	status = row_end(&r, err);
	text_release(&far);
	text_release(&touches);
	return status;
}

int store_put_site(struct store *s, const struct store_site *x, struct err *err)
{
	struct row r = row_begin(s, PUT_SITE);
	struct text path = {0};
	int status;

	numbers_array(&path, x->path, x->path_count);
	if (path.failed) {
		text_release(&path);
		return row_out_of_memory(s, err);
	}
	row_int(&r, x->id);
	row_int(&r, x->process_id);
	row_text(&r, x->kind);
	row_text(&r, x->name);
	row_text(&r, text_get(&path));
	row_count(&r, x->element_size);
	row_count(&r, x->blocks);
	row_count(&r, x->bytes);
	row_count(&r, x->live_blocks);
	row_count(&r, x->live_bytes);
	row_count(&r, x->peak_bytes);
	row_count(&r, x->smallest);
	row_count(&r, x->largest);
	row_int(&r, x->layout_id);
	status = row_end(&r, err);
	text_release(&path);
	return status;
}

int store_put_variable(struct store *s, const struct store_variable *v, struct err *err)
{
	struct row r = row_begin(s, PUT_VARIABLE);

	row_int(&r, v->id);
	row_int(&r, v->process_id);
	row_count(&r, v->start);
	row_count(&r, v->end);
	row_text(&r, v->name);
	row_text(&r, v->type);
	row_text(&r, v->file);
	row_count(&r, v->line);
	row_count(&r, v->element_size);
	row_text(&r, v->module);
	row_count(&r, v->is_local);
	row_int(&r, v->layout_id);
	row_int(&r, v->image);
	return row_end(&r, err);
}

int store_put_message(struct store *s, const struct store_message *m, struct err *err)
{
	struct row r = row_begin(s, PUT_MESSAGE);

	row_id(&r, m->process_id);
	row_count(&r, m->time_ns);
	row_text(&r, m->text);
	return row_end(&r, err);
}

int store_put_source(struct store *s, const char *path, const char *text, struct err *err)
{
	struct row r = row_begin(s, PUT_SOURCE);

	row_text(&r, path);
	row_text(&r, text);
	return row_end(&r, err);
}

int store_commit(struct store *s, struct err *err)
{
	if (s->failed)
		return row_failed(s, err);
	if (lists_flush(s, err) != 0)
		return -1;
	if (!s->in_transaction)
		return 0;
	if (sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		return row_failed(s, err);
	s->in_transaction = false;
	return 0;
}
