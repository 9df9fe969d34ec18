/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of calls that code sums up, and the steps that it leaves to the graph; see arcs.h. */
#include "engine/simulate/calls/arcs.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/frame.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/calls/arcs_lines.h"
#include "engine/simulate/calls/events.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/notes.h"

#define FRAMES 256u /* 10 KB; when they are used up all of them become the graph's */
#define SPANS  1024u
/* Counts that do not let lanes overflow. */
#define MOST_AT_ONCE (1 << 30)

/* A call that began and ended between notes of misses. The notes are named by low halves. */
struct arcs_span {
	uint32_t line, from, to;
};

/* The low page. */
struct arcs_state {
	struct arcs_frame *top, *base;
	uint64_t sp;
	uint32_t note, unused;
	uint64_t end;
	uint32_t next[2];
	uint64_t lane[2];
};

_Static_assert(FILTER_QUICK_SP >= A_LANES + 16, "the low page has room");
_Static_assert(offsetof(struct arcs_state, base) == A_BASE - A_TOP, "layout");
_Static_assert(offsetof(struct arcs_state, sp) == A_SP - A_TOP, "layout");
_Static_assert(offsetof(struct arcs_state, note) == A_NOTE - A_TOP, "layout");
_Static_assert(offsetof(struct arcs_state, end) == A_END - A_TOP, "layout");
_Static_assert(offsetof(struct arcs_state, lane) == A_LANES - A_TOP, "layout");
_Static_assert(offsetof(struct arcs_span, from) == S_FROM, "layout");
_Static_assert(offsetof(struct arcs_span, to) == S_TO, "layout");
_Static_assert(sizeof(struct arcs_span) == S_BYTES, "layout");

static struct {
	struct thread *owner; /* the thread in the filter variant, or NULL */
	struct sim_trail *trail;
	struct arcs_frame *base, *limit;
	uint64_t sp; /* of the graph's stack, as the graph has it */
	uint32_t first_note;
} a;

static struct arcs_span spans[SPANS];
/* for arcs.S */
struct arcs_span *arcs_next_span = spans, *arcs_last_span = spans + SPANS;

uint64_t arcs_units[CELL_FIRST_MISS + ARCS_UNITS];

extern uint8_t filter_notes[]; /* filter_below.S */

static struct arcs_state rest; /* without the filter's memory */
static struct arcs_state *low_page = &rest;

static struct arcs_state *state(void)
{
	return low_page;
}

static bool make_frames(void)
{
	const uint64_t bytes = round_up((FRAMES + 1) * sizeof(struct arcs_frame), PAGE);
	uint8_t *memory = pages_get(bytes + PAGE);

	if (!memory || sys3(SYS_mprotect, memory + bytes, PAGE, PROT_NONE) != 0)
		return false;
	a.limit = (struct arcs_frame *)(void *)(memory + bytes);
	a.base = a.limit - FRAMES;
	return true;
}

bool arcs_start(struct sim_trail *trail)
{
	a.trail = trail;
	if (!make_frames() || (plan.contexts && !nodes_start()) || !arcs_lines_start(trail))
		return false;
	for (uint32_t i = 0; i < ARCS_UNITS; i++)
		arcs_units[CELL_FIRST_MISS + i] = 1ull << ARCS_UNIT_BITS * i;
	return true;
}

void arcs_begin(void)
{
	const void *notes = plan.several ? (const void *)filter_misses.first : filter_notes;

	a.first_note = (uint32_t)(uintptr_t)notes;
	low_page = (struct arcs_state *)(uintptr_t)A_TOP;
	*state() = (struct arcs_state){.top = a.base, .base = a.base, .note = a.first_note};
}

void arcs_end(void)
{
	if (!plan.arcs)
		return;
	rest = *state();
	low_page = &rest;
}

static uint32_t line_of(const struct arcs_frame *f)
{
	return f->line & ~(uint32_t)F_WAS_ACTIVE;
}

/* Does what happens in it not count, because its function, or node, was active before? */
static bool has_no_costs(const struct arcs_frame *f)
{
	return plan.nodes ? f->line & F_WAS_ACTIVE : f->old;
}

/* ---- Misses ---- */

/* What the notes before this one have counted. */
static uint64_t sums_at(uint32_t note)
{
	const uint8_t *at = filter_notes + (note - (uint32_t)(uintptr_t)filter_notes);

	return *(const uint64_t *)(const void *)(at + NOTE_RECORD);
}

