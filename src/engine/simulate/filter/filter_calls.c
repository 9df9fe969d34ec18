/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the filter variant; see filter_calls.h. */
#include "engine/simulate/filter/filter_calls.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/frame.h"
#include "engine/core/lanes.h"
#include "engine/core/util.h"
#include "engine/sample/collect.h"
#include "engine/simulate/arcs/arcs.h"
#include "engine/simulate/arcs/nodes.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_multi.h"
#include "engine/simulate/filter/filter_notes.h"
#include "engine/simulate/graph.h"
#include "engine/simulate/segments.h"

#define RECORDS 16384u /* 640 KB; the fault behind the last one takes 20 us */
/*
 * records after which a miss, which leaves the code anyway, follows them: 20 KB stay in the L1
 * cache
 */
#define MANY	      512u
#define SITES_RESERVE (1ull << 30)
#define FIRST_PLACES  4096u
#define TOWARDS_BYTES (SIM_TOWARDS * sizeof(struct sim_site))

/* Finds the newest segment at an address. */
struct place {
	uint32_t low;	 /* low half of the address */
	uint32_t number; /* the segment's, + 1; 0: free */
};

static struct {
	bool on;
	bool holds_events; /* the trail has events of what comes next, see hold_events */
	bool has_old_targets;
	struct thread *owner; /* the thread in the filter variant, or NULL */
	struct sim_record *first, *end;
	struct sim_trail trail;
	const struct sim_record *follow_end; /* for follow_records */
	struct grow sites;
	struct place *place;
	uint64_t places, used;
} f;

uint64_t filter_records_end;
uint64_t filter_records_many;

/* ---- Memory ---- */

static bool make_records(void)
{
	/* one more in front, which is no record of events */
	const uint64_t bytes = round_up((RECORDS + 1) * REC_BYTES, PAGE);
	uint8_t *memory = pages_get(bytes + PAGE);

	if (!memory || sys3(SYS_mprotect, memory + bytes, PAGE, PROT_NONE) != 0)
		return false;
	f.end = (struct sim_record *)(void *)(memory + bytes);
	f.first = f.end - RECORDS;
	f.first[-1].site = SIM_RECORD_ENTERS;
	filter_records_end = (uint64_t)(uintptr_t)f.end;
	filter_records_many = (uint64_t)(uintptr_t)(f.first + MANY);
	return true;
}

bool filter_calls_are_on(void)
{
	return f.on;
}

static struct sim_record *last_of(const struct thread *t)
{
	return (struct sim_record *)(uintptr_t)t->step - 1;
}

static struct sim_site *sites(void)
{
	return (struct sim_site *)(void *)f.sites.base;
}

