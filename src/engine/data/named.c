/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named memory; see named.h. */
#include "engine/data/named.h"

#include "engine/core/intervals.h"
#include "engine/core/lock.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define MOST_NAMES  4096u
#define MOST_PIECES (1u << 16)

static uint32_t lock;
static struct intervals pieces; /* struct named */
static struct grow names;	/* uint64_t, a hash of each name, in the order of their numbers */
static bool has_started, has_failed;

uint32_t named_version;

static bool start(void)
{
	if (!has_started) {
		has_started = true;
		has_failed = intervals_init(&pieces, sizeof(struct named), MOST_PIECES) != 0 ||
			     grow_init(&names, MOST_NAMES * sizeof(uint64_t)) != 0;
	}
	return !has_failed;
}

/* Of 64 bits: no two of so few names share one. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
	return hash;
}

static uint32_t number_of(uint64_t hash)
{
	const uint64_t *known = (const uint64_t *)(const void *)names.base;
	const uint32_t count = (uint32_t)(names.used / sizeof *known);
	uint64_t *kept;

	for (uint32_t i = 0; i < count; i++)
		if (known[i] == hash)
			return i + 1;
	kept = count < MOST_NAMES ? grow_take(&names, sizeof *kept) : 0;
	if (!kept)
		return 0;
	*kept = hash;
	return count + 1;
}

uint32_t named_number(const char *name)
{
	uint32_t number;

	lock_take(&lock);
	number = name[0] && start() ? number_of(hash_of(name)) : 0;
	lock_drop(&lock);
	return number;
}

/* Take [from, to) out of all pieces. */
static void cut(uint64_t from, uint64_t to)
{
	struct named *n, rest;

	while ((n = intervals_after(&pieces, from)) && n->start < to) {
		rest = *n;
		if (n->start < from)
			intervals_set_end(&pieces, n, from);
		else
			intervals_remove(&pieces, n);
		rest.start = to;
		if (rest.end > to)
			intervals_insert(&pieces, &rest);
	}
}

void named_set(uint64_t from, uint64_t to, uint32_t number)
{
	const struct named piece = {from, to, number};

	lock_take(&lock);
	if (start()) {
		cut(from, to);
		if (number)
			intervals_insert(&pieces, &piece);
		named_version++;
	}
	lock_drop(&lock);
}

bool named_after(uint64_t address, struct named *n)
{
	const struct named *found;

	if (!named_version)
		return false;
	lock_take(&lock);
	found = intervals_after(&pieces, address);
	if (found)
		*n = *found;
	lock_drop(&lock);
	return found != 0;
}

void named_forked(void)
{
	lock = 0;
}
