/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The translator's outer loop: reads target code, cuts it into segments, emits each. A block
 * follows the fall-through path, so a conditional branch ends a segment but not the block.
 */
#include "engine/translate/translate.h"

#include "engine/codecache/code_options.h"
#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/translate/hooks.h"
#include "engine/translate/job.h"

const struct translate_observer *translate_observer;

static struct job job; /* under the translate lock */
static struct grow descs;

/*
 * The index of the block's instruction at pc, or 0. Addresses rise, except where a jump was
 * followed.
 */
static uint32_t insn_at_pc(const struct job *j, uint64_t pc)
{
	for (uint32_t k = 1; k < j->insns; k++)
		if (j->in[k].pc == pc)
			return k;
	return 0;
}

/* Branches within the block lead into it, not to copies of parts of it. */
static void find_entries(struct job *j)
{
	uint64_t first = j->in[0].pc, last = j->in[j->insns - 1].pc;

	for (uint32_t i = 0; i < j->insns; i++) {
		const struct insn *in = &j->in[i];
		uint32_t k;

		if ((in->kind != INSN_JCC && in->kind != INSN_JMP && in->kind != INSN_LOOP) ||
		    in->target < first || in->target > last)
			continue;
		k = insn_at_pc(j, in->target);
		j->in[k].loops |= in->target <= in->pc && j->in[k].pc == in->target;
		if (k && !insn_is_call(&j->in[k - 1]))
			j->in[k].entry = !cache_find(in->target, j->variant_id);
	}
}

/* Is its copy one instruction, after which the program is behind it? Told of stores only. */
static bool can_repeat(const struct job *j, const struct insn *in)
{
	return j->variant->describes && in->kind == INSN_PLAIN && !in->shows_x87 &&
	       in->stores + in->modifies != 0;
}

void job_note(struct job *j, uint32_t i, uint8_t flags)
{
	const struct insn *in = &j->in[i];
	bool stream = j->desc != 0;
	bool holds_address = stream && j->scratch2 != NOREG && !j->is_given_back;

	j->at[i] = (struct insn_at){
		.code = (uint16_t)(j->o.p - j->block->start),
		.source = (uint16_t)(in->pc - j->block->pc),
		.scratch2 = holds_address ? (uint8_t)(j->scratch2 + 1) : 0,
		.scratch3 = stream && j->scratch3 != NOREG ? (uint8_t)(j->scratch3 + 1) : 0,
		.flags = (uint8_t)(flags | (i == j->first ? INSN_AT_SEGMENT : 0) |
				   (stream	     ? INSN_AT_STREAM
				    : j->has_trailer ? INSN_AT_END
						     : 0) |
				   (j->is_given ? INSN_AT_APP31 : 0) |
				   (can_repeat(j, in) ? INSN_AT_REPEAT : 0) |
				   (j->is_given && j->gave_half ? INSN_AT_HALF : 0)),
		.length = in->length,
		.loads = in->loads,
		.stores = in->stores,
		.modifies = in->modifies,
		.stream_entries = (uint8_t)j->next_entry,
		.begin = (uint16_t)(j->begin - j->block->start),
		.borrows2 = j->borrows2 != NOREG ? (uint8_t)(j->borrows2 + 1) : 0,
		.borrows3 = j->borrows3 != NOREG ? (uint8_t)(j->borrows3 + 1) : 0,
		.segment = j->variant->is_timed ? j->trailer : 0,
		.deferred = j->deferred,
		.left = j->left,
	};
}

static bool near(const struct out *o, uint64_t target)
{
	int64_t d = (int64_t)(target - (uint64_t)(uintptr_t)o->p);

	return d > -0x7fffff00ll && d < 0x7fffff00ll;
}

/* The absolute address of a rip-relative operand. */
static uint64_t rip_target(const struct insn *in)
{
	int32_t disp;

	memcpy(&disp, in->bytes + in->disp_at, 4);
	return in->pc + in->length + (uint64_t)(int64_t)disp;
}

