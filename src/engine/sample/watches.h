/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that one thread watches: a small hash table behind a filter of one bit per slot, the
 * low bits of the number of 64 bytes (of any size are the lines that are watched). For most
 * accesses the bit of the first 64 bytes says that they touch no watched line. A busy line may
 * share its slot with a watched one far away, so accesses that pass are also checked by page.
 * Accesses of more than WATCH_REACH bytes may begin on an unmarked line.
 *
 * The samples of a window are watched until the next touch, or for CHANNEL_FAR accesses. Slots of
 * far lines (far_lines.h) always pass.
 */
#ifndef DWELL_ENGINE_SAMPLE_WATCHES_H
#define DWELL_ENGINE_SAMPLE_WATCHES_H

#include "engine/core/state.h"
#include "engine/translate/translate.h"

#define MAX_WATCHES  2048u
#define WATCH_CHAINS (WATCH_SLOTS / 16)
#define WATCH_SHIFT  6u	   /* log2 of the bytes that a slot of the filter stands for */
#define WATCH_PAGES  8192u /* counters of pages of 4096 bytes; a word of the filter covers a page */

struct watch {
	struct record_access begin;
	uint64_t line;
	uint64_t begin_at;   /* thread accesses */
	uint64_t process_at; /* process accesses */
	uint16_t next;	     /* in its hash chain, + 1 */
	/* in the order in which they began, + 1 */
	uint16_t older, younger;
	/*
	 * Of an access to two lines: the watch of the other line, + 1, while both are untouched.
	 * The one touched last is the sample.
	 */
	uint16_t partner;
	bool kept;				 /* its sample is sent even if it ends near */
	uint16_t touches[CHANNEL_TOUCH_CLASSES]; /* of the set, when it began */
};

struct far_lines;
struct nested_set;
struct stack_distance;
struct call_stack;
struct block_log;

/* The number of marks of each slot, and whether it has any. */
struct watch_marks {
	uint64_t bits[WATCH_SLOTS / 64];
	uint16_t count[WATCH_SLOTS];
};

struct watch_set {
	struct far_lines *far_lines;   /* or NULL, in tests */
	struct nested_set *nested;     /* or NULL: one line size only */
	struct stack_distance *stack;  /* or NULL: no lines are counted */
	struct call_stack *calls;      /* or NULL: no call paths */
	struct watch_set *next_unused; /* see buffers.c */
	struct block_log *blocks;      /* or NULL: allocations are not followed */
	uint32_t window;	       /* the window of its samples */
	uint32_t line_shift;	       /* log2 of the bytes of a watched line */
	uint64_t first_at;	       /* the thread's first access in the window */
	uint64_t share;		       /* the accesses that it has in it; 0: not divided */
	uint64_t interval;	       /* mean accesses between samples */
	uint64_t next_sample;	       /* thread access to sample next */
	/* of the counted far lines so far, by class; a watch sees fewer than go into it */
	uint16_t touches[CHANNEL_TOUCH_CLASSES];
	uint32_t changes;   /* number of times that the filter became finer */
	uint32_t additions; /* the same for coarser */
	/* Entries of the buffer behind the scanned access; empty if unknown. */
	const uint64_t *ahead, *ahead_end;
	uint16_t free; /* list of unused watches, + 1 */
	uint16_t used;
	uint16_t oldest, youngest; /* + 1 */
	/* slots marked or far: 4 KB, which stay in the L1 cache */
	uint64_t bits[WATCH_SLOTS / 64];
	uint64_t far[WATCH_SLOTS / 64]; /* of far lines */
	/* slots in front of those, from which an access may reach them */
	uint64_t before[WATCH_SLOTS / 64];
	struct watch_marks own, within; /* watched lines; lines within reach of one */
	uint16_t pages[WATCH_PAGES];	/* marks on lines of a page */
	uint16_t chain[WATCH_CHAINS];
	struct watch watch[MAX_WATCHES];
};

static inline uint32_t watch_slot(uint64_t line)
{
	return (uint32_t)line & (WATCH_SLOTS - 1);
}

static inline uint32_t watch_page(uint64_t line)
{
	return (uint32_t)((line / 64) * 0x9e3779b97f4a7c15ull >> 51) % WATCH_PAGES;
}

/* Is its slot one of far lines? Lines are numbers of 64 bytes, here and below. */
static inline uint64_t watch_is_far(const struct watch_set *ws, uint64_t line)
{
	uint32_t slot = watch_slot(line);

	return ws->far[slot / 64] >> (slot & 63) & 1;
}

/* Does the filter let an access through that begins on the line? */
static inline uint64_t watch_passes(const struct watch_set *ws, uint64_t line)
{
	uint32_t slot = watch_slot(line);

	return ws->bits[slot / 64] >> (slot & 63) & 1;
}

/* May an access that begins on the line touch a line of a sample? */
static inline bool watch_is_marked(const struct watch_set *ws, uint64_t line)
{
	uint32_t word = watch_slot(line) / 64;

	return (ws->own.bits[word] | ws->within.bits[word]) >> (line & 63) & 1 &&
	       ws->pages[watch_page(line)];
}

/* May it touch a line of a sample, or a far line? */
static inline bool watch_maybe(const struct watch_set *ws, uint64_t line)
{
	uint32_t word = watch_slot(line) / 64;

	return watch_passes(ws, line) && ((ws->far[word] | ws->before[word]) >> (line & 63) & 1 ||
					  ws->pages[watch_page(line)]);
}

/* Recompute a word of the filter, after its sources have changed. */
static inline void watches_set_bits(struct watch_set *ws, uint32_t word)
{
	ws->bits[word] =
		ws->own.bits[word] | ws->within.bits[word] | ws->far[word] | ws->before[word];
}

/* Let the filter pass accesses that may touch the lines `first` to `last`; and end that. */
void watches_mark(struct watch_set *ws, uint64_t first, uint64_t last);
void watches_unmark(struct watch_set *ws, uint64_t first, uint64_t last);

/* Like watches_clear, for memory that is all zeros; writes little of it. */
void watches_init(struct watch_set *ws, uint32_t line_shift);
/* Watch nothing, in no window; lines have 1 << line_shift bytes. */
void watches_clear(struct watch_set *ws, uint32_t line_shift);
/*
 * Watch a line of that size, by its number, that is not watched. NULL: too many. The caller fills
 * in the rest.
 */
struct watch *watch_add(struct watch_set *ws, uint64_t line);
/* Unlink and return the watch of such a line, or NULL. It stays readable until the next add. */
struct watch *watch_take(struct watch_set *ws, uint64_t line);
/* The touches of far lines since `then`, for a record. */
void watches_count_touches(const struct watch_set *ws, const uint16_t *then,
			   uint8_t touches[CHANNEL_TOUCH_CLASSES]);
/* a and b are watched for one access. */
void watches_pair(struct watch_set *ws, struct watch *a, struct watch *b);
/* w was taken. True: its partner is left, and becomes the sample. */
bool watch_leaves_partner(struct watch_set *ws, const struct watch *w);

#endif
