/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that are checked together; see filter_runs.h. Does not emit. */
#include "engine/simulate/emit/filter_runs.h"

#include "engine/core/util.h"
#include "engine/simulate/emit/filter_check.h"
#include "engine/simulate/state/filter.h"

#define LINE_BYTES (1 << FILTER_LINE_SHIFT)
#define MOST_BYTES 8u /* of an access in a run */

/* The address of an access, as far as it is known at translation. */
struct place {
	bool is_known;
	uint8_t base;
	uint32_t version;  /* of the register's value */
	int64_t low, high; /* first and last byte, relative to that value */
};

/* The state of the walk through a segment. */
struct walk {
	struct filter_plan *p;
	uint32_t accesses;
	struct place at[FILTER_MOST_ACCESSES];
	uint32_t version[16];
	int64_t moved;
	struct place run; /* which may still grow */
	uint8_t run_first, run_members, run_size;
	uint64_t run_line;			  /* of its code */
	bool stores_low, stores_high, stores_any; /* to its lowest byte, to its highest */
	struct filter_run good;			  /* as much of it as is possible */
	struct filter_rules rules;
};

static struct place place_of(const struct walk *w, const struct mem_op *m)
{
	int64_t low;

	if (!filter_is_base_only(m) || m->size == 0)
		return (struct place){0};
	low = m->disp + (m->base == RSP ? w->moved : 0);
	return (struct place){true, m->base, w->version[m->base], low, low + m->size - 1};
}

static bool same_base(const struct place *a, const struct place *b)
{
	return a->is_known && b->is_known && a->base == b->base && a->version == b->version;
}

/* a and b together. */
static struct place both(const struct place *a, const struct place *b)
{
	struct place sum = *a;

	sum.low = b->low < a->low ? b->low : a->low;
	sum.high = b->high > a->high ? b->high : a->high;
	return sum;
}

static bool can_be_member(const struct place *at, const struct mem_op *m)
{
	return at->is_known && m->size <= MOST_BYTES && (m->size & (m->size - 1)) == 0 &&
	       (at->low & (m->size - 1)) == 0;
}

static void end_run(struct walk *w)
{
	if (w->run_members && w->good.members >= FILTER_RUN_LEAST)
		w->p->run[w->p->runs++] = w->good;
	w->run_members = 0;
}

static void begin_run(struct walk *w, const struct place *at)
{
	w->run = *at;
	w->run_first = (uint8_t)w->accesses;
	w->run_size = 0;
	w->stores_low = w->stores_high = w->stores_any = false;
	w->good = (struct filter_run){0};
}

/* The access is a member now. */
static void note_store(struct walk *w, const struct place *at, bool is_store)
{
	if (at->low < w->run.low || (is_store && at->low == w->run.low))
		w->stores_low = is_store;
	if (at->high > w->run.high || (is_store && at->high == w->run.high))
		w->stores_high = is_store;
	w->stores_any |= is_store;
}

/* Would it matter if the low line was touched before the high one is looked up? */
static bool low_must_wait(const struct walk *w)
{
	const struct filter_rules *r = &w->rules;
	const bool is_dirtied = r->marks_stores && r->splits_insns && w->stores_any;

	return w->run_members > 1 && w->at[w->run_first].low != w->run.low &&
	       (r->tells_pages || is_dirtied);
}

static void add_to_run(struct walk *w, const struct place *at, const struct mem_op *m)
{
	const struct place sum = both(&w->run, at);
	int64_t moved;

	if (w->run_members &&
	    (!can_be_member(at, m) || !same_base(&w->run, at) || sum.high - sum.low >= LINE_BYTES))
		end_run(w);
	if (!can_be_member(at, m))
		return;
	if (!w->run_members)
		begin_run(w, at);
	note_store(w, at, m->kind != ACCESS_LOAD);
	w->run = both(&w->run, at);
	w->run_members++;
	if (m->size > w->run_size)
		w->run_size = (uint8_t)m->size;
	if (w->rules.marks_stores && w->stores_any && !(w->stores_low && w->stores_high))
		return;
	if (w->rules.tells_pages && at->low != w->run.low && at->high != w->run.high)
		return;
	moved = w->run.base == RSP ? w->p->moved[w->run_first] : 0;
	w->good = (struct filter_run){
		.first = w->run_first,
		.members = w->run_members,
		.size = w->run_size,
		.dirties = w->stores_any,
		.low_is_last = w->rules.tells_pages && at->high != w->run.high,
		.low_waits = low_must_wait(w),
		.low = w->run.low - moved,
		.high = w->run.high - moved,
	};
}

