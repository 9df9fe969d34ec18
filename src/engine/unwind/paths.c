/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of call paths; see paths.h. */
#include "engine/unwind/paths.h"

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/unwind/call_stack.h"
#include "engine/unwind/modules.h"

#define MAX_PATHS   PATH_MAX_ID
#define FIRST_SLOTS 2048u
#define NUMBER_BITS 17
#define NUMBER_MASK ((1ull << NUMBER_BITS) - 1)

/*
 * A hash alone identifies a path: a slot holds 47 bits of it and the path's number, or 0. The
 * chance that any two of 65,536 paths collide is 1 in 65,000. The table starts small, because a
 * page fault costs as much as ten searches.
 */
static uint64_t *slots;
static uint32_t slot_count; /* a power of two, at least twice the paths */
static uint32_t count;
static bool is_cut_reported;

/*
 * Programs with deep recursion may have more paths than numbers. From `count` paths on, new ones
 * are cut to their `depth` innermost calls, of which fewer are distinct. At the last limit new
 * paths get none.
 */
static const struct {
	uint32_t count, depth;
} limits[] = {
	{MAX_PATHS / 2, 6},
	{MAX_PATHS / 4 * 3, 3},
	{MAX_PATHS / 16 * 15, 1},
	{MAX_PATHS, 0},
};

void paths_init(void)
{
	slots = engine.config.paths ? pages_get(FIRST_SLOTS * sizeof *slots) : 0;
	slot_count = FIRST_SLOTS;
	count = 0;
	if (!slots)
		engine.config.paths = 0;
}

/* Of its keys (eras.h): libraries may lie at one address in turn. */
static uint64_t hash_of(const uint64_t *path, uint32_t depth)
{
	uint64_t keys[PATH_MAX_DEPTH], h;

	for (uint32_t i = 0; i < depth; i++)
		keys[i] = modules_key(path[i]);
	h = hash_words(depth, keys, depth) & ~NUMBER_MASK;

	return h ? h : 1ull << NUMBER_BITS;
}

static uint64_t *slot_of(uint64_t hash)
{
	uint64_t i = (hash >> NUMBER_BITS) & (slot_count - 1);

	while (slots[i] && (slots[i] & ~NUMBER_MASK) != hash)
		i = (i + 1) & (slot_count - 1);
	return &slots[i];
}

/* Make room for one more path. False: out of memory. */
static bool make_room(void)
{
	uint64_t *old = slots;
	uint32_t old_count = slot_count;

	if (2 * (count + 1) <= slot_count)
		return true;
	slots = pages_get(2ull * old_count * sizeof *slots);
	if (!slots) {
		slots = old;
		return false;
	}
	slot_count = 2 * old_count;
	for (uint32_t i = 0; i < old_count; i++)
		if (old[i])
			*slot_of(old[i] & ~NUMBER_MASK) = old[i];
	pages_put(old, old_count * sizeof *slots);
	return true;
}

/* The most calls that a new path may have. */
static uint32_t most_calls(void)
{
	uint32_t most = PATH_MAX_DEPTH;

	for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (count >= limits[i].count)
			most = limits[i].depth;
	return most;
}

/* Number a new path. Returns 0 if there is no room for it, here or in the ring. */
static uint32_t add(struct process *p, uint64_t hash, const uint64_t *path, uint32_t depth)
{
	if (!make_room() || !records_path(p, count + 1, path, depth))
		return 0;
	*slot_of(hash) = hash | ++count;
	return count;
}

static void tell_of_cut(struct process *p)
{
	if (!is_cut_reported)
		records_message(p, "there are more than 32768 call paths: further ones are cut to "
				   "6 calls and less");
	is_cut_reported = true;
}

void paths_choose(struct thread *t, uint32_t window)
{
	if (engine.config.paths)
		t->call_stack->is_left_out =
			window >= engine.config.paths && window % engine.config.paths != 0;
}

uint32_t paths_number(struct thread *t, uint64_t pc)
{
	uint64_t path[PATH_MAX_DEPTH];
	uint32_t depth;

	if (!engine.config.paths || t->call_stack->is_left_out)
		return 0;
	depth = call_stack_path(t, pc, path, PATH_MAX_DEPTH);
	while (depth) {
		uint64_t hash = hash_of(path, depth);
		uint64_t known = *slot_of(hash);

		if (known)
			return (uint32_t)(known & NUMBER_MASK);
		if (depth <= most_calls())
			return add(t->process, hash, path, depth);
		tell_of_cut(t->process);
		depth = most_calls();
	}
	return 0;
}

void paths_forked(void)
{
	is_cut_reported = false;
	if (!count)
		return;
	pages_put(slots, slot_count * sizeof *slots);
	paths_init();
}
