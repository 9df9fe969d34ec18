/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of call paths; see paths.h. */
#include "engine/paths.h"

#include "engine/call_stack.h"
#include "engine/records.h"
#include "engine/util.h"

#define MAX_PATHS  65536u
#define INDEX_BITS 17

/*
 * Paths are found by a hash of 64 bits alone: the chance that any two of 65,536 are taken for one
 * is 1 in 10^10.
 */
struct path_slot {
	uint64_t hash; /* 0: free */
	uint64_t number;
};

static struct path_slot *slots; /* 2 MB, of which what is not used costs nothing */
static uint32_t count;
static bool cut_told;

/*
 * Programs with deep recursion have more paths than there is room for. When so many are known,
 * further ones are cut to so many calls, of which there are few: the whole run has some.
 */
static const struct {
	uint32_t count, depth;
} limits[] = {
	{MAX_PATHS / 2, 6},
	{MAX_PATHS / 4 * 3, 3},
	{MAX_PATHS / 16 * 15, 1},
	{MAX_PATHS, 0},
};

#define SLOTS_BYTES ((1ull << INDEX_BITS) * sizeof(struct path_slot))

void paths_init(void)
{
	if (engine.config.paths)
		slots = pages_get(SLOTS_BYTES);
	if (!slots)
		engine.config.paths = 0;
}

static uint64_t hash_of(const uint64_t *path, uint32_t depth)
{
	uint64_t h = depth;

	for (uint32_t i = 0; i < depth; i++) {
		h = (h ^ path[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	h *= 0xd6e8feb86659fd93ull;
	h ^= h >> 32;
	return h ? h : 1;
}

static struct path_slot *slot_of(uint64_t hash)
{
	uint64_t i = hash >> (64 - INDEX_BITS);

	while (slots[i].hash && slots[i].hash != hash)
		i = (i + 1) & ((1u << INDEX_BITS) - 1);
	return &slots[i];
}

/* Calls that a new path may have. */
static uint32_t most_calls(void)
{
	uint32_t most = PATH_MAX_DEPTH;

	for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (count >= limits[i].count)
			most = limits[i].depth;
	return most;
}

/* A path not seen before: 0 when there is no room for it in the ring. */
static uint32_t add(struct process *p, struct path_slot *s, uint64_t hash, const uint64_t *path,
		    uint32_t depth)
{
	if (!records_path(p, count + 1, path, depth))
		return 0;
	s->hash = hash;
	s->number = ++count;
	return count;
}

static void tell_of_cut(struct process *p)
{
	if (!cut_told)
		records_message(p, "there are more than 32768 call paths: further ones are cut to "
				   "6 calls and less");
	cut_told = true;
}

uint32_t paths_number(struct thread *t, uint64_t pc)
{
	uint64_t path[PATH_MAX_DEPTH];
	uint32_t depth;

	if (!engine.config.paths)
		return 0;
	depth = call_stack_path(t, pc, path, PATH_MAX_DEPTH);
	while (depth) {
		uint64_t hash = hash_of(path, depth);
		struct path_slot *s = slot_of(hash);

		if (s->hash)
			return (uint32_t)s->number;
		if (depth <= most_calls())
			return add(t->process, s, hash, path, depth);
		tell_of_cut(t->process);
		depth = most_calls();
	}
	return 0;
}

void paths_forked(void)
{
	cut_told = false;
	if (count) {
		pages_put(slots, SLOTS_BYTES);
		paths_init();
	}
	count = 0;
}
