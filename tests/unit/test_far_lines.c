/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Far lines against all lines: what a few slots tell must be true of each touch that is sent, and
 * on average of all.
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

#define BASE	 0x7f1200000000ull
#define REGION	 (4u << 20) /* bytes that a stream touches */
#define SIZES	 CHANNEL_FAR_SIZES
#define ACCESSES 400000u
#define SEEDS	 24u
#define LINES	 (REGION / 4)

struct engine engine;

const struct stream_desc *translate_desc(uint32_t number)
{
	return 0;
}

uint32_t paths_number(struct thread *t, uint64_t pc)
{
	return 7;
}

void alloc_describe(const struct thread *t, struct record_access *a, uint64_t at)
{
}

void records_sample(struct process *p, const struct record_sample *s)
{
}

void records_nested(struct process *p, struct record_nested *r, const struct nested_event *events)
{
}

void records_stack_distance(struct process *p, const struct record_stack_distance *d)
{
}

/* ---- All lines, one by one ---- */

static struct access *stream; /* the accesses of a run */
static uint32_t accesses;

static uint64_t last_of(const struct access *a)
{
	return a->address + a->size - 1;
}

/* What is true of access n at size i. */
struct truth {
	uint64_t distance; /* of the line that was touched longest ago */
	bool is_far, is_first;
	uint64_t lines; /* touched in between, without its own */
};

static struct truth (*truths)[SIZES];
static uint32_t (*last_touch)[LINES + 4096]; /* by size: number of the access, + 1 */
/* by size: lines by their last touch, as sums of a Fenwick tree */
static uint32_t (*tree)[ACCESSES + 2];
static uint64_t far_truth[SIZES], lines_truth[SIZES];

static void tree_add(uint32_t i, uint32_t at, uint32_t n)
{
	for (; at <= ACCESSES; at += at & -at)
		tree[i][at] += n;
}

static uint32_t tree_sum(uint32_t i, uint32_t at)
{
	uint32_t n = 0;

	for (; at; at -= at & -at)
		n += tree[i][at];
	return n;
}

static void find_truth(uint32_t n, uint32_t i)
{
	const struct access *a = &stream[n];
	uint64_t first = (a->address - BASE) >> (2 + i), last = (last_of(a) - BASE) >> (2 + i);
	struct truth *t = &truths[n][i];
	uint32_t oldest = UINT32_MAX;

	for (uint64_t line = first; line <= last; line++)
		oldest = last_touch[i][line] < oldest ? last_touch[i][line] : oldest;
	t->is_first = oldest == 0;
	t->distance = t->is_first ? 0 : n + 1 - oldest - 1;
	t->is_far = t->is_first || t->distance >= CHANNEL_FAR;
	t->lines = t->is_first ? 0 : tree_sum(i, ACCESSES) - tree_sum(i, oldest);
	far_truth[i] += t->is_far;
	for (uint64_t line = first; line <= last; line++) {
		if (last_touch[i][line])
			tree_add(i, last_touch[i][line], UINT32_MAX);
		else
			lines_truth[i]++;
		last_touch[i][line] = n + 1;
		tree_add(i, n + 1, 1);
	}
}

static void find_truths(void)
{
	truths = calloc(ACCESSES, sizeof *truths);
	last_touch = calloc(SIZES, sizeof *last_touch);
	tree = calloc(SIZES, sizeof *tree);
	assert_true(truths && last_touch && tree);
	memset(far_truth, 0, sizeof far_truth);
	memset(lines_truth, 0, sizeof lines_truth);
	for (uint32_t n = 0; n < accesses; n++)
		for (uint32_t i = 0; i < SIZES; i++)
			find_truth(n, i);
	free(last_touch);
	free(tree);
}

/* ---- What is sent ---- */

static struct {
	bool checks;
	uint32_t sent, with_begin;
	double lines, true_lines; /* sums over what was sent, at 64 bytes */
	double weight[SIZES];
} seen;

