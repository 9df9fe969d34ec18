/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the lanes of the counter register hold.
 *
 * With AVX-512 the register is ymm31. In the stream variant its first lane points into the
 * thread's buffer, behind the entries of the running segment.
 *
 *   lane   count variant   stream variant                  filter variant
 *   0      accesses        address behind the last entry   time
 *   1      loads           accesses                        time + 1
 *   2      stores          loads | stores << 32            loads | stores << 32
 *   3      instructions    instructions                    instructions | modifies << 34
 *
 * The approach variant is as the count variant.
 *
 * With the buffer pointer in memory each segment waited about eight cycles for the store of the
 * segment before. 32 bits hold the loads and stores of one stay in the cache, because the buffer
 * has fewer entries. In the filter variant the thread's timer ends a stay within a second; lanes 2
 * and 3 continue from stay to stay, and their differences are counted.
 *
 * Without AVX-512 the register is xmm15, in the count and stream variants. Its two lanes are
 * loads | stores << 32 and instructions | modifies << 34. The buffer pointer is in memory. Each
 * count begins in the middle of its range, because a segment may subtract counts that are added
 * later. This allows 2^31 up or down in one stay; the thread's timer ends the stay long before. In
 * the filter variant xmm15 has the first two lanes, and xmm14 the others; xmm13 is free for code.
 *
 * Outside the cache struct counts has the layout of the count variant with ymm31.
 */
#ifndef DWELL_ENGINE_CORE_LANES_H
#define DWELL_ENGINE_CORE_LANES_H

#include "engine/core/state.h"
#include "sim/calls/sites.h"

#define LANES_MODIFIES SIM_LANE_MODIFIES /* where they begin in lane 3 of the filter variant */

/* Does the register hold the buffer pointer in this variant? */
static inline bool lanes_hold_place(enum code_variant_id variant)
{
	return variant == VARIANT_STREAM && engine_vector_counter == COUNTER_YMM31;
}

/*
 * Convert a tally from accesses, loads, stores and instructions, which may be negative, to the
 * lanes of xmm15 in the count and stream variants.
 */
static inline void lanes_pack(uint64_t lane[4])
{
	const uint64_t modifies = lane[0] - lane[1] - lane[2];

	lane[0] = lane[1] + (lane[2] << 32);
	lane[1] = lane[3] + (modifies << LANES_MODIFIES);
	lane[2] = lane[3] = 0;
}

#define LANES_HALF	 (1ull << 31)
#define LANES_HALF_INSNS (1ull << (LANES_MODIFIES - 1))
#define LANES_MIDDLE	 (1ull << 63)

/* The counts since lanes_write; the first two members of `c` are the lanes of xmm15. */
static inline struct counts lanes_unpacked(const struct counts *c)
{
	const uint64_t loads = (uint32_t)c->accesses - LANES_HALF,
		       stores = (c->accesses >> 32) - LANES_HALF,
		       insns = (c->loads & ((1ull << LANES_MODIFIES) - 1)) - LANES_HALF_INSNS,
		       modifies = (c->loads >> LANES_MODIFIES) - (LANES_MIDDLE >> LANES_MODIFIES);

	return (struct counts){loads + stores + modifies, loads, stores, insns};
}

/* Before entering the cache: convert t->counters to the layout of the register. */
static inline void lanes_write(struct thread *t)
{
	if (t->variant == VARIANT_FILTER) {
		t->before = t->counters;
		t->counters = (struct counts){.accesses = t->clock,
					      .loads = t->clock + 1,
					      .stores = t->lane[0],
					      .instructions = t->lane[1]};
		t->in_lanes = true;
		return;
	}
	if (engine_vector_counter != COUNTER_YMM31) {
		t->before = t->counters;
		t->counters = (struct counts){.accesses = LANES_HALF | LANES_MIDDLE,
					      .loads = LANES_HALF_INSNS | LANES_MIDDLE};
		t->is_packed = true;
		return;
	}
	if (!lanes_hold_place((enum code_variant_id)t->variant))
		return;
	t->before = t->counters;
	t->counters = (struct counts){.accesses = (uint64_t)(uintptr_t)t->buf,
				      .loads = t->before.accesses,
				      .instructions = t->before.instructions};
	t->in_lanes = true;
}

static inline void lanes_read_filter(struct thread *t, const struct counts *c)
{
	const uint64_t accesses = c->stores - t->lane[0], insns = c->instructions - t->lane[1];
	const uint64_t loads = (uint32_t)accesses, stores = accesses >> 32;
	const uint64_t modifies = insns >> LANES_MODIFIES;

	t->clock = c->accesses;
	t->counters = t->before;
	t->counters.accesses += loads + stores + modifies;
	t->counters.loads += loads;
	t->counters.stores += stores;
	t->counters.instructions += insns & ((1ull << LANES_MODIFIES) - 1);
	t->lane[0] = c->stores;
	t->lane[1] = c->instructions;
}

/* While code of the filter or approach variant has called the engine: its accesses so far. */
static inline uint64_t lanes_accesses(const struct thread *t)
{
	if (t->is_packed)
		return t->before.accesses + lanes_unpacked(&t->counters).accesses;
	if (!t->in_lanes)
		return t->counters.accesses;
	const uint64_t accesses = t->counters.stores - t->lane[0],
		       insns = t->counters.instructions - t->lane[1];

	return t->before.accesses + (uint32_t)accesses + (accesses >> 32) +
	       (insns >> LANES_MODIFIES) + thread_quick_accesses(t);
}

/* Outside the cache: subtract *c from the lanes of the filter variant. */
static inline void lanes_uncount(struct thread *t, const struct counts *c)
{
	if (t->variant != VARIANT_FILTER)
		return;
	t->lane[0] -= c->loads + (c->stores << 32);
	t->lane[1] -= c->instructions + ((c->accesses - c->loads - c->stores) << LANES_MODIFIES);
}

/* After leaving the cache: convert t->counters and t->buf to the layout for C code. */
static inline void lanes_read(struct thread *t)
{
	const struct counts c = t->counters;

	if (t->is_packed) {
		const struct counts made = lanes_unpacked(&c);

		t->is_packed = false;
		t->counters = (struct counts){
			t->before.accesses + made.accesses, t->before.loads + made.loads,
			t->before.stores + made.stores, t->before.instructions + made.instructions};
	}
	if (!t->in_lanes) {
		thread_add_quick_reps(t);
		return;
	}
	t->in_lanes = false;
	if (t->variant == VARIANT_FILTER) {
		lanes_read_filter(t, &c);
		return;
	}
	t->buf = t->cut ? t->cut : (uint64_t *)(uintptr_t)c.accesses;
	t->cut = 0;
	t->counters = (struct counts){.accesses = c.loads,
				      .loads = t->before.loads + (uint32_t)c.stores,
				      .stores = t->before.stores + (c.stores >> 32),
				      .instructions = c.instructions};
}

#endif
