/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows allocation functions to keep the live blocks; see alloc.h. A call is noted when it
 * begins, and becomes a block when it returns, because only then is its address known. What the
 * call touches in the block until then belongs to the block. Allocations that the allocator makes
 * inside the call are not recorded; memory that it gets there is the allocator's, unless a block
 * holds it. A block ends when the call that frees it begins: afterwards another thread may have its
 * address.
 */
#include "engine/data/alloc.h"

#include "channel/sys.h"
#include "engine/core/lanes.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/upward.h"
#include "engine/core/util.h"
#include "engine/data/block_log.h"
#include "engine/data/blocks.h"
#include "engine/data/call_sites.h"
#include "engine/data/go_calls.h"
#include "engine/data/hook_arguments.h"
#include "engine/data/lasting.h"
#include "engine/data/locals.h"
#include "engine/data/mapped.h"
#include "engine/data/named.h"
#include "engine/data/regions.h"
#include "engine/data/sites.h"
#include "engine/data/waiting.h"
#include "engine/translate/hooks.h"
#include "engine/unwind/call_stack.h"
#include "engine/unwind/made_code.h"
#include "engine/unwind/modules.h"

/* A killed run loses the counts of its last second, or last eighth, whichever is longer. */
#define REPORT_NS   1000000000u
#define REPORT_PART 8u

#define FAR_BYTES 65536u /* see alloc_end_before_blocks */

static uint32_t lock; /* guards blocks, regions and sites */
/*
 * Some allocator hands out pieces of other blocks, or takes its blocks back without a call. Then a
 * new block ends all blocks that it overlaps.
 */
static bool has_pieces;

/* A single thread takes no lock: two atomic instructions take 10 ns. Returns whether it is held. */
static bool hold(void)
{
	if (thread_is_alone())
		return false;
	lock_take(&lock);
	return true;
}

static void let_go(bool held)
{
	if (held)
		lock_drop(&lock);
}

void alloc_init(void)
{
	has_pieces = hooks_have_named();
	if (engine.config.objects && hooks_init() == 0 && blocks_init() == 0 && sites_init() == 0 &&
	    regions_init() == 0 && locals_init())
		return;
	if (engine.config.objects)
		say("allocations are not followed: too little address space (ulimit -v, ulimit "
		    "-d)");
	engine.config.objects = 0;
}

/* Changes by one call: FEW for a block and those it replaces; MANY for all pieces of one. */
#define FEW  4u
#define MANY (BLOCK_LOG_MOST + 1)

/* ---- Calls ---- */

static bool stands_at(uint64_t address, uint64_t value)
{
	uint64_t v;

	return engine_peek(&v, (const void *)(uintptr_t)address) == 0 && v == value;
}

/*
 * Is a noted call still going on, with rsp now at sp? If it ended without returning (exception,
 * longjmp), its place on the stack is free: other calls have overwritten it, or will.
 */
static bool goes_on(const struct alloc_call *c, uint64_t sp)
{
	return c->kind && sp < c->sp && stands_at(c->sp, c->back);
}

bool alloc_call_goes_on(const struct thread *t, uint64_t sp)
{
	return goes_on(&t->alloc_call, sp);
}

static void tell_of_limit(struct process *p)
{
	static bool told;

	if (!told)
		records_message(p, "too many places in the code allocate memory (131000): "
				   "blocks from further ones are not known");
	told = true;
}

static void begin_go_call(struct thread *t, const struct hook_function *f,
			  const struct hook_frame *r)
{
	uint64_t sp = t->hook_sp, back;
	struct alloc_call c;
	bool held;

	if (engine_peek(&back, (const void *)(uintptr_t)sp) != 0)
		return;
	if (!hooks_add_return(back)) {
		tell_of_limit(t->process);
		return;
	}
	hook_arguments_read(&c, f, r);
	c.sp = sp;
	c.back = back;
	c.began = thread_accesses(t);
	held = hold();
	has_pieces = true; /* the garbage collector frees without a call */
	go_calls_begin(&c);
	let_go(held);
}

static void begin_call(struct thread *t, const struct hook_function *f, const struct hook_frame *r)
{
	struct alloc_call *c = &t->alloc_call;
	uint64_t sp = t->hook_sp, back;
	bool held;

	if (goes_on(c, sp) || engine_peek(&back, (const void *)(uintptr_t)sp) != 0)
		return;
	/* One function has jumped to another: the program called the first. */
	if (c->kind && c->sp == sp && c->back == back && c->kind != f->kind)
		return;
	hook_arguments_read(c, f, r);
	c->sp = sp;
	c->back = back;
	if (!hooks_add_return(back)) {
		tell_of_limit(t->process);
		c->kind = 0;
	}
	if (c->kind)
		waiting_call_begins(t, c);
	if (c->kind && has_pieces)
		upward.forget_owners(0, UINT64_MAX);
	if (!c->old)
		return;
	held = hold();
	blocks_mark(c->old);
	let_go(held);
}

