/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scanning buffers: with each of the filters, the records must be those of checking every access in
 * turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "engine/core/records.h"
#include "engine/data/alloc.h"
#include "engine/sample/nested.h"
#include "engine/sample/scan.h"
#include "engine/translate/translate.h"

#include "paths_stub.h"

#define ENTRIES	  4096u
#define SEGMENTS  200u
#define LOG_BYTES (8u << 20)

struct engine engine;

/* Descriptors of segments, each in a slot of its own. */
#define SLOT_BYTES 1024u
static uint64_t descs[SEGMENTS][SLOT_BYTES / 8];
static uint32_t lengths[SEGMENTS];

const struct stream_desc *translate_desc(uint32_t number)
{
	return (const struct stream_desc *)(const void *)((const uint8_t *)descs + number * 8ull);
}

/* What was recorded. */
struct log {
	uint8_t *bytes;
	size_t used;
	uint32_t samples, reused, far, far_samples, nested, given_up, known;
	uint32_t pairs;	    /* samples of two lines, both touched again */
	uint64_t chosen;    /* accesses */
	uint64_t near;	    /* samples of which not all are kept */
	uint32_t with_near; /* windows that have such samples */
	uint32_t last_near; /* of those the last one's number, and 1 */
};

static struct log *logged;

static void append(const void *record, size_t bytes)
{
	assert_true(logged->used + bytes <= LOG_BYTES);
	memcpy(logged->bytes + logged->used, record, bytes);
	logged->used += bytes;
}

/* Every access has a path of its own. */
uint32_t paths_number(struct thread *t, uint64_t pc)
{
	return (uint32_t)pc | 1;
}

/* The buffer's accesses lie in no block but those of odd lines: one per line. */
void alloc_describe(const struct thread *thread, struct record_access *a, uint64_t at)
{
	if (a->address & 64) {
		a->site = 7;
		a->block = a->address & ~63ull;
	}
}

/*
 * All accesses of windows by their number among the process's: what touches what can be looked up.
 */
#define MOST_ACCESSES (4u << 20)
static struct {
	uint64_t first, last;
	uint32_t window; /* + 1; 0: in none */
} * all;

/* The first access of that window behind `at` that touches the line, or where the window ends. */
static uint64_t next_touch(uint64_t at, uint32_t window, uint64_t line)
{
	do
		at++;
	while (at < MOST_ACCESSES && all[at].window == window + 1 &&
	       (all[at].first >> 6 > line || all[at].last >> 6 < line));
	return at;
}

/* Is the status right, if the next touch is access `at`, or the window ends there? */
static void check_end(uint32_t status, uint64_t position, uint32_t window, uint64_t at)
{
	bool ends = all[at].window != window + 1;

	if (at - position - 1 >= CHANNEL_FAR)
		assert_int_equal(status, SAMPLE_FAR);
	else
		assert_int_equal(status, ends ? SAMPLE_CUT : SAMPLE_REUSED);
}

/* A sample of two lines ends with the later touch. */
static void check_sample(const struct record_sample *s)
{
	uint64_t first = s->begin.address >> 6;
	uint64_t last = (s->begin.address + s->begin.size - 1) >> 6;
	uint64_t at = next_touch(s->position, s->window, first);
	uint64_t other = next_touch(s->position, s->window, last);

	at = at > other ? at : other;
	logged->pairs += last > first && s->status == SAMPLE_REUSED;
	check_end(s->status, s->position, s->window, at);
	assert_int_equal(s->distance, s->status == SAMPLE_FAR ? CHANNEL_FAR : at - s->position - 1);
	if (s->status != SAMPLE_REUSED)
		return;
	assert_int_equal(s->end.address, all[at].first);
}

static uint32_t line_shift_now;

static bool is_of_one_line(const struct record_access *a)
{
	return a->address >> line_shift_now == (a->address + a->size - 1) >> line_shift_now;
}

