/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sample of lines, a run mode: threads run in the stream variant; of their buffers only the
 * accesses to lines of the sample go to the ring (RECORD_LINES), and some stack distances
 * (probes.h). With a sample of all lines every access does, and there are no probes.
 *
 * Threads share the sample of their process, in the order in which their buffers are emptied.
 */
#include "engine/simulate/lines/lines_scan.h"

#include <cpuid.h>

#include "channel/lines.h"
#include "engine/core/fsbase.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/run_mode.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/lines/probes.h"
#include "engine/simulate/lines/touched.h"
#include "engine/translate/translate.h"

#define BATCH_ENTRIES 4000u
#define GROUPS_AHEAD  32u /* scanned at once: the wide scan saves registers at each call */
#define MOST_BYTES    0x3fffu
/*
 * Bytes of the largest access whose second line is looked at, if it straddles. Larger ones are
 * unaligned vectors of 64 bytes, which mostly copy, so that the next one touches that line.
 */
#define REACH 32u
/* Of smaller lines, many accesses touch several. */
#define LEAST_LINE 64u

/* State of the process, under the lock of collect.h. */
static struct {
	struct lines_key key;
	uint32_t shift, seed; /* of lines, and of lines_hash */
	bool has_all;	      /* every line is in the sample */
	bool has_level_1;     /* of probes */
	bool by_size;	      /* lines are so small that the size of each access counts */
	/* of the sample; and of that of level 1, if there is one, or the same */
	uint64_t threshold, wide_threshold;
	lines_scan_fn *scan;
	struct touched touched;
	struct record_lines record;
	uint64_t out[BATCH_ENTRIES];
} s;

/* And the engine may use it: the target's registers are of 256 bits at most. */
static bool has_avx2(void)
{
	uint32_t a, b, c, d;

	if (engine_vector_counter != COUNTER_XMM15 || !engine.bmi2)
		return false;
	__cpuid_count(0xd, 1, a, b, c, d);
	if (!(a & 4)) /* xgetbv tells which are in use */
		return false;
	__cpuid_count(7, 0, a, b, c, d);
	return b >> 5 & 1;
}

static bool start(struct thread *t)
{
	const uint64_t one_in = engine.config.lines_one_in;
	uint64_t random = engine.config.seed + t->process->order;
	const uint32_t shift = (uint32_t)__builtin_ctz(engine.config.line_bytes);

	s.has_all = one_in <= 1;
	s.has_level_1 = one_in > LINES_LEVEL_ONE_IN;
	s.threshold = lines_threshold(one_in ? one_in : 1);
	s.wide_threshold = s.has_level_1 ? lines_threshold(LINES_LEVEL_ONE_IN) : s.threshold;
	s.by_size = s.has_all || 1u << shift < LEAST_LINE;
	s.shift = shift;
	s.seed = (uint32_t)engine.config.seed;
	s.scan = engine.wide ? lines_scan_wide : has_avx2() ? lines_scan_fast : lines_scan;
	s.record = (struct record_lines){0};
	if (!touched_start(&s.touched, s.seed, s.wide_threshold))
		return false;
	lines_key_fill(&s.key, shift, REACH - 1, s.seed, (uint32_t)s.wide_threshold,
		       s.touched.recent, TOUCHED_RECENT);
	return s.has_all || probes_start(shift, s.seed, random_next(&random), s.has_level_1);
}

/* `accesses`: those of the process since the last one. */
static void send(const struct thread *t, uint64_t accesses)
{
	s.record.thread = t->index;
	s.record.accesses = accesses;
	s.record.touched = s.touched.lines;
	s.record.level_touched = s.touched.level_lines;
	records_lines(t->process, &s.record, s.out);
	s.record.count = 0;
}

