/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of far lines; see far_units.h. */
#include "engine/sample/far_units.h"

#include "engine/core/random.h"
#include "engine/core/util.h"

#define WORDS	     (WATCH_SLOTS / 64)
#define SLOTS_LOG2   15u
#define CHOICES_LOG2 7u /* units in a block, of which one is chosen */
/* Units are given up until all have less than this part of a window's accesses. */
#define BUSY_PART  16u
#define BUSY_LEAST 50000u /* accesses of a window that can tell */
#define LEFT_PART  8u	  /* of each kind is not given up */

_Static_assert(WATCH_SLOTS == 1u << SLOTS_LOG2, "slots");

/* The first unit of a kind, and their number. */
static const uint16_t first_unit[FAR_KINDS + 1] = {0, 256, 384, 416, FAR_UNITS};

static uint32_t units_of(uint32_t kind)
{
	return (uint32_t)(first_unit[kind + 1] - first_unit[kind]);
}

/* So many are not given up. */
static uint32_t least_of(uint32_t kind)
{
	return units_of(kind) > LEFT_PART ? units_of(kind) / LEFT_PART : 1;
}

/* log2 of the lines of size i that a unit of the kind holds; negative: it is smaller. */
static int lines_log2(uint32_t kind, uint32_t i)
{
	return (int)far_slots_log2(kind) + (int)FAR_SIZE_64 - (int)i;
}

/* Lines of size i in a unit of the kind; of those below 32 bytes one in 64 bytes is watched. */
static uint64_t lines_in(uint32_t kind, uint32_t i)
{
	int log2 = lines_log2(kind, i);

	if (i < FAR_SIZE_32)
		log2 = (int)far_slots_log2(kind);
	return log2 < 0 ? 0 : 1ull << log2;
}

/* Pairs of neighbours in a unit that are not in the same 64 bytes. */
static uint64_t pairs_in(uint32_t kind, uint32_t i)
{
	uint64_t lines = lines_in(kind, i < FAR_SIZE_64 ? FAR_SIZE_64 : i);

	return lines ? lines - 1 : 0;
}

static void weigh_size(struct far_units *u, uint32_t i)
{
	uint64_t all = ((uint64_t)WATCH_SLOTS << FAR_SIZE_64 >> i) * CHANNEL_FAR_ONE
		       << u->regions_log2;
	uint64_t all_pairs = i < FAR_SIZE_64 ? all >> (FAR_SIZE_64 - i) : all;
	uint64_t units = 0, with_pairs = 0;

	for (uint32_t kind = 0; kind < FAR_KINDS; kind++) {
		units += lines_in(kind, i) ? u->left[kind] : 0;
		with_pairs += pairs_in(kind, i) ? u->left[kind] : 0;
	}
	for (uint32_t kind = 0; kind < FAR_KINDS; kind++) {
		uint64_t lines = lines_in(kind, i) * units;
		uint64_t pairs = pairs_in(kind, i) * with_pairs;

		u->weight[kind][i] = lines ? all / lines : 0;
		u->of_two[kind][i] = pairs ? all_pairs / pairs : 0;
	}
}

static void weigh(struct far_units *u)
{
	for (uint32_t i = 0; i < CHANNEL_FAR_SIZES; i++)
		weigh_size(u, i);
}

/* Are slots of the unit in another one that was chosen before? */
static bool is_taken(const struct far_units *u, uint32_t slot, uint32_t slots_log2)
{
	for (uint32_t k = 0; k < FAR_UNITS; k++) {
		uint32_t log2 = far_slots_log2(far_kind_of(k));
		uint32_t more = log2 > slots_log2 ? log2 : slots_log2;

		if (!u->given_up[k] && (uint32_t)u->slot[k] >> more == slot >> more)
			return true;
	}
	return false;
}

void far_units_choose(struct far_units *u, uint64_t *rng)
{
	*u = (struct far_units){.region_seed = random_next(rng)};
	for (uint32_t k = 0; k < FAR_UNITS; k++)
		u->given_up[k] = true;
	/* the largest first: they leave room for others in each block */
	for (uint32_t kind = FAR_KINDS; kind-- > 0;) {
		uint32_t log2 = far_slots_log2(kind);

		u->left[kind] = units_of(kind);
		for (uint32_t n = 0; n < units_of(kind); n++) {
			uint32_t slot;

			do
				slot = (n << CHOICES_LOG2 |
					(uint32_t)(random_next(rng) >> (64 - CHOICES_LOG2)))
				       << log2;
			while (is_taken(u, slot, log2));
			u->slot[first_unit[kind] + n] = (uint16_t)slot;
			u->given_up[first_unit[kind] + n] = false;
		}
	}
	weigh(u);
}

