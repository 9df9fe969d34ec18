/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary's figures. */
#include "estimate/summary.h"

#include <math.h>
#include <stdlib.h>

#include "estimate/spatial.h"

static void sum_reuses(struct summary *s, const struct profile_share *shares)
{
	for (size_t i = 0; i < s->profile->end_count; i++) {
		const struct profile_end *e = &s->profile->ends[i];

		s->cold += shares[i].accesses * e->first;
		if (e->first <= 0)
			*(e->is_temporal ? &s->temporal : &s->spatial) += shares[i].accesses;
	}
}

int summary_init(struct summary *s, const struct profile *p, const struct query *q, struct err *err)
{
	struct hot_cost *costs;
	struct profile_share *shares;
	int ret = -1;

	*s = (struct summary){
		.profile = p, .query = q, .policy = profile_policy(q), .size_bytes = q->size_bytes};
	shares = profile_attribute(p, q, err);
	if (shares == NULL)
		return -1;
	sum_reuses(s, shares);
	costs = hot_costs_of(p, shares, err);
	if (costs != NULL && order_measure(&s->order, p, shares, HOT_LINE, err) != 0) {
		free(costs);
		costs = NULL;
	}
	if (costs == NULL) {
		free(shares);
		return -1;
	}
	if (hot_rows(p, q, costs, HOT_FUNCTION, &s->functions, err) == 0 &&
	    hot_rows(p, q, costs, HOT_LINE, &s->lines, err) == 0 &&
	    own_callers_find(&s->callers, p, shares, &s->functions, err) == 0 &&
	    data_init(&s->data, p, q, DATA_BY_LINE, err) == 0 &&
	    spatial_used_of(p, q, &s->used, err) == 0)
		ret = 0;
	free(costs);
	free(shares);
	if (ret != 0)
		summary_release(s);
	return ret;
}

void summary_release(struct summary *s)
{
	hot_release(&s->functions);
	hot_release(&s->lines);
	data_release(&s->data);
}

void summary_overhead(const struct profile *p, struct summary_overhead *out)
{
	double cpu = (double)store_meta_int(p->store, "target_cpu_ns", 0);
	double wall = (double)store_meta_int(p->store, "wall_ns", 0);
	double collector = (double)store_meta_int(p->store, "collector_cpu_ns", -1);
	double hz = (double)store_meta_int(p->store, "tsc_hz", 0);
	double translate = 0, scan = 0;

	*out = (struct summary_overhead){-1, -1, -1};
	/* The CPU time is that of all processes, so the cycles must be, too. */
	for (size_t i = 0; i < p->process_count; i++) {
		translate += (double)p->processes[i].translate_cycles;
		scan += (double)p->processes[i].scan_cycles;
	}
	if (cpu <= 0)
		return;
	if (collector >= 0)
		out->collector = collector / cpu;
	/*
	 * The time stamp counter also runs while a busy machine makes the target wait. So cycles
	 * are shares of the elapsed time, or of all threads' CPU time if that is more.
	 */
	if (hz > 0) {
		out->translate = translate / hz * 1e9 / fmax(cpu, wall);
		out->scan = scan / hz * 1e9 / fmax(cpu, wall);
	}
}