static void add_units(uint64_t *rare, uint32_t from, uint32_t to)
{
	uint64_t sums = sums_at(to) - sums_at(from);

	for (uint32_t i = 0; sums; i++, sums >>= ARCS_UNIT_BITS)
		rare[i] += sums & ((1u << ARCS_UNIT_BITS) - 1);
}

static void spread(void (*add)(uint64_t *rare, uint32_t from, uint32_t to))
{
	const uint32_t first = a.first_note, next = state()->note;

	for (const struct arcs_span *s = spans; s < arcs_next_span; s++)
		add(arcs_rare(s->line), s->from, s->to);
	arcs_next_span = spans;
	for (struct arcs_frame *f = a.base; f < state()->top; f++) {
		if (!has_no_costs(f))
			add(arcs_rare(f->line), f->note, next);
		f->note = first;
	}
	state()->note = first;
	if (a.owner && a.owner->calls) {
		add(a.owner->calls->totals.event + SIM_OFTEN, first, next);
		a.owner->calls->totals.changes++;
	}
}

void arcs_looked(void)
{
	spread(add_units);
}

static const struct arcs_sums *formed;

static uint32_t number_of(uint32_t note)
{
	return (note - formed->first) / formed->bytes;
}

static void name(uint32_t note)
{
	formed->is_named[number_of(note)] = true;
}

void arcs_name_notes(const struct arcs_sums *sums)
{
	formed = sums;
	for (const struct arcs_span *s = spans; s < arcs_next_span; s++) {
		name(s->from);
		name(s->to);
	}
	for (const struct arcs_frame *f = a.base; f < state()->top; f++)
		name(f->note);
	name(a.first_note);
	name(state()->note);
}

static void add_formed(uint64_t *rare, uint32_t from, uint32_t to)
{
	const uint32_t words = formed->words, bits = formed->bits;
	const uint64_t *begin = formed->sums + number_of(from) * words;
	const uint64_t *end = formed->sums + number_of(to) * words;

	for (uint32_t k = 0; k < words; k++, rare += 64 / bits) {
		uint64_t more = end[k] - begin[k];

		for (uint32_t i = 0; more; i++, more >>= bits)
			rare[i] += more & ((1ull << bits) - 1);
	}
}

void arcs_spread_sums(void)
{
	spread(add_formed);
}

void arcs_noted(uint32_t next)
{
	state()->note = next;
}

/* An amount that no note can say belongs to all that is open. */
static void count_at_once(struct thread *t, uint32_t event, int64_t amount)
{
	for (struct arcs_frame *f = a.base; f < state()->top; f++)
		if (!has_no_costs(f))
			arcs_rare(f->line)[event - CELL_FIRST_MISS] += (uint64_t)amount;
	if (t->calls)
		sim_totals_add(&t->calls->totals, event, (uint64_t)amount);
}

/* Counts of string instructions are those of lanes. */
void arcs_count(struct thread *t, uint32_t event, int64_t amount)
{
	if (amount > MOST_AT_ONCE || amount < -MOST_AT_ONCE) {
		collect_lock();
		arcs_settle(t);
		if (t->calls)
			sim_totals_add(&t->calls->totals, event, (uint64_t)amount);
		collect_unlock();
	} else if (event == CELL_INSTRUCTIONS) {
		t->lane[1] += (uint64_t)amount;
	} else if (event == CELL_READS) {
		t->lane[0] += (uint64_t)amount;
	} else if (event == CELL_WRITES) {
		t->lane[0] += (uint64_t)amount << 32;
	} else if (plan.pair || !events_note(event, amount)) {
		count_at_once(t, event, amount);
	}
}

/* ---- Frames ---- */

static void add_lanes(const struct arcs_frame *f, const uint64_t now[2])
{
	struct arcs_line *l = arcs_line(f->line);

	if (has_no_costs(f))
		return;
	for (uint32_t i = 0; i < 2; i++)
		l->lane[i] += now[i] - f->lane[i];
}

