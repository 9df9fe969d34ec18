/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time is a row of slots, one for each touch except immediate repetitions. A line's last touch is a
 * live slot; the stack distance is the number of live slots after it. Live slots are bits, and a
 * Fenwick tree counts them by words: for 64 MB of lines, bits and tree take 1 MB, which stays in
 * the L2 cache.
 *
 *   live    |0110..1|1..
 *   ...   |1011   |.......|
 *            word 0  word 1            ^ the open word: not in the tree yet
 *
 * When the slots run out, live ones move together, and then there are four times as many slots as
 * lines. So the cost of moving is shared by many touches.
 */
#include "sim/curve/lru_stack.h"

#include <stddef.h>

#include "sim/base/bits.h"

#define FIRST_PLACES	 ((uint64_t)1 << 12)
#define FIRST_SLOTS	 ((uint64_t)1 << 17)
#define SLOTS_PER_LINE	 4
#define MOST_SLOTS	 ((uint64_t)1 << 32)
#define COUNTED_DIRECTLY 4 /* words between touches: more are counted by the tree */

static uint64_t live_bytes(uint64_t slots)
{
	return slots / 64 * sizeof(uint64_t);
}

/* Its index begins with 1. */
static uint64_t tree_bytes(uint64_t slots)
{
	return (slots / 64 + 1) * sizeof(uint32_t);
}

static void give_slots(struct sim_lru *s)
{
	sim_give(s->memory, s->live, live_bytes(s->slots));
	sim_give(s->memory, s->tree, tree_bytes(s->slots));
	s->live = NULL;
	s->tree = NULL;
}

static int take_slots(struct sim_lru *s, uint64_t slots)
{
	s->live = sim_take(s->memory, live_bytes(slots));
	s->tree = sim_take(s->memory, tree_bytes(slots));
	s->slots = slots;
	return s->live != NULL && s->tree != NULL ? 0 : -1;
}

int sim_lru_init(struct sim_lru *s, const struct sim_memory *memory)
{
	*s = (struct sim_lru){.memory = memory, .places = FIRST_PLACES};
	s->table = sim_take(memory, s->places * sizeof(*s->table));
	if (take_slots(s, FIRST_SLOTS) == 0 && s->table != NULL)
		return 0;
	s->failed = true;
	return -1;
}

void sim_lru_release(struct sim_lru *s)
{
	if (s->memory == NULL)
		return;
	give_slots(s);
	sim_give(s->memory, s->table, s->places * sizeof(*s->table));
	*s = (struct sim_lru){0};
}

/* The line's entry, or the free one for it. */
static struct sim_lru_line *find(struct sim_lru_line *table, uint64_t places, uint64_t key)
{
	uint64_t i = sim_place(key, places);

	while (table[i].key != key && table[i].key != 0)
		i = (i + 1) & (places - 1);
	return &table[i];
}

static int grow_table(struct sim_lru *s)
{
	uint64_t places = s->places * 2;
	struct sim_lru_line *table = sim_take(s->memory, places * sizeof(*table));

	if (table == NULL)
		return -1;
	for (uint64_t i = 0; i < s->places; i++)
		if (s->table[i].key != 0)
			*find(table, places, s->table[i].key) = s->table[i];
	sim_give(s->memory, s->table, s->places * sizeof(*s->table));
	s->table = table;
	s->places = places;
	return 0;
}

/* ---- Time ---- */

static uint64_t low_bits(uint64_t slot)
{
	return ((uint64_t)1 << (slot & 63)) - 1;
}

/* A word is full: its node is the sum of the nodes below, plus its own bits. */
static void close_word(struct sim_lru *s, uint64_t word)
{
	uint64_t node = word + 1, lowest = node & -node;
	uint32_t sum = sim_count_bits(s->live[word]);

	for (uint64_t below = 1; below < lowest; below <<= 1)
		sum += s->tree[node - below];
	s->tree[node] = sum;
}

/* Number of live slots after this one, which is live itself; `now` must be a valid slot. */
static uint64_t live_after(const struct sim_lru *s, uint64_t slot)
{
	uint64_t word = slot / 64, open = s->now / 64, before;

	if (open - word <= COUNTED_DIRECTLY) {
		uint64_t n = sim_count_bits(s->live[word] & ~low_bits(slot)) - 1;

		for (word++; word <= open; word++)
			n += sim_count_bits(s->live[word]);
		return n;
	}
	before = sim_count_bits(s->live[word] & low_bits(slot));
	for (; word > 0; word &= word - 1)
		before += s->tree[word];
	return s->lines - before - 1;
}

