/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nonzero lines of pages; see page_use.h. */
#include "engine/sample/page_use.h"

#include "engine/core/random.h"
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/sample/footprint.h"

#define COUNT_PART     64u /* pages are counted when the run has grown by this part */
#define LOOKED_AT      2u  /* pages examined each time */
#define LOOKED_AT_LAST 256u
#define NEARLY_ALL     16u /* within this part of the maximum */
#define MOST_PAGES     64u /* examined, before old ones count half */
#define WORDS	       (PAGE / 8)
#define ENOUGH_CHECKED 300u /* arrivals, to estimate how few are at zero lines */
#define SHARE_ALL      65535u

/* Bit i of the result is the OR of bits 2i and 2i + 1 of m. */
static uint64_t halve(uint64_t m)
{
	m = (m | m >> 1) & 0x5555555555555555ull;
	m = (m | m >> 1) & 0x3333333333333333ull;
	m = (m | m >> 2) & 0x0f0f0f0f0f0f0f0full;
	m = (m | m >> 4) & 0x00ff00ff00ff00ffull;
	m = (m | m >> 8) & 0x0000ffff0000ffffull;
	return (m | m >> 16) & 0x00000000ffffffffull;
}

/* Add the nonzero lines of a page to lines[]. */
static void count_lines(const uint64_t words[WORDS], uint64_t lines[NESTED_SIZES])
{
	uint64_t filled[WORDS / 64] = {0};

	for (uint32_t i = 0; i < WORDS; i++) {
		filled[i / 64] |= (uint64_t)(words[i] != 0) << i % 64;
		lines[0] += ((uint32_t)words[i] != 0) + (words[i] >> 32 != 0);
	}
	for (uint32_t i = 1, count = WORDS; i < NESTED_SIZES; i++, count /= 2) {
		for (uint32_t k = 0; k < (count + 63) / 64; k++)
			lines[i] += (uint32_t)__builtin_popcountll(filled[k]);
		for (uint32_t k = 0; k < (count + 127) / 128; k++)
			filled[k] = halve(filled[2 * k]) |
				    (count > 64 ? halve(filled[2 * k + 1]) << 32 : 0);
	}
}

void page_use_look(struct page_lines *u, uint64_t page, enum page_kind kind)
{
	uint64_t words[WORDS];

	for (uint32_t i = 0; kind == PAGE_OF_FILE && i < NESTED_SIZES; i++)
		u->lines[i] += PAGE >> (NESTED_FIRST + i);
	if (kind == PAGE_FRESH) {
		if (engine_copy(words, (const void *)page, PAGE) != 0)
			return;
		count_lines(words, u->lines);
	}
	u->pages++;
}

/* Old pages count less and less. */
static void add_pages(struct page_lines *u, const struct page_lines *more)
{
	bool full = u->pages >= MOST_PAGES;

	u->pages = (full ? u->pages / 2 : u->pages) + more->pages;
	for (uint32_t i = 0; i < NESTED_SIZES; i++)
		u->lines[i] = (full ? u->lines[i] / 2 : u->lines[i]) + more->lines[i];
}

/*
 * Count the pages, and examine about `count`. Skip the result if most were given back since: it
 * tells nothing.
 */
static void look_at_some(struct page_use *u, struct thread *t, uint64_t count)
{
	struct page_lines seen = {0};
	/* before the first count their number is unknown */
	struct page_choice choice = {.every = u->held ? u->held / count + 1 : UINT32_MAX,
				     .use = &seen};

	choice.skip = random_next(&t->rng) % choice.every;
	lock_take(&engine.translate_lock);
	u->held = footprint_count(t->regs[RSP], choice);
	lock_drop(&engine.translate_lock);
	if (u->held > u->most)
		u->most = u->held;
	if (u->held >= u->most - u->most / NEARLY_ALL)
		add_pages(&u->looked_at, &seen);
}

void page_use_count(struct page_use *u, struct thread *t, uint64_t total)
{
	if (u->held && total < u->held_at + u->held_at / COUNT_PART * footprint_patience())
		return;
	look_at_some(u, t, LOOKED_AT);
	u->held_at = total;
}

uint64_t page_use_end(struct page_use *u, struct thread *t)
{
	look_at_some(u, t, LOOKED_AT_LAST);
	return u->held;
}

void page_use_note(struct page_use *u, uint64_t address, uint32_t weight, uint64_t random)
{
	uint64_t i = u->noted < PAGE_USE_NOTES ? u->noted : random % (u->noted + 1);

	u->noted++;
	if (i < PAGE_USE_NOTES)
		u->note[i] = (struct page_note){address, weight};
}

