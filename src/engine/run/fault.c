/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's signal handler. It runs on the thread's signal stack with all signals blocked,
 * wherever the thread was: in the code cache, in the engine, or in a system call. It only notes
 * asynchronous signals. It translates a fault in the cache into the target's terms. It resolves
 * writes to write-protected code pages itself.
 */
#include "engine/run/fault.h"

#include "engine/codecache/pages.h"
#include "engine/codecache/poll.h"
#include "engine/core/lanes.h"
#include "engine/core/lock.h"
#include "engine/core/stuck.h"
#include "engine/core/util.h"
#include "engine/drive/buffers.h"
#include "engine/drive/ticker.h"
#include "engine/run/async.h"
#include "engine/run/dispatch.h"
#include "engine/run/held.h"
#include "engine/run/rest.h"
#include "engine/run/signal_frame.h"
#include "engine/run/signals.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/mode/filter_end.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_trust.h"
#include "engine/translate/job.h"
#include "engine/translate/translate.h"

#define ERROR_WRITE   2u
#define OPCODE_INT3   0xcc
#define OPCODE_INT1   0xf1
#define VECTOR_INT3   3 /* the last byte of the two-byte int 3 */
#define SYSCALL_BYTES 2

static uint64_t address_of(const void *label)
{
	return (uint64_t)(uintptr_t)label;
}

static bool between(uint64_t pc, const void *first, const void *end)
{
	return pc >= address_of(first) && pc < address_of(end);
}

/* A process may send the signal of a fault. The thread is then right behind a system call. */
static bool is_sent(const siginfo_t *info, uint64_t pc)
{
	if (info->si_signo == SIGTRAP && info->si_code == TRAP_TRACE)
		return false;
	return info->si_code <= 0 || pc == address_of(engine_let_in_end) ||
	       pc == address_of(engine_syscall_insn) + SYSCALL_BYTES;
}

static bool is_fault(int signal, const siginfo_t *info, const struct frame_ucontext *uc)
{
	return (SYNC_SIGNALS >> (signal - 1) & 1) && !is_sent(info, uc->mc.rip);
}

static void take_registers(struct thread *t, const struct frame_context *c)
{
	const uint64_t r[16] = {c->rax, c->rcx, c->rdx, c->rbx, c->rsp, c->rbp, c->rsi, c->rdi,
				c->r8,	c->r9,	c->r10, c->r11, c->r12, c->r13, c->r14, c->r15};

	memcpy(t->regs, r, sizeof r);
	t->rflags = c->eflags;
}

/*
 * The counts of the segment's instructions that were counted but did not run: from m on; if `trap`,
 * from behind m on.
 */
static struct counts not_run(const struct insn_map *map, const struct insn_at *m, bool trap)
{
	struct counts c = counts_deferred(m->left);
	const struct insn_at *end = map->at + map->insns;

	for (const struct insn_at *i = trap ? m + 1 : m; i < end; i++) {
		if (i != m && (i->flags & INSN_AT_SEGMENT))
			break;
		c.accesses += i->loads + i->stores + i->modifies;
		c.loads += i->loads;
		c.stores += i->stores;
		c.instructions++;
	}
	return c;
}

/* The number of entries that the segment of m writes before its trailer. */
static uint32_t segment_entries(const struct insn_map *map, const struct insn_at *m)
{
	const struct insn_at *end = map->at + map->insns;

	while (m + 1 < end && !(m[1].flags & INSN_AT_SEGMENT))
		m++;
	return m->stream_entries;
}

/* Cut the segment's stream entries to accesses that happened. */
static void cut_stream(struct thread *t, const struct block *b, const struct insn_map *map,
		       const struct insn_at *m)
{
	uint64_t *entry = (uint64_t *)(uintptr_t)t->regs[m->scratch2 - 1];
	uint32_t entries = segment_entries(map, m);
	uint32_t own = m->loads + m->stores + m->modifies;
	uint32_t done = m->stream_entries > own ? m->stream_entries - own : 0;

	if (lanes_hold_place((enum code_variant_id)b->variant))
		entry -= entries + 1;
	t->buf = entry;
	if (done) {
		/* the call or return at the segment's end was not made */
		entry[done] = entry[entries] & ~(uint64_t)STREAM_CALL_BIT;
		t->buf = entry + done + 1;
	}
	if (t->in_lanes)
		t->cut = t->buf;
}