/* Of each two neighbours one is, and of each two of these: arrays are counted nearly exactly. */
static bool is_region_chosen(const struct far_units *u, uint64_t line)
{
	uint64_t region = line >> SLOTS_LOG2;

	for (uint32_t k = 0; k < u->regions_log2; k++, region >>= 1) {
		uint64_t of_both = (region >> 1) + u->region_seed + k;

		if ((region & 1) != of_both * 0x9e3779b97f4a7c15ull >> 63)
			return false;
	}
	return true;
}

uint16_t far_units_find(const struct far_units *u, uint64_t line)
{
	uint32_t slot = (uint32_t)line & (WATCH_SLOTS - 1);

	for (uint32_t kind = 0; kind < FAR_KINDS; kind++) {
		uint32_t log2 = far_slots_log2(kind);
		uint32_t k = first_unit[kind] + (slot >> (log2 + CHOICES_LOG2));

		if (!u->given_up[k] && (uint32_t)u->slot[k] >> log2 == slot >> log2)
			return is_region_chosen(u, line) ? (uint16_t)k : FAR_NO_UNIT;
	}
	return FAR_NO_UNIT;
}

static void give_up(struct far_units *u, uint32_t k)
{
	u->given_up[k] = true;
	u->left[far_kind_of(k)]--;
}

/* Of each two units that are left one is given up, so that they stay spread. */
static void halve_kind(struct far_units *u, uint32_t kind, uint64_t *rng)
{
	uint32_t other = FAR_NO_UNIT;

	for (uint32_t k = first_unit[kind]; k < first_unit[kind + 1]; k++) {
		if (u->given_up[k])
			continue;
		if (other == FAR_NO_UNIT) {
			other = k;
			continue;
		}
		give_up(u, random_next(rng) >> 63 ? k : other);
		other = FAR_NO_UNIT;
	}
}

void far_units_halve(struct far_units *u, uint64_t *rng)
{
	bool did = false;

	for (uint32_t kind = 0; kind < FAR_KINDS; kind++)
		if (u->left[kind] > least_of(kind)) {
			halve_kind(u, kind, rng);
			did = true;
		}
	u->regions_log2 += !did;
	weigh(u);
}

static uint32_t busiest(const struct far_units *u)
{
	uint32_t most = FAR_NO_UNIT;

	for (uint32_t k = 0; k < FAR_UNITS; k++) {
		uint32_t kind = far_kind_of(k);

		if (u->given_up[k] || u->left[kind] <= least_of(kind))
			continue;
		if (most == FAR_NO_UNIT || u->touches[k] > u->touches[most])
			most = k;
	}
	return most;
}

bool far_units_end_window(struct far_units *u, uint64_t n)
{
	uint64_t touches = 0;
	bool did = false;

	for (uint32_t k = 0; k < FAR_UNITS; k++)
		touches += u->given_up[k] ? 0 : u->touches[k];
	while (n >= BUSY_LEAST && touches > n / BUSY_PART) {
		uint32_t k = busiest(u);

		/* what is left has its fair part: giving it up as well would gain nothing */
		if (k == FAR_NO_UNIT || u->touches[k] <= n / BUSY_PART / FAR_UNITS)
			break;
		touches -= u->touches[k];
		give_up(u, k);
		did = true;
	}
	if (did)
		weigh(u);
	memset(u->touches, 0, sizeof u->touches);
	return did;
}

void far_units_bits(const struct far_units *u, uint64_t far[WORDS], uint64_t before[WORDS])
{
	memset(far, 0, WORDS * 8);
	for (uint32_t k = 0; k < FAR_UNITS; k++) {
		uint32_t slots = 1u << far_slots_log2(far_kind_of(k));
		uint64_t bits = slots == 64 ? ~0ull : (1ull << slots) - 1;

		if (!u->given_up[k])
			far[u->slot[k] / 64] |= bits << u->slot[k] % 64;
	}
	for (uint32_t i = 0; i < WORDS; i++)
		before[i] = (far[i] >> 1 | far[(i + 1) % WORDS] << 63) & ~far[i];
}
