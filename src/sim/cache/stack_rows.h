/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU stacks of cache sets (Mattson, Gecsei, Slutz and Traiger 1970). A row holds the lines of a
 * set in the order of their last use, youngest first. A line's place is its stack distance within
 * the set: caches with the same number of sets hit if they have more ways than that.
 *
 * A row has 16 or 8 entries of 64 bits, or 16 of 32 bits (a short row): one or two host cache
 * lines. An entry is a line's number + 1, or its tag (the number without the set's bits) + 1. Free
 * entries are 0 and come last. Each operation exists in C and, if the caller knows that the
 * processor has it (`is_wide`), in AVX-512 (F, BW, DQ): 12 to 20 instructions without a branch. The
 * latter uses only zmm16 to zmm19 and k1 to k3, which only code for AVX-512 uses.
 */
#ifndef DWELL_SIM_CACHE_STACK_ROWS_H
#define DWELL_SIM_CACHE_STACK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_ROW	     16u /* entries, at most */
#define SIM_ROW_FREE 0u

/* A compiler that targets AVX-512 uses these registers itself, so they are listed as clobbered. */
#ifdef __AVX512F__
#define SIM_ROW_CHANGES "xmm16", "xmm17", "xmm18", "xmm19", "k1", "k2", "k3", "memory", "cc"
#else
#define SIM_ROW_CHANGES "memory", "cc"
#endif

static inline unsigned sim_row_exchange_16_wide(uint64_t *row, uint64_t out, uint64_t in)
{
	uint64_t found = out;

	__asm__ volatile("vpbroadcastq %0, %%zmm16\n\t"
			 "vpbroadcastq %2, %%zmm17\n\t"
			 "vmovdqu64 (%1), %%zmm18\n\t"
			 "vmovdqu64 64(%1), %%zmm19\n\t"
			 "vpcmpeqq %%zmm18, %%zmm16, %%k1\n\t"
			 "vpcmpeqq %%zmm19, %%zmm16, %%k2\n\t"
			 "valignq $7, %%zmm17, %%zmm18, %%zmm17\n\t"
			 "valignq $7, %%zmm18, %%zmm19, %%zmm16\n\t"
			 "kunpckbw %%k1, %%k2, %%k1\n\t"
			 "kmovw %%k1, %k0\n\t"
			 "lea -1(%0), %2\n\t"
			 "xor %0, %2\n\t"
			 "kmovw %k2, %%k1\n\t"
			 "kshiftrw $8, %%k1, %%k2\n\t"
			 "vmovdqa64 %%zmm17, %%zmm18%{%%k1%}\n\t"
			 "vmovdqa64 %%zmm16, %%zmm19%{%%k2%}\n\t"
			 "vmovdqu64 %%zmm18, (%1)\n\t"
			 "vmovdqu64 %%zmm19, 64(%1)\n\t"
			 : "+r"(found), "+r"(row), "+r"(in)
			 :
			 : SIM_ROW_CHANGES);
	return (unsigned)__builtin_ctzll(found | 1u << SIM_ROW);
}

/*
 * A row in one vector register; the macros' arguments are the instructions' suffix and the size of
 * entries. FIND: zmm16 has the entry %0 in all places, zmm18 gets the row, and k1 and %0 the place
 * of the entry in it. MOVE_IN: moves the register `in` into the front, and the entries up to that
 * place by one.
 */
#define SIM_ROW_FIND(suffix, mask)                     \
	"vmovdqu64 (%1), %%zmm18\n\t"                  \
	"vpcmpeq" suffix " %%zmm18, %%zmm16, %%k1\n\t" \
	"kmov" mask " %%k1, %k0\n\t"
#define SIM_ROW_MOVE_IN(suffix, mask, bits, last, in)              \
	"valign" suffix " $" last ", " in ", %%zmm18, %%zmm17\n\t" \
	"lea -1(%0), %2\n\t"                                       \
	"xor %0, %2\n\t"                                           \
	"kmov" mask " %k2, %%k1\n\t"                               \
	"vmovdqa" bits " %%zmm17, %%zmm18%{%%k1%}\n\t"             \
	"vmovdqu64 %%zmm18, (%1)\n\t"