/* In a simulation the trailer gets the number of instructions that ran, see segments_cut_last. */
static void note_cut(struct thread *t, const struct insn_at *m, bool trap)
{
	const struct insn_at *first = m;

	if (!(m->flags & (INSN_AT_STREAM | INSN_AT_END)))
		return;
	while (!(first->flags & INSN_AT_SEGMENT))
		first--;
	t->cut_insns = (uint32_t)(m - first) + trap + 1;
	t->cut_segment = first->segment;
	t->cut_tried = !trap;
}

/* Restore the target's registers that held engine values. */
static void restore_scratch(struct thread *t, const struct block *b, const struct insn_map *map,
			    const struct insn_at *m, bool trap)
{
	if (engine_simulates())
		note_cut(t, m, trap);
	else if (m->flags & INSN_AT_STREAM)
		cut_stream(t, b, map, m);
	if (m->scratch2)
		t->regs[m->scratch2 - 1] = *cache_spill2(t, b);
	if (m->scratch3)
		t->regs[m->scratch3 - 1] = t->spill3;
	if (m->scratch4)
		t->regs[m->scratch4 - 1] = t->spill4;
	if (m->flags & INSN_AT_RCX_SPILL0)
		t->regs[RCX] = t->spill0;
}

#define EFLAGS_TRAP 0x100ull

/* Was the thread to execute one instruction alone? It no longer is. */
static bool end_repeat(struct thread *t, struct frame_ucontext *uc)
{
	const bool repeats = t->repeats;

	if (repeats)
		uc->mc.eflags &= ~EFLAGS_TRAP;
	t->repeats = false;
	return repeats;
}

/* The block of an address in the code cache, and its instruction there. NULL: there is none. */
static struct block *find_insn(struct insn_map *map, const struct insn_at **m, uint64_t pc)
{
	struct block *b = cache_block_at((const uint8_t *)(uintptr_t)pc);

	*m = b ? insn_map_find(map, b->map, b->insns, (uint32_t)(pc - address_of(b->start))) : 0;
	return *m ? b : 0;
}

/* Leave the cache at the instruction that faulted. Returns false when pc is not in a block. */
static bool leave_cache(struct thread *t, struct frame_ucontext *uc, bool trap)
{
	const struct insn_at *m;
	struct insn_map map;
	struct block *b = find_insn(&map, &m, uc->mc.rip - (trap ? 1 : 0));

	if (!b)
		return false;
	end_repeat(t, uc);
	take_registers(t, &uc->mc);
	restore_scratch(t, b, &map, m, trap);
	t->rip = b->pc + m->source + (trap ? m->length : 0);
	t->fault_after = not_run(&map, m, trap);
	t->resuming = false;
	t->vector_faulted = t->before_vector && !trap && t->rip == t->vector.pc;
	if (m->flags & INSN_AT_APP31) {
		/*
		 * the counter register is the target's already: keep the image that sigreturn loads
		 */
		if (m->flags & INSN_AT_HALF)
			signal_frame_put_upper_half(t, uc);
		uc->mc.rip = address_of(engine_resume);
	} else {
		uc->mc.rip = address_of(engine_fault_resume);
	}
	uc->mc.rsp = t->engine_sp;
	uc->mc.eflags &= ~0x400ull;
	return true;
}

/*
 * The write to a page of code can be done now. The block may have rewritten itself, so the thread
 * leaves it. Natively nothing has happened, so the write must be simulated once. Code of the filter
 * variant has done so before it: it repeats that instruction alone, and leaves behind it. Buffers
 * lose the entries.
 */
static bool do_again(struct thread *t, struct frame_ucontext *uc)
{
	const struct insn_at *m;
	struct insn_map map;
	const struct block *b = find_insn(&map, &m, uc->mc.rip);
	const bool can_repeat = b && (m->flags & INSN_AT_REPEAT);

	if (can_repeat && b->variant == VARIANT_FILTER && !(uc->mc.eflags & EFLAGS_TRAP)) {
		t->repeats = true;
		uc->mc.eflags |= EFLAGS_TRAP;
		return true;
	}
	if (!leave_cache(t, uc, false))
		return false;
	t->cut_tried &= !can_repeat || t->variant == VARIANT_FILTER;
	return true;
}

/*
 * Handle a write to a page that is write-protected for its code. True: the write can be repeated.
 */