/* At lines that are watched whole the touch is known exactly; of small ones, one in the access. */
static void check_line(const struct record_far *r, const struct far_line *l, uint32_t i)
{
	const struct truth *t = &truths[r->position][i];
	const struct access *a = &stream[r->position];

	assert_true(l->weight > 0);
	/* The page behind the end of another one may be another unit's, or nobody's. */
	if (last_of(a) >> (2 + i) != a->address >> (2 + i) && (i < 3 || i == 10 || a->size > 64))
		return;
	assert_true(t->is_far);
	assert_int_equal(t->is_first, r->first >> i & 1);
	assert_int_equal(t->distance, l->distance);
	if (i == 4 && !t->is_first) {
		seen.lines += (double)l->lines;
		seen.true_lines += (double)t->lines;
	}
}

void records_far(struct process *p, const struct record_far *r, const struct far_line *lines,
		 uint32_t count)
{
	uint32_t n = 0;

	seen.sent++;
	assert_int_equal(r->first & ~r->sizes, 0);
	for (uint32_t i = 0; i < SIZES; i++) {
		if (!(r->sizes >> i & 1))
			continue;
		seen.weight[i] += (double)lines[n].weight;
		if (seen.checks)
			check_line(r, &lines[n], i);
		n++;
	}
	assert_int_equal(n, count);
	if (!seen.checks)
		return;
	assert_int_equal(r->end.address, stream[r->position].address);
	assert_int_equal(r->end.pc, stream[r->position].pc);
	if (r->begin.pc && stream[r->position].size <= 64) {
		const struct far_line *own = &lines[__builtin_popcount(r->sizes & 15)];
		const struct access *b = &stream[r->position - own->distance - 1];

		seen.with_begin++;
		assert_int_equal(r->begin.address, b->address);
		assert_int_equal(r->begin.size, b->size);
		assert_int_equal(r->begin.pc, b->pc);
		assert_int_equal(r->begin.kind, b->kind);
	}
}

/* ---- Runs ---- */

static struct watch_set *new_watches(void)
{
	struct watch_set *ws = calloc(1, sizeof *ws);

	assert_non_null(ws);
	ws->far_lines = calloc(1, sizeof *ws->far_lines);
	assert_non_null(ws->far_lines);
	watches_init(ws, 6);
	return ws;
}

static void free_watches(struct watch_set *ws)
{
	free(ws->far_lines);
	free(ws);
}

static struct scan_window new_window(uint32_t number)
{
	struct scan_window w = {
		.number = number, .line_shift = 6, .interval = 1000, .end = UINT64_MAX};

	for (uint32_t i = 0; i < 2; i++)
		far_rate_start(&w.far_rate[i], 1u << 28);
	return w;
}

static void is_about(double value, double truth, double part)
{
	if (value < truth * (1 - part) || value > truth * (1 + part))
		print_error("%g is not %g\n", value, truth);
	assert_true(value >= truth * (1 - part) && value <= truth * (1 + part));
}

#define CLASSES CHANNEL_TOUCH_CLASSES

static double touches_seen[CLASSES]; /* of counted lines, in all runs */

/* Against the touches of all lines of 64 bytes. */
static void check_touches(void)
{
	static uint32_t last[REGION / 64 + 64];
	double truth[CLASSES] = {0};

	memset(last, 0, sizeof last);
	for (uint32_t n = 0; n < accesses; n++)
		for (uint64_t line = (stream[n].address - BASE) / 64;
		     line <= (last_of(&stream[n]) - BASE) / 64; line++) {
			uint32_t since = last[line] ? n + 1 - last[line] : 0, class = 0;

			last[line] = n + 1;
			for (uint32_t s = since; s >= 4 * CHANNEL_TOUCHED; s /= 4)
				class ++;
			if (!since || since >= CHANNEL_TOUCHED)
				truth[since ? class : CLASSES - 1]++;
		}
	for (uint32_t c = 0; c < CLASSES; c++)
		if (truth[c] > 5000) /* or too few are counted */
			is_about(touches_seen[c] / SEEDS, truth[c] * 384 / WATCH_SLOTS, 0.15);
}

/*
 * The stream in windows of `window` accesses, with a gap behind each, in which the thread makes
 * accesses that do not count. Adds what they tell to far[].
 */