/* Does the encoding set the bit that extends modrm.rm to r8..r15? */
static bool rm_extended(const struct insn *in)
{
	for (uint32_t i = 0; i < in->modrm_at; i++) {
		uint8_t b = in->bytes[i];

		if (b == 0x62)
			return !(in->bytes[i + 1] & 0x20);
		if (b == 0xc4 && in->modrm_at - i == 4)
			return !(in->bytes[i + 1] & 0x20);
		if (b == 0xc5 && in->modrm_at - i == 3)
			return false;
		if ((b & 0xf0) == 0x40)
			return b & 1;
		if (b == 0x0f)
			return false;
	}
	return false;
}

/* A rip-relative operand out of reach: [rip+disp32] becomes [scratch]. */
static void copy_far_operand(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];
	static const uint8_t plain[] = {RAX, RCX, RDX, RBX, RSI, RDI};
	uint8_t high = rm_extended(in) ? 8 : 0, scratch = NOREG;

	for (uint32_t k = 0; k < sizeof plain && scratch == NOREG; k++)
		if (!(in->gprs >> (plain[k] | high) & 1))
			scratch = plain[k] | high;
	engine_assert(scratch != NOREG);
	/* spill2 and spill3 are taken in a stream segment */
	uint32_t slot = T_SPILL4;

	emit_store_gs(&j->o, scratch, slot);
	emit_mov_imm64(&j->o, scratch, rip_target(in));
	job_note(j, i, 0);
	j->at[i].scratch4 = (uint8_t)(scratch + 1);
	emit_bytes(&j->o, in->bytes, in->modrm_at);
	emit_u8(&j->o, (uint8_t)((in->bytes[in->modrm_at] & 0x38) | (scratch & 7)));
	emit_bytes(&j->o, in->bytes + in->disp_at + 4, in->length - in->disp_at - 4u);
	emit_load_gs(&j->o, scratch, slot);
}

static void copy_bytes(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];
	uint32_t skip = 0;

	job_note(j, i, 0);
	while (in->gs_prefix && in->bytes[skip] == 0x65)
		skip++; /* the target's %gs base is 0; ours is not */
	uint8_t *start = j->o.p;

	emit_bytes(&j->o, in->bytes + skip, in->length - skip);
	if (in->rip_relative) {
		int32_t disp = (int32_t)(rip_target(in) - (uint64_t)(uintptr_t)j->o.p);

		memcpy(start + in->disp_at - skip, &disp, 4);
	}
}

void job_copy_insn(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	if (in->shows_x87) {
		job_take_counter(j);
		job_show_x87(j);
	}
	job_give_counter(j, i);
	if (in->writes_high)
		emit_store_imm32_gs(&j->o, T_HIGH_VECTORS, VECTORS_UNKNOWN);
	if (in->rip_relative && !near(&j->o, rip_target(in)))
		copy_far_operand(j, i);
	else
		copy_bytes(j, i);
	job_follow_counter(j, i);
}

static void segment_tallies(struct job *j)
{
	struct tally t = {0};

	for (uint32_t i = j->end; i-- > j->first;) {
		const struct insn *in = &j->in[i];

		j->after[i + 1 - j->first] = t;
		t.accesses += in->loads + in->stores + in->modifies;
		t.loads += in->loads;
		t.stores += in->stores;
		t.instructions++;
	}
	j->after[0] = t;
}

/* The end of the segment that begins at in[first]. */
static uint32_t segment_end(struct job *j, uint32_t first)
{
	const struct translate_simulation *simulation = translate_observer->simulation;
	const uint64_t stop = j->variant->describes && simulation
				      ? simulation->function_end(j->in[first].pc)
				      : UINT64_MAX;
	const bool is_apart = j->variant->defers && code_options.defers;
	uint32_t end = first;

	j->first = first;
	while (end < j->insns && end - first < MAX_SEGMENT_INSNS) {
		bool alone = j->in[end].kind == INSN_REP || j->in[end].kind == INSN_ELEMENTS;

		if ((alone || j->in[end].entry || (is_apart && insn_is_call(&j->in[end])) ||
		     j->in[end].pc >= stop) &&
		    end > first)
			break;
		if (end > first && j->variant->fits && !j->variant->fits(j, end + 1))
			break;
		end++;
		if (insn_ends_segment(&j->in[end - 1]) ||
		    (j->in[end - 1].kind == INSN_JMP_INTO && simulation))
			break;
	}
	return end;
}

