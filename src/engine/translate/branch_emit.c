/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends of segments: branches, calls, returns, system calls, string loops.
 * Nothing here changes a flag or uses the target's stack beyond what the
 * instruction itself does.
 */
#include "engine/codecache/code_options.h"
#include "engine/core/util.h"
#include "engine/translate/job.h"

/* The register whose value is in the arena's spill2 at the segment's end, + 1; 0: none. */
static uint8_t kept_at_end(const struct job *j)
{
	const uint16_t left_alone = job_free_registers(j, j->first, j->end);

	return j->variant->is_timed && j->kept2 != NOREG && left_alone >> j->kept2 & 1
		       ? (uint8_t)(j->kept2 + 1)
		       : 0;
}

/* In a simulation: describe the segment of the string or vector instruction of exit e. */
static bool describe_elements(struct job *j, struct code_exit *e)
{
	const struct translate_simulation *simulation = translate_observer->simulation;

	return !simulation || simulation->describe_elements(j, e);
}

static struct code_exit *new_exit(struct job *j, enum exit_kind kind, uint64_t target)
{
	struct code_exit *e = cache_new_exit(j->arena, j->block, kind, target);

	if (e)
		e->deferred = j->left;
	else
		j->failed = true;
	return e;
}

/* `site` is the rel32 field of e: it leads to its block, if there is one, or else to its stub. */
static void link_site(struct job *j, struct code_exit *e, uint8_t *site)
{
	struct block *to;

	cache_exit_set_site(e, site);
	to = cache_find(e->target, j->variant_id);
	if (!to && e->target == j->block->pc)
		to = j->block;
	if (to)
		cache_link(e, to);
}

static void emit_field(struct job *j, const struct code_exit *e)
{
	emit_u32(&j->o, e ? (uint32_t)(cache_exit_stub(e) - (j->o.p + 4)) : 0);
}

void job_jump_link(struct job *j, uint64_t target)
{
	struct code_exit *e = new_exit(j, EXIT_LINK, target);

	emit_align_field(&j->o, 1);
	emit_u8(&j->o, 0xe9);
	emit_field(j, e);
	if (e)
		link_site(j, e, j->o.p - 4);
}

/* The branch leaves the function: a step when taken. */
static void conditional_step(struct job *j, const struct insn *in, const uint8_t *opcode)
{
	struct code_exit *e = new_exit(j, EXIT_LINK, in->target);
	uint8_t *field, *to = job_step_apart(j, in->target, &field);
	struct out o = {.p = field};

	emit_bytes(&j->o, opcode, 2);
	emit_u32(&j->o, (uint32_t)(to - (j->o.p + 4)));
	if (!e)
		return;
	emit_u32(&o, (uint32_t)(cache_exit_stub(e) - (field + 4)));
	link_site(j, e, field);
}

static void conditional(struct job *j, const struct insn *in, const uint8_t *opcode)
{
	if (job_leaves(j, in->target)) {
		conditional_step(j, in, opcode);
		return;
	}
	struct code_exit *e = new_exit(j, EXIT_LINK, in->target);

	if (e)
		e->kept = kept_at_end(j);
	emit_align_field(&j->o, 2);
	emit_bytes(&j->o, opcode, 2);
	emit_field(j, e);
	if (e)
		link_site(j, e, j->o.p - 4);
}

/* loop and jrcxz reach 127 bytes only: hop over a long jump. */
static void short_conditional(struct job *j, const struct insn *in)
{
	uint8_t *taken, *skip;

	emit_bytes(&j->o, in->bytes, in->length - 1u);
	emit_u8(&j->o, 2);
	emit_bytes(&j->o, (const uint8_t[]){0xeb, 0}, 2);
	taken = j->o.p;
	job_step(j, in->target, CODE_STEP_SMALL);
	job_jump_link(j, in->target);
	skip = j->o.p;
	taken[-1] = (uint8_t)(skip - taken);
}

/* Replaces the pushed return address by that of the target's call. */
static void put_return(struct job *j, const struct insn *in)
{
	const uint64_t back = in->pc + in->length;
	uint64_t *constant;

	if (back >> 31 == 0) {
		/* mov qword [rsp], imm32 */
		emit_bytes(&j->o, (const uint8_t[]){0x48, 0xc7, 0x04, 0x24}, 4);
		emit_u32(&j->o, (uint32_t)back);
		return;
	}
	emit_lea(&j->o, RSP, RSP, 8);
	/* close together, because each call reads one */
	constant = j->arena->words++;
	*constant = back;
	emit_bytes(&j->o, (const uint8_t[]){0xff, 0x35}, 2);
	emit_u32(&j->o, (uint32_t)((uint8_t *)constant - (j->o.p + 4)));
}

