/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of an event profile; see event_processes.h. */
#include "events/event_processes.h"

#include <math.h>
#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
	const struct event_process *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	if (x->process.accesses != y->process.accesses)
		return x->process.accesses < y->process.accesses ? 1 : -1;
	return (x->process.id > y->process.id) - (x->process.id < y->process.id);
}

/* What is not known comes last. */
static double rank_of(const struct event_process *row, enum query_order order)
{
	const struct event_cache *last = event_caches_last(&row->caches);

	if (order == QUERY_BY_ACCESSES)
		return (double)row->process.accesses;
	if (last == NULL)
		return -1;
	return order == QUERY_BY_RATIO ? last->misses / last->accesses : last->misses;
}

static int read_caches(struct event_process *row, const char *path, struct err *err)
{
	struct event_profile p;
	int status;

	if (events_open(&p, path, row->process.id, err) != 0)
		return -1;
	status = event_caches_read(&row->caches, &p, err);
	row->stretches = p.sample.stretches;
	events_close(&p);
	return status;
}

static int fill(struct event_processes *s, const struct event_profile *all, const char *path,
		const struct query *q, struct err *err)
{
	double accesses = 0;

	for (size_t i = 0; i < all->process_count; i++)
		accesses += (double)all->processes[i].accesses;
	for (size_t i = 0; i < all->process_count; i++) {
		const struct store_process *x = &all->processes[i];
		struct event_process *row = &s->rows[s->count];

		if (!query_shows(q, (const char *const[]){x->command}, 1))
			continue;
		*row = (struct event_process){.process = *x,
					      .share = (double)x->accesses / accesses};
		if (read_caches(row, path, err) != 0)
			return -1;
		s->count++;
	}
	return 0;
}

int event_processes_init(struct event_processes *s, const struct event_profile *all,
			 const char *path, const struct query *q, struct err *err)
{
	enum query_order order;

	*s = (struct event_processes){.sample = &all->sample};
	if (query_order_or(q, QUERY_BY_ACCESSES, &order, err) != 0 ||
	    event_caches_read(&s->caches, all, err) != 0)
		return -1;
	if (order == QUERY_BY_SAMPLES)
		return err_set(err, "profile '%s' has events and no samples to sort by", path);
	s->rows = calloc(all->process_count + 1, sizeof(*s->rows));
	if (s->rows == NULL)
		return err_set(err, "not enough memory for %zu processes", all->process_count);
	if (fill(s, all, path, q, err) != 0) {
		event_processes_release(s);
		return -1;
	}
	for (size_t i = 0; i < s->count; i++)
		s->rows[i].rank = rank_of(&s->rows[i], order);
	qsort(s->rows, s->count, sizeof(*s->rows), compare_rows);
	return 0;
}

void event_processes_release(struct event_processes *s)
{
	free(s->rows);
	s->rows = NULL;
	s->count = 0;
}
