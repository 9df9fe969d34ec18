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
static bool full_told;

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

/* A path not seen before: 0 when there is no room for it, here or in the ring. */
static uint32_t add(struct process *p, struct path_slot *s, uint64_t hash, const uint64_t *path,
		    uint32_t depth)
{
	if (count == MAX_PATHS) {
		if (!full_told)
			records_message(p, "there are more than 65536 call paths: "
					   "samples on others have none");
		full_told = true;
		return 0;
	}
	if (!records_path(p, count + 1, path, depth))
		return 0;
	s->hash = hash;
	s->number = ++count;
	return count;
}

uint32_t paths_number(struct thread *t, uint64_t pc)
{
	uint64_t path[PATH_MAX_DEPTH], hash;
	uint32_t depth;
	struct path_slot *s;

	if (!engine.config.paths)
		return 0;
	depth = call_stack_path(t, pc, path, PATH_MAX_DEPTH);
	if (!depth)
		return 0;
	hash = hash_of(path, depth);
	s = slot_of(hash);
	return s->hash ? (uint32_t)s->number : add(t->process, s, hash, path, depth);
}

void paths_forked(void)
{
	full_told = false;
	if (count) {
		pages_put(slots, SLOTS_BYTES);
		paths_init();
	}
	count = 0;
}
