/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace as the engine sees it: windows, near samples, far lines, counted lines; see traces.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces.h"

const struct trace_sampling trace_default_sampling = {190000000, 60, 100000, 500000, 80, 64, 32};

#define NONE	     UINT32_MAX
#define CLOSE	     64u
#define CLOSE_ONE_IN 16u
#define COUNTED	     24576u /* accesses until counting is given up */
#define COUNT_ONE_IN 64u    /* accesses in windows for one that is counted over */
#define SLOTS	     32768u
#define CELL	     4096u
#define LINES	     16384u /* far lines at most */
#define BLOCK	     4u	    /* windows whose far weights are made to add up to what was counted */

struct list {
	void *items;
	size_t count, room, bytes;
};

static void *add(struct list *l)
{
	if (l->count == l->room) {
		l->room = l->room * 2 + 100;
		l->items = realloc(l->items, l->room * l->bytes);
		if (l->items == NULL)
			abort();
	}
	return (char *)l->items + l->count++ * l->bytes;
}

struct sampler {
	const struct trace *t;
	const struct trace_sampling *how;
	uint64_t random;
	struct list windows, near, far, stacks, touches;
	uint64_t *real;	  /* access of the trace at which each window begins */
	uint32_t *next;	  /* of each access: the next to its line, or NONE */
	double kept;	  /* share of the samples that were kept */
	uint64_t counted; /* where lines are counted next, on the axis */
};

/* ---- windows ---- */

