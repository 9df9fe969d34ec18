/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream gear: each segment with accesses reserves its entries in the
 * thread's buffer, writes its descriptor's number and then, before each
 * instruction, the addresses it will touch.
 *
 *   buffer:  | number | address | address | ... | number | address | ...
 *
 * Two general registers that the segment does not name hold the entry pointer
 * (scratch2, target value in spill2) and the address (scratch3, spill3).
 */
#include "engine/job.h"

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

/* Could in[first..end) be one segment? */
bool job_stream_fits(struct job *j, uint32_t end)
{
	return __builtin_popcount(free_registers(j, j->first, end)) >= 2 &&
	       accesses_between(j, j->first, end) <= STREAM_MAX_ACCESSES;
}

static void describe(struct job *j, struct stream_desc *d)
{
	uint32_t n = 0;

	d->pc = j->in[j->first].pc;
	d->any_fs = 0;
	for (uint32_t i = j->first; i < j->end; i++) {
		const struct insn *in = &j->in[i];

		for (uint32_t k = 0; k < in->mem_count; k++) {
			d->any_fs |= in->mem[k].fs;
			d->access[n++] = (struct stream_access){
				.pc_offset = (uint16_t)(in->pc - d->pc),
				.size = in->mem[k].size,
				.kind = in->mem[k].kind,
				.fs = in->mem[k].fs,
			};
		}
	}
	d->count = n;
}

/* Leave when the buffer is full: the cold path gives the borrowed register back first. */
static void emit_flush_check(struct job *j, bool flags_dead, const uint8_t *again)
{
	struct code_exit *e =
		cache_new_exit(j->arena, j->block, EXIT_FLUSH, j->in[j->first].pc);
	struct out cold;

	if (!e) {
		j->failed = true;
		return;
	}
	e->after = j->after[0];
	e->resume = (uint8_t *)(uintptr_t)again;
	j->arena->cold -= 40;
	cold.p = j->arena->cold;
	emit_load_gs(&cold, j->scratch2, T_SPILL2);
	if (!flags_dead)
		job_restore_flags(&cold);
	emit_jump(&cold, e->stub);
	emit_cmp_gs_changes_flags(&j->o, j->scratch2, T_BUF_LIMIT);
	emit_bytes(&j->o, (const uint8_t[]){ 0x0f, 0x87 }, 2); /* ja */
	emit_u32(&j->o, (uint32_t)(j->arena->cold - (j->o.p + 4)));
}

void job_stream_begin(struct job *j)
{
	uint32_t n = accesses_between(j, j->first, j->end), number;
	uint16_t avail = free_registers(j, j->first, j->end);
	const uint8_t *again = j->o.p;
	bool dead = job_flags_state(j, j->first) != FLAGS_LIVE;

	if (n == 0 || j->in[j->first].kind == INSN_REP || j->in[j->first].kind == INSN_ELEMENTS)
		return;
	if (!dead)
		avail &= (uint16_t)~(1u << RAX); /* rax keeps the flags meanwhile */
	if (__builtin_popcount(avail) < 2)
		avail = free_registers(j, j->first, j->end);
	j->scratch2 = (enum reg)(31 - __builtin_clz(avail));
	j->scratch3 = (enum reg)__builtin_ctz(avail);
	j->desc = translate_new_desc(n, &number);
	if (!j->desc) {
		j->failed = true;
		return;
	}
	describe(j, j->desc);
	if (!dead)
		job_save_flags(j);
	emit_store_gs(&j->o, j->scratch2, T_SPILL2);
	emit_load_gs(&j->o, j->scratch2, T_BUF);
	emit_flush_check(j, dead, again);
	if (!dead)
		job_restore_flags(&j->o);
	emit_store_gs(&j->o, j->scratch3, T_SPILL3);
	emit_lea(&j->o, j->scratch3, j->scratch2, (int32_t)(8 * (n + 1)));
	emit_store_gs(&j->o, j->scratch3, T_BUF);
	emit_store_imm32(&j->o, j->scratch2, 0, number);
}

static void emit_lea_operand(struct job *j, const struct insn *in, const struct mem_op *m)
{
	enum reg to = j->scratch3;

	if (m->base == RIP_BASE || (m->base == NOREG && m->index == NOREG)) {
		emit_mov_imm64(&j->o, to, (uint64_t)m->disp);
		return;
	}
	if (m->base == NOREG || m->index != NOREG) {
		/* lea to, [base + index*scale + disp32] */
		uint8_t base = m->base == NOREG ? RBP : m->base;
		uint8_t index = m->index == NOREG ? RSP : m->index;

		if (m->narrow)
			emit_u8(&j->o, 0x67);
		emit_u8(&j->o, (uint8_t)(0x48 | (to & 8 ? 4 : 0) | (index & 8 ? 2 : 0) |
					 (base & 8 ? 1 : 0)));
		emit_u8(&j->o, 0x8d);
		emit_u8(&j->o, (uint8_t)((m->base == NOREG ? 0x04 : 0x84) | (to & 7) << 3));
		emit_u8(&j->o, (uint8_t)((m->scale ? __builtin_ctz(m->scale) : 0) << 6 |
					 (index & 7) << 3 | (base & 7)));
		emit_u32(&j->o, (uint32_t)m->disp);
		return;
	}
	(void)in;
	if (m->narrow)
		emit_u8(&j->o, 0x67);
	emit_lea(&j->o, to, (enum reg)m->base, (int32_t)m->disp);
}

void job_stream_accesses(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	for (uint32_t k = 0; k < in->mem_count; k++) {
		emit_lea_operand(j, in, &in->mem[k]);
		j->next_entry++;
		emit_store(&j->o, j->scratch2, (int32_t)(8 * j->next_entry), j->scratch3);
	}
}

void job_stream_end(struct job *j)
{
	if (!j->desc)
		return;
	emit_load_gs(&j->o, j->scratch2, T_SPILL2);
	emit_load_gs(&j->o, j->scratch3, T_SPILL3);
	j->desc = 0;
}
