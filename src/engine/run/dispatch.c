/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dispatcher: handles the reason why a thread left the code cache, then
 * finds the code to continue with. It also keeps all threads out of the cache
 * while it is emptied.
 */
#include "engine/run/dispatch.h"

#include <linux/futex.h>
#include <signal.h>

#include "channel/sys.h"
#include "engine/codecache/exits.h"
#include "engine/codecache/pages.h"
#include "engine/codecache/poll.h"
#include "engine/core/lanes.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/stuck.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/drive/marks.h"
#include "engine/drive/toggles.h"
#include "engine/run/elements.h"
#include "engine/run/far.h"
#include "engine/run/fetch_fault.h"
#include "engine/run/held.h"
#include "engine/run/native.h"
#include "engine/run/process.h"
#include "engine/run/signals.h"
#include "engine/run/stuck_wait.h"
#include "engine/run/syscalls/syscalls.h"
#include "engine/run/visits.h"
#include "engine/run/vsyscall.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/branches.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/mode/filter_end.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/mode/scheduler.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "engine/translate/translate.h"
#include "engine/translate/world.h"
#include "engine/translate/x87.h"
#include "engine/unwind/call_stack.h"

static const struct counts nothing;

/*
 * Code from segment m on may assume that the registers which the stream variant borrows are saved.
 * For each of its two ways to borrow, saves the register that is borrowed next.
 */
static void put_away(struct thread *t, const struct insn_map *map, const struct insn_at *m)
{
	bool two = false, three = false;

	for (; m < map->at + map->insns && !(two && three); m++) {
		if (!(m->flags & INSN_AT_SEGMENT))
			continue;
		if (m->borrows2 && !two)
			t->spill2 = t->regs[m->borrows2 - 1];
		if (m->borrows3 && !three)
			t->spill3 = t->regs[m->borrows3 - 1];
		two |= m->borrows2 != 0;
		three |= m->borrows3 != 0;
	}
}

/* Continue in the segment of b that begins at t->rip, if there is one. */
static bool enter_inside(struct thread *t, const struct block *b, struct deferred *deferred)
{
	struct insn_map map;

	if (b->checked || b->is_inner || b->variant == VARIANT_FILTER)
		return false;
	insn_map_unpack(&map, b->map, b->insns);
	for (const struct insn_at *m = map.at; m < map.at + map.insns; m++) {
		if (!(m->flags & INSN_AT_SEGMENT) || b->pc + m->source != t->rip)
			continue;
		put_away(t, &map, m);
		t->next = (uint64_t)(uintptr_t)b->start + m->begin;
		t->generation = engine.generation;
		*deferred = m->deferred;
		return true;
	}
	return false;
}

/* Does the direct branch still lead here? */
static bool leads_here(const struct thread *t, const struct code_exit *from)
{
	return from && t->generation == engine.generation &&
	       cache_exit_block(from)->variant == t->variant && from->target == t->rip;
}

/* Subtract deferred counts: the code at t->next, where the thread enters, adds them later. */
static void defer(struct thread *t, struct deferred deferred)
{
	if (deferred_is_nothing(deferred))
		return;
	t->resume_after = counts_deferred(deferred);
	t->counters.accesses -= deferred.accesses;
	t->counters.loads -= deferred.loads;
	t->counters.stores -= deferred.stores;
	t->counters.instructions -= deferred.instructions;
	t->resuming = true;
}

/*
 * The thread left in the middle of the block at block_pc. Find the segment that begins at t->rip in
 * that block's translation for the thread's variant, or in another block through t->rip. A new
 * block there would duplicate calls, and returns are predicted only for the block translated last;
 * each end of a window would add one to the hottest code. But a segment of the filter variant may
 * assume that the segment before has fetched its code.
 */
static bool find_inside(struct thread *t, uint64_t block_pc, struct deferred *deferred)
{
	struct block *b = block_pc ? cache_find(block_pc, (enum code_variant_id)t->variant) : 0;

	if (!block_pc)
		return false;
	if (b && enter_inside(t, b, deferred))
		return true;
	for (b = 0; (b = cache_next_around(b, t->rip, (enum code_variant_id)t->variant));)
		if (enter_inside(t, b, deferred))
			return true;
	return false;
}

/*
 * Touch the page of code: another thread may have to fill it, which may wait for this one's turn or
 * the translate lock. True: t has waited, and state may have changed.
 */
