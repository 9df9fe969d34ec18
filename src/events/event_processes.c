/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of an event profile; see event_processes.h. */
#include "events/event_processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The stretches of a process are read with its events. */
static int read_sampled(struct event_process *row, const char *path, struct err *err)
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

/* The index of the process, or `count`. */
static size_t index_of(const struct event_profile *all, int64_t id)
{
	size_t i = 0;

	while (i < all->process_count && all->processes[i].id != id)
		i++;
	return i;
}

/* The measured events of each process, `measured` values each; NULL: not enough memory. */
static uint64_t *sum_events(const struct event_profile *all)
{
	size_t width = all->measured;
	uint64_t *sums = calloc(all->process_count * width + 1, sizeof(*sums));
	size_t at = 0;

	for (size_t i = 0; sums != NULL && i < all->cost_count; i++) {
		int64_t id = events_node(all, all->costs[i].node_id)->process_id;

		/* costs of one process follow each other, mostly */
		if (at >= all->process_count || all->processes[at].id != id)
			at = index_of(all, id);
		for (size_t k = 0; at < all->process_count && k < width; k++)
			sums[at * width + k] += all->costs[i].values[k];
	}
	return sums;
}

/* Read the caches of the process whose events have these sums. */
static int read_exact(struct event_process *row, const struct event_profile *all,
		      const uint64_t *sums, struct err *err)
{
	struct event_profile one = *all; /* owns nothing */

	memcpy(one.totals, sums, all->measured * sizeof(*sums));
	return event_caches_read(&row->caches, &one, err);
}

static int fill(struct event_processes *s, const struct event_profile *all, const char *path,
		const struct query *q, struct err *err)
{
	double accesses = 0;
	int status = 0;
	uint64_t *sums = sum_events(all);

	if (sums == NULL)
		return err_set(err, "not enough memory for %zu processes", all->process_count);
	for (size_t i = 0; i < all->process_count; i++)
		accesses += (double)all->processes[i].accesses;
	for (size_t i = 0; i < all->process_count && status == 0; i++) {
		const struct store_process *x = &all->processes[i];
		struct event_process *row = &s->rows[s->count];

		if (!query_shows(q, (const char *const[]){x->command}, 1))
			continue;
		*row = (struct event_process){.process = *x,
					      .share = (double)x->accesses / accesses};
		status = all->sample.is_sampled
				 ? read_sampled(row, path, err)
				 : read_exact(row, all, sums + i * all->measured, err);
		s->count++;
	}
	free(sums);
	return status;
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