static void begin_code(struct job *j)
{
	const struct code_variant *v = j->variant;
	const uint8_t *counted;

	if (v->begin)
		v->begin(j);
	counted = j->o.p;
	job_count_segment(j);
	if (j->desc && v->behind_count)
		v->behind_count(j, counted);
}

static void end_accesses(struct job *j)
{
	if (j->variant->end)
		j->variant->end(j);
}

static void leave_code(struct job *j)
{
	if (j->variant->leave)
		j->variant->leave(j);
	job_step_behind(j);
}

static void emit_segment(struct job *j)
{
	segment_tallies(j);
	j->desc = 0;
	j->next_entry = 0;
	j->has_trailer = false;
	j->is_given = false;
	j->is_given_back = false;
	j->begin = j->o.p;
	j->borrows2 = j->borrows3 = NOREG;
	begin_code(j);
	for (uint32_t i = j->first; i < j->end; i++) {
		bool last = i + 1 == j->end && insn_ends_segment(&j->in[i]);

		if (last || !job_wants_counter(j, i))
			job_take_counter(j);
		if (j->desc)
			j->variant->accesses(j, i);
		job_place_branch(j, i);
		if (last) {
			end_accesses(j);
			job_terminator(j, i);
			job_take_counter(j);
		} else if (j->in[i].kind == INSN_JMP_INTO) {
			job_note(j, i, 0);
		} else {
			job_copy_insn(j, i);
		}
	}
	job_take_counter(j);
	end_accesses(j);
	leave_code(j);
}

/*
 * Other blocks may enter a segment with a call, and so end before it. With two copies of a call,
 * returns would be predicted only for the later one. (Python in the count variant: 5 to 15 %.)
 */
static void begin_segment(struct job *j)
{
	struct insn *in = &j->in[j->first];

	if (j->first)
		job_align_loop(j, in);
	if (j->first && !j->block->checked && insn_is_call(&j->in[j->end - 1]) &&
	    !cache_find(in->pc, j->variant_id))
		in->entry = true;
	j->enters = j->first ? 0 : j->block;
	if (in->entry) {
		j->enters = cache_add_inner(j->block, in->pc, j->o.p, j->deferred);
		j->failed |= !j->enters;
	}
	j->is_entered |= in->entry;
	if (j->enters && j->enters->body != j->o.p)
		j->enters = 0; /* no branch may skip the code in front of it */
	if (in->entry || (j->first && insn_is_call(in - 1))) {
		j->variant->enter(j);
	}
}

static void emit_block(struct job *j)
{
	struct block *b = j->block;

	j->calls = 0;
	if (!b->checked)
		find_entries(j);
	job_align_loop(j, &j->in[0]);
	b->body = j->o.p;
	if (translate_observer->is_marked(b->pc))
		job_marked_entry(j);
	if (b->checked)
		job_self_check(j);
	job_hook(j, b->pc);
	j->variant->begin_block(j);
	j->is_entered = true;
	for (uint32_t first = 0; first < j->insns; first = j->end) {
		j->first = first;
		j->end = segment_end(j, first);
		begin_segment(j);
		j->scratch2 = j->scratch3 = NOREG;
		emit_segment(j);
		job_defer_behind(j);
		if (insn_is_call(&j->in[j->end - 1]))
			job_return_site(j, j->end - 1);
	}
	const struct insn *last = &j->in[j->insns - 1];

	if (last->kind == INSN_JMP_INTO)
		job_jump_link(j, last->target);
	else if (!insn_is_call(last) && (!insn_ends_block(last) || last->kind == INSN_TRAP))
		job_jump_link(j, last->pc + last->length);
	job_call_tails(j);
	b->code_bytes = (uint32_t)(j->o.p - b->start);
}

