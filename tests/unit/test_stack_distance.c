/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counted lines between the touches of samples, against counting one by one, for all sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "engine/core/records.h"
#include "engine/sample/stack_distance.h"
#include "engine/translate/translate.h"

struct engine engine;

#define MOST	 400000u
#define ENTRIES	 16384u
#define BASE	 0x7f1200000000ull
#define PAGES	 20000u
#define FS	 0x7f1200000080ull
#define ACCESSES 4u /* of a segment */

/* What was touched, by the thread's number. */
static struct touched {
	uint64_t first, last;
} done[MOST];

static struct {
	uint32_t records, sizes;
	uint32_t roughly; /* hundredths that the counts may be off */
	uint64_t farthest;
} seen;

/* One for plain segments and one for those relative to %fs. */
static uint64_t descs[2][32];

const struct stream_desc *translate_desc(uint32_t number)
{
	return (const struct stream_desc *)(const void *)descs[number];
}

uint64_t scan_stays(uint64_t address, const struct repeat *r, uint32_t line_shift)
{
	uint64_t line = 1ull << line_shift, offset = address & (line - 1);

	return offset + r->size > line ? 1 : (line - offset - r->size) / r->size + 1;
}

/* Lines of 1 << shift bytes that the accesses strictly between touch. */
static uint64_t lines_between(uint64_t from, uint64_t to, uint32_t shift)
{
	static uint32_t touched[(PAGES + 1ull) << 7];
	static uint32_t round;
	uint64_t lines = 0;

	round++;
	for (uint64_t at = from + 1; at < to; at++)
		for (uint64_t line = (done[at].first - BASE) >> shift;
		     line <= (done[at].last - BASE) >> shift; line++) {
			lines += touched[line] != round;
			touched[line] = round;
		}
	return lines;
}

void records_stack_distance(struct process *p, const struct record_stack_distance *d)
{
	seen.records++;
	for (uint32_t i = 0; i < STACK_SIZES; i++) {
		uint64_t point = done[d->position].first >> (STACK_FIRST + i),
			 end = d->position + 1, lines;

		if (!(d->sizes >> i & 1))
			continue;
		while (done[end].first >> (STACK_FIRST + i) > point ||
		       done[end].last >> (STACK_FIRST + i) < point)
			end++;
		assert_int_equal(d->distance[i], end - d->position - 1);
		lines = lines_between(d->position, end, STACK_FIRST + i);
		assert_true(labs((long)(d->lines[i] - lines)) * 100 <=
			    (long)(seen.roughly * lines));
		seen.sizes++;
		if (d->distance[i] > seen.farthest)
			seen.farthest = d->distance[i];
	}
}

static void begin_thread(struct thread *t, struct watch_set *ws, struct stack_distance *s)
{
	static uint64_t buffer[ENTRIES];

	for (uint32_t n = 0; n < 2; n++) {
		struct stream_desc *d = (struct stream_desc *)(void *)descs[n];

		for (uint32_t i = 0; i < ACCESSES; i++)
			d->access[i] = (struct stream_access){
				.size = 8, .kind = ACCESS_LOAD, .fs = n == 1};
	}
	memset(s, 0, sizeof *s);
	memset(ws, 0, sizeof *ws);
	memset(&seen, 0, sizeof seen);
	*t = (struct thread){.watches = ws, .buf_start = buffer, .buf = buffer};
	ws->stack = s;
}

/* Some places are touched again and again, most of few pages, and some of any. */
static uint64_t draw_address(uint32_t pages)
{
	uint64_t range = draw() % 3 ? draw() % 2 ? 2048 : 65536 : pages * 4096ull;

	return BASE + draw() % range / 4 * 4;
}

/*
 * A buffer of segments, in which some accesses are chosen, seldom of the busiest lines; the thread
 * goes on behind it.
 */
