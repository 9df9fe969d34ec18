/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run; see processes.h. */
#include "estimate/processes.h"

#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
	const struct store_process *x = ((const struct processes_row *)a)->process;
	const struct store_process *y = ((const struct processes_row *)b)->process;

	if (x->accesses != y->accesses)
		return x->accesses < y->accesses ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static void solve(const struct profile *p, struct processes *s, struct processes_row *row)
{
	struct err too_small;

	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct query at = query_at(s->query, s->caches[i].size_bytes);

		if (profile_check_size(p, at.size_bytes, &too_small) == 0 &&
		    profile_check_ways(p, &at, at.size_bytes, &too_small) == 0)
			profile_solve(p, &at, &row->ratios[i]);
	}
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