static void gone(const struct thread *t, const struct block_info *b)
{
	sites_drop_block(b->site, b->size);
	waiting_note_gone(t, b);
	lasting_changed(b->start, b->size);
	upward.forget_owners(b->start, b->start + b->size);
}

void alloc_drop_blocks(const struct thread *t, uint64_t start, uint64_t end)
{
	struct block_info b;

	while (blocks_last_in(start, end, &b)) {
		blocks_remove(b.start, &b);
		gone(t, &b);
	}
}

static void drop_pieces(const struct thread *t, uint64_t start, uint64_t end)
{
	if (has_pieces)
		alloc_drop_blocks(t, start, end);
}

/* The block that begins at start is about to change. */
static void look_into_block(struct thread *t, uint64_t start)
{
	struct block_info b;
	bool held, is_there;

	if (!waiting_has_misses(t))
		return;
	held = hold();
	is_there = blocks_get(start, &b);
	let_go(held);
	if (is_there)
		waiting_look(t, b.start, b.start + b.size);
}

static void drop_block(struct thread *t, uint64_t start, uint64_t rbp)
{
	struct block_info b;
	bool held;

	if (!start)
		return;
	look_into_block(t, start);
	if (waiting_settle(t, has_pieces ? MANY : FEW))
		call_stack_at_entry(t, t->hook_sp, rbp);
	held = hold();
	blocks_prefetch(start);
	if (blocks_remove(start, &b)) {
		gone(t, &b);
		drop_pieces(t, start, start + b.size);
	}
	let_go(held);
}

/* ---- Returns ---- */

/* Drop the old block of a call like realloc, unless another thread got its address since. */
static void drop_old(const struct thread *t, const struct alloc_call *c)
{
	struct block_info b;

	if (!c->old || !blocks_get(c->old, &b) || !b.marked)
		return;
	blocks_remove(c->old, &b);
	gone(t, &b);
}

static void add_block(const struct thread *t, const struct alloc_call *c, uint64_t start,
		      uint32_t site)
{
	const struct block_info new = {start, c->size, site, false};
	struct block_info old;
	struct region r;

	drop_pieces(t, start + 1, start + c->size);
	while (blocks_insert(start, c->size, site, &old))
		gone(t, &old);
	waiting_note_come(t, &new, c->began);
	lasting_changed(start, c->size);
	/* a piece of a variable, which was lasting */
	alloc_version += engine_counts_references() && !regions_find(start, &r);
	upward.forget_owners(start, start + c->size);
	sites_add_block(site, c->size, c->element_size);
}

static void end_call(struct thread *t, const struct hook_frame *r, uint64_t rbp)
{
	struct alloc_call *c = &t->alloc_call, go;
	uint64_t start = r->rax;
	uint32_t site;
	bool held, is_there;

	if (!c->kind || c->sp + 8 != t->hook_sp) {
		c = &go;
		held = hold();
		is_there = go_calls_take(t->hook_sp - 8, &go);
		let_go(held);
		if (!is_there)
			return;
	}
	if (c->out && (start || engine_peek(&start, (const void *)(uintptr_t)c->out) != 0))
		start = 0;
	if (!start && !(c->old && c->size == 0)) {
		c->kind = 0;
		waiting_call_returns(t, 0, 0);
		return;
	}
	if (c->old)
		look_into_block(t, c->old);
	if (start)
		waiting_look_before_call(t, has_pieces ? 0 : start,
					 has_pieces ? UINT64_MAX : start + c->size);
	if (waiting_settle(t, FEW))
		call_stack_at(t, c->back, t->hook_sp, rbp);
	held = hold();
	if (start)
		blocks_prefetch(start);
	drop_old(t, c);
	if (start) {
		site = locals_are_block(t->process, start, c->size, c->back, t->hook_sp, rbp)
			       ? sites_get(SITE_LOCAL, 0, 0)
			       : call_sites_get(c->kind, c->back, t->hook_sp, rbp);
		add_block(t, c, start, site);
		sites_publish(t->process, site);
	}
	let_go(held);
	c->kind = 0;
	waiting_call_returns(t, start, start ? c->size : 0);
}

static void called_at(struct thread *t, const struct hook_frame *f, uint64_t rbp)
{
	const struct hook_function *function;

	if (f->number == HOOK_RETURN) {
		end_call(t, f, rbp);
		return;
	}
	function = hooks_function((uint32_t)f->number);
	if (function->shape == HOOK_GO)
		begin_go_call(t, function, f);
	else if (function->shape == HOOK_FREE)
		drop_block(t, hook_argument(f, function->argument), rbp);
	else
		begin_call(t, function, f);
}

