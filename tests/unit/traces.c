/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces, their exact simulation, and their sampling; see traces.h. */
#include "traces.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct trace_sampling trace_default_sampling = {10000, 10000000, 200, 0.1, 200};

#define LINES_PER_PAGE 64

void *trace_allocate(size_t bytes)
{
	void *p = calloc(1, bytes + 1);

	assert(p != NULL);
	return p;
}

uint64_t trace_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t trace_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((trace_random(state) >> 32) * limit >> 32);
}

static double random_unit(uint64_t *state)
{
	return ((double)(trace_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

void trace_make(struct trace *t, const struct trace_kind *kind, uint64_t seed)
{
	size_t count = TRACE_ACCESSES;
	uint32_t lines = kind->lines;
	uint32_t *seen = trace_allocate(lines * sizeof(*seen));

	t->count = count;
	t->lines = lines;
	t->line = trace_allocate(count * sizeof(*t->line));
	t->next = trace_allocate(count * sizeof(*t->next));
	for (size_t i = 0; i < count; i++) {
		t->line[i] = kind->pattern(i, &seed);
		assert(t->line[i] < lines);
	}
	memset(seen, 0xff, lines * sizeof(*seen));
	for (size_t i = count; i-- > 0;) {
		t->next[i] = seen[t->line[i]];
		seen[t->line[i]] = (uint32_t)i;
	}
	free(seen);
}

void trace_release(struct trace *t)
{
	free(t->line);
	free(t->next);
}

static size_t simulate_random(const struct trace *t, uint32_t cache_lines, uint64_t seed)
{
	uint32_t *held = trace_allocate(cache_lines * sizeof(*held));
	uint32_t *slot = trace_allocate(t->lines * sizeof(*slot)); /* 0: not held, else slot + 1 */
	size_t misses = 0, used = 0;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t line = t->line[i], victim;

		if (slot[line] != 0)
			continue;
		misses++;
		victim = used < cache_lines ? (uint32_t)used++ : trace_below(&seed, cache_lines);
		if (slot[held[victim]] == victim + 1)
			slot[held[victim]] = 0;
		held[victim] = line;
		slot[line] = victim + 1;
	}
	free(held);
	free(slot);
	return misses;
}

/* A ring of lines by age: before[] is more recent, after[] less; index `lines` is the ends' knot. */
static size_t simulate_lru(const struct trace *t, uint32_t cache_lines)
{
	uint32_t *before = trace_allocate((t->lines + 1) * sizeof(*before));
	uint32_t *after = trace_allocate((t->lines + 1) * sizeof(*after));
	uint8_t *held = trace_allocate(t->lines);
	uint32_t knot = t->lines, used = 0;
	size_t misses = 0;

	before[knot] = after[knot] = knot;
	for (size_t i = 0; i < t->count; i++) {
		uint32_t line = t->line[i], oldest = before[knot];

		if (!held[line]) {
			misses++;
			if (used == cache_lines) {
				held[oldest] = 0;
				before[knot] = before[oldest];
				after[before[oldest]] = knot;
			} else {
				used++;
			}
			held[line] = 1;
		} else {
			after[before[line]] = after[line];
			before[after[line]] = before[line];
		}
		after[line] = after[knot];
		before[line] = knot;
		before[after[line]] = line;
		after[knot] = line;
	}
	free(before);
	free(after);
	free(held);
	return misses;
}

double trace_exact(const struct trace *t, enum model_policy policy, uint32_t cache_lines,
		   uint64_t seed)
{
	size_t misses = policy == MODEL_LRU ? simulate_lru(t, cache_lines)
					    : simulate_random(t, cache_lines, seed);

	return (double)misses / (double)t->count;
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

double trace_exact_sets(const struct trace *t, enum model_policy policy, uint32_t cache_lines,
			uint32_t ways, uint64_t seed)
{
	const uint64_t mapping = seed << 32;
	uint32_t *held = trace_allocate(cache_lines * sizeof(*held));  /* line + 1 */
	uint32_t *set_of = trace_allocate(t->lines * sizeof(*set_of)); /* the first of its places */
	size_t misses = 0;

	for (uint32_t line = 0; line < t->lines; line++) {
		uint64_t hash = mapping + line;

		set_of[line] = trace_below(&hash, cache_lines / ways) * ways;
	}
	for (size_t i = 0; i < t->count; i++)
		misses +=
			!touch_set(held + set_of[t->line[i]], ways, t->line[i] + 1, policy, &seed);
	free(held);
	free(set_of);
	return (double)misses / (double)t->count;
}

/* Pages touched before each access of a rising list: counted on the way. */
struct footprint {
	uint8_t *touched;
	size_t at;
	uint64_t pages;
};

static uint64_t footprint_at(struct footprint *f, const struct trace *t, size_t position)
{
	for (; f->at < position; f->at++) {
		uint8_t *page = &f->touched[t->line[f->at] / LINES_PER_PAGE];

		f->pages += *page == 0;
		*page = 1;
	}
	return f->pages;
}

/* The window that holds access i, or `count`: the last that begins before it. */
static size_t window_of(const struct model_window *window, size_t count, uint64_t i)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (window[middle].start <= i)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && i < window[low - 1].start + window[low - 1].length ? low - 1 : count;
}

/* Watch the line of an unresolved sample on in the windows that come after its own. */
static struct model_follow follow(const struct trace *t, const struct model_input *input,
				  const struct model_sample *s)
{
	const struct model_window *window = input->windows;
	struct model_follow f = {s->window, s->distance, false};
	size_t touched = input->window_count;

	for (uint64_t i = t->next[s->position]; i < t->count && touched == input->window_count;
	     i = t->next[i]) {
		touched = window_of(window, input->window_count, i);
		if (touched < input->window_count) {
			f.touched = true;
			f.watched += i - window[touched].start;
		}
	}
	for (size_t w = s->window + 1; w < touched; w++)
		f.watched += window[w].length;
	return f;
}

/* As the engine does: those that were watched for half of their window at least. */
static void trace_follow(const struct trace *t, struct model_input *input)
{
	struct model_follow *follows = trace_allocate(input->sample_count * sizeof(*follows));

	for (size_t i = 0; i < input->sample_count; i++) {
		const struct model_sample *s = &input->samples[i];

		if (!s->reused && s->distance >= input->windows[s->window].length / 2)
			follows[input->follow_count++] = follow(t, input, s);
	}
	input->follows = follows;
}

void trace_sample(const struct trace *t, const struct trace_sampling *how, uint64_t seed,
		  struct model_input *input)
{
	size_t room = t->count / how->window_min + 2, samples = 0, windows = 0;
	struct model_window *window = trace_allocate(room * sizeof(*window));
	struct model_sample *sample = NULL;
	struct footprint f = {.touched = trace_allocate(t->lines / LINES_PER_PAGE + 1)};
	uint64_t position = 0;

	for (;;) {
		uint64_t length = position / how->window_divisor, period, end;

		length = length < how->window_min ? how->window_min : length;
		length = length > how->window_max ? how->window_max : length;
		period = (uint64_t)((double)length / how->duty);
		end = position + length + (uint64_t)(random_unit(&seed) * (double)(period - length));
		if (end > t->count)
			break;
		window[windows] =
			(struct model_window){.start = end - length,
					      .length = length,
					      .stands_for = period,
					      .footprint_pages = footprint_at(&f, t, end)};
		for (double at = 0;;) {
			size_t i;

			at -= log(random_unit(&seed)) * (double)length / how->samples_per_window;
			if (at >= (double)length)
				break;
			i = end - length + (size_t)at;
			if ((samples & (samples - 1)) == 0)
				sample = realloc(sample, (2 * samples + 1) * sizeof(*sample));
			assert(sample != NULL);
			sample[samples++] = (struct model_sample){
				.reused = t->next[i] < end,
				.distance = (t->next[i] < end ? t->next[i] : end) - i - 1,
				.window = (uint32_t)windows,
				.position = i};
		}
		windows++;
		position += period;
	}
	*input = (struct model_input){.windows = window,
				      .window_count = windows,
				      .samples = sample,
				      .sample_count = samples,
				      .accesses = t->count,
				      .footprint_pages = footprint_at(&f, t, t->count),
				      .line_bytes = 64};
	free(f.touched);
	trace_follow(t, input);
}

void trace_input_release(struct model_input *input)
{
	free((void *)input->windows);
	free((void *)input->samples);
	free((void *)input->follows);
	*input = (struct model_input){0};
}

/* ---- the traces ---- */

/* 3000 lines in a cycle, each touched 4 times. */
static uint32_t sweep(uint64_t t, uint64_t *random)
{
	(void)random;
	return (uint32_t)(t / 4 % 3000);
}

static uint32_t uniform(uint64_t t, uint64_t *random)
{
	(void)t;
	return trace_below(random, 20000);
}

/* A hot corner, a cycle, and a heap of which little is ever seen twice in a window. */
static uint32_t mix(uint64_t t, uint64_t *random)
{
	uint32_t kind = trace_below(random, 100);

	if (kind < 60)
		return trace_below(random, 64);
	if (kind < 90)
		return 64 + (uint32_t)(t / 10 % 3000);
	return 4096 + trace_below(random, 60000);
}

/* Three working sets by turns. */
static uint32_t phases(uint64_t t, uint64_t *random)
{
	switch (t / 700000 % 3) {
	case 0:
		return (uint32_t)(t / 8 % 400);
	case 1:
		return 1000 + trace_below(random, 8) * trace_below(random, 1000);
	default:
		return 20000 + (uint32_t)(t / 8 % 40000);
	}
}

/* Every second access follows a chain of 100000 lines, longer than most windows. */
static uint32_t chase(uint64_t t, uint64_t *random)
{
	return t % 2 ? trace_below(random, 16) : 64 + (uint32_t)(t / 2 * 7919 % 100000);
}

/* New lines for ever: nothing but first touches beside a small working set. */
static uint32_t stream(uint64_t t, uint64_t *random)
{
	return t % 4 ? trace_below(random, 200) : 256 + (uint32_t)(t / 32);
}

/* Down the columns of 1000 rows of 50 lines: eight columns to a line, their misses in the first. */
static uint32_t columns(uint64_t t, uint64_t *random)
{
	(void)random;
	return (uint32_t)(t % 1000 * 50 + t / 1000 % 400 / 8);
}

const struct trace_kind trace_kinds[TRACE_KINDS] = {
	{"mix", mix, 65000},
	{"sweep", sweep, 3000},
	{"uniform", uniform, 20000},
	{"phases", phases, 60000},
	{"chase", chase, 100100},
	{"columns", columns, 50000},
	{"stream", stream, 256 + TRACE_ACCESSES / 32 + 1},
};