void records_sample(struct process *p, const struct record_sample *s)
{
	append(s, sizeof *s);
	logged->samples++;
	logged->reused += s->status == SAMPLE_REUSED;
	logged->far_samples += s->status == SAMPLE_FAR;
	if (s->status == SAMPLE_REUSED && s->distance < CHANNEL_NEAR && is_of_one_line(&s->begin)) {
		logged->near++;
		logged->with_near += s->window + 1 != logged->last_near;
		logged->last_near = s->window + 1;
	}
	if (all)
		check_sample(s);
}

void records_stack_distance(struct process *p, const struct record_stack_distance *d)
{
	append(d, sizeof *d);
}

/* Are the far lines those of all accesses? test_far_lines.c has the rest. */
void records_far(struct process *p, const struct record_far *f, const struct far_line *lines,
		 uint32_t count)
{
	append(f, sizeof *f);
	append(lines, count * sizeof *lines);
	logged->far++;
}

static void check_size(const struct record_nested *r, const struct nested_event *events, uint32_t k)
{
	const uint64_t line = r->point >> k;
	uint64_t at = r->position + 1;
	const struct nested_event *e = 0;

	for (uint32_t i = 0; i < r->count; i++)
		if (events[i].sizes >> k & 1)
			e = &events[i];
	if (!e && !(r->open >> k & 1)) {
		logged->given_up++;
		return;
	}
	while (at < MOST_ACCESSES && all[at].window == r->window + 1 &&
	       (all[at].first >> k > line || all[at].last >> k < line))
		at++;
	check_end(e ? SAMPLE_REUSED : r->status, r->position, r->window, at);
	if (e) {
		assert_int_equal(e->distance, at - r->position - 1);
		assert_int_equal(e->end.address, all[at].first);
	}
	assert_true((e ? e->weight : r->weight) == 1 || k <= 6);
	logged->known++;
}

void records_nested(struct process *p, struct record_nested *r, const struct nested_event *events)
{
	append(r, sizeof *r);
	append(events, r->count * sizeof *events);
	logged->nested++;
	assert_true(r->point >= r->begin.address && r->point - r->begin.address < r->begin.size);
	if (!all)
		return;
	for (uint32_t k = NESTED_FIRST; k <= NESTED_LAST; k++)
		check_size(r, events, k);
}

static void draw_segments(void)
{
	static const uint16_t sizes[] = {1, 2, 4, 8, 8, 8, 8, 16, 32, 64};

	for (uint32_t n = 0; n < SEGMENTS; n++) {
		struct stream_desc *d = (struct stream_desc *)(void *)descs[n];

		lengths[n] = n % 20 == 0 ? 1 + draw() % 120 : 1 + draw() % 6;
		d->pc = 0x401000 + 64 * n;
		for (uint32_t i = 0; i < lengths[n]; i++)
			d->access[i] = (struct stream_access){
				.pc_offset = (uint16_t)i,
				.size = n % 50 == 7 && i == 1 ? 512 : sizes[draw() % 10],
				.kind = (uint8_t)(draw() % 3),
				.fs = n % 50 == 8,
			};
	}
}

/* Most addresses are of few lines, so that their neighbours are watched. */
static uint64_t draw_address(void)
{
	/* A busy line, the other half of which is quiet. */
	if (draw() % 3 == 0)
		return 0x7f1200100000 + (draw() % 32 == 0 ? 0 : 32);
	if (draw() % 4)
		return 0x7f1200000000 + draw() % 4096;
	return 0x7f1200000000 + draw() % (8 << 20);
}

/* Fill the buffer of t with whole segments; returns how many accesses there are. */
static uint64_t draw_buffer(struct thread *t, bool with_special)
{
	uint64_t n = 0;

	t->buf = t->buf_start;
	t->special = 0;
	for (;;) {
		uint64_t s = draw() % SEGMENTS;
		bool special = s % 50 == 7 || s % 50 == 8;

		if (special && !with_special)
			continue;
		if (lengths[s] + 1 > (uint64_t)(t->buf_start + ENTRIES - t->buf))
			return n;
		for (uint32_t i = 0; i < lengths[s]; i++)
			*t->buf++ = special && s % 50 == 8 ? draw() % 4096 : draw_address();
		*t->buf++ = (uint64_t)(int64_t)(int32_t)(STREAM_TRAILER_BIT |
							 (special ? 0 : STREAM_PLAIN_BIT) |
							 (uint32_t)s * (SLOT_BYTES / 8));
		t->special |= special;
		n += lengths[s];
	}
}