static inline unsigned sim_row_exchange_8_wide(uint64_t *row, uint64_t out, uint64_t in)
{
	uint64_t found = out;

	__asm__ volatile("vpbroadcastq %0, %%zmm16\n\t"
			 "vpbroadcastq %2, %%zmm17\n\t" SIM_ROW_FIND("q", "b")
				 SIM_ROW_MOVE_IN("q", "b", "64", "7", "%%zmm17")
			 : "+r"(found), "+r"(row), "+r"(in)
			 :
			 : SIM_ROW_CHANGES);
	return (unsigned)__builtin_ctzll(found | 1u << SIM_ROW);
}

static inline unsigned sim_row_touch_32_wide(uint32_t *row, uint32_t entry)
{
	uint64_t found = entry, moved;

	__asm__ volatile("vpbroadcastd %k0, %%zmm16\n\t" SIM_ROW_FIND("d", "w")
				 SIM_ROW_MOVE_IN("d", "w", "32", "15", "%%zmm16")
			 : "+r"(found), "+r"(row), "=&r"(moved)
			 :
			 : SIM_ROW_CHANGES);
	return (unsigned)__builtin_ctzll(found | 1u << SIM_ROW);
}

static inline unsigned sim_row_remove_8_wide(uint64_t *row, uint64_t entry)
{
	uint64_t found = entry, from;

	__asm__ volatile("vpbroadcastq %0, %%zmm16\n\t"
			 "vpxorq %%zmm17, %%zmm17, %%zmm17\n\t" SIM_ROW_FIND(
				 "q", "b") "valignq $1, %%zmm18, %%zmm17, %%zmm17\n\t"
					   "mov %0, %2\n\t"
					   "neg %2\n\t"
					   "kmovb %k2, %%k1\n\t"
					   "vmovdqa64 %%zmm17, %%zmm18%{%%k1%}\n\t"
					   "vmovdqu64 %%zmm18, (%1)\n\t"
			 : "+r"(found), "+r"(row), "=&r"(from)
			 :
			 : SIM_ROW_CHANGES);
	return (unsigned)__builtin_ctzll(found | 1u << SIM_ROW);
}

/*
 * Put `in` at the front of a row of `room` entries, 8 or 16, and remove `out`, or the oldest entry
 * if the row does not have `out`. The row must not have `in`, unless it is `out`. Returns the place
 * of `out`; SIM_ROW: none.
 */
static inline unsigned sim_row_exchange(uint64_t *row, uint32_t room, uint64_t out, uint64_t in,
					bool is_wide)
{
	uint64_t moved = in;

	if (is_wide)
		return room == 8 ? sim_row_exchange_8_wide(row, out, in)
				 : sim_row_exchange_16_wide(row, out, in);
	for (unsigned i = 0; i < room; i++) {
		uint64_t was = row[i];

		row[i] = moved;
		if (was == out)
			return i;
		moved = was;
	}
	return SIM_ROW;
}

/* Move or insert an entry at the front of a short row. Returns the same as sim_row_exchange. */
static inline unsigned sim_row_touch_32(uint32_t *row, uint32_t entry, bool is_wide)
{
	uint32_t moved = entry;

	if (is_wide)
		return sim_row_touch_32_wide(row, entry);
	for (unsigned i = 0; i < SIM_ROW; i++) {
		uint32_t was = row[i];

		row[i] = moved;
		if (was == entry)
			return i;
		moved = was;
	}
	return SIM_ROW;
}

/* Remove an entry. Returns the same as sim_row_exchange. */
static inline unsigned sim_row_remove(uint64_t *row, uint32_t room, uint64_t entry, bool is_wide)
{
	unsigned at = 0;

	if (is_wide && room == 8)
		return sim_row_remove_8_wide(row, entry);
	while (at < room && row[at] != entry)
		at++;
	if (at == room)
		return SIM_ROW;
	for (unsigned i = at; i + 1 < room; i++)
		row[i] = row[i + 1];
	row[room - 1] = SIM_ROW_FREE;
	return at;
}

#undef SIM_ROW_FIND
#undef SIM_ROW_MOVE_IN

#endif
