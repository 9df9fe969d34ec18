/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run; see processes.h. */
#include "estimate/processes.h"

#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
	const struct processes_row *mine = a, *other = b;
	const struct store_process *x = mine->process, *y = other->process;

	if (mine->rank != other->rank)
		return mine->rank < other->rank ? 1 : -1;
	if (x->accesses != y->accesses)
		return x->accesses < y->accesses ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Leave the ratio unknown if the cache is too small. */
static void solve_at(const struct profile *p, const struct processes *s, uint64_t size_bytes,
		     struct model_ratio *ratio)
{
	const struct query at = query_at(s->query, size_bytes);
	struct err too_small;

	if (profile_check_size(p, size_bytes, &too_small) == 0 &&
	    profile_check_ways(p, &at, size_bytes, &too_small) == 0)
		profile_solve(p, &at, ratio);
}

static void solve(const struct profile *p, struct processes *s, struct processes_row *row)
{
	struct model_ratio ratio = {0};

	for (size_t i = 0; i < PROFILE_CACHES; i++)
		solve_at(p, s, s->caches[i].size_bytes, &row->ratios[i]);
	if (s->ranked_bytes == 0)
		return;
	solve_at(p, s, s->ranked_bytes, &ratio);
	if (ratio.known && s->order == QUERY_BY_RATIO)
		row->rank = ratio.ratio;
	else if (ratio.known)
		row->rank = ratio.ratio * (double)row->process->accesses;
}

/* What is not known comes last. */
static double rank_of(const struct processes *s, const struct store_process *x)
{
	if (s->order == QUERY_BY_ACCESSES)
		return (double)x->accesses;
	return s->order == QUERY_BY_SAMPLES ? (double)x->samples : -1;
}

static void fill_row(struct processes *s, const struct profile *run, struct processes_row *row)
{
	struct profile other;
	struct err why;

	if (row->process->samples == 0)
		return;
	if (row->process == run->process) {
		solve(run, s, row);
		return;
	}
	/* An unreadable process must not prevent showing the others. */
	row->is_unreadable = profile_open_beside(&other, run, row->process->id, &why) != 0;
	if (row->is_unreadable)
		return;
	solve(&other, s, row);
	profile_close(&other);
}

int processes_init(struct processes *s, const struct profile *run, const struct query *q,
		   struct err *err)
{
	uint64_t accesses = 0;

	*s = (struct processes){.query = q,
				.rows = calloc(run->process_count + 1, sizeof(*s->rows))};
	if (query_order_or(q, QUERY_BY_ACCESSES, &s->order, err) != 0 ||
	    ((s->order == QUERY_BY_MISSES || s->order == QUERY_BY_RATIO) &&
	     profile_choose_size(run, q, &s->ranked_bytes, err) != 0)) {
		processes_release(s);
		return -1;
	}
	if (s->rows == NULL)
		return err_set(err, "not enough memory for %zu processes", run->process_count);
	profile_caches(run, s->caches);
	for (size_t i = 0; i < run->process_count; i++)
		accesses += run->processes[i].accesses;
	for (size_t i = 0; i < run->process_count; i++) {
		struct processes_row *row = &s->rows[s->count];

		row->process = &run->processes[i];
		if (!query_shows(q, (const char *const[]){row->process->command}, 1))
			continue;
		s->count++;
		row->share = accesses > 0 ? (double)row->process->accesses / (double)accesses : 0;
		row->rank = rank_of(s, row->process);
		fill_row(s, run, row);
	}
	qsort(s->rows, s->count, sizeof(*s->rows), compare_rows);
	return 0;
}

void processes_release(struct processes *s)
{
	free(s->rows);
	*s = (struct processes){0};
}