/* The same without a filter. */
static void scan_plainly(struct thread *t, struct scan_window *w, uint64_t skip, uint64_t end,
			 uint64_t process_at, uint64_t fs)
{
	uint64_t k = 0;

	scan_join(t, w, t->stream_position + skip);
	for (const uint64_t *p = t->buf_start, *e = p; p < t->buf; p = ++e) {
		const struct stream_desc *d;

		while (!(*e >> 63))
			e++;
		d = translate_desc((uint32_t)*e & STREAM_NUMBER_MASK);
		for (uint32_t i = 0; p + i < e; i++, k++) {
			const struct stream_access *sa = &d->access[i];
			struct access a = {d->pc + sa->pc_offset, p[i] + (sa->fs ? fs : 0),
					   sa->size, sa->kind};

			if (k >= skip && k < end && all && process_at + k < MOST_ACCESSES) {
				all[process_at + k].first = a.address;
				all[process_at + k].last = a.address + (a.size ? a.size - 1 : 0);
				all[process_at + k].window = w->number + 1;
			}
			if (k >= skip && k < end)
				scan_access(t, w, &a, t->stream_position + k, process_at + k);
		}
	}
}

static bool first_is_kept; /* of a window's samples that end near */

/* Twenty windows of several buffers, from the same beginning each time. */
static void run(struct log *l, uint32_t line_shift, bool plainly, uint32_t near_one_in)
{
	static struct nested_set nested;
	static struct far_lines far_lines;
	static struct watch_set ws = {.nested = &nested, .far_lines = &far_lines};
	static uint64_t buffer[ENTRIES + SCAN_GROUP] __attribute__((aligned(64)));
	struct thread t = {.watches = &ws, .buf_start = buffer, .rng = 7};
	struct scan_window w = {.line_shift = line_shift};
	uint64_t far[CHANNEL_FAR_SIZES];
	const uint64_t fs = 0x7f1234567740;
	uint64_t process_at = 1000;

	t.fs_base = fs;
	logged = l;
	*l = (struct log){.bytes = l->bytes};
	seed = 42 + line_shift;
	line_shift_now = line_shift;
	ws.nested = near_one_in ? 0 : &nested;
	w.nested_one_in = 4;
	engine.config.near_one_in = near_one_in;
	all = plainly && line_shift == 6 ? calloc(MOST_ACCESSES + 1, sizeof *all) : 0;
	watches_clear(&ws, line_shift);
	far_rate_start(&w.far_rate[0], 64);
	far_rate_start(&w.far_rate[1], 24);
	for (w.number = 0; w.number < 20; w.number++) {
		uint64_t buffers = 1 + draw() % 12;

		/* Watches never run out where those left out are not to be missed. */
		w.interval = (near_one_in ? 100 : 1) + draw() % 300;
		w.has_near = !first_is_kept;
		w.joined = 0;
		w.start = process_at;
		/* accesses are chosen up to the end, or only up to a time before it */
		w.end = w.number % 2 ? UINT64_MAX : process_at + 3000 * buffers;
		for (uint64_t b = 0; b < buffers; b++) {
			uint64_t n = draw_buffer(&t, draw() % 2);
			uint64_t skip = b == 0 ? draw() % n : 0;
			uint64_t end = b == buffers - 1 ? skip + draw() % (n - skip + 1) : n;

			if (plainly)
				scan_plainly(&t, &w, skip, end, process_at, fs);
			else
				scan_buffer(&t, &w, skip, end, process_at);
			if (b == buffers - 1) {
				t.stream_position += end;
				scan_end_watches(&t, &w);
				t.stream_position -= end;
			}
			t.stream_position += n;
			process_at += n;
		}
		memcpy(far, w.far, sizeof far);
		append(far, sizeof far);
	}
	l->chosen = w.chosen;
	free(all);
	all = 0;
}