void alloc_called(struct thread *t, const struct hook_frame *f, uint64_t rbp)
{
	if (!engine.config.objects) /* profiling has ended */
		return;
	if (t->variant == VARIANT_COUNT) { /* nobody asks for the lanes' counts */
		called_at(t, f, rbp);
		return;
	}
	lanes_read(t);
	called_at(t, f, rbp);
	lanes_write(t);
}

/* ---- For others ---- */

void alloc_prefetch(uint64_t address)
{
	const bool held = hold();

	blocks_prefetch(address);
	let_go(held);
}

uint64_t alloc_end_before_blocks(uint64_t address, uint64_t end)
{
	const bool held = hold();
	struct block_info b;

	/* the last block is easily found, the first is not */
	while (blocks_last_in(address, end, &b))
		end = b.start - address > FAR_BYTES ? address + (b.start - address) / 2 : b.start;
	let_go(held);
	return end;
}

bool alloc_has_blocks(uint64_t start, uint64_t end)
{
	const bool held = hold();
	struct block_info b;
	const bool has = blocks_last_in(start, end, &b);

	let_go(held);
	return has;
}

bool alloc_find(uint64_t address, struct alloc_place *p)
{
	struct block_info b;
	struct region r;
	bool held, found;

	if (!engine.config.objects)
		return false;
	held = hold();
	found = blocks_find(address, &b);
	if (found) {
		*p = (struct alloc_place){.start = b.start,
					  .end = b.start + b.size,
					  .site = b.site,
					  .is_whole = true,
					  .is_lasting = b.size >= LASTING_BYTES && !has_pieces,
					  .is_plain = !has_pieces};
	} else if (regions_find(address, &r)) {
		found = true;
		*p = (struct alloc_place){.start = r.start, .end = r.end, .site = r.site};
		p->is_whole = p->is_lasting = p->is_plain =
			!mapped_is_allocators(r.site) && !blocks_last_in(r.start, r.end, &b);
		if (p->is_lasting)
			lasting_region(r.start, r.end);
	}
	if (found)
		p->is_locals = sites_kind_of(p->site) == SITE_LOCAL;
	let_go(held);
	return found;
}

bool alloc_is_in_block(uint64_t address, uint32_t site, uint64_t *offset)
{
	const bool held = hold();
	struct block_info b;
	const bool is_there = blocks_find(address, &b) && b.site == site &&
			      b.size < LASTING_BYTES && sites_kind_of(site) != SITE_LOCAL;

	let_go(held);
	if (is_there)
		*offset = address - b.start;
	return is_there;
}

bool alloc_find_locals(uint64_t address, struct locals_place *place)
{
	const bool held = hold(), found = locals_find(address, place);

	let_go(held);
	return found;
}

void alloc_describe(const struct thread *t, struct record_access *a, uint64_t at)
{
	const struct block_log *l = waiting_log(t);
	struct block_info b;
	struct region r;
	bool held, found;

	if (!engine.config.objects)
		return;
	held = hold();
	found = blocks_find(a->address, &b);
	if (l ? block_log_find(l, a->address, at, found, &b) : found) {
		a->site = b.site;
		a->block = b.start;
	} else if (regions_find(a->address, &r)) {
		a->site = r.site;
		a->block = r.start;
	}
	sites_publish(t->process, a->site);
	let_go(held);
}

uint32_t alloc_kind(uint32_t site)
{
	uint32_t kind;

	lock_take(&lock);
	kind = sites_kind_of(site);
	lock_drop(&lock);
	return kind;
}

void alloc_publish(struct process *p, uint32_t site)
{
	lock_take(&lock);
	sites_publish(p, site);
	lock_drop(&lock);
}

void alloc_report(struct process *p)
{
	if (!engine.config.objects || !p->profiling || p->borrowed_memory)
		return;
	lock_take(&lock);
	sites_report(p);
	lock_drop(&lock);
}

void alloc_window_closed(struct process *p, uint64_t now_ns)
{
	static uint64_t reported_ns;

	if (now_ns - reported_ns < REPORT_NS ||
	    now_ns - reported_ns < (now_ns - engine.config.run_start_ns) / REPORT_PART)
		return;
	reported_ns = now_ns;
	alloc_report(p);
}

void alloc_hold(void)
{
	lock_take(&lock);
}

void alloc_let_go(void)
{
	lock_drop(&lock);
}

void alloc_forked(void)
{
	lock = 0;
	modules_forked();
	made_code_forked();
	named_forked();
	if (engine.config.objects)
		sites_forked();
}
