/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many lines of the program's pages are ever touched: the kernel counts pages, caches hold
 * lines. A fresh page is all zeros, so a line with anything else was written.
 *
 * Two upper bounds hold for touched lines that are still zero. First, the number of arrivals
 * (arrivals.h) at lines that are still zero by the next window, as a line's first touch of the run
 * is an arrival. Second, the number of zero lines in the pages with such arrivals, and in as many
 * more as chance has hidden (Good's estimate of coverage). In a program that works on zeros both
 * bounds exceed the number of lines, and all its lines count.
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

/* A page with arrivals at zero lines: for each size the arrivals, and the zero lines. */
struct blank_page {
	uint64_t address;
	uint8_t seen[NESTED_SIZES]; /* 255: or more */
	uint16_t empty[NESTED_SIZES];
	uint64_t check; /* the last check that saw it */
};

/* Pages examined, and the number of their nonzero lines of each size. */
struct page_lines {
	uint64_t pages;
	uint64_t lines[NESTED_SIZES];
};

/* State of a process. Lines have 1 << (NESTED_FIRST + i) bytes. */
struct page_use {
	uint64_t held, held_at;	      /* pages held, and the access count at that time */
	uint64_t most;		      /* the most pages held at a time */
	struct page_lines looked_at;  /* while it held nearly `most` */
	uint64_t checks, checked;     /* checks so far, and arrivals in all of them */
	uint64_t blank[NESTED_SIZES]; /* estimated arrivals of the run at zero lines */
	/* Arrivals of the last window, a random choice if there were more. */
	struct page_note {
		uint64_t address;
		uint32_t weight;
	} note[PAGE_USE_NOTES];
	uint64_t noted; /* arrivals reported in the window */
	/* Pages are chosen by a hash of their address: one in 1 << one_in_log2. */
	struct blank_page blank_page[PAGE_USE_BLANK];
	uint32_t blank_pages, one_in_log2;
	uint64_t each_for; /* accesses of the run for one of the window's second half */
};

/*
 * Before a window: count the pages, and examine some, if the run has grown enough since the last
 * time.
 */
void page_use_count(struct page_use *u, struct thread *t, uint64_t total);
/* The same at the end of the process, with more pages examined. Returns the pages held. */
uint64_t page_use_end(struct page_use *u, struct thread *t);
/*
 * Add a counted page. In a page of a code file all lines are touched, as it was never empty. In a
 * page of a data file only arrivals show touched lines, as with zero lines.
 */
enum page_kind { PAGE_FRESH, PAGE_OF_FILE, PAGE_OF_DATA };
void page_use_look(struct page_lines *u, uint64_t page, enum page_kind kind);

/* An arrival of this weight; `random` decides which earlier one it replaces. */
void page_use_note(struct page_use *u, uint64_t address, uint32_t weight, uint64_t random);
/* Before the next window: note which arrivals' lines are still zero. */
void page_use_check(struct page_use *u);

/*
 * The touched share of the lines of each size, in 65535ths; all 0 if too little is known. Arrivals
 * are at lines of 1 << line_shift bytes.
 */
void page_use_shares(const struct page_use *u, uint32_t line_shift,
		     uint16_t shares[CHANNEL_LINE_USES]);

#endif
