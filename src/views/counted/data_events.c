/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes an event profile of data structures; see data_events.h. */
#include "views/counted/data_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "estimate/counted/structures.h"

static uint64_t get_all(const struct counted_misses *m)
{
	return m->all;
}

static uint64_t get_cold(const struct counted_misses *m)
{
	return m->cold;
}

static uint64_t get_by_self(const struct counted_misses *m)
{
	return m->by_self;
}

static uint64_t get_conflicts(const struct counted_misses *m)
{
	return m->conflicts;
}

/* "%s": the level. */
static const struct {
	const char *name, *description;
	uint64_t (*get)(const struct counted_misses *m);
} figures[] = {
	{"%sm", "Misses in %s", get_all},
	{"%sm_cold", "Misses in %s on lines that were never in it before", get_cold},
	{"%sm_self", "Misses in %s on lines that the same data structure evicted", get_by_self},
	{"%sm_others", "Misses in %s on lines that others evicted", counted_by_others},
	{"%sm_conflict", "Misses in %s that a fully associative cache would not have",
	 get_conflicts},
	{"%sm_capacity", "Misses in %s that it would have, too, but for cold ones",
	 counted_capacity},
};

#define FIGURES	     (sizeof(figures) / sizeof(figures[0]))
#define OF_CONFLICTS 2u /* the last of them */

static size_t count_figures(const struct structures *s)
{
	return s->names.profile->has_conflicts ? FIGURES : FIGURES - OF_CONFLICTS;
}

static const char *keep(struct event_profile *p, const char *format, const char *level)
{
	char name[80];

	snprintf(name, sizeof(name), format, level);
	return arena_strdup(&p->texts, name);
}

static int make_columns(struct event_profile *p, const struct structures *s, struct err *err)
{
	const size_t n = count_figures(s);
	struct text cost = {0};
	size_t column;
	int status;

	p->measured = p->width = p->column_count = p->column_room = s->level_count * n;
	p->columns = calloc(p->column_count, sizeof(*p->columns));
	if (p->columns == NULL)
		return err_set(err, "not enough memory for the events");
	for (size_t i = 0; i < p->column_count; i++) {
		const char *level = s->levels[i / n];

		p->columns[i].name = keep(p, figures[i % n].name, level);
		p->columns[i].description = keep(p, figures[i % n].description, level);
		if (p->columns[i].name == NULL || p->columns[i].description == NULL)
			return err_set(err, "not enough memory for the events");
	}
	text_addf(&cost, "Cost = %d (L1m - L1m_cold) + %d (LLm - LLm_cold)", COUNTED_CYCLES_FIRST,
		  COUNTED_CYCLES_LAST - COUNTED_CYCLES_FIRST);
	status = events_column(p, text_get(&cost), &column, err);
	text_release(&cost);
	return status;
}

static bool make_node(struct event_profile *p, const struct structures *s, size_t i)
{
	const struct structures_row *row = &s->rows[i];
	const size_t n = count_figures(s);
	const char *object = row->data->module;
	uint64_t *values = arena_alloc(&p->texts, p->measured * sizeof(*values));

	if (object == NULL && p->process != STORE_ALL)
		object = s->names.profile->process->exe;
	p->nodes[i] = (struct store_node){.id = (int64_t)i,
					  .process_id = p->process,
					  .thread = STORE_NONE,
					  .function = arena_strdup(&p->texts, row->data->name),
					  .file = arena_strdup(&p->texts, row->data->file),
					  .object = arena_strdup(&p->texts, object),
					  .caller_id = STORE_NONE};
	p->costs[i] = (struct store_cost){
		.node_id = (int64_t)i, .location_id = STORE_NONE, .values = values};
	p->forms[i] = (struct event_form){.form = form_names[row->form],
					  .access = forms_access(&row->pattern)};
	if (values == NULL || p->nodes[i].function == NULL || map_set(&p->node_index, i, i) != 0)
		return false;
	for (size_t k = 0; k < p->measured; k++) {
		values[k] = figures[k % n].get(&row->misses[k / n]);
		p->totals[k] += values[k];
	}
	return true;
}

static int make_nodes(struct event_profile *p, const struct structures *s, struct err *err)
{
	bool ok = true;

	p->nodes = calloc(s->count + 1, sizeof(*p->nodes));
	p->costs = calloc(s->count + 1, sizeof(*p->costs));
	p->forms = calloc(s->count + 1, sizeof(*p->forms));
	if (p->nodes != NULL && p->costs != NULL && p->forms != NULL)
		p->node_count = p->cost_count = s->count;
	else
		ok = false;
	for (size_t i = 0; ok && i < s->count; i++)
		ok = make_node(p, s, i);
	return ok ? 0 : err_set(err, "not enough memory for %zu data structures", s->count);
}

static int keep_known(struct event_profile *p, const struct structures *s, struct err *err)
{
	struct text how = {0};

	counted_put_how(s->names.profile, &how);
	p->known = arena_strdup(&p->texts, text_get(&how));
	text_release(&how);
	return p->known != NULL ? 0 : err_set(err, "out of memory");
}

static int make_profile(struct event_profile *p, const char *path, const struct structures *s,
			struct err *err)
{
	*p = (struct event_profile){.process = s->names.profile->scope, .thread = STORE_NONE};
	if (store_open_readonly(path, &p->store, err) == 0 &&
	    store_read_processes(p->store, &p->processes, &p->process_count, err) == 0 &&
	    make_columns(p, s, err) == 0 && make_nodes(p, s, err) == 0 &&
	    keep_known(p, s, err) == 0)
		return 0;
	events_close(p);
	return -1;
}

int data_events_open(struct event_profile *p, const char *path, int64_t process, enum data_by by,
		     struct err *err)
{
	struct profile profile;
	struct structures s;
	struct query all;
	int status = -1;

	if (profile_open_parts(&profile, path, process, PROFILE_BINS, err) != 0)
		return -1;
	query_init(&all);
	if (structures_init(&s, &profile, &all, by, NULL, err) == 0) {
		status = make_profile(p, path, &s, err);
		structures_release(&s);
	}
	query_release(&all);
	profile_close(&profile);
	return status;
}