static void execute(struct walk *w, const struct insn *in)
{
	int64_t by = 0;
	bool is_known = filter_moves_stack(in, &by);

	w->moved += by;
	for (uint32_t r = 0; r < 16; r++)
		if ((in->gprs_written >> r & 1) && !(r == RSP && is_known))
			w->version[r]++;
}

/* A tick for each: code that handles an access of two lines needs the half tick before. */
static void tell_all_apart(struct filter_plan *p, uint32_t accesses)
{
	_Static_assert(2 * (FILTER_MOST_ACCESSES - 1) <= UINT8_MAX, "times fit");

	for (uint32_t n = 0; n < accesses; n++)
		p->time[n] = (uint8_t)(2 * n);
}

/* Gives an access another time than the one before if their lines may be of one set. */
static void find_times(const struct walk *w, uint64_t set_bytes)
{
	struct filter_plan *p = w->p;
	struct place moment = {0}; /* the bytes touched at `time` */
	uint32_t run = 0;
	uint8_t time = 0;

	for (uint32_t n = 0; n < w->accesses; n++) {
		bool is_in = run < p->runs && n >= p->run[run].first;
		uint32_t end = is_in ? p->run[run].first + p->run[run].members : n + 1;
		struct place at = w->at[n], sum;

		for (uint32_t k = n + 1; k < end; k++)
			at = both(&at, &w->at[k]);
		sum = both(&moment, &at);
		if (same_base(&moment, &at) &&
		    (uint64_t)(sum.high - sum.low) + LINE_BYTES <= set_bytes) {
			moment = sum;
		} else {
			moment = at;
			time += n != 0;
		}
		run += is_in;
		for (; n < end; n++)
			p->time[n] = time;
		n--;
	}
}

/* The same if accesses may be of two pages. Of a run that ends low that access is later. */
static void tell_pages_apart(const struct walk *w)
{
	struct filter_plan *p = w->p;
	uint32_t run = 0, time = 0;

	for (uint32_t n = 0; n < w->accesses; n++) {
		const bool is_in = run < p->runs && n >= p->run[run].first;
		const uint32_t last = is_in ? n + p->run[run].members - 1u : n;

		if (is_in && p->run[run].low_is_last)
			time += time % 2;
		for (; n < last; n++)
			p->time[n] = (uint8_t)time;
		time += is_in && p->run[run].low_is_last;
		p->time[n] = (uint8_t)time++;
		run += is_in;
	}
}

void filter_plan_accesses(struct filter_plan *p, const struct insn *in, uint32_t n,
			  const struct filter_rules *rules)
{
	struct walk w = {.p = p, .rules = *rules};

	p->runs = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t line = (in[i].pc + in[i].length - 1) >> FILTER_LINE_SHIFT;

		if (rules->splits_lines && line != w.run_line)
			end_run(&w);
		w.run_line = line;
		for (uint32_t k = 0; k < in[i].mem_count; k++) {
			struct place at = place_of(&w, &in[i].mem[k]);

			p->moved[w.accesses] = w.moved;
			if (rules->set_bytes && !rules->one_by_one &&
			    !(rules->splits_insns && in[i].mem_count > 1) &&
			    !(rules->stores_leave && in[i].mem[k].kind != ACCESS_LOAD))
				add_to_run(&w, &at, &in[i].mem[k]);
			else
				end_run(&w);
			w.at[w.accesses++] = at;
		}
		execute(&w, &in[i]);
	}
	end_run(&w);
	if (rules->tells_pages)
		tell_pages_apart(&w);
	else if (rules->set_bytes)
		find_times(&w, rules->set_bytes);
	else
		tell_all_apart(p, w.accesses);
}