/* Which calls need no rules is known by the newest frame of the graph. */
static void bound(const struct graph_thread *gt)
{
	const struct sim_fiber *fiber = gt ? gt->stack.fiber : 0;
	uint64_t sp = 0;

	if (fiber && fiber->count) {
		sp = fiber->frame[fiber->count - 1].sp;
		if (sp > fiber->high)
			sp = fiber->high + 1;
		if (fiber->sp > sp || sp - fiber->sp >= 1u << A_NEAR_LOG)
			sp = 0;
	}
	a.base[-1].sp = sp;
	state()->sp = a.sp = fiber ? fiber->sp : 0;
	nodes_run(gt ? gt->stack.node : SIM_NO_NODE);
}

/* The frame has never begun. */
static void undo(const struct arcs_frame *f)
{
	if (plan.nodes)
		nodes_undo(arcs_line(line_of(f))->node >> N_SHIFT, (uint32_t *)(uintptr_t)f->cell,
			   f->old, has_no_costs(f));
	else
		*(uint8_t *)(uintptr_t)f->cell = (uint8_t)f->old;
}

/* It becomes a frame of the graph, which begins now. */
static void give_frame(struct graph_thread *gt, const struct arcs_frame *f, const uint64_t now[2])
{
	const uint32_t line = line_of(f), which = plan.nodes ? 0 : f->old;
	struct sim_open_call c = arcs_open_call(line, which != 0);

	add_lanes(f, now);
	c.sp = f->sp;
	c.back = arcs_line(line)->back;
	graph_open(gt, &c, &arcs_info(line)->arc[which]);
}

static void take(struct graph_thread *gt, const uint64_t now[2])
{
	const uint64_t *event = gt->totals.event;
	const uint64_t loads = event[CELL_READS], stores = event[CELL_WRITES];

	sim_trail_take(a.trail, now, &gt->totals);
	arcs_note(event[CELL_READS] - loads, event[CELL_WRITES] - stores);
}

void (*arcs_settle_misses)(void);

/*
 * All frames become frames of the graph, which begin now: what they have so far goes to the sums of
 * their arcs. Before the newest one if nothing has run since: then it has only left its caller.
 */
static void give_frames(struct thread *t, const uint64_t now[2], bool may_be_due)
{
	struct graph_thread *gt = graph_of(t);
	struct arcs_frame *top, *due = 0;

	filter_forget_old_targets();
	arcs_settle_misses();
	top = state()->top;
	if (!gt) {
		arcs_forget_frames();
		return;
	}
	take(gt, now);
	if (may_be_due && top > a.base && top[-1].lane[0] == now[0] && top[-1].lane[1] == now[1] &&
	    arcs_info(line_of(&top[-1]))->site) {
		due = --top;
		undo(due);
	}
	for (const struct arcs_frame *f = a.base; f < top; f++)
		give_frame(gt, f, now);
	if (state()->sp != a.sp)
		gt->stack.fiber->sp = state()->sp;
	state()->top = a.base;
	if (due)
		graph_left(gt, a.trail->sites[arcs_info(line_of(due))->site].left, due->sp);
	bound(gt);
}

void arcs_settle(struct thread *t)
{
	give_frames(t, t->lane, true);
}

void arcs_show(struct thread *t)
{
	struct graph_thread *gt = graph_of(t);

	a.owner = t;
	if (gt)
		graph_show_active(gt, true);
	bound(gt);
}

bool arcs_are_of(const struct thread *t)
{
	return a.owner == t;
}

void arcs_hide(struct thread *t)
{
	if (t->calls)
		graph_show_active(t->calls, false);
	a.owner = 0;
}

void arcs_enter(struct thread *t)
{
	const struct sim_exit m = {
		.site = SIM_EXIT_ENTERS, .pc = t->rip, .lane = {t->lane[0], t->lane[1]}};

	filter_forget_old_targets();
	graph_exit(t->calls, a.trail, &m);
	bound(t->calls);
}

void arcs_forget_frames(void)
{
	state()->top = a.base;
	arcs_next_span = spans;
	a.owner = 0;
	arcs_forget_active();
}

bool arcs_is_full(struct thread *t, uint64_t address, struct frame_context *c)
{
	if (!plan.arcs || address != (uint64_t)(uintptr_t)a.limit || t != a.owner)
		return false;
	collect_lock();
	/* what the newest frame began with is known */
	give_frames(t, (const uint64_t[]){a.limit[-1].lane[0], a.limit[-1].lane[1]}, false);
	collect_unlock();
	c->r11 = (uint64_t)(uintptr_t)a.base;
	return true;
}

