/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of events, eight in a vector register of AVX-512: in C, and for who says that this
 * processor has it, as in stack_rows.h; of the vector registers that uses 16 to 18 and k1.
 *
 * Bits of events are counted: one more of each whose bit is set; those that happen together are
 * counted together if their bits lie in one byte.
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

/*
 * All counters of a byte of bits are there to be written, whether there are so many events or not.
 */
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

/* Do eight numbers differ? */
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

/*
 * Each of n numbers grows by what others have risen since. Where none of eight has, these are not
 * looked at.
 */
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