/*
 * rcx = target; r11 = its place in the table. The target's r11 is in spill1 until the block's
 * entry.
 */
static void table_index(struct out *o, enum code_variant_id variant)
{
	if (code_options.ib_bits == 8) {
		/* movzx r11d, cl */
		emit_bytes(o, (const uint8_t[]){0x44, 0x0f, 0xb6, 0xd9}, 4);
	} else if (code_options.ib_bits == 16) {
		/* movzx r11d, cx */
		emit_bytes(o, (const uint8_t[]){0x44, 0x0f, 0xb7, 0xd9}, 4);
	} else {
		/* pext r11d, ecx, [mask] */
		emit_bytes(o, (const uint8_t[]){0xc4, 0x62, 0x72, 0xf5, 0x1c, 0x25}, 6);
		emit_u32(o, cache_ib_mask(variant));
	}
}

void emit_table_jump(struct out *o, enum code_variant_id variant)
{
	table_index(o, variant);
	emit_bytes(o, (const uint8_t[]){0x42, 0xff, 0x24, 0xdd}, 4); /* jmp [r11*8+table] */
	emit_u32(o, cache_ib_table(variant, ENTRY_JUMP));
}

void emit_table_return(struct out *o, enum code_variant_id variant)
{
	table_index(o, variant);
	emit_bytes(o, (const uint8_t[]){RETURN_PUSH}, 4); /* push [r11*8+table] */
	emit_u32(o, cache_ib_table(variant, ENTRY_RETURN));
	emit_u8(o, 0xc3);
}

/*
 * rcx = target; the target's rcx is in spill0. R11 is borrowed because code rarely waits for its
 * value. `step`: the call graph's, or 0.
 */
static void table_jump(struct job *j, uint32_t step, bool is_call)
{
	const struct code_steps *c = job_steps(j);

	emit_store_gs(&j->o, R11, T_SPILL1);
	if (c && is_call)
		c->call_indirect(j, step);
	else if (c)
		c->jump_indirect(j, step);
	else
		emit_table_jump(&j->o, j->variant_id);
}

/*
 * A return is a machine return, too, to the address in the cache that replaced the target's. So it
 * is predicted, if its call was a machine call (below).
 */
static void emit_return(struct job *j, uint32_t i)
{
	const struct code_steps *c = job_steps(j);
	const struct insn *in = &j->in[i];

	emit_store_gs(&j->o, RCX, T_SPILL0);
	job_note(j, i, INSN_AT_RCX_SPILL0);
	emit_u8(&j->o, 0x59); /* pop rcx */
	emit_store_gs(&j->o, R11, T_SPILL1);
	if (c)
		c->give_back(j, job_new_step(j, 0), in->pop_bytes != 0);
	if (in->pop_bytes) { /* the place below rsp is then another one, and the target's */
		emit_lea(&j->o, RSP, RSP, in->pop_bytes);
		emit_table_jump(&j->o, j->variant_id);
	} else if (!c) {
		emit_table_return(&j->o, j->variant_id);
	}
}

/*
 * A machine call, so that the processor predicts the return. It leads to its tail, which replaces
 * the pushed address by the target's return address, and continues. The code for the return follows
 * at once.
 */
static void emit_call(struct job *j, uint32_t i)
{
	const struct code_steps *steps = job_steps(j);
	const uint64_t to = j->in[i].kind == INSN_CALL ? j->in[i].target : 0;
	struct call_site *c = &j->call[j->calls++];

	emit_u8(&j->o, 0xe8);
	*c = (struct call_site){.field = j->o.p, .insn = i, .step = job_new_step(j, to)};
	c->line = steps && to ? steps->new_line(j, to, c->step) : 0;
	emit_u32(&j->o, 0);
}

void job_call_tails(struct job *j)
{
	j->left = (struct deferred){0};
	for (uint32_t k = 0; k < j->calls; k++) {
		const struct insn *in = &j->in[j->call[k].insn];
		int32_t distance = (int32_t)(j->o.p - (j->call[k].field + 4));

		memcpy(j->call[k].field, &distance, 4);
		put_return(j, in);
		if (in->kind == INSN_CALL) {
			if (j->call[k].step)
				job_steps(j)->call(j, j->call[k].line, j->call[k].step);
			job_jump_link(j, in->target);
		} else {
			table_jump(j, j->call[k].step, true);
		}
	}
}

