/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes tables with many items per row: samples, far reuses, locations, their names, ... */
#include "store/lists.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "store/numbers.h"
#include "store/row.h"

/* Bounds the memory; SQLite, too, is fastest with rows of a few pages. */
#define BATCH_BYTES ((size_t)48 << 10)

static_assert(STORE_MAX_FRAMES <= NUMBERS_MAX, "a location's names are one inner array");

static bool is_full(const struct store_batch *b)
{
	return b->list.count > BATCH_BYTES;
}

/* The row was written: begin the next one. */
static void begin_next(struct store_batch *b)
{
	b->first_id += b->count;
	b->count = 0;
	b->list.count = 0;
}

static struct row begin_row(struct store *s, enum store_statement which, struct store_batch *b)
{
	struct row r = row_begin(s, which);

	row_int(&r, b->first_id);
	return r;
}

/* Bind the list, which is the last column, and end the row. */
static int end_row(struct store *s, struct row *r, struct store_batch *b, struct err *err)
{
	int status;

	numbers_end(&b->list);
	if (b->list.failed)
		return row_out_of_memory(s, err);
	row_list(r, &b->list);
	status = row_end(r, err);
	begin_next(b);
	return status;
}

/* ---- Items relative to the first of their row ---- */

/* Tell whether an item may join the row that began at the origin. */
static bool is_of_row(const struct store_batch *b, const struct store_origin *o, int64_t process,
		      uint32_t window)
{
	return b->count > 0 && !is_full(b) && o->process == process && o->window <= window;
}

static struct row begin_row_at(struct store *s, enum store_statement which, struct store_batch *b,
			       const struct store_origin *o)
{
	struct row r = begin_row(s, which, b);

	row_int(&r, o->process);
	row_count(&r, o->window);
	row_count(&r, o->position);
	return r;
}

/* ---- Samples ---- */

static_assert(STORE_TOUCH_CLASSES < sizeof(int64_t), "a byte each, and a sign");

/* The inverse of touches_from_number. */
static int64_t number_of_touches(const uint8_t touches[STORE_TOUCH_CLASSES])
{
	int64_t number = 0;

	for (unsigned c = STORE_TOUCH_CLASSES; c-- > 0;)
		number = number << 8 | touches[c];
	return number;
}

void touches_from_number(int64_t number, uint8_t touches[STORE_TOUCH_CLASSES])
{
	for (unsigned c = 0; c < STORE_TOUCH_CLASSES; c++)
		touches[c] = (uint8_t)(number >> 8 * c);
}

static int put_samples(struct store *s, struct err *err)
{
	struct store_batch *b = &s->samples;
	struct row r;
	int status;
	size_t i;

	if (b->count == 0)
		return 0;
	r = begin_row_at(s, PUT_SAMPLES, b, &s->samples_origin);
	for (i = 0; i < sizeof(s->samples_by_status) / sizeof(s->samples_by_status[0]); i++)
		row_count(&r, s->samples_by_status[i]);
	status = end_row(s, &r, b, err);
	memset(s->samples_by_status, 0, sizeof(s->samples_by_status));
	return status;
}

static size_t count_numbers(const struct store_sample *x, const int64_t numbers[SAMPLE_NUMBERS])
{
	if (x->end.location == STORE_NONE)
		return SAMPLE_END;
	return numbers[SAMPLE_TOUCHES] != 0 ? SAMPLE_NUMBERS : SAMPLE_TOUCHES;
}

int store_put_sample(struct store *s, const struct store_sample *x, struct err *err)
{
	struct store_origin *o = &s->samples_origin;
	struct store_batch *b = &s->samples;
	int64_t numbers[SAMPLE_NUMBERS];

	if (s->failed)
		return row_failed(s, err);
	if (!is_of_row(b, o, x->process_id, x->window)) {
		if (put_samples(s, err) != 0)
			return -1;
		*o = (struct store_origin){x->process_id, x->window, x->position};
	}
	numbers[SAMPLE_WINDOW] = x->window - o->window;
	numbers[SAMPLE_STATUS] = x->status;
	numbers[SAMPLE_POSITION] = (int64_t)(x->position - o->position);
	numbers[SAMPLE_DISTANCE] = (int64_t)x->distance;
	access_to_numbers(s, &x->begin, NULL, numbers + SAMPLE_BEGIN);
	numbers[SAMPLE_PLACE] = (int64_t)(x->begin.address - x->line);
	access_to_numbers(s, &x->end, &x->begin, numbers + SAMPLE_END);
	numbers[SAMPLE_TOUCHES] = number_of_touches(x->touches);
	numbers_add(&b->list, numbers, count_numbers(x, numbers));
	if (b->list.failed)
		return row_out_of_memory(s, err);
	assert(x->status < sizeof(s->samples_by_status) / sizeof(s->samples_by_status[0]));
	s->samples_by_status[x->status]++;
	b->count++;
	return s->failed ? row_failed(s, err) : 0;
}

