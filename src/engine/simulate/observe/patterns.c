/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strides and links of data structures; see patterns.h. */
#include "engine/simulate/observe/patterns.h"

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/held.h"
#include "engine/simulate/observe/numbering.h"
#include "engine/simulate/observe/structures.h"

#define MOST_STRUCTURES (1u << 22)
#define ACCESSES	2000u /* of a window */
#define SLOTS		4096u /* of each table below: a power of two, and more than it holds */
#define LINE_BYTES	64
#define LINK_SHIFT	8u
#define LINK_BYTES	(1ull << LINK_SHIFT)
#define WORD_BYTES	8u
#define LEAST_ADDRESS	4096ull
#define MOST_ADDRESS	((1ull << 47) - LINK_BYTES)
#define LEAST_ACCESSES	3u /* with two strides */

/* An access in the window. */
struct seen {
	uint64_t address, word; /* word: what it loads, if that may be an address; else 0 */
	uint32_t bin, bytes;
	uint64_t start; /* of the block or variable */
};

/* A bin in the window. */
struct stream {
	uint32_t bin, structure; /* structure: number of its sum */
	uint64_t last;		 /* address */
	uint32_t accesses, near;
	int64_t usual;	  /* stride */
	uint32_t usually; /* accesses with it */
	uint32_t bytes;	  /* of an access */
	uint32_t window;  /* else the slot is free */
	struct pattern_step *step;
	uint64_t block, at; /* of the last access to a block: its start, its address; or 0 */
};

/* How often a bin has a stride. */
struct stride {
	int64_t bytes;
	uint32_t stream, count, window;
};

/* A word that may be an address, loaded from a structure. */
struct word {
	uint64_t value;
	uint32_t structure, window;
	bool led_to_self, led_to_others;
};

struct sum {
	uint32_t id; /* of the structure */
	bool is_stack, has_changed;
	uint32_t window; /* the last one that saw it */
	struct pattern pattern;
};

static struct {
	struct numbering numbers; /* of sums, by structure */
	struct grow sums;
	struct seen seen[ACCESSES];
	uint32_t count, window;
	uint64_t weight;
	struct stream streams[SLOTS];
	struct stride strides[SLOTS];
	struct word words[SLOTS];
} p;

bool patterns_start(void)
{
	return numbering_init(&p.numbers, MOST_STRUCTURES) == 0 &&
	       grow_init(&p.sums, MOST_STRUCTURES * sizeof(struct sum)) == 0 &&
	       grow_take(&p.sums, sizeof(struct sum));
}

/* Sum 0 stands for what memory has no room for. */
static struct sum *sum_at(uint32_t number)
{
	return (struct sum *)(void *)p.sums.base + number;
}

static uint32_t sum_of(uint32_t id)
{
	const uint32_t count = p.numbers.count, number = numbering_get(&p.numbers, id, 0);

	if (p.numbers.count != count) {
		struct sum *s = grow_take(&p.sums, sizeof *s);

		if (!s)
			return 0;
		s->id = id;
		s->is_stack = structures_is_stack(id);
	}
	return number * sizeof(struct sum) < p.sums.used ? number : 0;
}

/* ---- A window ---- */

void patterns_begin(uint64_t weight)
{
	p.weight = weight;
	p.count = 0;
	p.window++;
}

static bool may_be_address(uint64_t word)
{
	return word >= LEAST_ADDRESS && word < MOST_ADDRESS;
}

bool patterns_see(uint32_t site, uint64_t pc, uint64_t address, uint32_t bytes, bool is_load)
{
	struct seen *s = &p.seen[p.count];

	/* the block that is being made is not known yet */
	if (held_on || p.count == ACCESSES)
		return !held_on;
	*s = (struct seen){.address = address,
			   .bin = bins_of_access(site, pc, address),
			   .bytes = bytes,
			   .start = bins_memos[site].start};
	if (is_load && bytes == WORD_BYTES &&
	    (engine_peek(&s->word, (const void *)(uintptr_t)address) != 0 ||
	     !may_be_address(s->word)))
		s->word = 0;
	return ++p.count == ACCESSES;
}

/* ---- Streams ---- */

static uint32_t hash_of(uint64_t a, uint64_t b)
{
	return (uint32_t)((a * 0x9e3779b97f4a7c15ull ^ b) * 0xff51afd7ed558ccdull >> 52);
}

_Static_assert(SLOTS == 1u << (64 - 52), "a hash is the number of a slot");
_Static_assert(SLOTS > 2 * ACCESSES, "tables have room");