/*
 * Returns lead here if the table says so for their address. The next segment is the return site's,
 * unless the block ends here. Then the site may be known already, and gets a second entry; else a
 * return makes it.
 */
void job_return_site(struct job *j, uint32_t i)
{
	uint64_t pc = j->in[i].pc + j->in[i].length;
	bool last = i + 1 == j->insns;
	struct block *b = cache_find(pc, j->variant_id);

	if (b && (b->arena != j->block->arena || !last))
		b = 0;
	if (!b && !last) {
		b = cache_add_inner(j->block, pc, 0, (struct deferred){0});
		j->failed |= !b;
	}
	if (!b) {
		emit_jump(&j->o, j->arena->thunk_miss[ENTRY_RETURN]);
		return;
	}
	j->arena->hot[cache_part(j->variant_id)] = j->o.p;
	cache_emit_ib_entry(j->arena, b, ENTRY_RETURN, false);
	j->o.p = j->arena->hot[cache_part(j->variant_id)];
	if (last)
		cache_publish_indirect(b, ENTRY_RETURN);
	if (!last) {
		b->body = j->o.p;
		job_hook(j, pc);
		j->is_entered = true;
	}
}

/* mov rcx, <the operand of jmp or call>: the same modrm with another opcode. */
static void load_operand(struct job *j, const struct insn *in)
{
	uint8_t modrm = in->bytes[in->modrm_at], rex = 0x48;
	uint32_t at = 0;

	if (in->rip_relative) {
		uint64_t at = (uint64_t)in->mem[0].disp;

		emit_mov_imm64(&j->o, RCX, in->mem[0].narrow ? (uint32_t)at : at);
		emit_bytes(&j->o, (const uint8_t[]){0x48, 0x8b, 0x09}, 3); /* mov rcx, [rcx] */
		return;
	}
	for (; at < in->modrm_at - 1u; at++) {
		uint8_t b = in->bytes[at];

		if ((b & 0xf0) == 0x40)
			rex |= b & 7;
		else if (b == 0x64 || b == 0x67)
			emit_u8(&j->o, b);
	}
	emit_u8(&j->o, rex & ~4);
	emit_u8(&j->o, 0x8b);
	emit_u8(&j->o, (uint8_t)((modrm & 0xc7) | RCX << 3));
	emit_bytes(&j->o, in->bytes + in->modrm_at + 1, in->length - in->modrm_at - 1u);
}

static void emit_indirect(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	emit_store_gs(&j->o, RCX, T_SPILL0);
	job_note(j, i, INSN_AT_RCX_SPILL0);
	load_operand(j, in);
	if (in->kind == INSN_CALL_IND)
		emit_call(j, i);
	else
		table_jump(j, job_new_step(j, 0), false);
}

static void leave(struct job *j, enum exit_kind kind, uint64_t target)
{
	struct code_exit *e = new_exit(j, kind, target);

	if (e)
		emit_jump(&j->o, cache_exit_stub(e));
}

static void emit_mark(struct job *j, uint32_t i)
{
	struct code_exit *e = new_exit(j, EXIT_MARK, j->in[i].pc + j->in[i].length);

	job_step(j, j->in[i].pc + j->in[i].length, CODE_STEP);
	if (!e)
		return;
	emit_jump(&j->o, cache_exit_stub(e));
	e->more->insn = cache_keep_insn(&j->in[i]);
	j->failed |= !e->more->insn;
}

void job_marked_entry(struct job *j)
{
	struct code_exit *e = new_exit(j, EXIT_ENTRY, j->block->pc);

	if (!e)
		return;
	emit_jump(&j->o, cache_exit_stub(e));
	e->more->resume = j->o.p;
}

/* The kind of quick REP instruction; QUICK_REPS: none. */
static enum quick_rep quick_rep_of(const struct insn *in)
{
	if (in->mem_count && in->mem[0].narrow)
		return QUICK_REPS; /* counted in ecx */
	switch (in->bytes[in->length - 1] & 0xfe) {
	case 0xa4:
		return QUICK_MOVS;
	case 0xaa:
		return QUICK_STOS;
	case 0xac:
		return QUICK_LODS;
	default:
		return QUICK_REPS;
	}
}

