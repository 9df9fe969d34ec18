/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sampling costs; see budget.h. */
#include "engine/budget.h"

#include <time.h>

#include "channel/sys.h"
#include "engine/state.h"
#include "engine/util.h"

#define CALL_NS 4000u /* of a call of the timer, in and out of the kernel; measured 2 to 6 us */
#define LEAST_ACCESSES 10000u /* counted between windows, to tell what one takes */

static struct {
	uint64_t seen_ns, seen_total; /* CPU time and accesses at the last look */
	uint64_t translated;	      /* time stamp cycles spent translating, then */
	uint64_t first_cycles, first_ns; /* to tell how long a cycle is */
	uint64_t calls;
	uint64_t plain_ns, plain_total;	  /* between windows, without translation and calls */
	uint64_t window_ns, window_total; /* in windows, all included */
	uint64_t other_ns;		  /* translation and calls between windows */
} b;

bool budget_is_set(void)
{
	return engine.config.overhead_ppm != 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts = { 0 };

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
}

/* Of all that was counted: what counting alone takes. */
static uint64_t counting_ns(void)
{
	return b.plain_ns + scaled(b.plain_ns, b.window_total, b.plain_total);
}

static uint64_t sampling_ns(void)
{
	uint64_t counting = scaled(b.plain_ns, b.window_total, b.plain_total);

	return b.other_ns + (b.window_ns > counting ? b.window_ns - counting : 0);
}

void budget_stretch(struct process *p, uint64_t total, bool in_window)
{
	uint64_t now = cpu_ns(), ns = now - b.seen_ns, other;

	if (in_window) {
		b.window_ns += ns;
		b.window_total += total - b.seen_total;
	} else {
		other = scaled(p->extra.translate_cycles - b.translated, now_ns() - b.first_ns,
			       cycles() - b.first_cycles) +
			b.calls * CALL_NS;
		other = other < ns ? other : ns;
		b.other_ns += other;
		b.plain_ns += ns - other;
		b.plain_total += total - b.seen_total;
	}
	b.calls = 0;
	b.seen_ns = now;
	b.seen_total = total;
	b.translated = p->extra.translate_cycles;
	p->counting_ns = counting_ns();
	p->sampling_ns = sampling_ns();
}

void budget_call(void)
{
	b.calls++;
}

uint64_t budget_until(uint64_t length)
{
	const uint64_t ppm = engine.config.overhead_ppm;
	uint64_t window, all;

	if (b.plain_total < LEAST_ACCESSES || b.window_total == 0)
		return 0;
	window = scaled(b.window_ns, length, b.window_total);
	all = scaled(b.plain_ns, length, b.plain_total);
	window = window > all ? window - all : 0;
	/* So much has counting to take until the window's cost is within the budget. */
	all = scaled(sampling_ns() + window, 1000000, ppm);
	return scaled(all, b.plain_total, b.plain_ns ? b.plain_ns : 1);
}
