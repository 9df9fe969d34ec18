/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches that are simulated access by access; see traces.h. */
#include <stdlib.h>
#include <string.h>

#include "traces.h"

static size_t full_random(const struct trace *t, uint32_t lines)
{
	uint32_t *held = trace_allocate(lines * sizeof(*held));
	uint32_t *slot = trace_allocate(t->lines * sizeof(*slot)); /* 0: not held, else slot + 1 */
	size_t misses = 0, used = 0;
	uint64_t seed = 5;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t line = t->line[i], victim;

		if (slot[line] != 0)
			continue;
		misses++;
		victim = used < lines ? (uint32_t)used++ : trace_below(&seed, lines);
		if (slot[held[victim]] == victim + 1)
			slot[held[victim]] = 0;
		held[victim] = line;
		slot[line] = victim + 1;
	}
	free(held);
	free(slot);
	return misses;
}

/* Lines of a set by age, the youngest first; with random replacement in any order. */
static bool touch_set(uint32_t *set, uint32_t ways, uint32_t tag, enum model_policy policy,
		      uint64_t *seed)
{
	uint32_t at = 0;
	bool hit;

	if (set[0] == tag) /* nothing changes, for most */
		return true;
	while (at < ways && set[at] != tag && set[at] != 0)
		at++;
	hit = at < ways && set[at] == tag;
	if (hit && policy == MODEL_RANDOM)
		return true;
	if (at == ways)
		at = policy == MODEL_RANDOM ? trace_below(seed, ways) : ways - 1;
	if (policy == MODEL_LRU) {
		memmove(set + 1, set, at * sizeof(*set));
		at = 0;
	}
	set[at] = tag;
	return hit;
}

static size_t in_sets(const struct trace *t, enum model_policy policy, uint32_t lines,
		      uint32_t ways)
{
	uint32_t *held = trace_allocate(lines * sizeof(*held));	       /* line + 1 */
	uint32_t *set_of = trace_allocate(t->lines * sizeof(*set_of)); /* the first of its places */
	uint64_t seed = 5;
	size_t misses = 0;

	for (uint32_t line = 0; line < t->lines; line++) {
		uint64_t hash = line;

		set_of[line] = trace_below(&hash, lines / ways) * ways;
	}
	for (size_t i = 0; i < t->count; i++)
		misses +=
			!touch_set(held + set_of[t->line[i]], ways, t->line[i] + 1, policy, &seed);
	free(held);
	free(set_of);
	return misses;
}

double trace_exact(const struct trace *t, enum model_policy policy, uint32_t lines, uint32_t ways)
{
	double ratio;

	if (ways > 0)
		return (double)in_sets(t, policy, lines, ways) / (double)t->count;
	if (policy == MODEL_RANDOM)
		return (double)full_random(t, lines) / (double)t->count;
	trace_exact_lru(t, lines, 1, &ratio);
	return ratio;
}

/* Places in the order of last touches, 1 where a line lies; Fenwick's tree counts them. */
struct order {
	uint32_t *tree, *place, *owner; /* place of a line, + 1; line of a place, + 1 */
	uint32_t size, used, live;
};

static void add(struct order *o, uint32_t place, uint32_t value)
{
	for (; place <= o->size; place += place & -place)
		o->tree[place] += value;
}

static uint32_t up_to(const struct order *o, uint32_t place)
{
	uint32_t sum = 0;

	for (; place > 0; place -= place & -place)
		sum += o->tree[place];
	return sum;
}

static void close_up(struct order *o)
{
	uint32_t to = 0;

	memset(o->tree, 0, (o->size + 1) * sizeof(*o->tree));
	for (uint32_t from = 1; from <= o->used; from++) {
		uint32_t line = o->owner[from];

		if (line == 0)
			continue;
		o->owner[++to] = line;
		o->place[line - 1] = to;
		add(o, to, 1);
	}
	o->used = to;
}

/* Other lines touched since the last touch, or UINT32_MAX. */
static uint32_t touch(struct order *o, uint32_t line)
{
	uint32_t place = o->place[line], stack = UINT32_MAX;

	if (place != 0 && place == o->used)
		return 0;
	if (place != 0) {
		stack = o->live - up_to(o, place);
		add(o, place, UINT32_MAX);
		o->owner[place] = 0;
	} else {
		o->live++;
	}
	if (o->used == o->size)
		close_up(o);
	o->place[line] = ++o->used;
	o->owner[o->used] = line + 1;
	add(o, o->used, 1);
	return stack;
}

void trace_exact_lru(const struct trace *t, uint32_t lines, size_t count, double *ratios)
{
	struct order o = {.size = 2 * t->lines + 1000};

	o.tree = trace_allocate((o.size + 1) * sizeof(*o.tree));
	o.owner = trace_allocate((o.size + 1) * sizeof(*o.owner));
	o.place = trace_allocate(t->lines * sizeof(*o.place));
	for (size_t k = 0; k < count; k++)
		ratios[k] = 0;
	for (size_t i = 0; i < t->count; i++) {
		uint32_t stack = touch(&o, t->line[i]);

		for (size_t k = 0; k < count && stack >= lines << k; k++)
			ratios[k]++;
	}
	for (size_t k = 0; k < count; k++)
		ratios[k] /= (double)t->count;
	free(o.tree);
	free(o.owner);
	free(o.place);
}