/*
 * Behind a string instruction, where rcx is 0: add its iterations to the thread's counter of that
 * kind. Leaving the cache took some 70 ns, and compilers copy structs this way. With many
 * iterations the engine must be called, because a window may begin among them: they may be tens of
 * times as fast as other accesses, too fast for the timer.
 */
static void count_quick_rep(struct job *j, enum quick_rep kind, struct code_exit *e)
{
	const uint32_t total = T_QUICK_REPS + 8 * (uint32_t)kind;
	uint8_t *few;

	emit_store_gs(&j->o, RAX, T_SPILL4);
	emit_load_gs(&j->o, RAX, total);
	emit_load_gs(&j->o, RCX, T_REP_RCX);
	emit_bytes(&j->o, (const uint8_t[]){0x48, 0x8d, 0x04, 0x08}, 4); /* lea rax, [rax+rcx] */
	/* pext rcx, rax, [mask] */
	emit_bytes(&j->o, (const uint8_t[]){0xc4, 0xe2, 0xfa, 0xf5, 0x0c, 0x25}, 6);
	emit_u32(&j->o, cache_many_mask(j->variant_id));
	emit_bytes(&j->o, (const uint8_t[]){0xe3, 0}, 2); /* jrcxz */
	few = j->o.p;
	emit_load_gs(&j->o, RAX, T_SPILL4);
	emit_mov_imm64(&j->o, RCX, 0);
	emit_jump(&j->o, cache_exit_stub(e));
	few[-1] = (uint8_t)(j->o.p - few);
	emit_store_gs(&j->o, RAX, total);
	emit_load_gs(&j->o, RAX, T_SPILL4);
}

static void emit_rep(struct job *j, uint32_t i)
{
	const enum quick_rep kind = quick_rep_of(&j->in[i]);
	struct code_exit *e = new_exit(j, EXIT_REP, j->in[i].pc);

	emit_store_gs(&j->o, RCX, T_REP_RCX);
	emit_store_gs(&j->o, RSI, T_REP_RSI);
	emit_store_gs(&j->o, RDI, T_REP_RDI);
	job_copy_insn(j, i);
	if (!e)
		return;
	if (j->variant->defers && kind != QUICK_REPS && code_options.quick_reps)
		count_quick_rep(j, kind, e);
	else
		emit_jump(&j->o, cache_exit_stub(e));
	e->more->resume = j->o.p;
	e->more->insn = cache_keep_insn(&j->in[i]);
	j->failed |= !e->more->insn || !describe_elements(j, e);
}

static void emit_elements(struct job *j, uint32_t i)
{
	struct code_exit *e = new_exit(j, EXIT_ELEMENTS, j->in[i].pc);

	if (!e)
		return;
	e->more->after = j->after[0];
	emit_jump(&j->o, cache_exit_stub(e));
	e->more->resume = j->o.p;
	e->more->insn = cache_keep_insn(&j->in[i]);
	j->failed |= !e->more->insn || !describe_elements(j, e);
	job_copy_insn(j, i);
}

void job_terminator(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	job_note(j, i, 0);
	switch (in->kind) {
	case INSN_JCC:
		conditional(j, in, (const uint8_t[]){0x0f, (uint8_t)(0x80 | in->condition)});
		break;
	case INSN_XBEGIN:
		conditional(j, in, (const uint8_t[]){0xc7, 0xf8});
		break;
	case INSN_LOOP:
		short_conditional(j, in);
		break;
	case INSN_JMP:
		job_step(j, in->target, CODE_STEP);
		job_jump_link(j, in->target);
		break;
	case INSN_CALL:
		emit_call(j, i);
		break;
	case INSN_RET:
		emit_return(j, i);
		break;
	case INSN_JMP_IND:
	case INSN_CALL_IND:
		emit_indirect(j, i);
		break;
	case INSN_SYSCALL:
		job_step(j, in->pc + in->length, CODE_STEP);
		leave(j, EXIT_SYSCALL, in->pc + in->length);
		break;
	case INSN_MARK:
		emit_mark(j, i);
		break;
	case INSN_REP:
		emit_rep(j, i);
		break;
	case INSN_ELEMENTS:
		emit_elements(j, i);
		break;
	case INSN_JMP_INTO:
		break;
	case INSN_RDGSBASE:
		emit_mov_imm64(&j->o, (enum reg)__builtin_ctz(in->gprs), 0);
		break;
	case INSN_TRAP:
		job_copy_insn(j, i);
		break;
	default:
		leave(j, EXIT_UNSUPPORTED, in->pc);
		break;
	}
}