/* ---- Far reuses ---- */

static int put_far(struct store *s, struct err *err)
{
	struct store_far_batch *b = &s->far;
	struct text weights = {0};
	struct row r;
	int status;

	if (b->items.count == 0)
		return 0;
	numbers_reals(&weights, b->weights, b->weight_count);
	if (weights.failed) {
		text_release(&weights);
		return row_out_of_memory(s, err);
	}
	r = begin_row_at(s, PUT_FAR, &b->items, &b->origin);
	row_int(&r, b->items.count);
	row_text(&r, text_get(&weights));
	status = end_row(s, &r, &b->items, err);
	text_release(&weights);
	return status;
}

/* The number of a weight in the row, from 1. */
static int64_t number_of_weight(struct store_far_batch *b, double weight)
{
	uint64_t bits;
	size_t at;

	memcpy(&bits, &weight, sizeof(bits));
	at = (size_t)((bits ^ bits >> 32) * 0x9e3779b97f4a7c15u >> 32) % STORE_WEIGHT_PLACES;
	while (b->places[at] != 0 && b->weights[b->places[at] - 1] != weight)
		at = (at + 1) % STORE_WEIGHT_PLACES;
	if (b->places[at] == 0) {
		b->weights[b->weight_count++] = weight;
		b->places[at] = (uint16_t)b->weight_count;
	}
	return b->places[at];
}

/* The numbers of its sizes; returns the count of all numbers. */
static size_t far_lines_to_numbers(struct store_far_batch *b, const struct store_far *f,
				   int64_t numbers[NUMBERS_MAX])
{
	size_t smallest = STORE_FAR_SIZES, count = FAR_OF;
	uint64_t base = 0;

	for (size_t i = STORE_FAR_SIZES; i-- > 0;) {
		if (f->of[i].weight > 0)
			smallest = i;
		if (f->of[i].weight > 0 && f->of[i].distance > base)
			base = f->of[i].distance;
	}
	for (size_t i = smallest; i < STORE_FAR_SIZES; i++) {
		const struct store_far_line *l = &f->of[i];
		int64_t *to = numbers + FAR_OF + (i - smallest) * FAR_NUMBERS;
		bool is_again = l->weight > 0 && !l->is_first;

		to[FAR_WEIGHT] = l->weight > 0 ? number_of_weight(b, l->weight) : 0;
		to[FAR_NEARER] = is_again ? (int64_t)(base - l->distance) + 1 : 0;
		to[FAR_LINES] = is_again ? (int64_t)l->lines : 0;
		if (l->weight > 0)
			count = FAR_OF + (i - smallest + 1) * FAR_NUMBERS;
	}
	numbers[FAR_BASE] = (int64_t)base;
	numbers[FAR_SMALLEST] = (int64_t)smallest;
	return count;
}

int store_put_far(struct store *s, const struct store_far *f, struct err *err)
{
	struct store_far_batch *b = &s->far;
	struct store_origin *o = &b->origin;
	int64_t numbers[NUMBERS_MAX];

	if (s->failed)
		return row_failed(s, err);
	if (!is_of_row(&b->items, o, f->process_id, f->window) ||
	    b->weight_count + STORE_FAR_SIZES > STORE_FAR_WEIGHTS) {
		if (put_far(s, err) != 0)
			return -1;
		*o = (struct store_origin){f->process_id, f->window, f->position};
		b->weight_count = 0;
		memset(b->places, 0, sizeof(b->places));
	}
	numbers[FAR_WINDOW] = f->window - o->window;
	numbers[FAR_POSITION] = (int64_t)(f->position - o->position);
	access_to_numbers(s, &f->end, NULL, numbers + FAR_END);
	access_to_numbers(s, &f->begin, &f->end, numbers + FAR_BEGIN);
	numbers_add(&b->items.list, numbers, far_lines_to_numbers(b, f, numbers));
	b->items.count++;
	if (b->items.list.failed)
		return row_out_of_memory(s, err);
	return s->failed ? row_failed(s, err) : 0;
}

