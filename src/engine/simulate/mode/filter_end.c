/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends the filter variant, and renews code whose assumptions fail; see filter_end.h. */
#include "engine/simulate/mode/filter_end.h"

#include "engine/codecache/cache.h"
#include "engine/core/addresses.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/mode/filter_life.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/mode/scheduler.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/simulate/state/filter_pieces.h"

void filter_expect_faults(void)
{
	filter_code_is_old |= !filter_expects_faults;
	filter_expects_faults = true;
}

static bool is_odd(const struct thread *t)
{
	return t->regs[RSP] % 8 != 0;
}

bool filter_must_renew(const struct thread *t)
{
	return t->variant == VARIANT_FILTER &&
	       (filter_code_is_old || (is_odd(t) && !filter_is_careful));
}

/*
 * The code is shr r, 6; mov r32, [r * 4 + FILTER_CELLS], from emit_number_of_line and
 * emit_load_cell.
 */
bool filter_looks_nowhere(struct frame_context *c)
{
	const uint64_t lines = 1ull << FILTER_LINE_BITS;
	const uint8_t *b = (const uint8_t *)(uintptr_t)c->rip, *shift = b - 4;
	const uint32_t high = b[0] == 0x46 ? 8 : 0;
	uint32_t r, cells;
	uint64_t *line;

	if (!cache_contains(c->rip - 4) || !cache_contains(c->rip + 8))
		return false;
	r = shift[2] & 7;
	b += high != 0;
	memcpy(&cells, b + 3, sizeof cells);
	if (shift[0] != (high ? 0x49 : 0x48) || shift[1] != 0xc1 || shift[2] != (0xe8 | r) ||
	    shift[3] != FILTER_LINE_SHIFT || b[0] != 0x8b || b[1] != (0x04 | r << 3) ||
	    b[2] != (0x85 | r << 3) || cells != FILTER_CELLS)
		return false;
	line = frame_register(c, (int)(r | high));
	if (*line < lines)
		return false;
	*line &= lines - 1;
	return true;
}

/* Is only a part of the accesses or sets simulated? The replay cannot go on with that. */
static bool is_partial(void)
{
	return plan.stretches || plan.sets;
}

/* The filter has just ended: t continues in the stream variant. */
static void go_on_without(struct thread *t)
{
	if (engine.variant == VARIANT_FILTER)
		__atomic_store_n(&engine.variant, is_partial() ? VARIANT_COUNT : VARIANT_STREAM,
				 __ATOMIC_SEQ_CST);
	collect_set_variant(t);
	scheduler_take(t);
}

void filter_before_thread(struct thread *t)
{
	if (!filter_is_on() || t->process->borrowed_memory)
		return;
	filter_scheduler_begin(t);
	scheduler_take(t);
}

/* The filter may have ended just now: says what that means, and `why`; t continues without it. */
static void tell_end(struct thread *t, bool was_on, const char *why)
{
	if (!was_on || filter_is_on())
		return;
	if (plan.data) {
		bins_end(t->process);
		t->process->data_until = t->process->total.accesses + !t->process->total.accesses;
		records_message(t->process,
				"from here on misses are not counted by data structure");
	}
	records_message(t->process, why);
	records_message(t->process, is_partial()
					    ? "from here on nothing more is simulated"
					    : "from here on each access is replayed through the "
					      "caches, as with --no-filter");
	go_on_without(t);
}

void filter_before_mapping(struct thread *t, uint64_t start, uint64_t end)
{
	bool was_on = filter_is_on();

	if (t->process->borrowed_memory)
		return;
	collect_lock();
	filter_make_room(start, end);
	collect_unlock();
	tell_end(t, was_on,
		 start < LOW_TABLES && end > FILTER_LOW
			 ? "the program wants the one place of tables that make the simulation fast"
			 : "the program and a limit leave no address space for the tables that "
			   "make the simulation fast");
}

bool filter_gives_space(const struct thread *t)
{
	bool gives;

	if (t->process->borrowed_memory)
		return false;
	collect_lock();
	gives = filter_give_space();
	collect_unlock();
	return gives;
}

void filter_renews(struct thread *t)
{
	const bool was_on = filter_is_on();

	if (was_on && filter_pieces_failed()) {
		collect_lock();
		filter_turn_off();
		collect_unlock();
		tell_end(t, was_on,
			 "a limit of address space or data (ulimit -v, ulimit -d) leaves no room "
			 "for "
			 "the tables that make the simulation fast");
	}
	filter_is_careful |= is_odd(t);
	filter_code_is_old = false;
}

/*
 * Many programs hint at an address and accept another. Go gives back the mapping it got, and tries
 * the next address of a list; the 25th is free. Go with its race detector and Java with ZGC try on
 * in vain. Meanwhile they call nothing but mmap and munmap in turns.
 */
#define PATIENCE 28u

static struct {
	uint32_t refused; /* in a row */
	uint64_t got;	  /* the last refused hint's mapping; 0: unmapped */
} wishes;

void filter_before_wish(struct thread *t, uint64_t start, uint64_t end)
{
	if (wishes.refused >= PATIENCE && wishes.got == 0)
		filter_before_mapping(t, start, end);
}

void filter_after_wish(uint64_t start, uint64_t end, uint64_t got)
{
	if (!start || got == start || !filter_memory_overlaps(start, end) || wishes.got)
		wishes.refused = 0;
	else
		wishes.refused++;
	wishes.got = wishes.refused ? got : 0;
}

void filter_after_unmapping(uint64_t start)
{
	if (start == wishes.got)
		wishes.got = 0;
}
