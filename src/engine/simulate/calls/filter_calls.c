/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls in the filter variant; see filter_calls.h. */
#include "engine/simulate/calls/filter_calls.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/plan/plan.h"

#define SITES_RESERVE (1ull << 30)
#define FIRST_PLACES  4096u
#define TOWARDS_BYTES (SIM_TOWARDS * sizeof(struct sim_site))

/* Finds the newest segment at an address. */
struct place {
	uint32_t low;	 /* low half of the address */
	uint32_t number; /* the segment's, + 1; 0: free */
};

static struct {
	struct thread *owner; /* the thread in the filter variant, or NULL */
	struct sim_trail trail;
	struct grow sites;
	struct place *place;
	uint64_t places, used;
} f;

static struct sim_site *sites(void)
{
	return (struct sim_site *)(void *)f.sites.base;
}

/* ---- Segments by address ---- */

static struct sim_segment *segment_of(const struct place *p)
{
	return segment_graph(segments_of_trailer(p->number - 1));
}

static struct place *place_of(uint64_t pc)
{
	uint64_t at = pc * 0x9e3779b97f4a7c15ull >> 20 & (f.places - 1);

	while (f.place[at].number &&
	       (f.place[at].low != (uint32_t)pc || segment_of(&f.place[at])->pc != pc))
		at = (at + 1) & (f.places - 1);
	return &f.place[at];
}

static bool make_places(uint64_t places)
{
	struct place *old = f.place;
	const uint64_t old_places = f.places;
	struct place *new = pages_get(round_up(places * sizeof *new, PAGE));

	if (!new)
		return false;
	f.place = new;
	f.places = places;
	for (uint64_t i = 0; i < old_places; i++)
		if (old[i].number)
			*place_of(segment_of(&old[i])->pc) = old[i];
	if (old)
		pages_put(old, round_up(old_places * sizeof *old, PAGE));
	return true;
}

bool filter_calls_meet(struct segment *s)
{
	struct place *p;

	if (2 * f.used >= f.places && !make_places(f.places ? 2 * f.places : FIRST_PLACES))
		return false;
	graph_meet(s);
	p = place_of(segment_graph(s)->pc);
	f.used += !p->number;
	*p = (struct place){(uint32_t)segment_graph(s)->pc, segments_number(s) + 1};
	return true;
}

static struct sim_segment *segment_at(uint64_t pc)
{
	const struct place *p = f.places ? place_of(pc) : 0;

	return p && p->number ? segment_of(p) : 0;
}

bool filter_calls_start(void)
{
	f.trail.towards = pages_get(TOWARDS_BYTES);
	if (!f.trail.towards || grow_init(&f.sites, SITES_RESERVE) != 0)
		return false;
	f.trail.sites = sites();
	f.trail.segment_at = segment_at;
	f.sites.used = SIM_FIRST_SITE * sizeof(struct sim_site);
	return arcs_start(&f.trail);
}

/* ---- Sites ---- */

uint32_t filter_new_call_site(struct segment *s, uint64_t pc)
{
	struct sim_site *site = grow_take(&f.sites, sizeof *site);

	if (!site)
		return 0;
	*site = graph_site_of(s, pc);
	return (uint32_t)(site - sites()) |
	       (segment_graph(s)->end == SIM_END_RETURN ? SIM_EXIT_RETURN : 0);
}

void filter_forget_call_sites(void)
{
	if (!plan.arcs)
		return;
	filter_calls_settle_all();
	arcs_forget();
	memset(f.trail.towards, 0, TOWARDS_BYTES);
	f.sites.used = SIM_FIRST_SITE * sizeof(struct sim_site);
}

void filter_forget_targets(void)
{
	const struct sim_site *end = sites() + f.sites.used / sizeof *end;

	if (!plan.arcs)
		return;
	for (struct sim_site *s = sites() + SIM_FIRST_SITE; s < end; s++)
		sim_site_forget(s);
	memset(f.trail.towards, 0, TOWARDS_BYTES);
}

void filter_forget_old_targets(void)
{
	if (__atomic_load_n(&graph_has_old_targets, __ATOMIC_RELAXED) &&
	    __atomic_exchange_n(&graph_has_old_targets, false, __ATOMIC_ACQUIRE))
		filter_forget_targets();
}

/* ---- Threads ---- */

void filter_calls_settle(struct thread *t)
{
	if (f.owner == t)
		arcs_settle(t);
}

void filter_calls_settle_all(void)
{
	struct thread *t = f.owner;

	if (t && (t == thread_self() || !__atomic_load_n(&t->in_cache, __ATOMIC_SEQ_CST)))
		arcs_settle(t);
}

void filter_calls_end(struct thread *t)
{
	if (f.owner != t)
		return;
	arcs_settle(t);
	arcs_hide(t);
	f.owner = 0;
}

void filter_calls_forget(void)
{
	if (plan.arcs)
		arcs_forget_frames();
	f.owner = 0;
}

static void enter(struct thread *t)
{
	struct graph_thread *gt = graph_of(t);

	if (f.owner != t) {
		f.owner = t;
		f.trail.seen[0] = t->lane[0];
		f.trail.seen[1] = t->lane[1];
		arcs_show(t);
	}
	if (!gt || !gt->is_due)
		return;
	gt->is_due = false;
	arcs_enter(t);
}

/* Does the running node not fit the code at pc? Functions of made code may begin late. */
static bool is_in_another_function(uint64_t pc)
{
	const struct sim_segment *s = plan.nodes ? segment_at(pc) : 0;

	return s && graph_function_of_node(nodes_running()) != s->function;
}

void filter_calls_enter(struct thread *t)
{
	const bool knows = plan.arcs && f.owner == t && t->calls && !t->calls->is_due;
	const bool fits = !knows || !is_in_another_function(t->rip);

	if (!plan.arcs || (knows && fits))
		return;
	collect_lock();
	if (!fits) {
		arcs_settle(t);
		t->calls->is_due = true;
	}
	enter(t);
	collect_unlock();
}

void filter_calls_cut(struct thread *t, struct segment *s, uint32_t insns)
{
	struct graph_thread *gt = t->calls;

	if (f.owner != t || !gt)
		return;
	collect_lock();
	arcs_settle(t);
	if (insns)
		graph_cut(gt, s, &segment_graph(s)->own);
	collect_unlock();
}

void filter_calls_count(uint32_t event, int64_t amount)
{
	if (f.owner && amount)
		arcs_count(f.owner, event, amount);
}