static void kill_slot(struct sim_lru *s, uint64_t slot)
{
	uint64_t closed = s->now / 64;

	s->live[slot / 64] &= ~((uint64_t)1 << (slot & 63));
	for (uint64_t node = slot / 64 + 1; node <= closed; node += node & -node)
		s->tree[node]--;
}

/* Renumber the live slots in the table, from 0 without gaps. */
static void renumber(struct sim_lru *s)
{
	uint32_t *before = s->tree; /* the tree's memory is free now */
	uint32_t sum = 0;

	for (uint64_t word = 0; word < s->slots / 64; word++) {
		before[word] = sum;
		sum += sim_count_bits(s->live[word]);
	}
	for (uint64_t i = 0; i < s->places; i++) {
		uint64_t slot = s->table[i].time;

		if (s->table[i].key != 0)
			s->table[i].time = before[slot / 64] +
					   sim_count_bits(s->live[slot / 64] & low_bits(slot));
	}
}

static int compact(struct sim_lru *s)
{
	uint64_t slots = s->slots;

	while (slots < s->lines * SLOTS_PER_LINE)
		slots *= 2;
	if (slots > MOST_SLOTS)
		return -1;
	renumber(s);
	if (slots != s->slots) {
		give_slots(s);
		if (take_slots(s, slots) != 0)
			return -1;
	}
	for (uint64_t word = 0; word < slots / 64; word++)
		s->live[word] = 0;
	for (uint64_t word = 0; word < s->lines / 64; word++) {
		s->live[word] = ~(uint64_t)0;
		close_word(s, word);
	}
	s->now = s->lines;
	s->live[s->now / 64] = low_bits(s->now);
	return 0;
}

/* ---- Touches ---- */

/* Add a new line. Returns its entry, or NULL when memory ran out. */
static struct sim_lru_line *add_line(struct sim_lru *s, struct sim_lru_line *place, uint64_t key)
{
	if ((s->lines + 1) * 2 > s->places) {
		if (grow_table(s) != 0)
			return NULL;
		place = find(s->table, s->places, key);
	}
	place->key = key;
	s->lines++;
	return place;
}

uint64_t sim_lru_touch(struct sim_lru *s, uint64_t line)
{
	uint64_t key = line + 1, distance = SIM_FIRST_TOUCH;
	struct sim_lru_line *place;

	if (key == s->newest)
		return 0;
	if (s->failed || (s->now == s->slots && compact(s) != 0)) {
		s->failed = true;
		return SIM_FIRST_TOUCH;
	}
	place = find(s->table, s->places, key);
	if (place->key == key) {
		distance = live_after(s, place->time);
		kill_slot(s, place->time);
	} else {
		place = add_line(s, place, key);
		if (place == NULL) {
			s->failed = true;
			return SIM_FIRST_TOUCH;
		}
	}
	place->time = s->now;
	s->live[s->now / 64] |= (uint64_t)1 << (s->now & 63);
	if ((++s->now & 63) == 0)
		close_word(s, s->now / 64 - 1);
	s->newest = key;
	return distance;
}

void sim_lru_keep(struct sim_lru *s, bool (*is_kept)(void *context, uint64_t line), void *context)
{
	struct sim_lru_line *table = sim_take(s->memory, s->places * sizeof(*table));

	if (table == NULL || s->failed) {
		sim_give(s->memory, table, s->places * sizeof(*table));
		s->failed = true;
		return;
	}
	for (uint64_t i = 0; i < s->places; i++) {
		const struct sim_lru_line *line = &s->table[i];

		if (line->key == 0)
			continue;
		if (is_kept(context, line->key - 1)) {
			*find(table, s->places, line->key) = *line;
			continue;
		}
		s->live[line->time / 64] &= ~((uint64_t)1 << (line->time & 63));
		s->lines--;
		if (s->newest == line->key)
			s->newest = 0;
	}
	sim_give(s->memory, s->table, s->places * sizeof(*table));
	s->table = table;
	if (compact(s) != 0) /* the tree is made anew */
		s->failed = true;
}

void sim_lru_prefetch(const struct sim_lru *s, uint64_t line)
{
	__builtin_prefetch(&s->table[sim_place(line + 1, s->places)]);
}
