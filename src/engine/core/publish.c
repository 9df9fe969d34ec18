/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals of a process; see publish.h. */
#include "engine/core/publish.h"

#include "engine/core/records.h"

static void add(uint64_t *total, uint64_t now, uint64_t *seen)
{
	__atomic_fetch_add(total, now - *seen, __ATOMIC_RELAXED);
	*seen = now;
}

void publish_counts(struct thread *t, const struct counts *after)
{
	struct process *p = t->process;
	struct extra_counts *seen = &t->extra_published;

	add(&p->total.accesses, thread_accesses(t) - after->accesses, &t->published.accesses);
	add(&p->total.loads, t->counters.loads - after->loads, &t->published.loads);
	add(&p->total.stores, t->counters.stores - after->stores, &t->published.stores);
	add(&p->total.instructions, t->counters.instructions - after->instructions,
	    &t->published.instructions);
	add(&p->extra.rep_iterations, t->extra.rep_iterations, &seen->rep_iterations);
	add(&p->extra.vector_elements, t->extra.vector_elements, &seen->vector_elements);
	add(&p->extra.translate_cycles, t->extra.translate_cycles, &seen->translate_cycles);
	add(&p->extra.scan_cycles, t->extra.scan_cycles, &seen->scan_cycles);
	add(&p->extra.watch_accesses, t->extra.watch_accesses, &seen->watch_accesses);
	add(&p->extra.paced, thread_accesses(t) - after->accesses - t->extra.leaps, &seen->paced);
}

uint64_t publish_paced(const struct process *p)
{
	return __atomic_load_n(&p->extra.paced, __ATOMIC_RELAXED);
}

void publish_report(struct thread *t)
{
	static const struct counts nothing;

	if (thread_accesses(t) == t->published.accesses || !t->process->profiling)
		return;
	publish_counts(t, &nothing);
	records_counters(t->process);
}
