/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exits: their records, their stubs, and how they are linked; see exits.h. */
#include "engine/codecache/exits.h"

#include "engine/codecache/emit.h"
#include "engine/codecache/poll.h"
#include "engine/core/layout.h"
#include "engine/core/util.h"

#define ROOM (1ull << 20) /* more than one block's exits need */

static struct grow exits, mores;

int exits_init(void)
{
	if (grow_init(&exits, 1ull << 30) || grow_init(&mores, 1ull << 30))
		return -1;
	exits_forget();
	return 0;
}

bool exits_have_room(void)
{
	return exits.reserved - exits.used > ROOM && mores.reserved - mores.used > ROOM;
}

void exits_forget(void)
{
	exits.used = sizeof(struct code_exit); /* number 0 means none */
	mores.used = 0;
}

const struct insn *cache_keep_insn(const struct insn *in)
{
	struct insn *copy = grow_take(&mores, sizeof *in);

	if (copy)
		*copy = *in;
	return copy;
}

struct code_exit *cache_exit(uint32_t number)
{
	return (struct code_exit *)(void *)exits.base + number;
}

static uint32_t number_of(const struct code_exit *e)
{
	return (uint32_t)(e - (struct code_exit *)(void *)exits.base);
}

/* mov dword gs:[T_EXIT], number; jmp thunk */
#define STUB_BYTES 17

struct block *cache_exit_block(const struct code_exit *e)
{
	return cache_block(e->from);
}

static uint8_t *base_of(const struct code_exit *e)
{
	return cache_base_of(cache_block(e->from));
}

uint8_t *cache_exit_stub(const struct code_exit *e)
{
	return base_of(e) + e->stub;
}

void cache_exit_set_site(struct code_exit *e, const uint8_t *site)
{
	e->site = (uint32_t)(site - base_of(e));
}

#define KINDS_WITH_MORE                                                              \
	(1u << EXIT_REP | 1u << EXIT_ELEMENTS | 1u << EXIT_MARK | 1u << EXIT_ENTRY | \
	 1u << EXIT_ODD_STACK)

struct code_exit *cache_new_exit(struct arena *a, struct block *from, enum exit_kind kind,
				 uint64_t target)
{
	bool has_more = KINDS_WITH_MORE >> kind & 1;
	struct exit_more *more = has_more ? grow_take(&mores, sizeof *more) : 0;
	struct code_exit *e = grow_take(&exits, sizeof *e);

	if (!e || (has_more && !more))
		return 0;
	if (more)
		*more = (struct exit_more){0};
	a->cold -= STUB_BYTES;
	struct out o = {.p = a->cold};

	*e = (struct code_exit){.kind = (uint8_t)kind,
				.target = target,
				.stub = (uint32_t)(a->cold - a->base),
				.from = cache_block_number(from),
				.more = more};
	emit_store_imm32_gs(&o, T_EXIT, EXIT_RECORD_FIRST + number_of(e));
	emit_jump(&o, a->thunk_exit);
	return e;
}

static void patch_site(uint8_t *site, const uint8_t *to)
{
	__atomic_store_n((int32_t *)(void *)site, (int32_t)(to - (site + 4)), __ATOMIC_RELEASE);
}

#define BRIDGE_BYTES 16 /* an addition and a jump */

/*
 * Emit a bridge from a branch to a block that defers other counts; NULL if there is no room.
 */
static const uint8_t *bridge(struct arena *a, struct deferred from, const struct block *to)
{
	struct out o = {.p = a->cold - BRIDGE_BYTES};

	if (!cache_has_room(a) || !poll_emit_difference(&o, from, to->deferred))
		return 0;
	emit_jump(&o, to->body);
	return a->cold -= BRIDGE_BYTES;
}

void cache_link(struct code_exit *e, struct block *to)
{
	const struct block *from = cache_exit_block(e);
	const uint8_t *way = to->body;

	/* never across arenas, as a rel32 does not reach: the stub suffices */
	if (!e->site || e->is_linked || from->arena != to->arena || to->dead || from->dead)
		return;
	if (e->kept && e->kept == to->kept)
		way += KEPT_BYTES;
	if (!deferred_is_same(e->deferred, to->deferred))
		way = bridge(cache_arena(from->arena), e->deferred, to);
	if (!way)
		return;
	e->is_linked = true;
	e->next_in = to->incoming;
	to->incoming = number_of(e);
	patch_site(base_of(e) + e->site, way);
}

void cache_unlink(struct block *to)
{
	for (uint32_t n = to->incoming, next; n; n = next) {
		struct code_exit *e = cache_exit(n);

		next = e->next_in;
		e->is_linked = false;
		e->next_in = 0;
		patch_site(base_of(e) + e->site, cache_exit_stub(e));
	}
	to->incoming = 0;
}
