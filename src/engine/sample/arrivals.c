/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First touches of lines in a window; see arrivals.h. */
#include "engine/sample/arrivals.h"

#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/sample/page_use.h"

#define WORDS (WATCH_SLOTS / 64)
/*
 * Arrivals sent in a window. With more than TOLD_MOST the thread's next window chooses half as many
 * slots; with fewer than TOLD_FEW twice as many.
 */
#define TOLD_MOST	  64u
#define TOLD_FEW	  12u
#define ONE_IN_LOG2_LEAST 5u
#define ONE_IN_LOG2_MOST  11u

void arrivals_begin(struct thread *t)
{
	struct watch_set *ws = t->watches;
	uint64_t rng = t->rng;

	ws->chosen = 0;
	ws->arrived = 0;
	ws->told = 0;
	for (uint32_t i = 0; i < WORDS; i++) {
		uint64_t bits = ~0ull;

		for (uint32_t k = 0; k < ws->one_in_log2; k++)
			bits &= random_next(&rng);
		ws->fresh[i] = bits;
		ws->chosen += count_bits(bits);
	}
	t->rng = rng;
	for (uint32_t i = 0; i < WORDS; i++) {
		ws->before[i] = ws->fresh[i] >> 1 | ws->fresh[(i + 1) % WORDS] << 63;
		watches_set_bits(ws, i);
	}
}

void arrivals_end(struct thread *t)
{
	struct watch_set *ws = t->watches;

	for (uint32_t i = 0; i < WORDS; i++) {
		ws->fresh[i] = 0;
		ws->before[i] = 0;
		ws->begun[i] = 0;
		watches_set_bits(ws, i);
	}
	if (ws->told > TOLD_MOST && ws->one_in_log2 < ONE_IN_LOG2_MOST)
		ws->one_in_log2++;
	else if (ws->told < TOLD_FEW && ws->one_in_log2 > ONE_IN_LOG2_LEAST)
		ws->one_in_log2--;
}

/* Drops a slot, which was touched. */
static void let_go(struct watch_set *ws, uint32_t slot)
{
	uint32_t before = (slot - 1) % WATCH_SLOTS;

	ws->fresh[slot / 64] &= ~(1ull << (slot & 63));
	watches_set_bits(ws, slot / 64);
	ws->before[before / 64] &= ~(1ull << (before & 63));
	watches_set_bits(ws, before / 64);
	ws->changes++;
}

/* Sends an arrival, before its slots are dropped. */
static void tell(struct thread *t, const struct scan_window *w, const struct record_access *a,
		 uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	const uint64_t line = a->address >> w->line_shift;
	/*
	 * A dropped slot hides arrivals of its other lines. If lines come at random, their share is
	 * that of the dropped slots; in a walk through memory it is none. The mean of both is off
	 * by a fifth at most in windows that touch half of the slots; few touch a tenth.
	 */
	uint64_t weight =
		((uint64_t)ws->chosen << ws->one_in_log2) / (ws->chosen - ws->arrived / 2);
	struct record_arrival r = {.window = ws->window,
				   .weight = (uint32_t)weight,
				   .position = process_at,
				   .end = *a};

	ws->told++;
	if (w->use)
		page_use_note(w->use,
			      watch_is_fresh(ws, line) ? a->address : (line + 1) << w->line_shift,
			      (uint32_t)weight, random_next(&t->rng));
	records_arrival(t->process, &r);
}

void arrivals_touch(struct thread *t, const struct scan_window *w, const struct record_access *a,
		    bool arrives, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	uint64_t line = a->address >> w->line_shift;
	uint64_t last = (a->address + (a->size ? a->size - 1u : 0)) >> w->line_shift;

	if (arrives && process_at >= w->middle)
		tell(t, w, a, process_at);
	for (uint64_t l = line; l <= last && l <= line + 1; l++)
		if (watch_is_fresh(ws, l)) {
			let_go(ws, watch_slot(l));
			ws->arrived++;
		}
	arrivals_pass(ws, line);
}
