/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking through the accesses of a window (StatCache, section 3.4): accesses
 * are chosen at random gaps, their lines watched, and the next touch by the
 * same thread ends the sample.
 *
 * A buffer of the stream variant holds one entry per access and, behind the
 * accesses of a segment, a trailer that names its descriptor:
 *
 *   | address | address | trailer | address | trailer | ...
 *
 * Trailers are negative as signed numbers, addresses of programs are not. Most
 * accesses touch nothing that is watched: scan_filter finds out 64 entries at
 * a time, and what it lets through is looked at one by one.
 *
 * All functions want the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_SCAN_H
#define DWELL_ENGINE_SAMPLE_SCAN_H

#include "engine/sample/collect.h"
#include "engine/sample/scan_filter.h"
#include "engine/sample/watches.h"

/* The open window, as far as its samples need it. */
struct scan_window {
	uint32_t number;
	uint32_t line_shift;
	uint64_t interval;	/* mean accesses between samples */
	uint32_t nested_one_in; /* of them, one of which is watched at all line sizes */
	uint32_t samples;	/* sent */
	uint64_t chosen;	/* accesses, also those whose samples were not kept */
	uint64_t chosen_loads;
	bool has_near;	      /* one of those that end near was, as the first is, for all others */
	uint64_t middle;      /* accesses of the process */
	struct page_use *use; /* is told of arrivals; NULL: nobody */
};

struct access {
	uint64_t pc, address;
	uint32_t size;
	unsigned kind;
};

/*
 * gcc calls a function for it where it may not take the instruction for granted.
 * volatile: or it executes it before it asks.
 */
static inline uint32_t count_bits(uint64_t v)
{
	uint64_t n;

	if (!engine.bmi2)
		return (uint32_t)__builtin_popcountll(v);
	__asm__ volatile("popcnt %1, %0" : "=r"(n) : "r"(v) : "cc");
	return (uint32_t)n;
}

/* Begin sampling in the window if t has not yet; first_at is its next access. */
void scan_join(struct thread *t, const struct scan_window *w, uint64_t first_at);
/* One access, number `at` of the thread: it may end a watch or be sampled. */
void scan_access(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		 uint64_t process_at);
/*
 * The accesses [skip, end) of t's buffer, whose first has the number
 * t->stream_position, and process_at among the process's.
 */
void scan_buffer(struct thread *t, struct scan_window *w, uint64_t skip, uint64_t end,
		 uint64_t process_at);
/* Iterations from an address of r's on, its own included, that stay on its line. */
uint64_t scan_stays(uint64_t address, const struct repeat *r, uint32_t line_shift);
/* Iterations [i, end) of a string instruction; the first access has the number at. */
void scan_repeat(struct thread *t, struct scan_window *w, const struct repeat *r, uint64_t i,
		 uint64_t end, uint64_t at, uint64_t process_at);
/*
 * The window ends for t: its samples are unresolved. When it is for the window's sake
 * (SAMPLE_CENSORED), some of the lines are followed: watched on in later windows.
 */
void scan_end_watches(struct thread *t, struct scan_window *w, uint32_t status,
		      uint64_t process_at);
/* t follows lines no longer. `process_at`: accesses of the process so far. */
void scan_end_follows(struct thread *t, const struct scan_window *w, uint64_t process_at);

#endif
