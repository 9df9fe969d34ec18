/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code in front of some blocks: a check of their source, a call of the engine. */
#include "engine/core/util.h"
#include "engine/translate/hooks.h"
#include "engine/translate/job.h"

/* Status flags go to ah and al, rax to spill4. */
static void save_flags(struct job *j)
{
	emit_store_gs(&j->o, RAX, T_SPILL4);
	emit_bytes(&j->o, (const uint8_t[]){0x9f, 0x0f, 0x90, 0xc0}, 4); /* lahf; seto al */
}

static void restore_flags(struct job *j)
{
	emit_bytes(&j->o, (const uint8_t[]){0x04, 0x7f, 0x9e}, 3); /* add al, 0x7f; sahf */
	emit_load_gs(&j->o, RAX, T_SPILL4);
}

/* cmp [rcx + at], n bytes of source; jne stale */
static void emit_compare(struct job *j, uint32_t at, const uint8_t *source, uint32_t n,
			 const uint8_t *stale)
{
	emit_bytes(&j->o, (const uint8_t[]){n == 4 ? 0x81 : 0x80, 0xb9}, 2);
	emit_u32(&j->o, at);
	emit_bytes(&j->o, source, n);
	emit_bytes(&j->o, (const uint8_t[]){0x0f, 0x85}, 2);
	emit_u32(&j->o, (uint32_t)(stale - (j->o.p + 4)));
}

/* The block compares its source before it runs, because its page may change unseen. */
void job_self_check(struct job *j)
{
	struct block *b = j->block;
	uint8_t source[MAX_INSNS * 15], *over, *stale;
	struct code_exit *e = cache_new_exit(j->arena, b, EXIT_STALE, b->pc);
	uint32_t n = 0, at = 0;

	if (!e) {
		j->failed = true;
		return;
	}
	for (uint32_t i = 0; i < j->insns; i++)
		for (uint32_t k = 0; k < j->in[i].length; k++)
			source[n++] = j->in[i].bytes[k];
	save_flags(j);
	emit_store_gs(&j->o, RCX, T_SPILL2);
	emit_mov_imm64(&j->o, RCX, b->pc);
	emit_bytes(&j->o, (const uint8_t[]){0xeb, 0}, 2);
	over = j->o.p;
	stale = j->o.p;
	emit_load_gs(&j->o, RCX, T_SPILL2);
	restore_flags(j);
	emit_jump(&j->o, cache_exit_stub(e));
	over[-1] = (uint8_t)(j->o.p - over);
	for (; at + 4 <= n; at += 4)
		emit_compare(j, at, source + at, 4, stale);
	for (; at < n; at++)
		emit_compare(j, at, source + at, 1, stale);
	emit_load_gs(&j->o, RCX, T_SPILL2);
	restore_flags(j);
}

/*
 * On the engine's stack, because the target's must not be changed: mov gs:[T_HOOK_SP], rsp; mov
 * rsp, gs:[T_ENGINE_SP]; push number; call; mov rsp, gs:[T_HOOK_SP]. No flag changes.
 */
void job_call_engine(struct job *j, struct out *o, uint32_t what)
{
	emit_store_gs(o, RSP, T_HOOK_SP);
	emit_load_gs(o, RSP, T_ENGINE_SP);
	emit_u8(o, 0x68);
	emit_u32(o, what);
	emit_u8(o, 0xe8);
	emit_u32(o, (uint32_t)(j->arena->thunk_hook - (o->p + 4)));
	emit_load_gs(o, RSP, T_HOOK_SP);
}

void job_hook(struct job *j, uint64_t pc)
{
	uint32_t what = hooks_find(pc);

	if (what != HOOK_NONE)
		job_call_engine(j, &j->o, what);
}

void job_show_x87(struct job *j)
{
	job_call_engine(j, &j->o, HOOK_X87);
}
