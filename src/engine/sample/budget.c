/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of sampling; see budget.h. */
#include "engine/sample/budget.h"

#include <time.h>

#include "channel/sys.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define MOST_CYCLES	200000u
#define LEAST_STRETCHES 4u
#define MOST_STRETCHES	64u /* then old ones count half, as programs have phases */
#define SHIFT		20u /* prices are per 2^20 accesses */

/*
 * Least squares over the accesses and times of stretches between windows, which have random
 * lengths. The slope is the price of an access. The constant part is the cost of a window: timer
 * calls, changes of the variant, and caches filled by the scan. A mean would include it: where
 * windows are dense counting would look slow, and allow even more windows.
 */
static struct {
	uint64_t seen_ns, seen_total;	 /* CPU time and accesses at the last look */
	uint64_t translated;		 /* time stamp cycles of translation until then */
	uint64_t first_cycles, first_ns; /* to measure the length of a cycle */
	uint64_t stretches;
	unsigned __int128 x, y, xx, xy; /* sums over stretches; x: accesses, y: nanoseconds */
	uint64_t price;			/* of counting, in nanoseconds; 0: unknown */
	uint64_t counting_ns, all_ns, translate_ns;
	uint64_t window_total; /* accesses inside windows */
	uint64_t taken;	       /* the collector's CPU time at the last look */
	bool is_begun;	       /* there was a look */
} b;

static uint64_t translated; /* time stamp cycles, atomic */

bool budget_is_set(void)
{
	return engine.config.overhead_ppm != 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts = {0};

	sys2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t scaled(uint64_t v, uint64_t times, uint64_t over)
{
	unsigned __int128 r = over ? (unsigned __int128)v * times / over : 0;

	return r > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)r;
}

void budget_start(void)
{
	__builtin_memset(&b, 0, sizeof b);
	b.first_cycles = cycles();
	b.first_ns = now_ns();
	b.seen_ns = cpu_ns();
	b.translated = translated;
}

static void add_stretch(uint64_t accesses, uint64_t ns)
{
	b.x += accesses;
	b.y += ns;
	b.xx += (unsigned __int128)accesses * accesses;
	b.xy += (unsigned __int128)accesses * ns;
	if (++b.stretches < MOST_STRETCHES)
		return;
	b.stretches /= 2;
	b.x /= 2;
	b.y /= 2;
	b.xx /= 2;
	b.xy /= 2;
}

/* The slope, limited to between a quarter of the mean and the mean, against noise. */
static uint64_t price(void)
{
	unsigned __int128 mean = b.x ? (b.y << SHIFT) / b.x : 0, slope = mean;
	__int128 over = (__int128)(b.stretches * b.xx - b.x * b.x);
	__int128 up = (__int128)(b.stretches * b.xy - b.x * b.y);

	if (b.stretches >= LEAST_STRETCHES && over > 0)
		slope = up > 0 ? ((unsigned __int128)up << SHIFT) / (unsigned __int128)over : 0;
	if (slope > mean)
		slope = mean;
	return (uint64_t)(slope < mean / 4 ? mean / 4 : slope);
}

static uint64_t sampling_ns(void)
{
	uint64_t ns = b.all_ns > b.counting_ns ? b.all_ns - b.counting_ns : 0;

	return ns > b.translate_ns ? ns : b.translate_ns; /* translation was measured */
}

/*
 * A block takes some 20,000 cycles. If it took far more, the thread was not running all the time.
 */
void budget_translated(uint64_t spent)
{
	__atomic_fetch_add(&translated, spent < MOST_CYCLES ? spent : MOST_CYCLES,
			   __ATOMIC_RELAXED);
}

/*
 * CPU time of the collector for the process's records since the last look. It lags behind by the
 * content of the ring.
 */
static uint64_t collecting(const struct process *p)
{
	uint64_t now =
		p->ring.slot ? __atomic_load_n(&p->ring.slot->taken_ns, __ATOMIC_RELAXED) : 0;
	uint64_t ns = b.is_begun && now > b.taken ? now - b.taken : 0;

	b.taken = now;
	b.is_begun = true;
	return ns;
}

void budget_stretch(struct process *p, uint64_t total, bool in_window)
{
	uint64_t now = cpu_ns(), ns = now - b.seen_ns;
	/* a window may open a little before the last one closed, see sampler.c */
	uint64_t accesses = total > b.seen_total ? total - b.seen_total : 0;
	uint64_t translate =
		scaled(translated - b.translated, now_ns() - b.first_ns, cycles() - b.first_cycles);

	translate = translate < ns ? translate : ns;
	if (in_window)
		b.window_total += accesses;
	else if (accesses)
		add_stretch(accesses, ns - translate);
	b.price = price();
	b.counting_ns += scaled(accesses, b.price, 1u << SHIFT);
	b.all_ns += ns + collecting(p);
	/* a first price may be far too high: its effect must not outlast it */
	if (b.counting_ns > b.all_ns)
		b.counting_ns = b.all_ns;
	b.translate_ns += translate;
	b.seen_ns = now;
	b.seen_total += accesses;
	b.translated = translated;
	p->translate_ns = b.translate_ns;
	p->sampling_ns = sampling_ns();
	p->counting_ns = b.all_ns - p->sampling_ns;
}

uint64_t budget_until(uint64_t length)
{
	uint64_t spent = sampling_ns(),
		 window = spent > b.translate_ns ? spent - b.translate_ns : 0;
	uint64_t needed;

	if (!b.price || !b.window_total)
		return 0;
	window = scaled(window, length, b.window_total);
	/* time of counting at which the next window's cost is within the budget */
	needed = scaled(spent + window, 1000000, engine.config.overhead_ppm);
	if (needed <= b.counting_ns)
		return b.seen_total + 1;
	return b.seen_total + scaled(needed - b.counting_ns, 1u << SHIFT, b.price);
}