/* ---- Steps ---- */

/* A jump out of the stub of the newest frame leads to pc: find, or make, the line for that. */
static void lead_on(uint64_t pc)
{
	const struct arcs_frame *top = state()->top;

	if (top > a.base)
		arcs_lead_on(top[-1].line, pc);
}

/* Does the step lead to code, and not to the dispatcher? */
static bool has_code(uint64_t pc, uint32_t number, bool is_direct)
{
	const enum entry which = number & STEP_BY_RETURN ? ENTRY_RETURN : ENTRY_JUMP;
	const struct block *b;
	bool has;

	lock_take(&engine.translate_lock);
	b = cache_find(pc, VARIANT_FILTER);
	has = b && (is_direct || cache_is_published(b, which));
	lock_drop(&engine.translate_lock);
	return has;
}

/*
 * Does the return match the newest frame of the graph? Then it does not matter what it leads to,
 * if the graph takes steps.
 */
static bool matches(const struct graph_thread *gt, const struct sim_exit *m)
{
	const struct sim_fiber *fiber = gt->stack.fiber;
	const struct sim_frame *top = fiber->count ? &fiber->frame[fiber->count - 1] : 0;

	return graph_takes_steps() && m->site & SIM_EXIT_RETURN && top &&
	       top->sp == sim_exit_sp(m) && top->back == m->pc && top->arc->caller;
}

/* The exit, by the rules. Without code for pc, the thread will enter there. */
static void follow(struct graph_thread *gt, const struct sim_exit *m, bool has)
{
	if (has) {
		graph_exit(gt, a.trail, m);
		return;
	}
	graph_left(gt, a.trail->sites[m->site & ~SIM_EXIT_RETURN].left, sim_exit_sp(m));
}

static const struct sim_site *site_of(uint32_t number)
{
	return &a.trail->sites[number & ~(SIM_EXIT_RETURN | STEP_INSIDE | STEP_BY_RETURN)];
}

/* Can code do the step after all, with a line that it has not found? */
static bool finds(uint32_t what, uint32_t number, uint64_t target)
{
	const struct arcs_frame *top = state()->top;

	if (what == STEP_LOOK)
		return plan.nodes ? nodes_look(number, site_of(number)->is_fixed ? 0 : target)
				  : arcs_look(number, target);
	if (what == STEP_AGAIN)
		return nodes_look_again(state()->next[0]);
	return what == STEP_LEAD && plan.nodes && top > a.base &&
	       nodes_lead_on(line_of(&top[-1]), target);
}

/*
 * For arcs.S: number says which of `what` (STEP_*) leads to target. True: code is to try again.
 */
bool arcs_step(uint32_t what, uint32_t number, uint64_t target, uint64_t sp);
bool arcs_step(uint32_t what, uint32_t number, uint64_t target, uint64_t sp)
{
	struct thread *t = thread_self();
	struct sim_exit m = {.sp = sp, .lane = {state()->lane[0], state()->lane[1]}};
	const struct sim_site *site;
	bool has;

	collect_lock();
	if (finds(what, number, target)) {
		collect_unlock();
		return true;
	}
	if (what == STEP_SWITCH && arcs_switches(number, target)) {
		collect_unlock();
		return false;
	}
	if (what == STEP_LEAD && !plan.nodes)
		lead_on(target);
	m.site = number & ~(STEP_INSIDE | STEP_BY_RETURN);
	has = number & STEP_INSIDE;
	if (what == STEP_CALL || what == STEP_JUMP) {
		m.site = arcs_info(number)->site;
		has = arcs_info(number)->is_inside;
		number = 0;
	}
	site = &a.trail->sites[m.site & ~SIM_EXIT_RETURN];
	m.pc = site->is_fixed ? site->pc : target;
	give_frames(t, m.lane, false);
	if (t->calls) {
		has = has || matches(t->calls, &m) || has_code(m.pc, number, site->is_fixed);
		follow(t->calls, &m, has);
		bound(t->calls);
	}
	if ((what == STEP_LOOK || what == STEP_SWITCH) && !plan.nodes && !site->is_fixed &&
	    !(m.site & SIM_EXIT_RETURN))
		arcs_find(m.site, target);
	collect_unlock();
	return false;
}