/* ---- Stack distances ---- */

static int put_stack_distances(struct store *s, struct err *err)
{
	struct row r;

	if (s->stack_distances.count == 0)
		return 0;
	r = begin_row(s, PUT_STACK_DISTANCES, &s->stack_distances);
	row_int(&r, s->stack_distances_process);
	return end_row(s, &r, &s->stack_distances, err);
}

int store_put_stack_distance(struct store *s, const struct store_stack_distance *d, struct err *err)
{
	int64_t numbers[STACK_NUMBERS] = {
		[STACK_WINDOW] = d->window,
		[STACK_POSITION] = (int64_t)d->position,
	};
	struct store_batch *b = &s->stack_distances;

	if (s->failed)
		return row_failed(s, err);
	if ((s->stack_distances_process != d->process_id || is_full(b)) &&
	    put_stack_distances(s, err) != 0)
		return -1;
	s->stack_distances_process = d->process_id;
	for (unsigned i = 0; i < STORE_STACK_SIZES; i++) {
		numbers[STACK_OF + 2 * i] = d->of[i].touched ? (int64_t)d->of[i].distance : -1;
		numbers[STACK_OF + 2 * i + 1] = d->of[i].touched ? (int64_t)d->of[i].lines : 0;
	}
	numbers_add(&b->list, numbers, STACK_NUMBERS);
	b->count++;
	return b->list.failed ? row_out_of_memory(s, err) : 0;
}

/* ---- Multi-size samples ---- */

static int put_nested(struct store *s, struct err *err)
{
	struct row r;

	if (s->nested.count == 0)
		return 0;
	r = begin_row_at(s, PUT_NESTED, &s->nested, &s->nested_origin);
	return end_row(s, &r, &s->nested, err);
}

static size_t nested_to_numbers(struct store *s, const struct store_nested *n,
				int64_t numbers[NUMBERS_MAX])
{
	const struct store_origin *o = &s->nested_origin;
	size_t at = NESTED_EVENTS;

	numbers[NESTED_WINDOW] = n->window - o->window;
	numbers[NESTED_STATUS] = n->status;
	numbers[NESTED_POSITION] = (int64_t)(n->position - o->position);
	numbers[NESTED_WATCHED] = (int64_t)n->watched;
	numbers[NESTED_OPEN] = n->open;
	numbers[NESTED_WEIGHT] = n->weight;
	access_to_numbers(s, &n->begin, NULL, numbers + NESTED_BEGIN);
	numbers[NESTED_POINT] = (int64_t)(n->point - n->begin.address);
	for (uint32_t i = 0; i < n->event_count && i < STORE_MAX_EVENTS; i++, at += EVENT_NUMBERS) {
		numbers[at + EVENT_SIZES] = n->events[i].sizes;
		numbers[at + EVENT_WEIGHT] = n->events[i].weight;
		numbers[at + EVENT_DISTANCE] = (int64_t)n->events[i].distance;
		access_to_numbers(s, &n->events[i].end, &n->begin, numbers + at + EVENT_END);
		numbers[at + EVENT_TOUCHES] = number_of_touches(n->events[i].touches);
	}
	return at;
}

int store_put_nested(struct store *s, const struct store_nested *n, struct err *err)
{
	struct store_origin *o = &s->nested_origin;
	struct store_batch *b = &s->nested;
	int64_t numbers[NUMBERS_MAX];

	if (s->failed)
		return row_failed(s, err);
	if (!is_of_row(b, o, n->process_id, n->window)) {
		if (put_nested(s, err) != 0)
			return -1;
		*o = (struct store_origin){n->process_id, n->window, n->position};
	}
	numbers_add(&b->list, numbers, nested_to_numbers(s, n, numbers));
	b->count++;
	if (b->list.failed)
		return row_out_of_memory(s, err);
	return s->failed ? row_failed(s, err) : 0;
}

/* ---- Locations and their names ---- */

static int put_list(struct store *s, enum store_statement which, struct store_batch *b,
		    struct err *err)
{
	struct row r;

	if (b->count == 0)
		return 0;
	r = begin_row(s, which, b);
	return end_row(s, &r, b, err);
}

