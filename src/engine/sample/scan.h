/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scanning the accesses of a window (StatCache, section 3.4): accesses are chosen at random gaps,
 * and their lines watched. The next touch by the same thread ends the sample, or the CHANNEL_FAR-th
 * access. Far lines (far_lines.h) are watched in all windows.
 *
 * A buffer of the stream variant holds one entry per access and, behind the accesses of a segment,
 * a trailer that names its descriptor:
 *
 *   | address | address | trailer | address | trailer | ...
 *
 * Trailers are negative as signed numbers, addresses of programs are not. Most accesses touch
 * nothing that is watched: scan_filter checks 64 entries at a time, and only what passes is
 * examined one by one.
 *
 * All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_SCAN_H
#define DWELL_ENGINE_SAMPLE_SCAN_H

#include "engine/drive/collect.h"
#include "engine/sample/far_lines.h"
#include "engine/sample/scan_filter.h"
#include "engine/sample/watches.h"

/* The data of the open window that its samples need. */
struct scan_window {
	uint32_t number;
	uint32_t line_shift;
	uint64_t interval;	/* mean accesses between samples */
	uint32_t nested_one_in; /* one of this many chosen accesses is watched at all sizes */
	uint32_t samples;	/* sent */
	uint64_t chosen;	/* accesses chosen, even if their samples were not kept */
	uint64_t chosen_loads;
	bool has_near;	     /* a sample that ends near was kept for the others */
	uint64_t start, end; /* accesses of the process; of a divided window, as planned */
	uint32_t joined;     /* threads */
	/* touches of the counted far lines, by class */
	uint64_t touches[CHANNEL_TOUCH_CLASSES];
	/* far touches, weighted; and which of them are sent: far at line_shift, far below only */
	uint64_t far[CHANNEL_FAR_SIZES];
	struct far_rate far_rate[2];
};

struct access {
	uint64_t pc, address;
	uint32_t size;
	unsigned kind;
};

/*
 * Without popcnt as a target feature gcc calls a function. volatile: else gcc may execute it before
 * the test.
 */
static inline uint32_t count_bits(uint64_t v)
{
	uint64_t n;

	if (!engine.bmi2)
		return (uint32_t)__builtin_popcountll(v);
	__asm__ volatile("popcnt %1, %0" : "=r"(n) : "r"(v) : "cc");
	return (uint32_t)n;
}

/* t joins the window if it has not yet; first_at is its next access. */
void scan_join(struct thread *t, struct scan_window *w, uint64_t first_at);
/* Scan one access, number `at` of the thread: it may end a watch, or be sampled. */
void scan_access(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		 uint64_t process_at);
/*
 * Scan the accesses [skip, end) of t's buffer. Its first access has the number t->stream_position
 * in the thread, and process_at in the process.
 */
void scan_buffer(struct thread *t, struct scan_window *w, uint64_t skip, uint64_t end,
		 uint64_t process_at);
/* The number of iterations from `address` on, its own included, that stay on its line. */
uint64_t scan_stays(uint64_t address, const struct repeat *r, uint32_t line_shift);
/* Scan the iterations [i, end) of a string instruction; the first access has the number `at`. */
void scan_repeat(struct thread *t, struct scan_window *w, const struct repeat *r, uint64_t i,
		 uint64_t end, uint64_t at, uint64_t process_at);
/* The window ends for t, and with it the samples that are still watched. */
void scan_end_watches(struct thread *t, struct scan_window *w);

#endif