static bool touch_code(struct thread *t)
{
	const bool began = scheduler_enter_call(t);
	uint64_t bytes;

	engine_peek(&bytes, (const void *)(uintptr_t)t->rip);
	return began && scheduler_leave_call(t);
}

/* What find_code looks for: the code at t->rip. */
struct search {
	struct code_exit *from; /* the direct branch that led here, or NULL */
	enum entry entry;
	uint64_t inside; /* the pc of the block that the thread left in its middle, or 0 */
	uint32_t emptied;
};

/* t goes elsewhere: into a signal handler. */
static void forget_way(struct thread *t, struct search *s)
{
	call_stack_break(t);
	*s = (struct search){.entry = ENTRY_NONE, .emptied = s->emptied};
}

/* Answers those who call t, and delivers a signal. False: look again. */
static bool answer(struct thread *t, struct search *s)
{
	/*
	 * Answer before the lookup: engine_enter must see a call that comes later, because the
	 * caller may drop the code that the lookup found.
	 */
	poll_answer(t);
	if (__atomic_load_n(&engine_hold.any, __ATOMIC_SEQ_CST)) {
		world_await_release();
		visits_answer(t);
		s->from = 0;
	}
	if (native_is_on(t))
		native_leave(t);
	if (t->pending) {
		collect_settle(t); /* the code before does not call the handler */
		signals_deliver(t);
		forget_way(t, s);
		return false;
	}
	if (t->shares_signals)
		held_share(t);
	if (collect_is_finishing(t))
		process_ending(t, END_DETACHED, 0);
	if (t->tick_due)
		collect_tick(t, &nothing);
	toggles_look(t);
	return true;
}

/* t was called out of a page fault: waits for the memory. */
static void wait_stuck(struct thread *t)
{
	const bool began = scheduler_enter_call(t);

	t->stuck_left = false;
	t->turn_is_over = !stuck_wait(t);
	if (began)
		scheduler_leave_call(t);
}

/* Chooses the variant, and makes t ready to run its code. False: look again. */
static bool prepare(struct thread *t, struct search *s)
{
	bool is_changed = false, may_run;

	if (t->turn_is_over && run_mode->turn_over)
		run_mode->turn_over(t);
	collect_set_variant(t);
	if (t->stuck_left) {
		wait_stuck(t);
		return false;
	}
	may_run = !run_mode->before_code || run_mode->before_code(t, &is_changed);
	t->turn_is_over &= run_mode->before_code != 0;
	if (is_changed || (may_run && touch_code(t)))
		s->from = 0;
	return may_run;
}

/* Finds or makes the code. Under the translate lock. */
static enum translate_result look_up(struct thread *t, const struct search *s,
				     struct deferred *deferred)
{
	enum translate_result r = TRANSLATE_OK;
	struct block *b;

	if (t->generation != engine.generation)
		x87_forget();
	b = cache_find(t->rip, (enum code_variant_id)t->variant);
	if (s->entry != ENTRY_NONE && (!b || !b->entry[s->entry]) &&
	    graph_reach(t->rip, s->entry == ENTRY_RETURN ? MADE_PERHAPS : MADE_ENTERED))
		b = 0;
	if (b && !cache_has_room(cache_arena(b->arena)))
		r = TRANSLATE_FULL;
	else if (!b && !find_inside(t, s->inside, deferred))
		r = translate(&b, t->rip, (enum code_variant_id)t->variant, s->entry,
			      leads_here(t, s->from) ? s->from->deferred : *deferred);
	if (b && r == TRANSLATE_OK) {
		if (leads_here(t, s->from))
			cache_link(s->from, b);
		if (s->entry != ENTRY_NONE)
			cache_publish_indirect(b, s->entry);
		t->next = (uint64_t)(uintptr_t)b->body;
		t->generation = engine.generation;
		*deferred = b->deferred;
	}
	return r;
}

