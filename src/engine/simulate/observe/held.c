/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a call that allocates; see held.h. */
#include "engine/simulate/observe/held.h"

#include "engine/core/util.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/references.h"
#include "engine/simulate/observe/structures.h"

/* Two for each line of a block of 8 MB; larger ones come from mmap, as zeros. */
#define MOST_EVENTS (1u << 18)

#define EVENTS_AT_ONCE 128u

#define HELD_MISS   0u
#define HELD_SEEN   2u
#define HELD_REPEAT 3u

struct held_event {
	uint64_t address;
	/* HELD_REFERENCES: 1; HELD_REPEAT: number, step; HELD_SEEN: weight, group */
	uint64_t line, victim;
	uint32_t bin;
	uint8_t kind, cache, how; /* how: enum bin_miss */
};

_Static_assert(sizeof(struct held_event) == HELD_BYTES, "layout");
_Static_assert(offsetof(struct held_event, address) == HELD_ADDRESS, "layout");
_Static_assert(offsetof(struct held_event, line) == HELD_NUMBER, "layout");
_Static_assert(offsetof(struct held_event, bin) == HELD_BIN, "layout");
_Static_assert(offsetof(struct held_event, kind) == HELD_KIND, "layout");

static struct {
	struct grow events;	/* struct held_event */
	struct structure block; /* what held the address that was looked up last */
} h;

bool held_on;
struct held_event *held_next, *held_limit;

static struct held_event *first_event(void)
{
	return (struct held_event *)(void *)h.events.base;
}

bool held_start(void)
{
	if (grow_init(&h.events, MOST_EVENTS * sizeof(struct held_event)) != 0)
		return false;
	held_next = held_limit = first_event();
	return true;
}

/* ---- Counting ---- */

/* The bin of the event's instruction with what holds its address now. */
static uint32_t bin_now(const struct held_event *e)
{
	if (e->address < h.block.start || e->address >= h.block.end)
		structures_find(e->address, &h.block);
	return bins_elsewhere(e->bin, &h.block, e->address,
			      e->kind == HELD_MISS && e->how != BIN_MISS_COUNTED);
}

static void count(const struct held_event *e, uint32_t bin)
{
	if (e->kind == HELD_MISS)
		bins_replaced(bin, e->cache, e->line, e->victim, e->how, 0);
	else if (e->kind == HELD_SEEN)
		references_saw(bin, e->line, (uint32_t)e->victim);
	else
		references_add(bin, (int64_t)e->line);
}

/* How many references from address on, of n, lie in [start, start + bytes), or how many do not. */
static uint64_t alike(uint64_t address, int64_t step, uint64_t n, uint64_t start, uint64_t bytes)
{
	const uint64_t up = step > 0 ? (uint64_t)step : 0, down = step < 0 ? -(uint64_t)step : 0;
	const bool is_inside = address - start < bytes;
	uint64_t room = n;

	if (is_inside && up)
		room = (start + bytes - 1 - address) / up + 1;
	else if (is_inside && down)
		room = (address - start) / down + 1;
	else if (up && address < start)
		room = (start - 1 - address) / up + 1;
	else if (down && address >= start + bytes)
		room = (address - (start + bytes)) / down + 1;
	return room < n ? room : n;
}

static void count_repeat(struct held_event e, uint64_t start, uint64_t bytes)
{
	const int64_t step = (int64_t)e.victim;

	for (uint64_t left = e.line; left; left -= e.line) {
		e.line = alike(e.address, step, left, start, bytes);
		count(&e, e.address - start < bytes ? bin_now(&e) : e.bin);
		e.address += e.line * (uint64_t)step;
	}
}

static void count_all(uint64_t start, uint64_t bytes)
{
	h.block = (struct structure){0};
	for (const struct held_event *e = first_event(); e < held_next; e++)
		if (e->kind == HELD_REPEAT)
			count_repeat(*e, start, bytes);
		else
			count(e, e->address - start < bytes ? bin_now(e) : e->bin);
	held_next = first_event();
}

void held_begin(void)
{
	held_end(0, 0);
	held_on = true;
}

void held_end(uint64_t start, uint64_t bytes)
{
	held_on = false;
	if (held_next != first_event())
		count_all(start, bytes);
}

void held_forked(void)
{
	held_next = first_event();
}

/* ---- Holding ---- */

static bool has_more_room(void)
{
	if (!grow_take(&h.events, EVENTS_AT_ONCE * sizeof(struct held_event)))
		return false;
	held_limit += EVENTS_AT_ONCE;
	return true;
}

static void hold(const struct held_event *e)
{
	if (held_next == held_limit && !has_more_room()) {
		held_on = false;
		count_all(0, 0);
		count(e, e->bin);
		held_on = true;
		return;
	}
	*held_next++ = *e;
}

void held_miss(uint32_t bin, enum bin_cache cache, uint64_t line, uint64_t victim,
	       enum bin_miss how, uint64_t address)
{
	hold(&(struct held_event){address, line, victim, bin, HELD_MISS, (uint8_t)cache,
				  (uint8_t)how});
}

void held_references(uint32_t bin, uint64_t address, int64_t step, uint64_t n)
{
	hold(&(struct held_event){.address = address,
				  .line = n,
				  .victim = (uint64_t)step,
				  .bin = bin,
				  .kind = HELD_REPEAT});
}

void held_seen(uint32_t bin, uint64_t address, uint64_t weight, uint32_t group)
{
	hold(&(struct held_event){address, weight, group, bin, HELD_SEEN, 0, 0});
}