static void add_window(struct sampler *s, uint64_t real, uint64_t length, uint64_t stands_for)
{
	const struct model_window *last = s->windows.items;
	uint64_t start = 0;

	if (s->windows.count > 0) {
		last += s->windows.count - 1;
		start = last->start + last->length;
	}
	*(struct model_window *)add(&s->windows) =
		(struct model_window){.start = start, .length = length, .stands_for = stands_for};
	s->real = realloc(s->real, s->windows.count * sizeof(*s->real));
	if (s->real == NULL)
		abort();
	s->real[s->windows.count - 1] = real;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

static void place_windows(struct sampler *s)
{
	const struct trace_sampling *how = s->how;
	uint64_t at = 0, end = s->t->count;

	while (at < end) {
		uint64_t length = clamp(at / 100, how->window_min, how->window_max),
			 period = length;

		if (at >= how->dense) {
			period = (uint64_t)((double)at * (pow(2, 1.0 / how->doubling) - 1));
			length = how->window_max;
			period = period < length ? length : period;
		}
		if (at + period > end || end - at - period < how->window_min)
			period = end - at;
		length = length > period ? period : length;
		add_window(s, at + (uint64_t)(trace_unit(&s->random) * (double)(period - length)),
			   length, period);
		at += period;
	}
}

/* ---- near samples ---- */

static void sample_window(struct sampler *s, uint32_t window)
{
	const struct model_window *w = (struct model_window *)s->windows.items + window;
	const uint64_t real = s->real[window], last = w->length - MODEL_FAR;
	const size_t before = s->near.count;
	double gap = (double)w->length * s->kept / s->how->samples, at, chosen = 0, close = 0;
	size_t close_kept = 0;
	struct model_near *near;

	if (w->length <= MODEL_FAR)
		return;
	for (at = trace_unit(&s->random) * gap; at < (double)last;
	     at += gap * (0.5 + trace_unit(&s->random))) {
		uint64_t i = real + (uint64_t)at;
		uint32_t distance = s->next[i] == NONE ? NONE : s->next[i] - (uint32_t)i - 1;

		chosen++;
		close += distance < CLOSE;
		if (distance < CLOSE && close_kept > 0 &&
		    trace_below(&s->random, CLOSE_ONE_IN) != 0)
			continue;
		close_kept += distance < CLOSE;
		near = add(&s->near);
		*near = (struct model_near){.position = w->start + (uint64_t)at,
					    .distance = distance,
					    .window = window,
					    .touches = 1,
					    .is_far = distance >= MODEL_FAR,
					    .weight = 1};
		if (!near->is_far)
			near->position += distance + 1;
	}
	near = (struct model_near *)s->near.items + before;
	for (size_t i = 0; i < s->near.count - before; i++) {
		near[i].weight *= (double)w->length / chosen;
		if (near[i].distance < CLOSE)
			near[i].weight *= close / (double)close_kept;
	}
	if (chosen > 0)
		s->kept = 0.8 * s->kept + 0.2 * (double)(s->near.count - before) / chosen;
	s->kept = fmax(s->kept, 1.0 / 6);
}

/* ---- counted lines ---- */

static uint64_t count_lines(const struct sampler *s, uint64_t from, uint64_t to)
{
	uint64_t lines = 0;

	/* each line once, where it is touched for the last time in between */
	for (uint64_t i = from; i < to; i++)
		lines += s->next[i] >= to;
	return lines;
}

/* One reuse at a time, at fair places; the pause is as long as it takes to count one in 64. */
static void count_window(struct sampler *s, uint32_t window)
{
	const struct model_window *w = (struct model_window *)s->windows.items + window;
	const uint64_t real = s->real[window], end = w->start + w->length;

	while (s->counted < end) {
		uint64_t i = real + s->counted - w->start, most = end - s->counted, cost;
		uint64_t distance = s->next[i] == NONE ? NONE : s->next[i] - i - 1;

		most = most > COUNTED ? COUNTED : most;
		if (distance < most) {
			*(struct model_stack *)add(&s->stacks) = (struct model_stack){
				window, distance, count_lines(s, i + 1, s->next[i])};
			cost = distance + 1;
		} else {
			cost = most;
		}
		s->counted += cost + (uint64_t)(2 * trace_unit(&s->random) * COUNT_ONE_IN *
						(double)(cost + 16));
	}
}

/* ---- counted touches ---- */

/* Of a line of which no neighbour is counted. */
struct touch {
	uint64_t at; /* on the axis */
	unsigned class;
};

/* `last`: end of the last touch on the axis, 0: not seen. */
static void count_touch(struct sampler *s, uint32_t window, uint64_t at, uint64_t last)
{
	struct model_window *w = (struct model_window *)s->windows.items + window;
	unsigned class = MODEL_TOUCHES - 1;

	if (last != 0 && at - last < MODEL_TOUCHED)
		return;
	if (last != 0)
		class = (unsigned)fmin(MODEL_TOUCHES - 2,
				       floor(log2((double)(at - last) / MODEL_TOUCHED) / 2));
	w->touches[class]++;
	*(struct touch *)add(&s->touches) = (struct touch){at, class};
}

/* The first touch at `at` or later. */
static size_t touch_from(const struct sampler *s, uint64_t at)
{
	const struct touch *touches = s->touches.items;
	size_t low = 0, high = s->touches.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (touches[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_between(struct sampler *s)
{
	struct model_near *near = s->near.items;
	const struct touch *touches = s->touches.items;

	for (size_t i = 0; i < s->near.count; i++) {
		if (near[i].is_far || near[i].distance < CLOSE)
			continue;
		for (size_t k = touch_from(s, near[i].position - near[i].distance);
		     k < s->touches.count && touches[k].at < near[i].position; k++)
			near[i].between[touches[k].class] +=
				near[i].between[touches[k].class] < 255;
	}
}

/* ---- far lines ---- */

#define ONE 16u /* of a weight */

struct far_lines {
	uint16_t unit[SLOTS];	/* + 1; 0: not chosen */
	bool counted[SLOTS];	/* of single slots, and one of each pair */
	uint32_t weight[SLOTS]; /* lines that each in the slot stands for, in units of 1 / ONE */
	uint64_t *last;		/* of each line: end of its last touch on the axis, 0: not seen */
	uint64_t *cells;	/* weight of the last touches in each cell: Fenwick's tree */
	uint32_t cell_count, units, lines, one_in;
	double probability; /* of being told */
	double *weights;    /* of each window: far touches */
	size_t told;
};

static void cell_add(struct far_lines *f, uint64_t cell, uint64_t value)
{
	for (cell++; cell <= f->cell_count; cell += cell & -cell)
		f->cells[cell] += value;
}

static uint64_t cells_up_to(const struct far_lines *f, uint64_t cell)
{
	uint64_t sum = 0;

	for (; cell > 0; cell -= cell & -cell)
		sum += f->cells[cell];
	return sum;
}

/*
 * A quarter each as pages, units of 8, pairs and single slots: one in each block of equal size.
 * Each unit stands for as many slots, so that those of an array, which are in it together, count
 * once.
 */
static void choose_slots(struct far_lines *f, uint64_t *random)
{
	static const uint32_t sizes[] = {64, 8, 2, 1};
	uint32_t size_of[SLOTS] = {0};

	for (size_t k = 0; k < 4; k++) {
		uint32_t size = sizes[k], block = f->one_in * 4 * size;

		for (uint32_t first = 0; first < SLOTS; first += block) {
			uint32_t at = first + trace_below(random, block / size) * size;

			f->units++;
			for (uint32_t i = 0; i < size; i++) {
				f->unit[at + i] = (uint16_t)f->units;
				f->counted[at + i] = size <= 2 && i == f->units % size;
				size_of[at + i] = size;
			}
		}
	}
	for (uint32_t i = 0; i < SLOTS; i++)
		if (size_of[i] > 0)
			f->weight[i] = ONE * SLOTS / f->units / size_of[i];
}

/* Half of the units are given up where the table is full. */
static void thin(struct far_lines *f, const struct trace *t)
{
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		f->unit[slot] = f->unit[slot] % 2 == 1 ? 0 : f->unit[slot] / 2;
		f->weight[slot] *= 2;
	}
	f->lines = 0;
	memset(f->cells, 0, (f->cell_count + 1) * sizeof(*f->cells));
	for (uint32_t line = 0; line < t->lines; line++) {
		if (f->unit[line % SLOTS] == 0)
			f->last[line] = 0;
		if (f->last[line] == 0)
			continue;
		f->lines++;
		cell_add(f, f->last[line] / CELL, f->weight[line % SLOTS]);
	}
}

static void far_touch(struct sampler *s, struct far_lines *f, uint32_t window, uint64_t at,
		      uint32_t line)
{
	uint64_t last = f->last[line], since = at - last;
	bool is_first = last == 0;
	double weight;

	if (is_first && ++f->lines > LINES) {
		thin(f, s->t);
		if (f->unit[line % SLOTS] == 0)
			return;
	}
	weight = (double)f->weight[line % SLOTS] / ONE;
	if (is_first || since >= MODEL_FAR) {
		f->weights[window] += weight;
		f->told++;
		if (trace_unit(&s->random) < f->probability) {
			uint64_t cell = last / CELL;
			double all = (double)cells_up_to(f, f->cell_count);
			double before = (double)cells_up_to(f, cell);
			double with = (double)cells_up_to(f, cell + 1);

			*(struct model_far *)add(&s->far) = (struct model_far){
				.position = at,
				.distance = is_first ? 0 : since,
				.lines = is_first ? 0
						  : (uint64_t)((all - (before + with) / 2) / ONE),
				.weight = weight / f->probability,
				.window = window,
				.is_first = is_first};
		}
	}
	if (!is_first)
		cell_add(f, last / CELL, -(uint64_t)f->weight[line % SLOTS]);
	cell_add(f, (at + 1) / CELL, f->weight[line % SLOTS]);
	f->last[line] = at + 1;
}

/* What was told of a block of windows adds up to what was counted. */
static void add_up(struct sampler *s, const struct far_lines *f, size_t first_far,
		   uint32_t first_window, uint32_t end_window)
{
	struct model_far *far = s->far.items;
	double told = 0, all = 0;

	for (size_t i = first_far; i < s->far.count; i++)
		told += far[i].weight;
	for (uint32_t w = first_window; w < end_window; w++)
		all += f->weights[w];
	for (size_t i = first_far; i < s->far.count; i++)
		far[i].weight *= told > 0 ? all / told : 1;
}

static void follow_far_lines(struct sampler *s, struct model_input *in)
{
	const struct model_window *w = s->windows.items;
	struct far_lines *f = trace_allocate(sizeof(*f));
	size_t count = s->windows.count, first_far = 0;

	f->cell_count = (uint32_t)((w[count - 1].start + w[count - 1].length) / CELL + 2);
	f->cells = trace_allocate((f->cell_count + 1) * sizeof(*f->cells));
	f->last = trace_allocate(s->t->lines * sizeof(*f->last));
	f->weights = trace_allocate(count * sizeof(*f->weights));
	f->one_in = s->how->one_in;
	f->probability = 0.2;
	choose_slots(f, &s->random);
	for (uint32_t i = 0; i < count; i++) {
		f->told = 0;
		for (uint64_t k = 0; k < w[i].length; k++) {
			uint32_t line = s->t->line[s->real[i] + k];

			if (f->unit[line % SLOTS] == 0)
				continue;
			if (f->counted[line % SLOTS])
				count_touch(s, i, w[i].start + k, f->last[line]);
			far_touch(s, f, i, w[i].start + k, line);
		}
		f->probability =
			fmin(1, fmax(f->probability / 4, s->how->far / fmax(1, (double)f->told)));
		if (i % BLOCK == BLOCK - 1 || i + 1 == count) {
			add_up(s, f, first_far, i / BLOCK * BLOCK, i + 1);
			first_far = s->far.count;
		}
	}
	in->far_lines = f->lines;
	in->far_line_weight = (double)cells_up_to(f, f->cell_count) / ONE / fmax(1, f->lines);
	free(f->cells);
	free(f->last);
	free(f->weights);
	free(f);
}

static void link_accesses(struct sampler *s)
{
	uint32_t *seen = trace_allocate(s->t->lines * sizeof(*seen));

	s->next = trace_allocate(s->t->count * sizeof(*s->next));
	memset(seen, 0xff, s->t->lines * sizeof(*seen));
	for (size_t i = s->t->count; i-- > 0;) {
		s->next[i] = seen[s->t->line[i]];
		seen[s->t->line[i]] = (uint32_t)i;
	}
	free(seen);
}

void trace_sample(const struct trace *t, const struct trace_sampling *how, uint64_t seed,
		  struct model_input *input)
{
	struct sampler s = {.t = t, .how = how, .random = seed, .kept = 0.3};

	s.windows.bytes = sizeof(struct model_window);
	s.near.bytes = sizeof(struct model_near);
	s.far.bytes = sizeof(struct model_far);
	s.stacks.bytes = sizeof(struct model_stack);
	s.touches.bytes = sizeof(struct touch);
	link_accesses(&s);
	place_windows(&s);
	for (uint32_t i = 0; i < s.windows.count; i++) {
		sample_window(&s, i);
		count_window(&s, i);
	}
	*input = (struct model_input){.accesses = t->count, .line_bytes = 64, .touches = 1};
	follow_far_lines(&s, input);
	count_between(&s);
	free(s.touches.items);
	input->windows = s.windows.items;
	input->window_count = s.windows.count;
	input->near = s.near.items;
	input->near_count = s.near.count;
	input->far = s.far.items;
	input->far_count = s.far.count;
	input->stacks = s.stacks.items;
	input->stack_count = s.stacks.count;
	free(s.real);
	free(s.next);
}

void trace_input_release(struct model_input *input)
{
	free((void *)input->windows);
	free((void *)input->near);
	free((void *)input->far);
	free((void *)input->stacks);
	*input = (struct model_input){0};
}
