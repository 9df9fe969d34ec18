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

/* The index of the process, or `count`. */
static size_t index_of(const struct event_profile *all, int64_t id)
{
	size_t i = 0;

	while (i < all->process_count && all->processes[i].id != id)
		i++;
	return i;
}

/* The index of the process of a cost; `last`: that of the one before, which mostly has the same. */
static size_t process_of(const struct event_profile *all, const struct store_cost *c, size_t last)
{
	const int64_t id = events_node(all, c->node_id)->process_id;

	return last < all->process_count && all->processes[last].id == id ? last
									  : index_of(all, id);
}

/* The costs of a profile, in the order of its processes. */
struct parts {
	struct store_cost *costs;
	size_t *ends; /* by process: the index behind its last cost */
};

static void parts_release(struct parts *x)
{
	free(x->costs);
	free(x->ends);
}

static int part(struct parts *x, const struct event_profile *all, struct err *err)
{
	size_t *at, process = 0;

	x->costs = calloc(all->cost_count + 1, sizeof(*x->costs));
	x->ends = calloc(all->process_count + 2, sizeof(*x->ends));
	if (x->costs == NULL || x->ends == NULL)
		return err_set(err, "not enough memory for %zu processes", all->process_count);
	/* counts, then the first cost of each process, which moves to the end as it gets them */
	at = x->ends;
	for (size_t i = 0; i < all->cost_count; i++)
		at[1 + (process = process_of(all, &all->costs[i], process))]++;
	for (size_t i = 0; i < all->process_count; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < all->cost_count; i++)
		x->costs[at[process = process_of(all, &all->costs[i], process)]++] = all->costs[i];
	return 0;
}

/* Read the caches of a process, from its costs as counted. */
static int read_row(struct event_process *row, const struct event_profile *counts,
		    const struct parts *x, struct err *err)
{
	const size_t process = index_of(counts, row->process.id);
	const size_t first = process > 0 ? x->ends[process - 1] : 0;
	struct event_profile one = *counts; /* owns its texts only */
	int status;

	one.process = row->process.id;
	one.costs = x->costs + first;
	one.cost_count = x->ends[process] - first;
	one.arc_count = 0;
	one.texts = (struct arena){0};
	one.sample = (struct event_sample){0};
	status = event_sample_apply(&one, false, err);
	events_sum(&one);
	if (status == 0)
		status = event_caches_read(&row->caches, &one, err);
	row->stretches = one.sample.stretches;
	arena_release(&one.texts);
	return status;
}

static int fill(struct event_processes *s, const struct event_profile *all,
		const struct event_profile *counts, const struct query *q, struct err *err)
{
	double accesses = 0;
	struct parts x = {0};
	int status = part(&x, counts, err);

	for (size_t i = 0; i < all->process_count; i++)
		accesses += (double)all->processes[i].accesses;
	for (size_t i = 0; i < all->process_count && status == 0; i++) {
		const struct store_process *process = &all->processes[i];
		struct event_process *row = &s->rows[s->count];

		if (!query_shows(q, (const char *const[]){process->command}, 1))
			continue;
		*row = (struct event_process){.process = *process,
					      .share = (double)process->accesses / accesses};
		status = read_row(row, counts, &x, err);
		s->count++;
	}
	parts_release(&x);
	return status;
}

/* Costs of `all` may be estimates, which those of one process are not a part of: read counts. */
static int fill_from(struct event_processes *s, const struct event_profile *all, const char *path,
		     const struct query *q, struct err *err)
{
	struct event_profile counts;
	int status;

	if (!all->sample.is_sampled && all->sample.sets == 1)
		return fill(s, all, all, q, err);
	if (events_open_counts(&counts, path, STORE_NONE, err) != 0)
		return -1;
	status = fill(s, all, &counts, q, err);
	events_close(&counts);
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
	if (fill_from(s, all, path, q, err) != 0) {
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
