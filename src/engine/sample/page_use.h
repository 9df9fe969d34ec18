/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many of the lines in the program's pages are ever touched: the kernel counts pages, caches
 * hold lines. A fresh page is full of zeros, so a line that holds anything else was written. Lines
 * may be touched and stay zero: as many at most as there are arrivals (arrivals.h) at lines that
 * are still all zero by the next window, since the first touch of a line in the run is one; and as
 * many at most as there are empty lines in the pages in which such arrivals are seen, and in as
 * many more as chance has hidden (Good's estimate of coverage). A program that works on zeros has
 * more of both than lines, and all of its lines count.
 *
 * The lock of collect.h guards all of it.
 */
#ifndef DWELL_ENGINE_SAMPLE_PAGE_USE_H
#define DWELL_ENGINE_SAMPLE_PAGE_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/channel.h"

struct thread;

#define PAGE_USE_NOTES 16u
#define PAGE_USE_BLANK 128u

/* A page with arrivals at empty lines of each size: how many, and how many lines are empty. */
struct blank_page {
	uint64_t address;
	uint8_t seen[NESTED_SIZES]; /* 255: or more */
	uint16_t empty[NESTED_SIZES];
	uint64_t check; /* the last one that saw it */
};

/* Pages looked at, and how many of their lines of each size are not all zero. */
struct page_lines {
	uint64_t pages;
	uint64_t lines[NESTED_SIZES];
};

/* Of a process. Lines of 1 << (NESTED_FIRST + i) bytes. */
struct page_use {
	uint64_t held, held_at;	      /* pages, and its accesses when they were counted */
	uint64_t most;		      /* pages it ever held */
	struct page_lines looked_at;  /* when it held nearly so many */
	uint64_t checks, checked;     /* times, and arrivals in all of them */
	uint64_t blank[NESTED_SIZES]; /* accesses of the run that arrive at lines all zero */
	/* Arrivals of the last window, a choice where there were more. */
	struct page_note {
		uint64_t address;
		uint32_t weight;
	} note[PAGE_USE_NOTES];
	uint64_t noted; /* of those told of */
	/* Pages are chosen by a hash of their address: one in 1 << one_in_log2. */
	struct blank_page blank_page[PAGE_USE_BLANK];
	uint32_t blank_pages, one_in_log2;
	uint64_t each_for; /* accesses of the run, for one of the half window that tells */
};

/*
 * Before a window: count the pages, and look at some, when the run has grown enough since the last
 * time.
 */
void page_use_count(struct page_use *u, struct thread *t, uint64_t total);
/* The same as the process ends: at more of them. Returns how many it holds. */
uint64_t page_use_end(struct page_use *u, struct thread *t);
/*
 * One was counted and is to be looked at. That of a file with code was never empty, so all its
 * lines are touched; of one with data arrivals tell, as they do of lines that are all zero.
 */
enum page_kind { PAGE_FRESH, PAGE_OF_FILE, PAGE_OF_DATA };
void page_use_look(struct page_lines *u, uint64_t page, enum page_kind kind);

/* An access arrived that speaks for so many; `random` decides whom it takes the place of. */
void page_use_note(struct page_use *u, uint64_t address, uint32_t weight, uint64_t random);
/* Before the next window: whose lines are still all zero? */
void page_use_check(struct page_use *u);

/*
 * The share of the lines of each size that was touched, in 65535ths; all 0 when too little is
 * known. Arrivals are at lines of 1 << line_shift bytes.
 */
void page_use_shares(const struct page_use *u, uint32_t line_shift,
		     uint16_t shares[CHANNEL_LINE_USES]);

#endif