static bool release_code_page(struct thread *t, siginfo_t *info, struct frame_ucontext *uc)
{
	uint64_t page = (uint64_t)(uintptr_t)info->si_addr & ~(PAGE - 1);
	bool ours;

	if (info->si_signo != SIGSEGV || info->si_code != SEGV_ACCERR ||
	    !(uc->mc.err & ERROR_WRITE))
		return false;
	/* other engine code, which may hold the lock, never writes to the target's memory */
	if (!cache_contains(uc->mc.rip) && !between(uc->mc.rip, engine_exit, engine_glue_end) &&
	    !between(uc->mc.rip, engine_copy, engine_xstate_end) && !t->syscall_sp)
		return false;
	lock_take(&engine.translate_lock);
	ours = pages_release(page);
	if (!ours) {
		/* another thread may have released it just before */
		const struct mapping *m = mappings_find(page);
		struct code_page *p = pages_find_code(page);

		ours = p && p->write_faults && m && (m->prot & 2) && !p->write_protected;
	}
	lock_drop(&engine.translate_lock);
	return ours && cache_contains(uc->mc.rip) ? do_again(t, uc) : ours;
}

#define OPCODE_POPF 0x9d

/*
 * The first trap behind popfq ends the instruction behind it, of which m is the last one that
 * begins at offset `at` or before, unless code of the engine ran instead.
 */
static const struct insn_at *first_stepped(const struct block *b, const struct insn_map *map,
					   const struct insn_at *m, uint32_t at)
{
	if (m->code == at && m > map->at)
		m--;
	return m > map->at && b->start[m[-1].code] == OPCODE_POPF &&
			       m[-1].code + m[-1].length == m->code && m->code + m->length == at
		       ? m
		       : 0;
}

/*
 * The target single-steps itself. The processor traps after each instruction in the cache; pass on
 * only the traps that end a target instruction, which is when the next one's copy is reached.
 * Returns true to continue without a signal.
 */
static bool step_goes_on(struct thread *t, siginfo_t *info, struct frame_ucontext *uc)
{
	const struct insn_at *m, *first;
	struct insn_map map;
	struct block *b = find_insn(&map, &m, uc->mc.rip);
	uint64_t here;
	uint32_t at;

	if (info->si_signo != SIGTRAP || info->si_code != TRAP_TRACE)
		return false;
	if (!cache_contains(uc->mc.rip)) {
		/* in the engine proper; engine_enter sets the flag again from t->rflags */
		if (!between(uc->mc.rip, engine_exit, engine_glue_end) &&
		    !between(uc->mc.rip, engine_filter_miss, engine_filter_miss_end) &&
		    !between(uc->mc.rip, engine_arcs, engine_arcs_end))
			uc->mc.eflags &= ~EFLAGS_TRAP;
		return true;
	}
	at = b ? (uint32_t)(uc->mc.rip - address_of(b->start)) : 0;
	first = b && t->step_from == 0 ? first_stepped(b, &map, m, at) : 0;
	if (first)
		t->step_from = b->pc + first->source;
	if (!b || m->code != at)
		return true;
	here = b->pc + m->source;
	if (t->step_from == 0 || t->step_from == here) {
		t->step_from = here;
		return true;
	}
	return false;
}

/*
 * The block's first instruction whose copy lies behind `code`. The code in front of it checks its
 * accesses, or counts its segment. NULL: none.
 */
static const struct insn_at *insn_behind(struct insn_map *map, const struct block *b,
					 const uint8_t *code)
{
	const uint32_t at = (uint32_t)(code - b->start);
	const struct insn_at *m = map->at, *end = map->at + b->insns;

	insn_map_unpack(map, b->map, b->insns);
	while (m < end && m->code <= at)
		m++;
	return m < end ? m : 0;
}

/*
 * The check in front of instruction m found an unaligned access that was not expected
 * (filter_trust.h). Leave before m; m is translated anew and checked again, which does not change
 * what is simulated.
 */
static bool leave_unaligned(struct thread *t, int signal, struct frame_ucontext *uc)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)uc->mc.rip;
	const struct insn_at *m, *first;
	struct insn_map map;
	struct block *b;

	if (signal != SIGILL || !cache_contains(uc->mc.rip) || *code != FILTER_TRAP)
		return false;
	b = cache_block_at(code);
	if (!b || b->variant != VARIANT_FILTER)
		return false;
	m = insn_behind(&map, b, code);
	if (!m)
		return false;
	for (first = m; !(first->flags & INSN_AT_SEGMENT);)
		first--;
	take_registers(t, &uc->mc);
	if (first->borrows2)
		t->regs[first->borrows2 - 1] = *cache_spill2(t, b);
	note_cut(t, m, false);
	t->cut_tried = false;
	t->rip = b->pc + m->source;
	t->fault_after = not_run(&map, m, false);
	t->resuming = t->vector_faulted = false;
	lock_take(&engine.translate_lock);
	filter_distrust(t->rip);
	cache_invalidate(t->rip, t->rip + 1);
	lock_drop(&engine.translate_lock);
	uc->mc.rip = address_of(engine_fault_resume);
	uc->mc.rsp = t->engine_sp;
	uc->mc.eflags &= ~0x400ull;
	return true;
}