static struct sum *see_sum(uint32_t number)
{
	struct sum *s = sum_at(number);

	s->pattern.windows += s->window != p.window;
	s->window = p.window;
	s->has_changed = true;
	return s;
}

/* The stream of an access, made if it is the first of its bin. */
static struct stream *stream_of(const struct seen *a)
{
	uint32_t i = hash_of(a->bin, 0);
	struct stream *s;

	for (;; i = (i + 1) % SLOTS) {
		s = &p.streams[i];
		if (s->window != p.window)
			break;
		if (s->bin == a->bin)
			return s;
	}
	*s = (struct stream){.bin = a->bin,
			     .structure = sum_of(bins_structure(a->bin)),
			     .last = a->address,
			     .bytes = a->bytes,
			     .window = p.window};
	return s;
}

/* Counts a stride of the stream. Returns how often it had it so far. */
static uint32_t count_stride(const struct stream *s, int64_t bytes)
{
	const uint32_t stream = (uint32_t)(s - p.streams);
	uint32_t i = hash_of((uint64_t)bytes, stream);
	struct stride *x;

	for (;; i = (i + 1) % SLOTS) {
		x = &p.strides[i];
		if (x->window != p.window)
			break;
		if (x->stream == stream && x->bytes == bytes)
			return ++x->count;
	}
	*x = (struct stride){.bytes = bytes, .stream = stream, .count = 1, .window = p.window};
	return 1;
}

static void add_stride(struct stream *s, int64_t bytes)
{
	const uint32_t count = count_stride(s, bytes);

	if (count > s->usually) {
		s->usually = count;
		s->usual = bytes;
	}
	s->near += s->accesses > 2 && bytes > -LINE_BYTES && bytes < LINE_BYTES;
}

/* ---- Steps ---- */

static struct pattern_step *rarest_step(struct pattern *x)
{
	struct pattern_step *least = x->steps;

	for (uint32_t i = 1; i < PATTERN_STEPS; i++)
		if (x->steps[i].accesses < least->accesses)
			least = &x->steps[i];
	return least;
}

/* The step of so many bytes, with n accesses more; NULL: it is too rare to be kept. */
static struct pattern_step *add_step(struct pattern *x, uint64_t bytes, uint64_t n)
{
	struct pattern_step *least;
	uint64_t all;

	for (uint32_t i = 0; i < PATTERN_STEPS; i++) {
		if (x->steps[i].bytes == bytes) {
			x->steps[i].accesses += n;
			return &x->steps[i];
		}
	}
	least = rarest_step(x);
	if (least->accesses < n) {
		all = least->accesses;
		*least = (struct pattern_step){
			.bytes = bytes, .accesses = n - all, .narrowest = UINT32_MAX};
	} else {
		all = n;
		least = 0;
	}
	for (uint32_t i = 0; i < PATTERN_STEPS; i++)
		if (&x->steps[i] != least)
			x->steps[i].accesses -= all;
	return least;
}

/* An access at this offset of its block has touched a part of the step. */
static void touch_step(struct pattern_step *x, uint64_t offset, uint32_t bytes)
{
	const uint64_t part = offset % x->bytes / pattern_unit(x->bytes);

	x->touched |= 1u << (part < PATTERN_PARTS ? part : PATTERN_PARTS - 1);
	x->narrowest = bytes < x->narrowest ? bytes : x->narrowest;
	x->widest = bytes > x->widest ? bytes : x->widest;
}

static uint64_t step_of(int64_t stride)
{
	return (uint64_t)(stride < 0 ? -stride : stride);
}

static void sum_stream(struct stream *s)
{
	struct pattern *x = &see_sum(s->structure)->pattern;

	if (s->accesses < LEAST_ACCESSES)
		return;
	x->known += (s->accesses - 2) * p.weight;
	x->usual += (s->usually - 1) * p.weight;
	x->near += s->near * p.weight;
	if (s->usual && s->usually > 1)
		s->step = add_step(x, step_of(s->usual), (s->usually - 1) * p.weight);
}

static void sum_streams(void)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (p.streams[i].window == p.window)
			sum_stream(&p.streams[i]);
}

/* ---- Links ---- */

/* The word that led to the address, the last one loaded of those up to LINK_BYTES before it. */
static struct word *word_before(uint64_t address)
{
	for (uint64_t back = 0; back < 2; back++) {
		struct word *w = &p.words[hash_of((address >> LINK_SHIFT) - back, 1)];

		if (w->window == p.window && address - w->value < LINK_BYTES)
			return w;
	}
	return 0;
}