/* Put the block on the lists of its pages. */
static void list_block(struct block *b)
{
	uint64_t first = b->pc & ~(PAGE - 1), last = (b->pc + b->bytes - 1) & ~(PAGE - 1);
	struct code_page *p = pages_code(first);

	if (p) {
		b->page_next[0] = p->blocks;
		p->blocks = b;
	}
	p = last != first ? pages_code(last) : 0;
	if (p) {
		b->page_next[1] = p->blocks;
		p->blocks = b;
	}
}

static enum translate_result build(struct job *j, struct block **result, uint64_t pc,
				   enum entry entry, struct deferred deferred)
{
	bool checked = pages_guard_code(pc & ~(PAGE - 1));
	enum translate_result r = job_read_block(j, pc, checked);

	if (r != TRANSLATE_OK)
		return r;
	const struct insn *last = &j->in[j->insns - 1];
	uint64_t end = last->pc + last->length;

	if (((end - 1) & ~(PAGE - 1)) != (pc & ~(PAGE - 1)) &&
	    pages_guard_code((end - 1) & ~(PAGE - 1)) && !checked) {
		checked = true;
		r = job_read_block(j, pc, true);
		if (r != TRANSLATE_OK)
			return r;
		last = &j->in[j->insns - 1];
		end = last->pc + last->length;
	}
	if (translate_observer->simulation)
		translate_observer->simulation->look_at(j->in, j->insns);
	struct block *b = cache_new_block(pc, j->variant_id);

	if (!b)
		return TRANSLATE_FULL;
	b->arena = cache_arena_index(j->arena);
	b->bytes = (uint32_t)(end - pc);
	b->checked = checked;
	b->start = j->arena->hot[cache_part(j->variant_id)];
	j->block = b;
	j->failed = false;
	if (entry != ENTRY_NONE || checked || translate_observer->is_marked(pc) || hooks_find(pc))
		deferred = (struct deferred){0};
	job_defer_block(j, deferred);
	if (entry != ENTRY_NONE) /* in front of the block, so that it needs no jump */
		cache_emit_ib_entry(j->arena, b, entry, false);
	j->o.p = j->arena->hot[cache_part(j->variant_id)];
	emit_block(j);
	if (j->failed || !cache_set_map(b, j->at, j->insns))
		return TRANSLATE_FULL;
	j->arena->hot[cache_part(j->variant_id)] = j->o.p;
	list_block(b);
	cache_add(b);
	for (struct block *e = b->inner; e; e = e->inner)
		if (e->entry[ENTRY_RETURN])
			cache_publish_indirect(e, ENTRY_RETURN);
	*result = b;
	return TRANSLATE_OK;
}

enum translate_result translate(struct block **result, uint64_t pc, enum code_variant_id variant,
				enum entry entry, struct deferred deferred)
{
	struct arena *a = cache_arena_for(pc);
	uint64_t start = cycles();
	enum translate_result r;

	if (!a || !cache_has_room(a))
		return TRANSLATE_FULL;
	if (!descs.base && grow_init(&descs, (STREAM_DESC_MASK + 1ull) * 8))
		return TRANSLATE_FULL;
	job.variant_id = variant;
	job.variant = code_variants[variant];
	job.arena = a;
	r = build(&job, result, pc, entry, deferred);
	job_leave_decoder();
	start = cycles() - start;
	thread_self()->extra.translate_cycles += start;
	translate_observer->took(start);
	return r;
}

const struct stream_desc *translate_desc(uint32_t number)
{
	return (const struct stream_desc *)(const void *)(descs.base +
							  (number & STREAM_DESC_MASK) * 8ull);
}

struct stream_desc *translate_new_desc(uint32_t accesses, uint32_t *number)
{
	struct stream_desc *d = grow_take(&descs, sizeof *d + accesses * sizeof d->access[0]);

	if (d)
		*number = (uint32_t)(((uint8_t *)d - descs.base) / 8);
	return d;
}
