/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages that the target holds; see footprint.h. */
#include "engine/sample/footprint.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

/* ---- Files with data ---- */

static bool is_data(const struct mapping *m)
{
	return mapping_is_data(m) && (m->prot & (PROT_READ | PROT_EXEC)) == PROT_READ;
}

/*
 * Counts a file's pages in the process's own page table: mincore would count any page of the file
 * that the kernel keeps. Of a large file at most this many pieces of 2 MB are examined.
 */
#define PIECE	    512u
#define MOST_PIECES 64u
#define PRESENT	    (3ull << 62) /* or swapped out */

static uint64_t present_of_data(long pagemap, const struct mapping *m)
{
	uint64_t entries[PIECE], n = 0, pages = (m->end - m->start) / PAGE;
	uint64_t each = pages / PIECE / MOST_PIECES + 1;

	for (uint64_t at = 0; at < pages; at += each * PIECE) {
		uint64_t page = m->start / PAGE + at;
		uint64_t want = pages - at < PIECE ? pages - at : PIECE;
		long got = sys4(SYS_pread64, pagemap, entries, want * 8, page * 8);

		for (long i = 0; i < got / 8; i++) {
			if (entries[i] & PRESENT)
				n += each;
		}
	}
	return n < pages ? n : pages; /* the last piece may stand for more than there is */
}

/* ---- All else ---- */

/* The start of m's pages that are the target's own; m->end: none are. */
static uint64_t own_start(const struct mapping *m, uint64_t stack_pointer)
{
	if (is_data(m) || !(m->prot & PROT_READ) || (m->file && !(m->prot & PROT_WRITE)))
		return m->end;
	/* the kernel grows a stack below its mapping as known here */
	if (m->stack && stack_pointer < m->end && stack_pointer > m->end - (1ull << 32))
		return stack_pointer & ~(PAGE - 1);
	return m->start;
}

/* Pages [start, end) are present: count and examine those that are the target's own. */
static uint64_t take_present(uint64_t start, uint64_t end, uint64_t stack_pointer)
{
	const struct mapping *m;
	uint64_t n = 0;

	for (uint64_t at = start; (m = mappings_after(at)) && at < end; at = m->end) {
		uint64_t low = own_start(m, stack_pointer), high = m->end < end ? m->end : end;

		low = low > start ? low : start;
		if (low >= high)
			continue;
		n += (high - low) / PAGE;
	}
	return n;
}

/*
 * An ioctl of /proc/PID/pagemap since Linux 6.7: the ranges of present pages, without a visit of
 * each hole.
 */
#define PAGEMAP_SCAN	0xc0606610u
#define PAGE_IS_PRESENT 8u
#define REGIONS		256u

struct page_region {
	uint64_t start, end, categories;
};

struct scan_arguments {
	uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
	uint64_t category_inverted, category_mask, category_any, return_mask;
};

#define HIGHEST (1ull << 47)

/* Count by PAGEMAP_SCAN. False if the kernel does not know it. */
static bool scan(long pagemap, uint64_t stack_pointer, uint64_t *n)
{
	struct page_region region[REGIONS];
	struct scan_arguments a = {.size = sizeof a,
				   .end = HIGHEST - PAGE,
				   .regions = (uint64_t)(uintptr_t)region,
				   .region_count = REGIONS,
				   .category_mask = PAGE_IS_PRESENT,
				   .return_mask = PAGE_IS_PRESENT};

	while (a.start < a.end) {
		long found = sys3(SYS_ioctl, pagemap, PAGEMAP_SCAN, &a);

		if (sys_failed(found))
			return false;
		for (long i = 0; i < found; i++)
			*n += take_present(region[i].start, region[i].end, stack_pointer);
		if (a.walk_end <= a.start)
			break;
		a.start = a.walk_end;
	}
	return true;
}

#define MINCORE_PAGES 4096u
/* bytes asked about in a mapping: huge ones are mostly empty */
#define MOST_ASKED     (64ull << 30)
#define QUICK_BYTES    (1ull << 30) /* asking about this many takes a millisecond or so */
#define QUICK_MAPPINGS 4096u	    /* walking this many takes less */

static uint64_t asked, mappings; /* of the last count: bytes, number; atomic */

static uint64_t resident(uint64_t start, uint64_t end)
{
	union {
		uint8_t byte[MINCORE_PAGES];
		uint64_t word[MINCORE_PAGES / 8];
	} there;
	uint64_t n = 0;

	for (; start < end; start += MINCORE_PAGES * PAGE) {
		uint64_t pages =
			(end - start) / PAGE < MINCORE_PAGES ? (end - start) / PAGE : MINCORE_PAGES;

		if (sys3(SYS_mincore, start, pages * PAGE, &there) != 0)
			continue;
		for (uint64_t i = 0; i < pages; i++) {
			if (i % 8 == 0 && i + 8 <= pages && !there.word[i / 8]) {
				i += 7;
				continue;
			}
			n += there.byte[i] & 1;
		}
	}
	return n;
}

/* Count by mincore, which answers for each mapped page. */
static uint64_t ask_all(uint64_t stack_pointer)
{
	const struct mapping *m;
	uint64_t n = 0, bytes = 0;

	for (uint64_t at = 0; (m = mappings_after(at)); at = m->end) {
		uint64_t start = own_start(m, stack_pointer), end = m->end;

		end = end - start > MOST_ASKED ? start + MOST_ASKED : end;
		bytes += end - start;
		n += resident(start, end);
	}
	__atomic_store_n(&asked, bytes, __ATOMIC_RELAXED);
	return n;
}

/*
 * Counting is slow where the kernel must be asked about all mappings: the run grows by this many
 * 16ths before the next count.
 */
static uint64_t patience(void)
{
	return 1 + __atomic_load_n(&asked, __ATOMIC_RELAXED) / QUICK_BYTES +
	       __atomic_load_n(&mappings, __ATOMIC_RELAXED) / QUICK_MAPPINGS;
}

static uint64_t count_pages(uint64_t stack_pointer)
{
	long pagemap = sys4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
	uint64_t n = 0, own = 0, count = 0;
	const struct mapping *m;

	for (uint64_t at = 0; (m = mappings_after(at)); at = m->end, count++)
		if (is_data(m) && !sys_failed(pagemap))
			n += present_of_data(pagemap, m);
	if (sys_failed(pagemap) || !scan(pagemap, stack_pointer, &own))
		own = ask_all(stack_pointer);
	if (!sys_failed(pagemap))
		sys1(SYS_close, pagemap);
	__atomic_store_n(&mappings, count, __ATOMIC_RELAXED);
	return n + own;
}

uint64_t footprint_count(const struct thread *t)
{
	uint64_t pages;

	lock_take(&engine.translate_lock); /* so that mappings stay */
	pages = count_pages(t->regs[RSP]);
	lock_drop(&engine.translate_lock);
	return pages;
}

#define COUNT_PART 16u

void footprint_look(struct footprint *f, const struct thread *t, uint64_t total)
{
	if (f->pages && total < f->counted_at + f->counted_at / COUNT_PART * patience())
		return;
	f->pages = footprint_count(t);
	f->counted_at = total;
}