static void check(bool bmi2, bool wide)
{
	struct log expected = {.bytes = malloc(LOG_BYTES)}, got = {.bytes = malloc(LOG_BYTES)};

	assert_non_null(expected.bytes);
	assert_non_null(got.bytes);
	draw_segments();
	engine.fsgsbase = false;
	engine.bmi2 = bmi2;
	engine.wide = wide;
	for (uint32_t shift = 2; shift <= 12; shift++) {
		run(&expected, shift, true, 0);
		run(&got, shift, false, 0);
		assert_int_equal(got.used, expected.used);
		assert_memory_equal(got.bytes, expected.bytes, got.used);
		/* There was something to see. */
		assert_true(got.far > 300 && got.far_samples > 20);
		assert_true(got.nested > 200);
		assert_true(shift != 6 || (expected.known > 1000 && expected.given_up > 0 &&
					   expected.pairs > 50));
		assert_true(got.reused > 500 && got.samples > got.reused);
	}
	free(expected.bytes);
	free(got.bytes);
}

/*
 * By looking ahead or by waiting for the end: the same are left out, which are of those that end
 * near.
 */
static void some_near_samples_are_left_out(void **state)
{
	struct log each = {.bytes = malloc(LOG_BYTES)}, some = {.bytes = malloc(LOG_BYTES)},
		   ahead = {.bytes = malloc(LOG_BYTES)};
	uint64_t near = 0, kept = 0;

	(void)state;
	assert_true(each.bytes && some.bytes && ahead.bytes);
	draw_segments();
	engine.bmi2 = engine.wide = false;
	for (uint32_t shift = 2; shift <= 12; shift++) {
		run(&each, shift, false, 1);
		run(&some, shift, true, 16);
		run(&ahead, shift, false, 16);
		assert_int_equal(ahead.used, some.used);
		assert_memory_equal(ahead.bytes, some.bytes, some.used);
		assert_int_equal(each.chosen, each.samples);
		assert_int_equal(ahead.chosen, each.samples);
		assert_int_equal(ahead.samples - ahead.near, each.samples - each.near);
		near += each.near;
		kept += ahead.near;
	}
	assert_true(near > 16 * 400);
	assert_in_range(kept * 16, near * 0.8, near * 1.2);
	free(each.bytes);
	free(some.bytes);
	free(ahead.bytes);
}

/*
 * Whoever has the samples of a window must find one for those left out, or they would weigh
 * nothing.
 */
static void a_window_keeps_one_near_sample(void **state)
{
	struct log each = {.bytes = malloc(LOG_BYTES)}, one = {.bytes = malloc(LOG_BYTES)};

	(void)state;
	assert_true(each.bytes && one.bytes);
	draw_segments();
	engine.bmi2 = engine.wide = false;
	first_is_kept = true;
	for (uint32_t shift = 4; shift <= 8; shift++)
		for (unsigned plainly = 0; plainly < 2; plainly++) {
			run(&each, shift, plainly, 1);
			run(&one, shift, plainly, 1u << 30);
			assert_true(each.with_near > 10);
			assert_int_equal(one.with_near, each.with_near);
			assert_int_equal(one.near, one.with_near);
		}
	first_is_kept = false;
	free(each.bytes);
	free(one.bytes);
}

static void nothing_is_missed(void **state)
{
	(void)state;
	check(false, false);
}

static void nothing_is_missed_fast(void **state)
{
	(void)state;
	if (!__builtin_cpu_supports("bmi2"))
		skip();
	check(true, false);
}

static void nothing_is_missed_wide(void **state)
{
	(void)state;
	if (!__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
		skip();
	check(true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_near_samples_are_left_out),
		cmocka_unit_test(nothing_is_missed),
		cmocka_unit_test(nothing_is_missed_fast),
		cmocka_unit_test(nothing_is_missed_wide),
		cmocka_unit_test(a_window_keeps_one_near_sample),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