/*
 * The buffer has no room for the segment's entries. It will begin again at its first instruction m.
 */
static void leave_full(struct thread *t, struct frame_context *c, const struct insn_map *map,
		       const struct insn_at *m)
{
	/* mov qword [borrowed + disp], imm32 */
	const uint8_t *store = (const uint8_t *)(uintptr_t)c->rip;
	uint64_t *borrowed = frame_register(c, (store[0] & 1) << 3 | (store[2] & 7));

	if (t->in_lanes)
		t->cut = (uint64_t *)(uintptr_t)*borrowed - (segment_entries(map, m) + 1);
	*borrowed = t->spill2;
	t->poll_at -= t->in_lanes ? STREAM_PROBE_AT : STREAM_PROBE_MEMORY_AT;
	t->resume_after = not_run(map, m, false);
	t->exit = EXIT_FULL;
}

/*
 * A fault in front of a segment's first instruction. If it reads its tally, the thread was called:
 * nothing of the segment has run, and all registers are the target's. If it writes its trailer, the
 * stream buffer is full, and one register is borrowed. Leave like an exit stub.
 */
static bool leave_at_segment(struct thread *t, int signal, siginfo_t *info,
			     struct frame_ucontext *uc)
{
	const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	bool called = poll_covers(t, address), full = buffers_is_full(t, address);
	const struct insn_at *m;
	struct insn_map map;
	struct block *b;

	if (signal != SIGSEGV || (!called && !full))
		return false;
	b = cache_block_at((const uint8_t *)(uintptr_t)uc->mc.rip);
	if (!b)
		return false;
	m = insn_behind(&map, b, (const uint8_t *)(uintptr_t)uc->mc.rip);
	if (!m || !(m->flags & INSN_AT_SEGMENT))
		return false;
	t->rip = b->pc + m->source;
	t->poll_at = uc->mc.rip;
	t->poll_segment = m->segment;
	t->resume_after = counts_deferred(m->deferred);
	t->exit = EXIT_POLL;
	if (full) {
		leave_full(t, &uc->mc, &map, m);
	} else {
		t->hidden = true;
	}
	uc->mc.rip = address_of(engine_exit);
	return true;
}

/* Is this the beginning of a block's entry for returns? No copied target code looks like it. */
static bool is_return_entry(const uint8_t *code)
{
	static const uint8_t low[] = {RETURN_REPAIR, LEA_RCX_RCX},
			     high[] = {RETURN_REPAIR, 0x49, 0xbb};
	static const uint8_t check[] = {LEA_RCX_RCX_R11};

	if (!cache_contains(address_of(code)))
		return false;
	if (memcmp(code, low, sizeof low) == 0)
		return (code[sizeof low + 4] & ~1u) == 0xe2; /* loop, jrcxz */
	return memcmp(code, high, sizeof high) == 0 &&
	       memcmp(code + sizeof high + 8, check, sizeof check) == 0;
}

/*
 * A return on a stack that cannot be written: continue at the target of the return without the
 * push, and without restoring what the push would have overwritten.
 */
static bool return_on(int signal, struct frame_ucontext *uc)
{
	static const uint8_t push[] = {RETURN_PUSH}, repair[] = {RETURN_REPAIR};
	const uint8_t *code = (const uint8_t *)(uintptr_t)uc->mc.rip;
	uint32_t table;

	if (signal != SIGSEGV && signal != SIGBUS)
		return false;
	if (uc->mc.rip == address_of(engine_return_miss) || is_return_entry(code)) {
		uc->mc.rip += sizeof repair;
		return true;
	}
	if (!cache_contains(uc->mc.rip) || memcmp(code, push, sizeof push) != 0)
		return false;
	memcpy(&table, code + sizeof push, 4);
	for (int g = 0; table != cache_ib_table((enum code_variant_id)g, ENTRY_RETURN);)
		if (++g == VARIANTS)
			return false;
	uc->mc.rip = ((const uint64_t *)(uintptr_t)table)[uc->mc.r11];
	return true;
}

/*
 * Does the signal come behind the instruction, as for int3 and int1? Some virtual machines leave
 * the program at an int1.
 */
static bool is_behind(int signal, const siginfo_t *info, uint64_t pc)
{
	uint8_t last;

	if (signal != SIGTRAP || info->si_code == TRAP_TRACE || !cache_contains(pc - 1))
		return false;
	last = ((const uint8_t *)(uintptr_t)pc)[-1];
	return last == OPCODE_INT3 || last == OPCODE_INT1 || last == VECTOR_INT3;
}

