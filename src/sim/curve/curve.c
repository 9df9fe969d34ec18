/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack distance is counted once, at the largest size that it misses in; sums over larger sizes
 * are taken at the end. Misses of random caches are counted directly.
 */
#include "sim/curve/curve.h"

#include <stddef.h>

static uint64_t storage_bytes(const struct sim_curve *c)
{
	/*
	 * The sizes, and for each policy both counts, with one more place for accesses without a
	 * miss.
	 */
	return (c->size_count + SIM_POLICIES * 2 * (c->size_count + 1)) * sizeof(uint64_t);
}

static void lay_out(struct sim_curve *c, const uint64_t *size_lines)
{
	uint64_t *at = c->storage;
	unsigned size = 0;

	c->size_lines = at;
	at += c->size_count;
	for (unsigned p = 0; p < SIM_POLICIES; p++) {
		c->misses[p].accesses = at;
		c->misses[p].touches = at + c->size_count + 1;
		at += 2 * (c->size_count + 1);
	}
	for (unsigned k = 0; k < c->size_count; k++)
		c->size_lines[k] = size_lines[k];
	for (unsigned i = 0; i < 64; i++) {
		while (size < c->size_count && size_lines[size] < (uint64_t)1 << i)
			size++;
		c->octave[i] = size;
	}
}

int sim_curve_init(struct sim_curve *c, const struct sim_curve_config *config,
		   const struct sim_memory *memory)
{
	*c = (struct sim_curve){.memory = memory,
				.line_shift = (unsigned)__builtin_ctz(config->line_bytes),
				.size_count = config->size_count};
	c->storage = sim_take(memory, storage_bytes(c));
	if (c->storage == NULL)
		return -1;
	lay_out(c, config->size_lines);
	c->policies[SIM_LRU] = config->policies[SIM_LRU];
	c->policies[SIM_RANDOM] = config->policies[SIM_RANDOM];
	if (c->policies[SIM_LRU] && sim_lru_init(&c->lru, memory) != 0)
		return -1;
	if (c->policies[SIM_RANDOM] &&
	    sim_random_init(&c->random, c->size_lines, c->size_count, config->seed, memory) != 0)
		return -1;
	return 0;
}

void sim_curve_release(struct sim_curve *c)
{
	if (c->memory == NULL)
		return;
	sim_lru_release(&c->lru);
	sim_random_release(&c->random);
	sim_give(c->memory, c->storage, storage_bytes(c));
	*c = (struct sim_curve){0};
}

/* The number of sizes, smallest first, in which a stack distance misses. */
static unsigned sizes_missed(const struct sim_curve *c, uint64_t distance)
{
	unsigned size;

	if (distance == 0)
		return 0;
	if (distance == SIM_FIRST_TOUCH)
		return c->size_count;
	size = c->octave[63 - __builtin_clzll(distance)];
	while (size < c->size_count && c->size_lines[size] <= distance)
		size++;
	return size;
}

static void count_bits(uint64_t *counts, uint64_t bits)
{
	for (; bits != 0; bits &= bits - 1)
		counts[__builtin_ctzll(bits)]++;
}

struct sim_outcome sim_curve_access(struct sim_curve *c, uint64_t address, uint32_t bytes)
{
	uint64_t line = address >> c->line_shift;
	uint64_t last = (address + (bytes > 0 ? bytes - 1 : 0)) >> c->line_shift;
	struct sim_outcome o = {0};

	c->accesses++;
	for (; line <= last; line++) {
		c->touches++;
		if (c->policies[SIM_LRU]) {
			uint64_t distance = sim_lru_touch(&c->lru, line);
			unsigned missed = sizes_missed(c, distance);

			c->misses[SIM_LRU].touches[missed]++;
			o.lru = missed > o.lru ? missed : o.lru;
			o.is_first |= distance == SIM_FIRST_TOUCH;
		}
		if (c->policies[SIM_RANDOM]) {
			uint64_t lines = c->random.line_count;
			uint64_t missed = sim_random_touch(&c->random, line);

			count_bits(c->misses[SIM_RANDOM].touches, missed);
			o.random |= missed;
			o.is_first |= c->random.line_count != lines;
		}
	}
	if (c->policies[SIM_LRU])
		c->misses[SIM_LRU].accesses[o.lru]++;
	count_bits(c->misses[SIM_RANDOM].accesses, o.random);
	c->first_accesses += o.is_first;
	return o;
}

void sim_curve_prefetch(const struct sim_curve *c, uint64_t address)
{
	if (c->policies[SIM_LRU])
		sim_lru_prefetch(&c->lru, address >> c->line_shift);
	if (c->policies[SIM_RANDOM])
		sim_random_prefetch(&c->random, address >> c->line_shift);
}

/*
 * Place k of the counts has the accesses that miss in the first k sizes. So the misses of a size
 * are the sum over all later places.
 */
static void sum_up(uint64_t *counts, unsigned size_count)
{
	uint64_t sum = 0;

	for (unsigned k = size_count; k-- > 0;) {
		sum += counts[k + 1];
		counts[k + 1] = sum;
	}
	for (unsigned k = 0; k < size_count; k++)
		counts[k] = counts[k + 1];
}

void sim_curve_sum(struct sim_curve *c)
{
	if (c->is_summed)
		return;
	c->is_summed = true;
	sum_up(c->misses[SIM_LRU].accesses, c->size_count);
	sum_up(c->misses[SIM_LRU].touches, c->size_count);
}

bool sim_curve_failed(const struct sim_curve *c)
{
	return c->storage == NULL || (c->policies[SIM_LRU] && c->lru.failed) ||
	       (c->policies[SIM_RANDOM] && c->random.failed);
}
