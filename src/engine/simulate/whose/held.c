/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a call that allocates; see held.h. */
#include "engine/simulate/whose/held.h"

#include "engine/core/util.h"
#include "engine/simulate/whose/bins.h"
#include "engine/simulate/whose/references.h"
#include "engine/simulate/whose/structures.h"

/* Two for each line of a block of 8 MB; larger ones come from mmap, as zeros. */
#define MOST_EVENTS (1u << 18)

enum held_kind { HELD_MISS, HELD_REFERENCES, HELD_SEEN };

struct event {
	uint64_t address;
	uint64_t line, victim; /* HELD_REFERENCES: number; HELD_SEEN: weight, group */
	uint32_t bin;
	uint8_t kind, cache, how; /* how: enum bin_miss */
};

_Static_assert(sizeof(struct event) == 32, "half a cache line");

static struct {
	struct grow events; /* struct event */
	uint32_t count;
	struct structure block; /* what held the address that was looked up last */
} h;

bool held_on;

bool held_start(void)
{
	return grow_init(&h.events, MOST_EVENTS * sizeof(struct event)) == 0;
}

static struct event *event_at(uint32_t number)
{
	return (struct event *)(void *)h.events.base + number;
}

/* ---- Counting ---- */

/* The bin of the event's instruction with what holds its address now. */
static uint32_t bin_now(const struct event *e)
{
	if (e->address < h.block.start || e->address >= h.block.end)
		structures_find(e->address, &h.block);
	return bins_elsewhere(e->bin, &h.block, e->address,
			      e->kind == HELD_MISS && e->how != BIN_MISS_COUNTED);
}

static void count(const struct event *e, uint32_t bin)
{
	if (e->kind == HELD_MISS)
		bins_replaced(bin, e->cache, e->line, e->victim, e->how, 0);
	else if (e->kind == HELD_REFERENCES)
		references_add(bin, (int64_t)e->line);
	else
		references_saw(bin, e->line, (uint32_t)e->victim);
}

static void count_all(uint64_t start, uint64_t bytes)
{
	h.block = (struct structure){0};
	for (uint32_t i = 0; i < h.count; i++) {
		const struct event *e = event_at(i);

		count(e, e->address - start < bytes ? bin_now(e) : e->bin);
	}
	h.count = 0;
}

void held_begin(void)
{
	held_end(0, 0);
	held_on = true;
}

void held_end(uint64_t start, uint64_t bytes)
{
	held_on = false;
	if (h.count)
		count_all(start, bytes);
}

void held_forked(void)
{
	h.count = 0;
}

/* ---- Holding ---- */

static void hold(const struct event *e)
{
	if ((h.count + 1) * sizeof *e > h.events.used && !grow_take(&h.events, sizeof *e)) {
		held_on = false;
		count_all(0, 0);
		count(e, e->bin);
		held_on = true;
		return;
	}
	*event_at(h.count++) = *e;
}

void held_miss(uint32_t bin, enum bin_cache cache, uint64_t line, uint64_t victim,
	       enum bin_miss how, uint64_t address)
{
	hold(&(struct event){address, line, victim, bin, HELD_MISS, (uint8_t)cache, (uint8_t)how});
}

void held_references(uint32_t bin, uint64_t address, uint64_t n)
{
	hold(&(struct event){.address = address, .line = n, .bin = bin, .kind = HELD_REFERENCES});
}

void held_seen(uint32_t bin, uint64_t address, uint64_t weight, uint32_t group)
{
	hold(&(struct event){address, weight, group, bin, HELD_SEEN, 0, 0});
}