static void set_next(struct thread *t, struct sim_record *next)
{
	t->step = (uint64_t)(uintptr_t)next;
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

bool filter_calls_start(bool are_in_line)
{
	f.trail.towards = pages_get(TOWARDS_BYTES);
	if (!f.trail.towards || !make_records() || grow_init(&f.sites, SITES_RESERVE) != 0)
		return false;
	f.trail.sites = sites();
	f.trail.segment_at = segment_at;
	f.sites.used = SIM_FIRST_SITE * sizeof(struct sim_site);
	f.on = !are_in_line || arcs_start(&f.trail);
	return f.on;
}

/* ---- Sites ---- */

uint32_t filter_new_call_site(struct segment *s, uint64_t pc)
{
	struct sim_site *site = grow_take(&f.sites, sizeof *site);

	if (!site)
		return 0;
	*site = graph_site_of(s, pc);
	return (uint32_t)(site - sites()) |
	       (segment_graph(s)->end == SIM_END_RETURN ? SIM_RECORD_RETURN : 0);
}

void filter_forget_call_sites(void)
{
	if (!f.on)
		return;
	filter_calls_settle_all();
	if (arcs_are_on())
		arcs_forget();
	memset(f.trail.towards, 0, TOWARDS_BYTES);
	f.sites.used = SIM_FIRST_SITE * sizeof(struct sim_site);
}

void filter_forget_targets(void)
{
	const struct sim_site *end = sites() + f.sites.used / sizeof *end;

	if (!f.on)
		return;
	for (struct sim_site *s = sites() + SIM_FIRST_SITE; s < end; s++)
		sim_site_forget(s);
	memset(f.trail.towards, 0, TOWARDS_BYTES);
}

void filter_targets_have_changed(void)
{
	__atomic_store_n(&f.has_old_targets, true, __ATOMIC_RELEASE);
}

void filter_forget_old_targets(void)
{
	if (__atomic_load_n(&f.has_old_targets, __ATOMIC_RELAXED) &&
	    __atomic_exchange_n(&f.has_old_targets, false, __ATOMIC_ACQUIRE))
		filter_forget_targets();
}

static void follow_records(void)
{
	graph_records(graph_of(f.owner), &f.trail, f.first, f.follow_end);
}

static void follow(struct thread *t, const struct sim_record *end)
{
	if (filter_state.is_fast)
		filter_look_below();
	filter_multi_count();
	filter_forget_old_targets();
	f.trail.words = filter_multi_events();
	f.trail.is_wide = filter_multi_is_on() && engine.wide;
	f.follow_end = end;
	if (graph_of(t) && f.trail.is_wide)
		filter_with_vectors(follow_records);
	else if (graph_of(t))
		follow_records();
	f.trail.is_wide = false;
	filter_multi_forget();
	set_next(t, f.first);
}

/* ---- While the thread is outside of the cache ---- */

/* The last step was made, but nothing ran behind it: report only which segment it left. */
static void hold(struct thread *t, const struct sim_record *r)
{
	struct graph_thread *gt = graph_of(t);

	if (gt && r->site != SIM_RECORD_ENTERS)
		graph_left(gt, sites()[r->site & ~SIM_RECORD_RETURN].left, sim_record_sp(r));
	else if (gt)
		gt->is_due = true;
}

/* Is it a step behind which nothing has run? */
static bool is_pending(const struct thread *t, const struct sim_record *r)
{
	return r >= f.first && !sim_record_is_of_events(r) && r->lane[0] == t->lane[0] &&
	       r->lane[1] == t->lane[1];
}

/*
 * An instruction that faults may have missed before: its events stand behind the step that is held
 * back, and will again when it runs again. If a handler comes first they are counted before that.
 * Returns the first of these events; `end`: there are none.
 */
static struct sim_record *events_behind_step(const struct thread *t, struct sim_record *end)
{
	struct sim_record *r = end;

	while (sim_record_is_of_events(r - 1)) /* ends at the record in front of the first */
		r--;
	return is_pending(t, r - 1) ? r : end;
}

/* Holds records of events that belong to what comes next. */
static void hold_events(const struct sim_record *r, const struct sim_record *end)
{
	f.holds_events |= r < end;
	for (; r < end; r++)
		sim_trail_hold(&f.trail, r);
}

/* Makes room for one more record. Called without the lock. */
static void make_room(struct thread *t)
{
	if (t->step != filter_records_end)
		return;
	collect_lock();
	follow(t, f.end);
	collect_unlock();
}

/* The record behind the last one. Makes room if needed. */
static struct sim_record *new_record(struct thread *t)
{
	struct sim_record *r;

	if (t->step == filter_records_end)
		follow(t, f.end);
	r = last_of(t) + 1;
	set_next(t, r + 1);
	return r;
}

static void put_held_events(struct thread *t)
{
	if (f.holds_events)
		*new_record(t) = (struct sim_record){.site = SIM_RECORD_HELD};
	f.holds_events = false;
}

static void settle(struct thread *t)
{
	struct sim_record *last, *end;
	bool holds;

	if (arcs_are_on()) {
		arcs_settle(t);
		return;
	}
	last = last_of(t) + 1;
	end = events_behind_step(t, last);
	holds = is_pending(t, end - 1);
	follow(t, end - holds);
	hold_events(end, last);
	if (t->calls)
		sim_trail_take(&f.trail, t->lane, &t->calls->totals);
	if (holds)
		hold(t, end - 1);
}

void filter_calls_pause(struct thread *t)
{
	if (f.owner == t)
		settle(t);
}

/* The held events do not belong to what comes next. */
static void settle_held(struct thread *t)
{
	put_held_events(t);
	settle(t);
}

void filter_calls_settle(struct thread *t)
{
	if (f.owner == t)
		settle_held(t);
}

void filter_calls_settle_all(void)
{
	struct thread *t = f.owner;

	if (t && (t == thread_self() || !__atomic_load_n(&t->in_cache, __ATOMIC_SEQ_CST)))
		settle(t);
}

/* Held events of t must not become those of the next thread. */
void filter_calls_end(struct thread *t)
{
	if (f.owner != t)
		return;
	settle_held(t);
	if (f.holds_events) {
		put_held_events(t);
		follow(t, last_of(t) + 1);
	}
	if (arcs_are_on())
		arcs_hide(t);
	f.owner = 0;
}

void filter_calls_forget(void)
{
	if (arcs_are_on())
		arcs_forget_frames();
	f.owner = 0;
	f.holds_events = false;
}

static void enter(struct thread *t)
{
	struct graph_thread *gt = graph_of(t);

	if (f.owner != t) {
		f.owner = t;
		f.trail.seen[0] = t->lane[0];
		f.trail.seen[1] = t->lane[1];
		if (arcs_are_on())
			arcs_show(t);
		else
			set_next(t, f.first);
	}
	if (!gt || !gt->is_due)
		return;
	gt->is_due = false;
	if (arcs_are_on()) {
		arcs_enter(t);
		return;
	}
	*new_record(t) = (struct sim_record){
		.site = SIM_RECORD_ENTERS, .pc = t->rip, .lane = {t->lane[0], t->lane[1]}};
	put_held_events(t);
}

/* Does the running node not fit the code at pc? Functions of made code may begin late. */
static bool is_in_another_function(uint64_t pc)
{
	const struct sim_segment *s = nodes_are_on() ? segment_at(pc) : 0;

	return s && graph_function_of_node(nodes_running()) != s->function;
}

void filter_calls_enter(struct thread *t)
{
	const bool knows = f.on && f.owner == t && t->calls && !t->calls->is_due;
	const bool fits = !knows || !is_in_another_function(t->rip);

	if (!f.on || (knows && fits))
		return;
	collect_lock();
	if (!fits) {
		settle(t);
		t->calls->is_due = true;
	}
	enter(t);
	collect_unlock();
}

/* The last record stays, as perhaps nothing has run behind it yet. */
void filter_calls_catch_up(struct thread *t)
{
	const struct sim_record *last = last_of(t);

	if (f.owner != t || arcs_are_on() || t->step < filter_records_many ||
	    last->site == SIM_RECORD_EVENTS || filter_multi_is_on())
		return;
	collect_lock();
	follow(t, last);
	*new_record(t) = *last;
	collect_unlock();
}

void filter_calls_cut(struct thread *t, struct segment *s, uint32_t insns)
{
	struct graph_thread *gt = t->calls;

	if (f.owner != t || !gt)
		return;
	collect_lock();
	settle_held(t);
	if (insns)
		graph_cut(gt, s, &segment_graph(s)->own);
	collect_unlock();
}

void filter_calls_count(uint32_t event, int64_t amount)
{
	struct thread *t = f.owner;
	struct sim_record *r;

	if (!t || !amount)
		return;
	if (arcs_are_on()) {
		arcs_count(t, event, amount);
		return;
	}
	r = last_of(t);
	if (event >= SIM_RECORD_EVENT_COUNT || amount > INT32_MAX / 2 || amount < INT32_MIN / 2 ||
	    (r->site == SIM_RECORD_EVENTS &&
	     (r->events[event] > INT32_MAX / 2 || r->events[event] < INT32_MIN / 2))) {
		collect_lock();
		follow(t, r + 1);
		if (t->calls)
			sim_totals_add(&t->calls->totals, event, (uint64_t)amount);
		collect_unlock();
		return;
	}
	if (r->site != SIM_RECORD_EVENTS) {
		make_room(t);
		r = new_record(t);
		*r = (struct sim_record){.site = SIM_RECORD_EVENTS};
	}
	r->events[event] += (int32_t)amount;
}

bool filter_calls_wait(void)
{
	return f.owner && last_of(f.owner) >= f.first;
}

void filter_calls_follow(void)
{
	if (!f.owner)
		return;
	collect_lock();
	follow(f.owner, last_of(f.owner) + 1);
	collect_unlock();
}

void filter_calls_missed(void)
{
	struct thread *t = f.owner;
	struct sim_record *r;

	if (!t)
		return;
	r = last_of(t);
	if (r->site != SIM_RECORD_WORDS) {
		make_room(t);
		r = new_record(t);
		*r = (struct sim_record){.site = SIM_RECORD_WORDS};
		r->first_word = filter_multi_waiting();
	}
	r->words++;
}

bool filter_calls_is_full(struct thread *t, uint64_t address, struct frame_context *c)
{
	const uint8_t *store = (const uint8_t *)(uintptr_t)c->rip;

	if (arcs_is_full(t, address, c))
		return true;
	if (!f.on || address != filter_records_end || t != f.owner)
		return false;
	collect_lock();
	follow(t, f.end);
	collect_unlock();
	/* mov dword [r11], number; or [rcx] */
	*(store[0] == 0x41 ? &c->r11 : &c->rcx) = t->step;
	return true;
}