/* The number of line sizes at which the line around address is all zero; then *page is its page. */
static uint32_t blank_sizes(uint64_t address, uint64_t page[WORDS])
{
	uint64_t any;

	if (footprint_is_data(address)) {
		memset(page, 0, PAGE);
		return NESTED_SIZES;
	}
	if (engine_peek(&any, (const void *)(address & -8ul)) != 0)
		return 0;
	if ((uint32_t)(any >> (address & 4) * 8) != 0)
		return 0;
	if (engine_copy(page, (const void *)(address & -PAGE), PAGE) != 0)
		return 0;
	if (any != 0)
		return 1;
	for (uint32_t i = 2; i < NESTED_SIZES; i++) {
		uint64_t bytes = 1ul << (NESTED_FIRST + i);
		uint64_t first = (address & (PAGE - 1) & -bytes) / 8;

		for (uint64_t k = first; k < first + bytes / 8; k++)
			if (page[k] != 0)
				return i;
	}
	return NESTED_SIZES;
}

static bool is_chosen(const struct page_use *u, uint64_t page)
{
	return (page / PAGE * 0x9e3779b97f4a7c15ull >> 32 & ((1ul << u->one_in_log2) - 1)) == 0;
}

/* The record of a page, made if needed; NULL if the page is not chosen. */
static struct blank_page *find_blank_page(struct page_use *u, uint64_t page)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < u->blank_pages; i++)
		if (u->blank_page[i].address == page)
			return &u->blank_page[i];
	while (u->blank_pages == PAGE_USE_BLANK) {
		u->one_in_log2++;
		for (uint32_t i = 0; i < u->blank_pages; i++)
			if (is_chosen(u, u->blank_page[i].address))
				u->blank_page[kept++] = u->blank_page[i];
		u->blank_pages = kept;
		kept = 0;
	}
	if (!is_chosen(u, page))
		return 0;
	u->blank_page[u->blank_pages] = (struct blank_page){.address = page};
	return &u->blank_page[u->blank_pages++];
}

static void see_blank(struct page_use *u, uint64_t page, uint32_t blank,
		      const uint64_t words[WORDS])
{
	struct blank_page *b = find_blank_page(u, page);
	uint64_t lines[NESTED_SIZES] = {0};

	/*
	 * A scan of a file has several arrivals in a page in each window. They say nothing about
	 * pages that chance has hidden.
	 */
	if (!b || (b->check == u->checks && footprint_is_data(page)))
		return;
	b->check = u->checks;
	count_lines(words, lines);
	for (uint32_t i = 0; i < NESTED_SIZES; i++)
		b->empty[i] = (uint16_t)((PAGE >> (NESTED_FIRST + i)) - lines[i]);
	for (uint32_t i = 0; i < blank; i++)
		b->seen[i] += b->seen[i] < UINT8_MAX;
}

void page_use_check(struct page_use *u)
{
	uint64_t kept = u->noted < PAGE_USE_NOTES ? u->noted : PAGE_USE_NOTES, words[WORDS];

	u->checks++;
	lock_take(&engine.translate_lock); /* so that mappings stay */
	for (uint64_t n = 0; n < kept; n++) {
		uint64_t accesses = u->note[n].weight * u->each_for * u->noted / kept;
		uint32_t blank = blank_sizes(u->note[n].address, words);

		if (blank > 0)
			see_blank(u, u->note[n].address & -PAGE, blank, words);
		for (uint32_t i = 0; i < blank; i++)
			u->blank[i] += accesses;
	}
	lock_drop(&engine.translate_lock);
	u->checked += kept;
	u->noted = 0;
}

/*
 * The zero lines of all pages in which zero lines are touched, with Good's estimate of unseen ones.
 */
static uint64_t lines_near_blanks(const struct page_use *u, uint32_t size)
{
	uint64_t lines = 0, seen = 0, once = 0;

	for (uint32_t i = 0; i < u->blank_pages; i++) {
		const struct blank_page *b = &u->blank_page[i];

		if (b->seen[size] == 0)
			continue;
		lines += b->empty[size];
		seen += b->seen[size];
		once += b->seen[size] == 1;
	}
	return (seen > once ? lines * seen / (seen - once) : lines * seen) << u->one_in_log2;
}

void page_use_shares(const struct page_use *u, uint32_t line_shift,
		     uint16_t shares[CHANNEL_LINE_USES])
{
	for (uint32_t i = 0; i < CHANNEL_LINE_USES; i++)
		shares[i] = 0;
	if (u->looked_at.pages == 0 || u->checked < ENOUGH_CHECKED)
		return;
	for (uint32_t i = 0; i < NESTED_SIZES; i++) {
		uint32_t shift = NESTED_FIRST + i;
		/* an arrival at a watched line may be one at each shorter line in it */
		uint64_t each = shift < line_shift ? 1ul << (line_shift - shift) : 1;
		uint64_t all = u->looked_at.pages * (PAGE >> shift);
		uint64_t held = u->most * (PAGE >> shift);
		uint64_t share = u->looked_at.lines[i] * SHARE_ALL / all;
		uint64_t blank = u->blank[i] * each, near = lines_near_blanks(u, i);

		blank = blank < near ? blank : near;
		share += blank < held ? blank * SHARE_ALL / held : SHARE_ALL;
		shares[i] = (uint16_t)(share < SHARE_ALL ? share > 0 ? share : 1 : SHARE_ALL);
	}
}