static void put(const struct thread *t, uint64_t address, uint32_t bytes, uint32_t kind)
{
	s.out[s.record.count++] =
		STREAM_ENTRY(address, kind, bytes < MOST_BYTES ? bytes : MOST_BYTES);
	if (s.record.count == BATCH_ENTRIES)
		send(t, 0);
}

/* Is the line in the sample? in_buffer: if it is in that of level 1, probes may choose it. */
static bool look_at_line(uint64_t line, bool in_buffer)
{
	const uint32_t hash = lines_hash(line, s.seed);

	if (in_buffer && s.has_level_1 && hash < s.wide_threshold)
		probes_add(line);
	return hash < s.threshold;
}

/* Adds an access if one of its lines is in the sample. */
static void add(const struct thread *t, uint64_t address, uint32_t bytes, uint32_t kind,
		bool in_buffer)
{
	const uint64_t last = (address + (bytes ? bytes - 1 : 0)) >> s.shift;
	bool any = s.has_all, is_new = false;

	for (uint64_t line = address >> s.shift; line <= last; line++) {
		is_new |= touched_add(&s.touched, line);
		any |= look_at_line(line, in_buffer);
	}
	s.record.first_touches += is_new;
	if (any)
		put(t, address, bytes, kind);
}

/* ---- Buffers ---- */

static void add_entry(const struct thread *t, const struct stream_access *a, uint64_t entry,
		      uint64_t fs)
{
	add(t, entry + (a->fs ? fs : 0), a->size, a->kind, true);
}

static const struct stream_desc *desc_of(uint64_t trailer)
{
	return translate_desc((uint32_t)trailer & STREAM_NUMBER_MASK);
}

/* Adds the accesses of all segments that end in [p, t->buf), from p on. */
static void add_all(const struct thread *t, uint64_t fs)
{
	const uint64_t *p = t->buf_start, *trailer = p;

	for (; p < t->buf; p = ++trailer) {
		while (!(*trailer >> 63))
			trailer++;
		for (uint32_t i = 0; p + i < trailer; i++)
			add_entry(t, &desc_of(*trailer)->access[i], p[i], fs);
	}
}

/* An entry that may touch a line of the sample. */
static void look(const struct thread *t, const uint64_t *entry, uint64_t fs)
{
	const uint64_t *begin = entry, *trailer = entry;

	if (*entry >> 63)
		return;
	if (*entry >> s.shift == (*entry + (REACH - 1)) >> s.shift) {
		/* it stays on its line, whatever its size */
		if (look_at_line(*entry >> s.shift, true))
			put(t, *entry, 1, ACCESS_LOAD);
		return;
	}
	while (begin > t->buf_start && !(begin[-1] >> 63))
		begin--;
	while (!(*trailer >> 63))
		trailer++;
	add_entry(t, &desc_of(*trailer)->access[entry - begin], *entry, fs);
}

static void look_at_group(const struct thread *t, const uint64_t *p,
			  const struct lines_masks *masks, uint64_t fs)
{
	const uint64_t left = (uint64_t)(t->buf - p);
	const uint64_t valid = left < LINES_GROUP ? (1ull << left) - 1 : ~0ull;

	for (uint64_t m = masks->chosen & valid; m; m &= m - 1)
		look(t, p + __builtin_ctzll(m), fs);
	for (uint64_t m = masks->fresh & valid; m; m &= m - 1)
		s.record.first_touches += touched_add(&s.touched, p[__builtin_ctzll(m)] >> s.shift);
}

static void add_chosen(const struct thread *t, uint64_t fs)
{
	const uint64_t *p = t->buf_start;
	struct lines_masks masks[GROUPS_AHEAD];

	while (p < t->buf) {
		const uint64_t left = ((uint64_t)(t->buf - p) + LINES_GROUP - 1) / LINES_GROUP;
		const uint64_t groups = left < GROUPS_AHEAD ? left : GROUPS_AHEAD;

		s.scan(p, groups, &s.key, masks);
		for (uint64_t g = 0; g < groups; g++, p += LINES_GROUP)
			look_at_group(t, p, &masks[g], fs);
	}
}