static void follow(struct word *w, uint32_t structure)
{
	struct pattern *holder = &sum_at(w->structure)->pattern, *x = &sum_at(structure)->pattern;

	if (w->structure == structure) {
		holder->to_self += w->led_to_self ? 0 : p.weight;
		w->led_to_self = true;
		x->from_self += p.weight;
	} else {
		holder->to_others += w->led_to_others ? 0 : p.weight;
		w->led_to_others = true;
		x->from_others += p.weight;
	}
}

static void look_at_links(const struct seen *a, uint32_t structure)
{
	struct sum *s = sum_at(structure);
	struct word *w = word_before(a->address);

	if (w && !s->is_stack)
		follow(w, structure);
	if (!a->word || s->is_stack)
		return;
	s->pattern.words += p.weight;
	p.words[hash_of(a->word >> LINK_SHIFT, 1)] =
		(struct word){.value = a->word, .structure = structure, .window = p.window};
}

/* ---- Rows ---- */

/* The word that held this address. */
static struct word *word_of(uint64_t address)
{
	struct word *w = &p.words[hash_of(address >> LINK_SHIFT, 1)];

	return w->window == p.window && w->value == address ? w : 0;
}

/* Another block than that of the last access. */
static void hop(const struct seen *a, struct sum *s, uint32_t structure)
{
	struct word *w = word_of(a->start);

	s->pattern.hops += p.weight;
	if (!w || w->structure == structure)
		return;
	s->pattern.rows += p.weight;
	sum_at(w->structure)->pattern.to_others += w->led_to_others ? 0 : p.weight;
	w->led_to_others = true;
}

static void look_at_blocks(const struct seen *a, struct stream *stream)
{
	struct sum *s = sum_at(stream->structure);

	if (stream->block && stream->block != a->start)
		hop(a, s, stream->structure);
	else if (stream->block && stream->at != a->address)
		s->pattern.inside += p.weight;
	stream->block = a->start;
	stream->at = a->address;
}

/* ---- The end ---- */

/* The strides of all streams. */
static void follow_streams(void)
{
	for (uint32_t i = 0; i < p.count; i++) {
		const uint64_t address = p.seen[i].address;
		struct stream *s = stream_of(&p.seen[i]);

		if (s->accesses++)
			add_stride(s, (int64_t)(address - s->last));
		s->last = address;
	}
}

void patterns_end(void)
{
	if (!p.count)
		return;
	follow_streams();
	sum_streams();
	for (uint32_t i = 0; i < p.count; i++) {
		const struct seen *a = &p.seen[i];
		struct stream *s = stream_of(a);
		struct pattern *x = &sum_at(s->structure)->pattern;

		x->seen++;
		x->accesses += p.weight;
		if (s->step && s->step->bytes == step_of(s->usual))
			touch_step(s->step, a->address - a->start, a->bytes);
		look_at_blocks(a, s);
		look_at_links(a, s->structure);
	}
	p.count = 0;
}

void patterns_repeat(uint64_t address, uint32_t bytes, int64_t step, uint64_t n)
{
	struct structure s;
	struct pattern_step *kept;
	struct pattern *x;

	if (n < LEAST_ACCESSES || held_on || !step)
		return;
	structures_find(address, &s);
	x = &see_sum(sum_of(s.id))->pattern;
	x->seen += n;
	x->accesses += n * p.weight;
	x->known += (n - 2) * p.weight;
	x->usual += (n - 2) * p.weight;
	x->near += (n - 2) * p.weight;
	x->inside += (n - 2) * p.weight;
	kept = add_step(x, step_of(step), (n - 2) * p.weight);
	if (kept)
		touch_step(kept, address - s.start, bytes);
}

/* ---- Reports ---- */

void patterns_flush(struct process *process)
{
	for (uint32_t number = 1; number <= p.numbers.count; number++) {
		struct sum *s = sum_at(number);
		struct record_pattern r = {.pattern = s->pattern};

		if (!s->has_changed)
			continue;
		s->has_changed = false;
		structures_describe(process, s->id, &r.data);
		records_pattern(process, &r);
	}
}

void patterns_forked(void)
{
	for (uint32_t number = 0; number <= p.numbers.count; number++) {
		sum_at(number)->pattern = (struct pattern){0};
		sum_at(number)->has_changed = false;
	}
	p.count = 0;
}