static void run(uint64_t seed_of_units, uint32_t window, double far[SIZES], double lines[SIZES])
{
	struct watch_set *ws = new_watches();
	struct thread t = {.watches = ws, .rng = seed_of_units};
	uint64_t at = 5;

	for (uint32_t n = 0, number = 0; n < accesses; number++) {
		struct scan_window w = new_window(number);

		scan_join(&t, &w, at);
		w.joined = 1u << 20; /* no samples: the window is too short for as many threads */
		for (uint32_t end = n + window; n < end && n < accesses; n++, at++)
			scan_access(&t, &w, &stream[n], at, n);
		t.stream_position = at;
		scan_end_watches(&t, &w);
		at += 100000;
		for (uint32_t i = 0; i < SIZES; i++)
			far[i] += (double)w.far[i] / CHANNEL_FAR_ONE;
		for (uint32_t c = 0; c < CLASSES; c++)
			touches_seen[c] += (double)w.touches[c];
	}
	for (uint32_t i = 0; i < SIZES; i++)
		lines[i] += (double)ws->far_lines->known_weight[i] / CHANNEL_FAR_ONE;
	free_watches(ws);
}

/* Over several choices of units, `part` being how far each size may be off. */
static void check_stream(const double part[SIZES])
{
	double far[SIZES] = {0}, lines[SIZES] = {0};

	find_truths();
	memset(&seen, 0, sizeof seen);
	memset(touches_seen, 0, sizeof touches_seen);
	seen.checks = true;
	for (uint32_t s = 1; s <= SEEDS; s++)
		run(s * 977, s % 2 ? ACCESSES : 60000, far, lines);
	for (uint32_t i = 0; i < SIZES; i++) {
		is_about(far[i] / SEEDS, (double)far_truth[i], part[i]);
		is_about(seen.weight[i] / CHANNEL_FAR_ONE, far[i], 1e-6);
		if (i >= 3)
			is_about(lines[i] / SEEDS, (double)lines_truth[i], part[i]);
	}
	is_about(seen.lines, seen.true_lines, 0.04);
	check_touches();
	free(truths);
}

static void add(uint64_t offset, uint32_t size)
{
	stream[accesses] = (struct access){.pc = 0x401000 + 16 * (accesses % 1000),
					   .address = BASE + offset,
					   .size = size,
					   .kind = 1 + accesses % 3};
	accesses++;
}

static void begin_stream(void)
{
	stream = calloc(ACCESSES, sizeof *stream);
	assert_non_null(stream);
	accesses = 0;
}

static const double strict[SIZES] = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01,
				     0.01, 0.01, 0.02, 0.02, 0.02};
static const double rough[SIZES] = {0.02, 0.02, 0.01, 0.01, 0.01, 0.01,
				    0.01, 0.01, 0.04, 0.08, 0.03};

/* 1 MB of 8 bytes each, three times, and a few other lines in between. */
static void walks_through_an_array_are_counted(void **state)
{
	(void)state;
	begin_stream();
	while (accesses + 1 < ACCESSES) {
		add((uint64_t)accesses * 4 % (1u << 20) & ~7ull, 8);
		add((2u << 20) + draw() % 512, 1);
	}
	check_stream(strict);
	free(stream);
}

static void touches_at_random_are_counted(void **state)
{
	(void)state;
	begin_stream();
	while (accesses < ACCESSES)
		add(draw() % 2 ? draw() % (REGION / 8) * 8
			       : (1u << 20) + draw() % 64 * 4096 + draw() % 64 * 8,
		    8);
	check_stream(rough);
	free(stream);
}

/* Each access reaches from one line of 16 bytes into the next: only its end is new. */
static void accesses_that_cross_lines_are_counted(void **state)
{
	(void)state;
	begin_stream();
	while (accesses < ACCESSES)
		add(8 + (uint64_t)accesses * 16 % (2u << 20), 16);
	/* Of small lines one of two is new: counted as half a touch. */
	{
		double part[SIZES];

		memcpy(part, strict, sizeof part);
		part[2] = 0.55;
		check_stream(part);
	}
	free(stream);
}