static enum code_variant_id variant(void)
{
	return VARIANT_STREAM;
}

static void consume(struct thread *t, uint64_t here, uint64_t n, uint64_t total)
{
	const uint64_t fs = fsbase_get(t);

	(void)here;
	if (!t->process->profiling)
		return;
	/* a special segment has offsets, or accesses larger than the scan's reach */
	if (s.by_size || t->special)
		add_all(t, fs);
	else
		add_chosen(t, fs);
	t->special = 0;
	if (s.has_level_1)
		probes_look(t->process);
	if (!s.has_all)
		probes_buffer(t, total);
	send(t, n);
}

/* ---- String and vector instructions ---- */

static void touch(const struct thread *t, uint64_t line, uint64_t count)
{
	s.record.first_touches += touched_add(&s.touched, line);
	if (!s.has_all)
		probes_touch(t, line, count, lines_hash(line, s.seed) < s.wide_threshold);
}

static void elements(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
		     uint32_t n)
{
	(void)pc;
	(void)segment;
	if (!collect_takes(t, n))
		return;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t address = STREAM_ADDRESS(entries[i]);

		add(t, address, STREAM_SIZE(entries[i]), STREAM_KIND(entries[i]), false);
		touch(t, address >> s.shift, 1);
	}
	send(t, n);
	collect_unlock();
}

static bool wants_repeat(struct thread *t, uint32_t segment, uint64_t n)
{
	(void)segment;
	return n && t->variant == VARIANT_STREAM;
}

/* Iterations [i, end) of the instruction stay on their first lines. */
static void stay(const struct thread *t, const struct repeat *r, uint64_t i, uint64_t end)
{
	bool any = s.has_all;

	for (uint32_t k = 0; k < r->accesses; k++) {
		const uint64_t address = r->address[k] + i * (uint64_t)r->step;

		any |= lines_hash(address >> s.shift, s.seed) < s.threshold ||
		       lines_hash((address + r->size - 1) >> s.shift, s.seed) < s.threshold;
		touch(t, address >> s.shift, end - i);
	}
	for (; any && i < end; i++)
		for (uint32_t k = 0; k < r->accesses; k++)
			add(t, r->address[k] + i * (uint64_t)r->step, r->size, r->kind[k], false);
}

/* The number of iterations from i on whose access k stays on its lines. */
static uint64_t stays(const struct repeat *r, uint32_t k, uint64_t i)
{
	const uint64_t address = r->address[k] + i * (uint64_t)r->step;
	const uint64_t bytes = 1ull << s.shift, offset = address & (bytes - 1);
	const uint64_t step = (uint64_t)(r->step < 0 ? -r->step : r->step);
	const uint64_t room = r->step < 0 ? offset : bytes - offset - r->size;

	if (offset + r->size > bytes || !step)
		return 1;
	return 1 + room / step;
}

static void repeat(struct thread *t, uint32_t segment, const struct repeat *r)
{
	(void)segment;
	if (!collect_takes(t, r->iterations * r->accesses))
		return;
	for (uint64_t i = 0, n; t->process->profiling && i < r->iterations; i += n) {
		n = r->iterations - i;
		for (uint32_t k = 0; k < r->accesses; k++)
			n = stays(r, k, i) < n ? stays(r, k, i) : n;
		stay(t, r, i, i + n);
	}
	send(t, r->iterations * r->accesses);
	collect_unlock();
}

static void end(struct thread *t, bool is_over, uint64_t total)
{
	(void)is_over;
	(void)total;
	if (!s.has_all)
		probes_end(t->process);
}

const struct run_mode lines_mode = {
	.start = start,
	.variant = variant,
	.consume = consume,
	.wants_repeat = wants_repeat,
	.repeat = repeat,
	.elements = elements,
	.end = end,
};