/* Sets t->next for t->rip; the members of struct search. */
static void find_code_from(struct thread *t, struct code_exit *from, enum entry entry,
			   uint64_t inside)
{
	struct search s = {.from = from, .entry = entry, .inside = inside};

	if (__atomic_load_n(&engine_hold.world, __ATOMIC_SEQ_CST))
		x87_show(t);
	/* from here on the cache may be emptied; s.from is read under the lock */
	__atomic_store_n(&t->in_cache, 0, __ATOMIC_SEQ_CST);
	for (;;) {
		struct deferred deferred = {0};
		enum translate_result r;

		if (!answer(t, &s) || !prepare(t, &s))
			continue;
		lock_take(&engine.translate_lock);
		r = look_up(t, &s, &deferred);
		lock_drop(&engine.translate_lock);
		if (r == TRANSLATE_FULL) {
			records_no_room(t->process, ++s.emptied);
			world_empty_cache(t);
			s.from = 0;
		} else if (r != TRANSLATE_OK) {
			if (!vsyscall_run(t))
				fetch_fault_raise(t, r);
			forget_way(t, &s);
		} else if (collect_is_armed(t)) {
			call_stack_enter(t);
			defer(t, deferred);
			return;
		}
	}
}

static void find_code(struct thread *t, struct code_exit *from, enum entry entry)
{
	find_code_from(t, from, entry, 0);
}

/*
 * May the thread continue inside its block? If not, it continues by pc. It counts as inside the
 * cache until this is decided, so the block still exists.
 */
static bool may_resume(struct thread *t, const struct block *b)
{
	poll_answer(t);
	return !b->dead && b->variant == t->variant && !t->turn_is_over && !filter_must_renew(t) &&
	       collect_is_armed(t) && !__atomic_load_n(&engine_hold.any, __ATOMIC_SEQ_CST);
}

/* Continue at `at` inside block b, where `after` is counted already, or else at pc. */
static void resume_or_leave(struct thread *t, const struct block *b, const uint8_t *at, uint64_t pc,
			    struct counts after)
{
	if (t->tick_due)
		collect_tick(t, &after);
	toggles_look(t);
	if (t->shares_signals)
		held_share(t);
	if (may_resume(t, b)) {
		t->next = (uint64_t)(uintptr_t)at;
		t->rip = pc;
		call_stack_enter(t);
		t->resuming = true;
		t->resume_after = after;
		return;
	}
	thread_uncount(t, &after);
	t->rip = pc;
	find_code_from(t, 0, ENTRY_NONE, b->pc);
}

static void unsupported(struct thread *t, uint64_t pc)
{
	t->rip = pc;
	__atomic_store_n(&t->in_cache, 0, __ATOMIC_SEQ_CST);
	if (far_transfer(t))
		return find_code(t, 0, ENTRY_NONE);
	if (native_begin(t, "an instruction cannot be translated: profiling ended there")) {
		say_note("process %lu: the instruction at address 0x%lx cannot be translated: "
			 "the program runs unprofiled from here",
			 (uint64_t)t->process->pid, pc);
	} else {
		say("process %lu: unsupported instruction at address 0x%lx: it gets SIGILL "
		    "(run the program without dwell)",
		    (uint64_t)t->process->pid, pc);
		signals_raise_fault(t, SIGILL, ILL_ILLOPC, pc);
	}
	find_code(t, 0, ENTRY_NONE);
}

static void enter_marked(struct thread *t, const struct code_exit *e)
{
	marks_entered(t, e->target);
	if (!marks_at(e->target)) { /* no mark here any more: translate without it */
		lock_take(&engine.translate_lock);
		cache_invalidate(e->target, e->target + 1);
		lock_drop(&engine.translate_lock);
	}
	resume_or_leave(t, cache_exit_block(e), e->more->resume, e->target, nothing);
}

