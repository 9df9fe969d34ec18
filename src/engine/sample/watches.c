/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watched lines of a thread; see watches.h. */
#include "engine/sample/watches.h"

#include "engine/core/util.h"
#include "engine/sample/far_lines.h"
#include "engine/sample/nested.h"
#include "engine/sample/stack_distance.h"

void watches_init(struct watch_set *ws, uint32_t line_shift)
{
	ws->window = UINT32_MAX;
	ws->line_shift = line_shift;
	if (ws->nested)
		nested_clear(ws->nested);
}

void watches_clear(struct watch_set *ws, uint32_t line_shift)
{
	memset(ws->bits, 0, sizeof ws->bits);
	far_lines_clear(ws);
	memset(&ws->own, 0, sizeof ws->own);
	memset(&ws->within, 0, sizeof ws->within);
	memset(ws->pages, 0, sizeof ws->pages);
	memset(ws->chain, 0, sizeof ws->chain);
	ws->free = ws->used = 0;
	ws->oldest = ws->youngest = 0;
	if (ws->stack)
		ws->stack->open = 0;
	watches_init(ws, line_shift);
}

/* Adds a mark to the slots [slot, slot + n) of a word. Returns the bits of those that had none. */
static uint64_t add_marks(uint16_t *marks, uint32_t slot, uint32_t n)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < n; i++)
		first |= (uint64_t)(marks[slot + i]++ == 0) << i;
	return first << (slot & 63);
}

/* Removes a mark from each. Returns the bits of those that have none now. */
static uint64_t take_marks(uint16_t *marks, uint32_t slot, uint32_t n)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < n; i++)
		last |= (uint64_t)(--marks[slot + i] == 0) << i;
	return last << (slot & 63);
}

/* The number of lines from `line` up to `last` whose slots are in the same word of bits. */
static uint32_t lines_of_word(uint64_t line, uint64_t last)
{
	uint64_t left = last + 1 - line, room = 64 - (watch_slot(line) & 63);

	return (uint32_t)(left < room ? left : room);
}

static void mark_lines(struct watch_set *ws, struct watch_marks *m, uint64_t first, uint64_t last)
{
	uint32_t n;

	for (uint64_t line = first; line != last + 1; line += n) {
		uint32_t slot = watch_slot(line);

		n = lines_of_word(line, last);
		ws->pages[watch_page(line)]++;
		m->bits[slot / 64] |= add_marks(m->count, slot, n);
		watches_set_bits(ws, slot / 64);
	}
}

static void unmark_lines(struct watch_set *ws, struct watch_marks *m, uint64_t first, uint64_t last)
{
	uint32_t n;

	for (uint64_t line = first; line != last + 1; line += n) {
		uint32_t slot = watch_slot(line);

		n = lines_of_word(line, last);
		ws->pages[watch_page(line)]--;
		m->bits[slot / 64] &= ~take_marks(m->count, slot, n);
		watches_set_bits(ws, slot / 64);
	}
}

_Static_assert(WATCH_REACH <= 1u << WATCH_SHIFT, "accesses reach the next line at most");

void watches_mark(struct watch_set *ws, uint64_t first, uint64_t last)
{
	mark_lines(ws, &ws->within, first - 1, first - 1);
	mark_lines(ws, &ws->own, first, last);
}

void watches_unmark(struct watch_set *ws, uint64_t first, uint64_t last)
{
	ws->changes++;
	unmark_lines(ws, &ws->within, first - 1, first - 1);
	unmark_lines(ws, &ws->own, first, last);
}

/* The 64 bytes, or more, of a line of the set. */
static uint64_t first_of(const struct watch_set *ws, uint64_t line)
{
	return line << ws->line_shift >> WATCH_SHIFT;
}

static uint64_t last_of(const struct watch_set *ws, uint64_t line)
{
	return (((line + 1) << ws->line_shift) - 1) >> WATCH_SHIFT;
}

static struct watch *numbered(struct watch_set *ws, uint16_t number)
{
	return &ws->watch[number - 1];
}

static void append(struct watch_set *ws, struct watch *w)
{
	uint16_t number = (uint16_t)(w - ws->watch + 1);

	w->older = ws->youngest;
	w->younger = 0;
	*(w->older ? &numbered(ws, w->older)->younger : &ws->oldest) = number;
	ws->youngest = number;
}

static void unlink_watch(struct watch_set *ws, const struct watch *w)
{
	*(w->older ? &numbered(ws, w->older)->younger : &ws->oldest) = w->younger;
	*(w->younger ? &numbered(ws, w->younger)->older : &ws->youngest) = w->older;
}

struct watch *watch_add(struct watch_set *ws, uint64_t line)
{
	uint32_t c = watch_slot(line) % WATCH_CHAINS;
	struct watch *w;

	if (ws->free) {
		w = &ws->watch[ws->free - 1];
		ws->free = w->next;
	} else if (ws->used < MAX_WATCHES) {
		w = &ws->watch[ws->used++];
	} else {
		return 0;
	}
	w->line = line;
	w->kept = true;
	w->partner = 0;
	w->next = ws->chain[c];
	ws->chain[c] = (uint16_t)(w - ws->watch + 1);
	append(ws, w);
	ws->additions++;
	watches_mark(ws, first_of(ws, line), last_of(ws, line));
	return w;
}

struct watch *watch_take(struct watch_set *ws, uint64_t line)
{
	uint16_t *link = &ws->chain[watch_slot(line) % WATCH_CHAINS];

	for (; *link; link = &ws->watch[*link - 1].next) {
		struct watch *w = &ws->watch[*link - 1];

		if (w->line != line)
			continue;
		*link = w->next;
		w->next = ws->free;
		ws->free = (uint16_t)(w - ws->watch + 1);
		unlink_watch(ws, w);
		watches_unmark(ws, first_of(ws, line), last_of(ws, line));
		return w;
	}
	return 0;
}

void watches_count_touches(const struct watch_set *ws, const uint16_t *then,
			   uint8_t touches[CHANNEL_TOUCH_CLASSES])
{
	for (uint32_t c = 0; c < CHANNEL_TOUCH_CLASSES; c++) {
		uint16_t n = (uint16_t)(ws->touches[c] - then[c]);

		touches[c] = (uint8_t)(n < CHANNEL_TOUCHES_MOST ? n : CHANNEL_TOUCHES_MOST);
	}
}

void watches_pair(struct watch_set *ws, struct watch *a, struct watch *b)
{
	a->partner = (uint16_t)(b - ws->watch + 1);
	b->partner = (uint16_t)(a - ws->watch + 1);
}

bool watch_leaves_partner(struct watch_set *ws, const struct watch *w)
{
	if (!w->partner)
		return false;
	ws->watch[w->partner - 1].partner = 0;
	return true;
}