/* Any size up to 64 bytes, at any place, and some of 512. */
static void accesses_of_all_sizes_are_counted(void **state)
{
	double part[SIZES];

	(void)state;
	begin_stream();
	while (accesses < ACCESSES) {
		uint64_t offset = draw() % 3 ? draw() % (REGION - 4096) : draw() % 65536;

		add(offset, accesses % 1000 == 7 ? 512 : 1 + (uint32_t)draw() % 64);
	}
	/* Small lines: the mean of those touched; larger ones: the worst of them. */
	memcpy(part, rough, sizeof part);
	part[0] = part[1] = part[2] = 0.12;
	check_stream(part);
	assert_true(seen.with_begin > 100);
	free(stream);
}

/* ---- Lines between ---- */

static void cells_count_what_came_later(void **state)
{
	static struct far_cells c;
	static uint64_t last[20000];
	uint64_t now = 1 << 12, n = 0;

	(void)state;
	far_cells_clear(&c);
	for (uint32_t k = 0; k < 2000000; k++) {
		uint32_t line = draw() % 8 ? (uint32_t)draw() % 500 : (uint32_t)draw() % 20000;

		now += 1 + draw() % 60;
		far_cells_advance(&c, now);
		if (k % 20000 == 19999 && last[line] && now - last[line] > CHANNEL_FAR) {
			n = 0;
			for (uint32_t i = 0; i < 20000; i++)
				n += last[i] > last[line];
			is_about((double)far_cells_later(&c, 4, 8, last[line]) / 8 + 5,
				 (double)n + 5, 0.05);
		}
		far_cells_move(&c, 4, 8, last[line], now);
		last[line] = now;
	}
	/* All of them, after a long time in which nothing is touched. */
	far_cells_advance(&c, now + (1ull << 30));
	far_cells_move(&c, 4, 8, 0, now + (1ull << 30));
	for (uint32_t i = 0; i < 20000; i++)
		n += last[i] != 0;
	is_about((double)far_cells_later(&c, 4, 8, 1 << 12) / 8, (double)n, 0.05);
}

/* ---- Too many lines, too many touches ---- */

/* 192 MB, each line once: three million first touches, and a table of 16,384 lines. */
static void a_full_table_gives_up_units(void **state)
{
	const uint64_t n = 3 << 20;
	double far = 0, mean = 0;

	(void)state;
	memset(&seen, 0, sizeof seen);
	for (uint32_t s = 1; s <= 6; s++) {
		struct watch_set *ws = new_watches();
		struct far_lines *f = ws->far_lines;
		struct thread t = {.watches = ws, .rng = s};
		struct scan_window w = new_window(0);

		scan_join(&t, &w, 0);
		w.joined = 1u << 20;
		for (uint64_t k = 0; k < n; k++) {
			struct access a = {1, BASE + k * 64, 8, 1};

			scan_access(&t, &w, &a, k, k);
		}
		assert_true(f->used <= FAR_LINES && f->used > FAR_LINES / 3);
		assert_true(f->units.left[FAR_SINGLE] < 128);
		assert_int_equal(f->known[4], f->used);
		mean += (double)f->known_weight[4] / CHANNEL_FAR_ONE;
		far += (double)w.far[4] / CHANNEL_FAR_ONE;
		free_watches(ws);
	}
	is_about(far / 6, (double)n, 0.03);
	is_about(mean / 6, (double)n, 0.05);
}

/* Half of the accesses are to a few lines. Those that are watched are not watched for long. */
static void busy_units_are_given_up(void **state)
{
	double far = 0, touches = 0;
	uint64_t once = 0;

	(void)state;
	memset(&seen, 0, sizeof seen);
	for (uint32_t s = 1; s <= SEEDS; s++) {
		struct watch_set *ws = new_watches();
		struct far_lines *f = ws->far_lines;
		struct thread t = {.watches = ws, .rng = s};
		uint64_t at = 0, line = 0;

		for (uint32_t number = 0; number < 3; number++) {
			struct scan_window w = new_window(number);

			scan_join(&t, &w, at);
			w.joined = 1u << 20;
			for (uint32_t k = 0; k < 100000; k++, at++) {
				uint64_t to = k % 2 ? (draw() % 64) * 64 : (1u << 20) + line++ * 64;
				struct access a = {1, BASE + to, 8, 1};

				scan_access(&t, &w, &a, at, at);
			}
			if (number == 2)
				for (uint32_t u = 0; u < FAR_UNITS; u++)
					touches += f->units.touches[u];
			t.stream_position = at;
			far += (double)w.far[4] / CHANNEL_FAR_ONE;
			scan_end_watches(&t, &w);
		}
		once += line + 64;
		free_watches(ws);
	}
	is_about(far, (double)once, 0.03);
	assert_true(touches / SEEDS < 100000 / 16.0);
}