static void run_buffer(struct thread *t, const struct scan_window *w, uint32_t pages,
		       uint32_t segments)
{
	uint64_t at = t->stream_position;

	t->buf = t->buf_start;
	for (uint32_t n = 0; n < segments; n++) {
		bool special = draw() % 16 == 0;

		t->special |= special;
		for (uint32_t i = 0; i < ACCESSES; i++, at++) {
			uint64_t address = special ? FS + i : draw_address(pages);

			done[at] = (struct touched){address, address + 7};
			*t->buf++ = special ? i : address;
		}
		*t->buf++ = (uint64_t)(int64_t)(int32_t)(STREAM_TRAILER_BIT |
							 (special ? 1 : STREAM_PLAIN_BIT));
	}
	/* As looking through it would: nothing is begun while something is counted. */
	for (uint64_t n = t->stream_position; n < at; n++) {
		const struct record_access a = {.address = done[n].first, .size = 8};
		uint64_t within = n - t->stream_position;

		t->watches->ahead = t->buf_start + within + within / ACCESSES + 1;
		if (draw() % 10 == 0 && (done[n].first - BASE >= 2048 || draw() % 8 == 0))
			stack_distance_begin(t, w, &a, n, n);
	}
	t->watches->ahead = 0;
	if (stack_distance_counts(t->watches))
		stack_distance_buffer(t, at, FS);
	t->special = 0;
	t->stream_position = at;
}

static void run(uint32_t pages, uint32_t roughly)
{
	static struct stack_distance s;
	static struct watch_set ws;
	const struct scan_window w = {.line_shift = 6};
	struct thread t;

	begin_thread(&t, &ws, &s);
	seen.roughly = roughly;
	s.seen = 1ull << 40; /* so that there is always time to count */
	while (t.stream_position + ENTRIES < MOST)
		run_buffer(&t, &w, pages, 1 + draw() % 400);
	stack_distance_end_window(&t, t.stream_position);
}

static void test_lines_are_counted_one_by_one(void **state)
{
	(void)state;
	run(2000, 0);
	assert_true(seen.records > 20 && seen.sizes > 5 * seen.records && seen.farthest > 10000);
}

/* Where there are more pages than are kept those kept stand for the others. */
static void test_of_many_pages_some_stand_for_all(void **state)
{
	(void)state;
	run(PAGES, 8);
	assert_true(seen.records > 20 && seen.farthest > 10000);
}

/* So many accesses at most are spent, and no sample is followed for ever. */
static void test_counting_has_its_allowance(void **state)
{
	static struct stack_distance s;
	static struct watch_set ws;
	const struct scan_window w = {.line_shift = 6};
	const struct record_access once = {.address = BASE + PAGES * 4096ull, .size = 8};
	uint64_t counted = 0;
	struct thread t;

	(void)state;
	begin_thread(&t, &ws, &s);
	for (uint64_t at = 0; at < MOST; at++) {
		stack_distance_begin(&t, &w, &once, at, at);
		counted += stack_distance_counts(&ws);
		stack_distance_touch(&t, BASE + at % 4096, 1, at);
	}
	stack_distance_end_window(&t, MOST);
	assert_int_equal(seen.records, 0);
	assert_true(counted > MOST / 24 && counted < MOST / 16 + 30000);
}

/* A string instruction over 8 KB and back to a line before it. */
static void test_string_instructions_are_looked_at_a_unit_at_a_time(void **state)
{
	static struct stack_distance s;
	static struct watch_set ws;
	const struct scan_window w = {.line_shift = 6};
	const struct repeat r = {
		.address = {BASE + 4096}, .step = 1, .iterations = 8192, .size = 1, .accesses = 1};
	const struct record_access a = {.address = BASE, .size = 8};
	struct thread t;

	(void)state;
	begin_thread(&t, &ws, &s);
	done[0] = done[8193] = (struct touched){BASE, BASE + 7};
	for (uint64_t i = 0; i < 8192; i++)
		done[1 + i] = (struct touched){BASE + 4096 + i, BASE + 4096 + i};
	stack_distance_begin(&t, &w, &a, 0, 0);
	stack_distance_repeat(&t, &r, 0, 8192, 1);
	stack_distance_touch(&t, BASE, 8, 8193);
	assert_int_equal(seen.records, 1);
	assert_int_equal(seen.sizes, STACK_SIZES);
	assert_false(stack_distance_counts(&ws));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_counted_one_by_one),
		cmocka_unit_test(test_of_many_pages_some_stand_for_all),
		cmocka_unit_test(test_counting_has_its_allowance),
		cmocka_unit_test(test_string_instructions_are_looked_at_a_unit_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
