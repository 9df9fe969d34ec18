/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream variant: each segment with accesses reserves its entries in the thread's buffer
 * (scan.h). Before each instruction it writes the addresses that the instruction will touch.
 *
 * Two general registers that the segment does not use hold the place in the buffer (scratch2; the
 * target's value in spill2) and the address (scratch3; spill3). A register that is saved and
 * restored repeatedly waits for its own value each time. So a block prefers registers that it never
 * uses, saves them once, and differs in its choice from other blocks.
 */
#include "engine/core/lanes.h"
#include "engine/core/util.h"
#include "engine/translate/job.h"

static uint32_t accesses_between(const struct job *j, uint32_t first, uint32_t end)
{
	uint32_t n = 0;

	for (uint32_t i = first; i < end; i++)
		if (j->in[i].kind != INSN_REP && j->in[i].kind != INSN_ELEMENTS)
			n += j->in[i].mem_count;
	return n;
}

static uint16_t free_registers(const struct job *j, uint32_t first, uint32_t end)
{
	uint16_t used = 1u << RSP;

	for (uint32_t i = first; i < end; i++) {
		used |= j->in[i].gprs;
		if (j->in[i].kind == INSN_RET || j->in[i].kind == INSN_JMP_IND ||
		    j->in[i].kind == INSN_CALL_IND)
			used |= 1u << RCX | 1u << R11;
	}
	return (uint16_t)~used;
}

void job_stream_block(struct job *j)
{
	j->spare = free_registers(j, 0, j->insns);
	j->kept2 = j->kept3 = NOREG;
}

void job_stream_forget(struct job *j)
{
	j->kept2 = j->kept3 = NOREG;
}

static bool has(uint16_t set, enum reg r)
{
	return r != NOREG && set >> r & 1;
}

/* A register of the nonempty set, by the block's pc. */
static enum reg pick(const struct job *j, uint16_t set)
{
	uint32_t turn = (uint32_t)(j->block->pc * 0x9e3779b97f4a7c15ull >> 60);
	uint32_t turned = (uint32_t)(set << 16 | set) >> turn;

	return (enum reg)((turn + (uint32_t)__builtin_ctz(turned)) & 15);
}

static enum reg choose(const struct job *j, uint16_t avail, enum reg kept)
{
	if (has(avail, kept))
		return kept;
	return pick(j, avail & j->spare ? avail & j->spare : avail);
}

/* Is the address the value of a general register? */
static bool is_register(const struct mem_op *m)
{
	return m->base < NOREG && m->index == NOREG && !m->disp && !m->narrow && !m->fs;
}

/* Must the segment compute an address, or a place in the buffer? */
static bool needs_scratch3(const struct job *j)
{
	if (!lanes_hold_place(j->variant_id))
		return true;
	for (uint32_t i = j->first; i < j->end; i++)
		for (uint32_t k = 0; k < j->in[i].mem_count; k++)
			if (!is_register(&j->in[i].mem[k]))
				return true;
	return false;
}

/*
 * Chooses the segment's scratch registers. Registers that stay saved are ones that it leaves alone.
 */
static void choose_scratch(struct job *j)
{
	uint16_t avail = free_registers(j, j->first, j->end);
	uint16_t of2 = avail;

	if (has(avail, j->kept3) && j->kept3 != j->kept2)
		of2 &= (uint16_t) ~(1u << j->kept3);
	j->scratch2 = choose(j, of2, j->kept2);
	if (needs_scratch3(j))
		j->scratch3 = choose(j, avail & (uint16_t) ~(1u << j->scratch2), j->kept3);
}

/* Saves the target's value of a scratch register to its slot, unless it is there. */
static void put_away(struct job *j, enum reg r, enum reg *kept, uint32_t slot)
{
	if (*kept != r)
		emit_store_gs(&j->o, r, slot);
	*kept = r;
}

/* Could in[first..end) be one segment? */
bool job_stream_fits(struct job *j, uint32_t end)
{
	return __builtin_popcount(free_registers(j, j->first, end)) >= 2 &&
	       accesses_between(j, j->first, end) <= STREAM_MAX_ACCESSES;
}

/*
 * Entries of %fs operands hold the complete address: offsets from the base are often negative, and
 * would look like trailers. Narrow operands and constants are nonnegative offsets, and are stored
 * as they are.
 */
bool job_adds_fs_base(const struct mem_op *m)
{
	return m->fs && !m->narrow && m->base != RIP_BASE;
}

/* Does the segment end in a call or a return? Returns STREAM_CALL_BIT or 0. */
static uint32_t describe_end(const struct job *j)
{
	const struct insn *in = &j->in[j->end - 1];
	uint8_t kind = insn_is_call(in) ? ACCESS_STORE : ACCESS_LOAD;

	return (insn_is_call(in) || in->kind == INSN_RET) && in->mem_count &&
			       in->mem[in->mem_count - 1].kind == kind
		       ? STREAM_CALL_BIT
		       : 0;
}

/* The bits of STREAM_WIDEST. */
static uint32_t describe_widest(uint32_t size)
{
	uint32_t halvings = 3;

	while (halvings && WATCH_REACH >> halvings < size)
		halvings--;
	return halvings << STREAM_WIDEST_SHIFT;
}

/*
 * Fills in the descriptor, unless it is a simulation's (segments.h). Returns the bits of its
 * trailers.
 */
static uint32_t describe(const struct job *j, struct stream_desc *d)
{
	const struct insn *last = &j->in[j->end - 1];
	uint32_t n = 0, plain = STREAM_PLAIN_BIT, widest = 0;

	if (d) {
		d->pc = j->in[j->first].pc;
		d->back = insn_is_call(last) ? last->pc + last->length : 0;
	}
	for (uint32_t i = j->first; i < j->end; i++) {
		const struct insn *in = &j->in[i];

		for (uint32_t k = 0; k < in->mem_count; k++) {
			const struct mem_op *m = &in->mem[k];
			bool fs = m->fs && !job_adds_fs_base(m);

			if (fs || m->size > WATCH_REACH)
				plain = 0;
			widest = m->size > widest ? m->size : widest;
			if (!d)
				continue;
			d->access[n++] = (struct stream_access){
				.pc_offset = (uint16_t)(in->pc - d->pc),
				.size = m->size,
				.kind = m->kind,
				.fs = fs,
			};
		}
	}
	return plain | describe_end(j) | (d ? describe_widest(widest) : 0);
}

/*
 * The trailer is written first, behind the room for the entries: at the buffer's end that store
 * faults, before anything else is done. If the place is in memory the entries begin there; if it is
 * in a register, it is already behind the trailer.
 */
void job_stream_begin(struct job *j)
{
	const struct translate_simulation *simulation = translate_observer->simulation;
	uint32_t n = accesses_between(j, j->first, j->end), number;
	struct stream_desc *desc = 0;

	if ((n == 0 && !simulation) || j->in[j->first].kind == INSN_REP ||
	    j->in[j->first].kind == INSN_ELEMENTS)
		return;
	choose_scratch(j);
	j->borrows2 = j->scratch2;
	j->borrows3 = j->scratch3;
	if (simulation)
		j->desc = simulation->describe(j, n, &number);
	else
		j->desc = desc = translate_new_desc(n, &number);
	if (!j->desc || number > STREAM_NUMBER_MASK) {
		j->desc = 0;
		j->failed = true;
		return;
	}
	j->entries = n;
	j->trailer = STREAM_TRAILER_BIT | describe(j, desc) | number;
	put_away(j, j->scratch2, &j->kept2, T_SPILL2);
}

void job_stream_reserve(struct job *j, const uint8_t *counted)
{
	const uint8_t *begin = j->o.p;
	bool in_register = lanes_hold_place(j->variant_id);
	int32_t room = (int32_t)(8 * (j->entries + 1));

	j->begin_at = in_register ? -room : 0;
	if (in_register)
		emit_read_place(&j->o, j->scratch2);
	else
		emit_load_gs(&j->o, j->scratch2, T_BUF);
	engine_assert(in_register ? j->o.p - counted == STREAM_PROBE_AT
				  : j->o.p - begin == STREAM_PROBE_MEMORY_AT);
	emit_store_imm32(&j->o, j->scratch2, j->begin_at + room - 8, j->trailer);
	if (j->scratch3 != NOREG)
		put_away(j, j->scratch3, &j->kept3, T_SPILL3);
	if (!in_register) {
		emit_lea(&j->o, j->scratch3, j->scratch2, room);
		emit_store_gs(&j->o, j->scratch3, T_BUF);
	}
	if (!(j->trailer & STREAM_PLAIN_BIT))
		emit_store_imm32_gs(&j->o, T_SPECIAL, 1);
}

/* lea to, [base + index * scale + disp], index and base general registers or NOREG */
static void emit_lea_index(struct out *o, uint8_t to, uint8_t base, uint8_t index, uint8_t scale,
			   int32_t disp)
{
	uint8_t b = base == NOREG ? RBP : base, x = index == NOREG ? RSP : index;
	bool is_short = base != NOREG && disp >= -128 && disp < 128;

	emit_u8(o, (uint8_t)(0x48 | (to & 8 ? 4 : 0) | (x & 8 ? 2 : 0) | (b & 8 ? 1 : 0)));
	emit_u8(o, 0x8d);
	emit_u8(o, (uint8_t)((base == NOREG ? 0x04 : is_short ? 0x44 : 0x84) | (to & 7) << 3));
	emit_u8(o, (uint8_t)((scale ? __builtin_ctz(scale) : 0) << 6 | (x & 7) << 3 | (b & 7)));
	if (is_short)
		emit_u8(o, (uint8_t)disp);
	else
		emit_u32(o, (uint32_t)disp);
}

static void emit_lea_fs(struct out *o, uint8_t to, const struct mem_op *m)
{
	if (engine.fsgsbase) /* rdfsbase to */
		emit_bytes(o,
			   (const uint8_t[]){0xf3, to & 8 ? 0x49 : 0x48, 0x0f, 0xae,
					     (uint8_t)(0xc0 | (to & 7))},
			   5);
	else
		emit_load_gs(o, (enum reg)to, T_FS_BASE);
	emit_lea_index(o, to, m->base, to, 1, (int32_t)m->disp);
	if (m->index != NOREG)
		emit_lea_index(o, to, to, m->index, m->scale, 0);
}

void job_lea_operand(struct out *o, enum reg to, const struct mem_op *m)
{
	if (job_adds_fs_base(m)) {
		emit_lea_fs(o, (uint8_t)to, m);
		return;
	}
	if (m->base == RIP_BASE || (m->base == NOREG && m->index == NOREG)) {
		emit_mov_imm64(o, to, (uint64_t)m->disp);
		return;
	}
	if (m->narrow)
		emit_u8(o, 0x67);
	if (m->base == NOREG || m->index != NOREG) {
		emit_lea_index(o, (uint8_t)to, m->base, m->index, m->scale, (int32_t)m->disp);
		return;
	}
	emit_lea(o, to, (enum reg)m->base, (int32_t)m->disp);
}

void job_stream_accesses(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	for (uint32_t k = 0; k < in->mem_count; k++) {
		const struct mem_op *m = &in->mem[k];
		enum reg address = j->scratch3;

		if (is_register(m))
			address = (enum reg)m->base;
		else
			job_lea_operand(&j->o, j->scratch3, m);
		emit_store(&j->o, j->scratch2, j->begin_at + (int32_t)(8 * j->next_entry), address);
		j->next_entry++;
	}
}

void job_stream_leave(struct job *j)
{
	uint16_t named = (uint16_t)~free_registers(j, j->first, j->end);

	if (has(named, j->kept2))
		j->kept2 = NOREG;
	if (has(named, j->kept3))
		j->kept3 = NOREG;
}

void job_stream_end(struct job *j)
{
	if (!j->desc)
		return;
	emit_load_gs(&j->o, j->scratch2, T_SPILL2);
	if (j->scratch3 != NOREG)
		emit_load_gs(&j->o, j->scratch3, T_SPILL3);
	j->has_trailer = true;
	j->desc = 0;
}

/* ---- For the filter variant ---- */

uint16_t job_free_registers(const struct job *j, uint32_t first, uint32_t end)
{
	uint16_t used = 1u << RSP;

	for (uint32_t i = first; i < end; i++)
		used |= j->in[i].gprs;
	return (uint16_t)~used;
}

bool job_choose_scratch2(struct job *j, uint16_t of)
{
	const enum reg kept = j->kept2;

	j->scratch2 = j->kept2 = choose(j, of, kept);
	return j->scratch2 != kept;
}

uint32_t job_accesses(const struct job *j)
{
	return accesses_between(j, j->first, j->end);
}
