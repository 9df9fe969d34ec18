/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segments by pages; see segments_places.h. */
#include "engine/simulate/counts/segments_places.h"

#include "engine/core/util.h"
#include "engine/simulate/counts/segments.h"

#define RESERVE	     (4ull << 30)
#define FIRST_PLACES 1024u

/* A segment; 0 ends its page's list, as it begins the free one. */
struct segment_entry {
	uint32_t number, next;
};

struct page_place {
	uint64_t page; /* its number + 1; 0: free */
	uint32_t first;
};

static struct {
	struct grow entries;
	uint32_t free; /* a list */
	struct page_place *place;
	uint64_t places, used;
} f;

static struct segment_entry *entry_at(uint32_t i)
{
	return (struct segment_entry *)(void *)f.entries.base + i;
}

static struct page_place *place_of(uint64_t page)
{
	uint64_t at = page * 0x9e3779b97f4a7c15ull >> 20 & (f.places - 1);

	while (f.place[at].page && f.place[at].page != page + 1)
		at = (at + 1) & (f.places - 1);
	return &f.place[at];
}

/* Pages without segments lose their places. */
static bool make_places(void)
{
	struct page_place *const old = f.place, *new;
	const uint64_t old_places = f.places;
	uint64_t kept = 0;

	for (uint64_t i = 0; i < old_places; i++)
		kept += old[i].first != 0;
	f.places = old_places ? old_places : FIRST_PLACES;
	while (4 * kept >= f.places)
		f.places *= 2;
	new = pages_get(round_up(f.places * sizeof *new, PAGE));
	if (!new) {
		f.places = old_places;
		return false;
	}
	f.place = new;
	f.used = kept;
	for (uint64_t i = 0; i < old_places; i++)
		if (old[i].first)
			*place_of(old[i].page - 1) = old[i];
	if (old)
		pages_put(old, round_up(old_places * sizeof *old, PAGE));
	return true;
}

static uint32_t take_entry(void)
{
	const uint32_t i = f.free;
	struct segment_entry *e;

	if (i) {
		f.free = entry_at(i)->next;
		return i;
	}
	if (!f.entries.base && grow_init(&f.entries, RESERVE) != 0)
		return 0;
	if (!f.entries.used)
		grow_take(&f.entries, sizeof *e); /* 0 is none */
	e = grow_take(&f.entries, sizeof *e);
	return e ? (uint32_t)(e - entry_at(0)) : 0;
}

bool segments_places_add(uint64_t pc, uint32_t number)
{
	struct page_place *p;
	uint32_t i;

	if (2 * f.used >= f.places && !make_places())
		return false;
	i = take_entry();
	if (!i)
		return false;
	p = place_of(pc / PAGE);
	f.used += !p->page;
	*entry_at(i) = (struct segment_entry){number, p->page ? p->first : 0};
	*p = (struct page_place){pc / PAGE + 1, i};
	return true;
}

void segments_places_each(uint64_t start, uint64_t end,
			  void (*visit)(void *context, struct segment *s), void *context)
{
	if (!f.places)
		return;
	for (uint64_t page = start / PAGE; page * PAGE < end; page++)
		for (uint32_t i = place_of(page)->first; i; i = entry_at(i)->next)
			visit(context, segments_of_trailer(entry_at(i)->number));
}

void segments_places_forget(uint64_t start, uint64_t end)
{
	if (!f.places)
		return;
	for (uint64_t page = start / PAGE; page * PAGE < end; page++) {
		struct page_place *p = place_of(page);
		uint32_t last = p->first;

		if (!last)
			continue;
		while (entry_at(last)->next)
			last = entry_at(last)->next;
		entry_at(last)->next = f.free;
		f.free = p->first;
		p->first = 0;
	}
}