int lists_add(struct store *s, enum store_statement which, struct store_batch *b, int64_t id,
	      const int64_t *numbers, size_t count, struct err *err)
{
	if (s->failed)
		return row_failed(s, err);
	if ((id != b->first_id + b->count || is_full(b)) && put_list(s, which, b, err) != 0)
		return -1;
	if (b->count == 0)
		b->first_id = id;
	numbers_add(&b->list, numbers, count);
	b->count++;
	return b->list.failed ? row_out_of_memory(s, err) : 0;
}

int store_put_location(struct store *s, const struct store_location *l, struct err *err)
{
	int64_t numbers[LOCATION_NUMBERS] = {
		[LOCATION_PROCESS] = l->process_id,
		[LOCATION_PC] = (int64_t)l->pc,
		[LOCATION_MODULE] = l->module_id,
		[LOCATION_ADDRESS] = (int64_t)l->module_address,
	};

	return lists_add(s, PUT_LOCATIONS, &s->locations, l->id, numbers,
			 l->module_id == STORE_NONE ? LOCATION_MODULE : LOCATION_NUMBERS, err);
}

static bool is_same(const struct store_frame *a, const struct store_frame *b)
{
	return a->function == b->function && a->file == b->file && a->line == b->line;
}

static int put_place(struct store *s, int64_t id, const struct store_frame *f, struct err *err)
{
	struct row r = row_begin(s, PUT_PLACE);

	row_int(&r, id);
	row_text(&r, f->function);
	row_text(&r, f->file);
	if (f->line != 0)
		row_count(&r, f->line);
	else
		row_null(&r);
	return row_end(&r, err);
}

int lists_find_place(struct store *s, const struct store_frame *f, int64_t *id, struct err *err)
{
	struct store_frame kept = {store_intern(s, f->function), store_intern(s, f->file), f->line};
	uint64_t hash = ((uintptr_t)kept.function * 31 + (uintptr_t)kept.file) * 31 + kept.line;
	size_t first = SIZE_MAX, i;
	uint64_t known;

	if (map_get(&s->place_by_hash, hash, &known))
		first = (size_t)known;
	for (i = first; i != SIZE_MAX; i = s->places.items[i].next) {
		*id = (int64_t)i + 1;
		if (is_same(&s->places.items[i].frame, &kept))
			return 0;
	}
	if (kept.function == NULL || !ARRAY_GROW(&s->places) ||
	    map_set(&s->place_by_hash, hash, s->places.count) != 0)
		return row_out_of_memory(s, err);
	s->places.items[s->places.count++] = (struct store_place){kept, first};
	*id = (int64_t)s->places.count;
	return put_place(s, *id, &kept, err);
}

int store_put_frames(struct store *s, int64_t location, const struct store_frame *frames,
		     size_t count, struct err *err)
{
	int64_t numbers[STORE_MAX_FRAMES];
	size_t i;

	if (s->failed)
		return row_failed(s, err);
	for (i = 0; i < count && i < STORE_MAX_FRAMES; i++) {
		if (lists_find_place(s, &frames[i], &numbers[i], err) != 0)
			return -1;
	}
	return lists_add(s, PUT_NAMES, &s->names, location, numbers, i, err);
}

int store_put_path(struct store *s, const struct store_path *p, struct err *err)
{
	int64_t numbers[PATH_NUMBERS] = {[PATH_PROCESS] = p->process_id};
	size_t count = p->count < STORE_MAX_PATH ? p->count : STORE_MAX_PATH;

	memcpy(numbers + PATH_LOCATIONS, p->locations, count * sizeof(*p->locations));
	return lists_add(s, PUT_PATHS, &s->paths, p->id, numbers, PATH_LOCATIONS + count, err);
}

int lists_flush(struct store *s, struct err *err)
{
	/* Rows that others refer to come first: a reader may look between two transactions. */
	const struct {
		enum store_statement which;
		struct store_batch *batch;
	} lists[] = {
		{PUT_LOCATIONS, &s->locations}, {PUT_NAMES, &s->names}, {PUT_PATHS, &s->paths},
		{PUT_ACCESSES, &s->accesses},	{PUT_NODES, &s->nodes}, {PUT_COSTS, &s->costs},
		{PUT_ARCS, &s->arcs},		{PUT_JUMPS, &s->jumps},
	};
	size_t i;

	if (put_samples(s, err) != 0 || put_far(s, err) != 0 || put_stack_distances(s, err) != 0 ||
	    put_nested(s, err) != 0)
		return -1;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (put_list(s, lists[i].which, lists[i].batch, err) != 0)
			return -1;
	}
	return 0;
}
