/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Far lines: a random choice of lines (far_units.h) that one thread watches in all its windows. A
 * touch CHANNEL_FAR or more accesses after the last one is a far touch, and so is the first one.
 * Both ends of such a reuse are seen, at any distance, in a small table (SHARDS, FAST 2015), and
 * the number of other far lines touched in between tells its LRU stack distance.
 *
 * Lines of all sizes of CHANNEL_FAR_SIZES are told apart. In a far line of 64 bytes both halves are
 * watched, and one line each of 16, 8 and 4 bytes in it, at a place that its address decides. Time
 * is in accesses of the thread inside windows, as if these were side by side.
 *
 * All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_FAR_LINES_H
#define DWELL_ENGINE_SAMPLE_FAR_LINES_H

#include "engine/sample/far_cells.h"
#include "engine/sample/far_units.h"
#include "engine/sample/watches.h"

struct access;
struct scan_window;

#define FAR_LINES  16384u  /* most lines of 64 bytes in a table */
#define FAR_HEADS  32768u  /* chains of them, a power of two */
#define FAR_BLOCKS 8192u   /* most runs of lines larger than 64 bytes */
#define FAR_HASHES 16384u  /* slots of their table, a power of two */
#define FAR_TIMES  131072u /* words of memory for them */
#define FAR_SMALL  3u	   /* sizes below 32 bytes */

/* A line of 64 bytes. */
struct far_line64 {
	uint64_t line;
	uint64_t half[2];	   /* last touch of each; 0: never */
	uint64_t small[FAR_SMALL]; /* of the watched lines of 4, 8 and 16 bytes */
	/* The last access to each half: where it begins, from the line; its size and its kind. */
	uint64_t pc[2];
	int16_t offset[2];
	uint16_t bytes[2];
	uint32_t block; /* in `times`; 0: it is in no larger line */
	uint16_t next;	/* in its chain, + 1 */
	uint16_t unit;
};

/*
 * Larger lines are in blocks of `times`, one for each run of lines of a unit that was touched: the
 * word of a heap's root is 1, those of its two halves 2 and 3, and so on down to lines of 128
 * bytes. Word 0 is the key of the block.
 */
struct far_lines {
	bool begun; /* units are chosen */
	struct far_units units;
	uint64_t now_less_at; /* in a window: time less the thread's access number */
	uint64_t now;	      /* outside: time so far */
	uint32_t used;	      /* lines */
	uint32_t blocks, times_used;
	/* lines of each size, and the sum of their weights */
	uint64_t known[CHANNEL_FAR_SIZES], known_weight[CHANNEL_FAR_SIZES];
	uint16_t head[FAR_HEADS];      /* + 1 */
	uint32_t block_at[FAR_HASHES]; /* in `times`; 0: free */
	struct far_cells cells;
	struct far_line64 line[FAR_LINES];
	uint64_t times[FAR_TIMES];
};

/*
 * A coin for the far touches of a kind. One in one_in / FAR_RATE_ONE is sent, so that windows send
 * about FAR_SENT; more and more rarely where that is far too few.
 */
#define FAR_RATE_ONE 256u

struct far_rate {
	uint64_t one_in;
	uint64_t mean;	     /* in FAR_RATE_PER accesses of recent windows */
	uint32_t most;	     /* to be sent in a window, about */
	uint32_t seen, sent; /* in this window */
};

/* At most these in a window: those far at the recorded size; those far at smaller ones only. */
#define FAR_SENT       64u
#define FAR_SENT_SMALL 24u

void far_rate_start(struct far_rate *r, uint32_t most);
/* Is this one sent? */
bool far_rate_takes(struct far_rate *r, uint64_t *rng);
/* A window of `length` accesses is over; the next one has `next`. */
void far_rate_next(struct far_rate *r, uint64_t length, uint64_t next);

/* Start anew: no line is known. */
void far_lines_clear(struct watch_set *ws);
/* A window begins for the thread; first_at is its next access. Chooses units at the first time. */
void far_lines_join(struct watch_set *ws, uint64_t first_at, uint64_t *rng);
/* It ends for the thread at its access `at`. */
void far_lines_end_window(struct watch_set *ws, uint64_t at);
/*
 * Access `at` of t, `process_at` of the process, touches a slot of a unit, maybe one behind that in
 * which it begins. Sends a record if it is a far touch that is chosen.
 */
void far_lines_touch(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		     uint64_t process_at);

/* ---- Between the two files ---- */

/* A line of size i is known from now on. */
static inline void far_lines_know(struct far_lines *f, enum far_kind kind, uint32_t i)
{
	f->known[i]++;
	f->known_weight[i] += f->units.weight[kind][i];
}
/* Far lines of several threads, and what they stand for, by their size. */
struct far_sums {
	uint64_t lines[CHANNEL_FAR_SIZES], weighted[CHANNEL_FAR_SIZES];
	uint64_t weight[CHANNEL_FAR_SIZES]; /* of one, in some thread */
};
/* Add those of a thread, which may have none. */
void far_lines_sum_up(struct far_sums *sums, const struct watch_set *ws);
/* Room for two more lines; fewer units if needed. */
void far_lines_make_room(struct watch_set *ws, uint64_t now, uint64_t *rng);
/* The line's entry; NULL: it has none. */
static inline struct far_line64 *far_lines_find(struct far_lines *f, uint64_t line)
{
	uint16_t i = f->head[line * 0x9e3779b97f4a7c15ull >> 49];

	_Static_assert(FAR_HEADS == 1u << (64 - 49), "chains");
	while (i && f->line[i - 1].line != line)
		i = f->line[i - 1].next;
	return i ? &f->line[i - 1] : 0;
}
/* A new one, of this unit. There must be room. */
struct far_line64 *far_lines_add(struct far_lines *f, uint64_t line, uint16_t unit);
/* The place of the watched small lines in a line, as a number of 4 bytes. */
static inline uint32_t far_lines_place(uint64_t line)
{
	return (uint32_t)(line * 0xd6e8feb86659fd93ull >> 60);
}
static inline enum far_kind far_lines_kind(const struct far_line64 *l)
{
	return far_kind_of(l->unit);
}
/* log2 of the lines of the unit, and the word of the line of 128 bytes in its block. */
static inline uint32_t far_lines_log2(const struct far_line64 *l)
{
	return far_slots_log2(far_lines_kind(l));
}
static inline uint32_t far_lines_word(const struct far_line64 *l)
{
	uint32_t lines = 1u << far_lines_log2(l);

	return (lines + ((uint32_t)l->line & (lines - 1))) / 2;
}

#endif
