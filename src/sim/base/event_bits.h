/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of events, eight in a vector register of AVX-512. Each operation exists in C and, if the
 * caller knows that the processor has it (`is_wide`), in AVX-512. The latter uses only the
 * registers zmm16 to zmm18 and k1.
 *
 * A set bit adds one to its event's counter. Events whose bits are in one byte are counted
 * together.
 */
#ifndef DWELL_SIM_BASE_EVENT_BITS_H
#define DWELL_SIM_BASE_EVENT_BITS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __AVX512F__
#define SIM_BITS_CHANGES "xmm16", "xmm17", "xmm18", "k1", "memory", "cc"
#else
#define SIM_BITS_CHANGES "memory", "cc"
#endif

/* All eight counters of a byte of bits must be writable, even if there are fewer events. */
static inline void sim_count_bits_wide(uint64_t *counter, uint64_t bits)
{
	uint64_t ones = 1;

	for (; bits != 0; bits >>= 8, counter += 8) {
		if ((bits & 0xff) == 0) {
			unsigned empty = (unsigned)__builtin_ctzll(bits) / 8;

			bits >>= 8 * empty;
			counter += (uint64_t)8 * empty;
		}
		__asm__ volatile("kmovb %k0, %%k1\n\t"
				 "vmovdqu64 (%1), %%zmm16\n\t"
				 "vpbroadcastq %2, %%zmm17\n\t"
				 "vpaddq %%zmm17, %%zmm16, %%zmm16%{%%k1%}\n\t"
				 "vmovdqu64 %%zmm16, (%1)\n\t"
				 :
				 : "r"(bits), "r"(counter), "r"(ones)
				 : SIM_BITS_CHANGES);
	}
}

static inline void sim_count_each_bit(uint64_t *counter, uint64_t bits, bool is_wide)
{
	if (is_wide) {
		sim_count_bits_wide(counter, bits);
		return;
	}
	for (; bits != 0; bits &= bits - 1)
		counter[__builtin_ctzll(bits)]++;
}

/* Copy n numbers. */
static inline void sim_numbers_copy(uint64_t *to, const uint64_t *from, uint64_t n, bool is_wide)
{
	uint64_t i = 0;

	for (; is_wide && i + 8 <= n; i += 8)
		__asm__ volatile("vmovdqu64 (%1), %%zmm16\n\t"
				 "vmovdqu64 %%zmm16, (%0)\n\t"
				 :
				 : "r"(to + i), "r"(from + i)
				 : SIM_BITS_CHANGES);
	for (; i < n; i++)
		to[i] = from[i];
}

/* Returns nonzero if any of eight numbers differs. */
static inline unsigned sim_numbers_compare(const uint64_t *now, const uint64_t *then)
{
	unsigned differ;

	__asm__ volatile("vmovdqu64 (%1), %%zmm16\n\t"
			 "vpcmpneqq (%2), %%zmm16, %%k1\n\t"
			 "kmovb %%k1, %0\n\t"
			 : "=r"(differ)
			 : "r"(now), "r"(then)
			 : SIM_BITS_CHANGES);
	return differ;
}

/* Add now[i] - then[i] to each of n sums. Groups of eight sums without a change are not read. */
static inline void sim_numbers_add_risen(uint64_t *sum, const uint64_t *now, const uint64_t *then,
					 uint64_t n, bool is_wide)
{
	uint64_t i = 0;

	for (; is_wide && i + 8 <= n; i += 8)
		if (sim_numbers_compare(now + i, then + i))
			__asm__ volatile("vmovdqu64 (%0), %%zmm17\n\t"
					 "vmovdqu64 (%1), %%zmm16\n\t"
					 "vpsubq (%2), %%zmm16, %%zmm16\n\t"
					 "vpaddq %%zmm16, %%zmm17, %%zmm17\n\t"
					 "vmovdqu64 %%zmm17, (%0)\n\t"
					 :
					 : "r"(sum + i), "r"(now + i), "r"(then + i)
					 : SIM_BITS_CHANGES);
	for (; i < n; i++)
		sum[i] += now[i] - then[i];
}

#endif