/*
 * The source of a block that verifies itself is unmapped: treat it as changed. The comparison, cmp
 * [rcx + disp32], imm, is followed by the jump for a difference.
 */
static bool source_is_gone(struct frame_context *c)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)c->rip, *jump;
	const struct block *b = cache_block_at(code);
	struct insn_map map;
	int32_t distance;

	if (!b || !b->checked || insn_map_find(&map, b->map, b->insns, (uint32_t)(code - b->start)))
		return false;
	jump = code + (code[0] == 0x81 ? 10 : 7);
	if ((code[0] != 0x81 && code[0] != 0x80) || code[1] != 0xb9 || jump[0] != 0x0f ||
	    jump[1] != 0x85)
		return false;
	memcpy(&distance, jump + 2, sizeof distance);
	c->rip = address_of(jump + 6) + (uint64_t)(int64_t)distance;
	return true;
}

static void on_fault(struct thread *t, int signal, siginfo_t *info, struct frame_ucontext *uc)
{
	bool trap = is_behind(signal, info, uc->mc.rip);

	if (end_repeat(t, uc) && signal == SIGTRAP && leave_cache(t, uc, true))
		return;
	if (signal == SIGSEGV && arcs_is_full(t, (uint64_t)(uintptr_t)info->si_addr, &uc->mc))
		return;
	if ((signal == SIGSEGV && filter_looks_nowhere(&uc->mc)) || leave_unaligned(t, signal, uc))
		return;
	if (leave_at_segment(t, signal, info, uc) || return_on(signal, uc))
		return;
	if (release_code_page(t, info, uc) || step_goes_on(t, info, uc))
		return;
	t->step_from = 0;
	if (between(uc->mc.rip, engine_copy_own, engine_copy_end) ||
	    between(uc->mc.rip, engine_xsave, engine_xstate_end)) {
		uc->mc.rip = address_of(engine_copy_failed);
		return;
	}
	if (trap || cache_contains(uc->mc.rip)) {
		if (t->pending && !t->fault) {
			/*
			 * an asynchronous signal is noted: deliver it first; the fault happens
			 * again
			 */
			if (!trap && leave_cache(t, uc, false))
				return;
		}
		if (leave_cache(t, uc, trap)) {
			if (cache_contains((uint64_t)(uintptr_t)info->si_addr))
				info->si_addr = (void *)(uintptr_t)t->rip;
			async_note(t, signal, info);
			t->fault = 1;
			t->fault_error = uc->mc.err;
			t->fault_trap = uc->mc.trapno;
			if (t->fault_trap == TRAP_PAGE)
				t->fault_address = uc->mc.cr2;
			return;
		}
		if (!trap && source_is_gone(&uc->mc))
			return;
	}
	if (t->syscall_sp) {
		uc->mc.rip = address_of(engine_guarded_failed);
		return;
	}
	say("fault in the engine: signal %ld, pc 0x%lx (engine + 0x%lx), address 0x%lx, "
	    "last target pc 0x%lx",
	    (long)signal, uc->mc.rip, uc->mc.rip - address_of(engine_exit), uc->mc.cr2, t->rip);
	engine_panic("fault in the engine", (uint64_t)signal);
}

/*
 * The thread was called while it waits in a page fault: leave the code there. Engine code, such as
 * the repair of a return, belongs to no target instruction: there the thread continues to wait.
 */
static bool leave_stuck(struct thread *t, struct frame_ucontext *uc)
{
	static const uint8_t push[] = {RETURN_PUSH};
	const uint8_t *code = (const uint8_t *)(uintptr_t)uc->mc.rip;

	if (!stuck_is_called_at(t, uc->mc.rip) || !cache_contains(uc->mc.rip) ||
	    memcmp(code, push, sizeof push) == 0 || is_return_entry(code))
		return false;
	if (!leave_cache(t, uc, false))
		return false;
	t->stuck_left = true;
	return true;
}

void fault_signal_handler(int signal, siginfo_t *info, struct frame_ucontext *uc)
{
	struct thread *t = thread_self();

	if (is_fault(signal, info, uc))
		on_fault(t, signal, info, uc);
	else if (rest_timer_sent(t, info))
		async_end_rest(t, uc);
	else if (held_is_kick(t, info))
		async_kick(t, uc);
	else if (!ticker_sent(t, info))
		async_arrived(t, signal, info, uc);
	else if (!t->stuck_at || !leave_stuck(t, uc))
		async_tick(t, uc);
}