static void exit_by_record(struct thread *t, struct code_exit *e)
{
	const struct block *b = cache_exit_block(e);

	switch ((enum exit_kind)e->kind) {
	case EXIT_LINK: {
		const struct counts deferred = counts_deferred(e->deferred);

		thread_uncount(t, &deferred);
		t->rip = e->target;
		find_code(t, e, ENTRY_NONE);
		break;
	}
	case EXIT_SYSCALL:
		t->rip = e->target;
		__atomic_store_n(&t->in_cache, 0, __ATOMIC_SEQ_CST);
		syscalls_handle(t);
		call_stack_break(t); /* it may have returned from a signal handler */
		find_code(t, 0, ENTRY_NONE);
		break;
	case EXIT_REP:
		elements_rep(t, e->more->insn, t->rep_rcx, e->more->segment);
		resume_or_leave(t, b, e->more->resume, e->target + e->more->insn->length, nothing);
		break;
	case EXIT_ELEMENTS:
		elements_vector(t, e->more->insn, e->more->segment);
		t->next = (uint64_t)(uintptr_t)e->more->resume;
		t->rip = e->more->insn->pc;
		call_stack_enter(t);
		t->resuming = t->before_vector = true;
		t->resume_after = counts_of(e->more->after);
		break;
	case EXIT_MARK:
		t->rip = e->target;
		marks_run(t, e->more->insn);
		find_code(t, 0, ENTRY_NONE);
		break;
	case EXIT_ENTRY:
		enter_marked(t, e);
		break;
	case EXIT_ODD_STACK: {
		struct counts after = counts_of(e->more->after);

		thread_uncount(t, &after);
		t->rip = e->target;
		filter_is_careful = true;
		world_empty_cache(t);
		find_code(t, 0, ENTRY_NONE);
		break;
	}
	case EXIT_STALE:
		lock_take(&engine.translate_lock);
		cache_invalidate(b->pc, b->pc + b->bytes);
		lock_drop(&engine.translate_lock);
		t->rip = e->target;
		find_code(t, 0, ENTRY_NONE);
		break;
	case EXIT_UNSUPPORTED:
		unsupported(t, e->target);
		break;
	}
}

/* Is t about to continue at the segment where it was called? */
static bool resumes_at_segment(const struct thread *t)
{
	return t->resuming && t->next == t->poll_at;
}

/* At the beginning of a segment, the thread was called, or has no room for stream entries. */
static void exit_at_segment(struct thread *t, struct counts after)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)t->poll_at;
	const struct block *b = cache_block_at(at);
	const bool is_filter = b->variant == VARIANT_FILTER;

	poll_answer(t);
	if (t->exit == EXIT_FULL && lanes_hold_place(VARIANT_STREAM)) {
		thread_uncount(t, &after); /* the segment adds them again */
		after = nothing;
	}
	if (t->exit == EXIT_FULL)
		collect_flush(t, &after);
	if (t->exit == EXIT_FULL && scheduler_pass(t)) {
		thread_uncount(t, &after);
		find_code_from(t, 0, ENTRY_NONE, b->pc);
		return;
	}
	if (is_filter)
		branches_passed(t->poll_segment, t->rip, 1);
	resume_or_leave(t, b, at, t->rip, after);
	if (is_filter && resumes_at_segment(t))
		branches_passed(t->poll_segment, t->rip, -1);
	else
		t->poll_at = 0;
}

static void dispatch(struct thread *t)
{
	struct counts after = t->resume_after;

	t->resuming = t->before_vector = false;
	if (t->exit == EXIT_INDIRECT)
		find_code(t, 0, ENTRY_JUMP);
	else if (t->exit == EXIT_RETURN)
		find_code(t, 0, ENTRY_RETURN);
	else if (t->exit == EXIT_POLL)
		exit_at_segment(t, after);
	else if (t->exit == EXIT_FULL)
		exit_at_segment(t, after);
	else
		exit_by_record(t, cache_exit(t->exit - EXIT_RECORD_FIRST));
}

/* Prepare to enter the cache at t->next. */
static void go_in(struct thread *t)
{
	if (t->variant == VARIANT_FILTER) {
		filter_turn_enter(t);
		filter_calls_enter(t);
	}
	lanes_write(t);
}

void dispatch_go_on(struct thread *t)
{
	lanes_read(t);
	dispatch(t);
	go_in(t);
}

/* The thread starts, had a fault, or could not enter because the world is held. */
void dispatch_wait_and_go_on(struct thread *t)
{
	lanes_read(t);
	if (t->vector_faulted) {
		t->cut_insns = 0;
		elements_faulted(t);
	}
	thread_uncount(t, &t->fault_after);
	t->fault_after = (struct counts){0};
	if (t->cut_insns && t->variant == VARIANT_FILTER)
		filter_cut(t);
	else if (t->cut_insns)
		segments_cut_last(t);
	if (t->resuming) {
		if (t->variant == VARIANT_FILTER && resumes_at_segment(t))
			branches_passed(t->poll_segment, t->rip, 1);
		thread_uncount(t, &t->resume_after);
		if (t->before_vector)
			elements_put_off(t);
		t->resuming = t->before_vector = false;
	}
	find_code(t, 0, ENTRY_NONE);
	go_in(t);
}