/* ---- String instructions ---- */

/* As if each element were an access of its own. */
static void string_instructions_are_many_accesses(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof seen);
	for (uint32_t s = 1; s <= 4; s++) {
		struct watch_set *ws[2] = {new_watches(), new_watches()};
		uint64_t far[2][SIZES], at = 0;

		memset(far, 0, sizeof far);
		for (uint32_t k = 0; k < 40; k++) {
			struct repeat r = {
				.pc = 9,
				.address = {BASE + draw() % REGION, BASE + draw() % REGION},
				.iterations = 1 + draw() % 20000,
				.size = 1u << draw() % 4,
				.accesses = 1 + draw() % 2,
				.kind = {1, 2}};

			r.step = draw() % 2 ? r.size : -(int64_t)r.size;
			for (uint32_t h = 0; h < 2; h++) {
				struct thread t = {.watches = ws[h], .rng = s};
				struct scan_window w = new_window(k);

				w.interval = 1000000000;
				scan_join(&t, &w, at);
				w.joined = 1u << 20;
				if (h)
					scan_repeat(&t, &w, &r, 0, r.iterations, at, at);
				for (uint64_t i = 0; !h && i < r.iterations; i++)
					for (uint32_t e = 0; e < r.accesses; e++) {
						struct access a = {
							9, r.address[e] + i * (uint64_t)r.step,
							r.size, r.kind[e]};

						scan_access(&t, &w, &a, at + i * r.accesses + e, 0);
					}
				t.stream_position = at + r.iterations * r.accesses;
				for (uint32_t i = 0; i < SIZES; i++)
					far[h][i] += w.far[i];
				scan_end_watches(&t, &w);
			}
			at += r.iterations * r.accesses;
		}
		assert_memory_equal(far[0], far[1], sizeof far[0]);
		assert_true(far[0][4] > 0);
		assert_memory_equal(ws[0]->far_lines->known, ws[1]->far_lines->known,
				    sizeof ws[0]->far_lines->known);
		free_watches(ws[0]);
		free_watches(ws[1]);
	}
}

/* ---- The coin ---- */

static void weights_stand_for_what_is_not_sent(void **state)
{
	struct far_rate r;
	uint64_t rng = 3;
	double all = 0, weighted = 0;

	(void)state;
	far_rate_start(&r, 64);
	for (uint32_t window = 0; window < 2000; window++) {
		uint32_t n = draw() % 10 ? (uint32_t)draw() % 200 : (uint32_t)draw() % 20000,
			 sent = 0;

		for (uint32_t k = 0; k < n; k++) {
			uint64_t one_in = r.one_in;

			if (!far_rate_takes(&r, &rng))
				continue;
			sent++;
			weighted += (double)one_in / FAR_RATE_ONE;
		}
		all += n;
		assert_true(sent <= n && sent < 64 * 24);
		far_rate_next(&r, 100000, window % 2 ? 100000 : 200000);
	}
	is_about(weighted, all, 0.03);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_through_an_array_are_counted),
		cmocka_unit_test(touches_at_random_are_counted),
		cmocka_unit_test(accesses_that_cross_lines_are_counted),
		cmocka_unit_test(accesses_of_all_sizes_are_counted),
		cmocka_unit_test(cells_count_what_came_later),
		cmocka_unit_test(a_full_table_gives_up_units),
		cmocka_unit_test(busy_units_are_given_up),
		cmocka_unit_test(string_instructions_are_many_accesses),
		cmocka_unit_test(weights_stand_for_what_is_not_sent),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
