/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target's mappings and code pages; see pages.h. */
#include "engine/pages.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/cache.h"
#include "engine/page_use.h"
#include "engine/util.h"

#define MAX_MAPPINGS (1u << 17) /* the kernel allows half as many by default */
#define CODE_SLOTS (1u << 18)
/* After this many write faults on one page its blocks check themselves instead. */
#define FAULTS_BEFORE_CHECKING 64

static struct mapping *map;
static uint32_t map_count;
static struct code_page *code; /* [code_count], never shrinks */
static uint32_t code_count;
static uint32_t *code_slots; /* hash of page -> index in code + 1 */

static void *reserve(uint64_t bytes)
{
	long p = sys6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return sys_failed(p) ? 0 : (void *)p;
}

int pages_init(void)
{
	map = reserve(MAX_MAPPINGS * sizeof *map);
	code = reserve(CODE_SLOTS / 2 * sizeof *code);
	code_slots = reserve(CODE_SLOTS * sizeof *code_slots);
	return map && code && code_slots ? 0 : -1;
}

/* Index of the first mapping that ends above address. */
static uint32_t first_above(uint64_t address)
{
	uint32_t low = 0, high = map_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (map[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool insert_at(uint32_t i, struct mapping m)
{
	if (map_count >= MAX_MAPPINGS - 2)
		return false; /* lookups then fail safe: unknown memory is asked of the kernel */
	memmove(&map[i + 1], &map[i], (map_count - i) * sizeof *map);
	map[i] = m;
	map_count++;
	return true;
}

/* Make `at` a boundary between mappings. */
static void split(uint64_t at)
{
	uint32_t i = first_above(at);

	if (i == map_count || map[i].start >= at)
		return;
	struct mapping upper = map[i];

	upper.start = at;
	if (insert_at(i + 1, upper))
		map[i].end = at;
}

void mappings_clear(uint64_t start, uint64_t end)
{
	split(start);
	split(end);
	uint32_t i = first_above(start), j = i;

	while (j < map_count && map[j].start < end)
		j++;
	memmove(&map[i], &map[j], (map_count - j) * sizeof *map);
	map_count -= j - i;
}

void mappings_set(uint64_t start, uint64_t end, uint32_t prot, bool shared, bool file, bool stack)
{
	mappings_clear(start, end);
	uint32_t i = first_above(start);
	struct mapping m = { start, end, prot, shared, file, stack, false, 0 };

	/* Grow a neighbour of the same kind: heaps are made of many pieces. */
	if (i > 0 && map[i - 1].end == start && map[i - 1].prot == prot && !file && !stack &&
	    !map[i - 1].file && !map[i - 1].stack && map[i - 1].shared == shared) {
		map[i - 1].end = end;
		return;
	}
	insert_at(i, m);
}

void mappings_protect(uint64_t start, uint64_t end, uint32_t prot)
{
	split(start);
	split(end);
	for (uint32_t i = first_above(start); i < map_count && map[i].start < end; i++)
		map[i].prot = prot;
}

void mappings_of_file(uint64_t start, uint64_t end, uint64_t id)
{
	bool code = false;

	for (uint32_t i = first_above(start); i < map_count && map[i].start < end; i++) {
		map[i].file_id = id;
		map[i].data = true;
	}
	for (uint32_t i = 0; i < map_count; i++)
		if (map[i].file_id == id)
			code |= (map[i].prot & PROT_EXEC) != 0;
	for (uint32_t i = 0; code && i < map_count; i++)
		if (map[i].file_id == id)
			map[i].data = false;
}

const struct mapping *mappings_find(uint64_t address)
{
	uint32_t i = first_above(address);

	return i < map_count && map[i].start <= address ? &map[i] : 0;
}

const struct mapping *mappings_nth(uint32_t n)
{
	return n < map_count ? &map[n] : 0;
}

/* 64 neighbours lie side by side: else nearly each of them costs a page fault of the table's. */
static uint32_t slot_of(uint64_t page)
{
	uint64_t group = page / PAGE / 64 * 0x9e3779b97f4a7c15ull >> 52;

	return (uint32_t)(group * 64 + page / PAGE % 64);
}

struct code_page *pages_find_code(uint64_t page)
{
	for (uint32_t i = slot_of(page);; i = (i + 1) & (CODE_SLOTS - 1)) {
		if (code_slots[i] == 0)
			return 0;
		if (code[code_slots[i] - 1].address == page)
			return &code[code_slots[i] - 1];
	}
}

struct code_page *pages_code(uint64_t page)
{
	struct code_page *p = pages_find_code(page);
	uint32_t i;

	if (p)
		return p;
	if (code_count == CODE_SLOTS / 2)
		return 0;
	for (i = slot_of(page); code_slots[i]; i = (i + 1) & (CODE_SLOTS - 1))
		;
	code[code_count] = (struct code_page){ .address = page };
	code_slots[i] = ++code_count;
	return &code[code_count - 1];
}

struct code_page *pages_next_code(uint64_t *cursor, uint64_t start, uint64_t end)
{
	start &= ~(PAGE - 1);
	end = round_up(end, PAGE);
	if ((end - start) / PAGE < code_count) {
		while (start + *cursor * PAGE < end) {
			struct code_page *p = pages_find_code(start + (*cursor)++ * PAGE);

			if (p)
				return p;
		}
		return 0;
	}
	while (*cursor < code_count) {
		struct code_page *p = &code[(*cursor)++];

		if (p->address >= start && p->address < end)
			return p;
	}
	return 0;
}

static void set_protection(uint64_t page, uint32_t prot)
{
	sys3(SYS_mprotect, page, PAGE, prot);
}

void pages_forget_code(void)
{
	for (uint32_t i = 0; i < code_count; i++) {
		const struct mapping *m;

		code[i].blocks = 0;
		if (!code[i].write_protected)
			continue;
		m = mappings_find(code[i].address);
		if (m)
			set_protection(code[i].address, m->prot);
		code[i].write_protected = false;
	}
}

bool pages_guard_code(uint64_t page)
{
	struct code_page *p = pages_code(page);
	const struct mapping *m = mappings_find(page);

	if (!p)
		return true;
	if (m && m->shared)
		p->checked = true;
	if (p->checked || !m)
		return p->checked;
	if ((m->prot & PROT_WRITE) && !p->write_protected) {
		set_protection(page, m->prot & ~(uint32_t)PROT_WRITE);
		p->write_protected = true;
	}
	return false;
}

bool pages_release(uint64_t page)
{
	struct code_page *p = pages_find_code(page);
	const struct mapping *m = mappings_find(page);

	if (!p || !p->write_protected)
		return false;
	cache_invalidate(page, page + PAGE);
	p->write_protected = false;
	if (++p->write_faults >= FAULTS_BEFORE_CHECKING)
		p->checked = true;
	if (m)
		set_protection(page, m->prot);
	return true;
}

bool pages_release_range(uint64_t start, uint64_t end)
{
	uint64_t cursor = 0;
	bool any = false;
	struct code_page *p;

	while ((p = pages_next_code(&cursor, start, end)))
		any |= pages_release(p->address);
	return any;
}

void pages_discard(uint64_t start, uint64_t end)
{
	uint64_t cursor = 0;
	struct code_page *p;

	cache_invalidate(start, end);
	while ((p = pages_next_code(&cursor, start, end))) {
		p->write_protected = false;
		p->checked = false;
		p->write_faults = 0;
	}
}

/* One of the range is there, and stands for so many. */
static void look_at_page(uint64_t page, enum page_kind kind, uint64_t each, struct page_choice *choice)
{
	if (choice->skip >= each) {
		choice->skip -= each;
		return;
	}
	choice->skip += choice->every > each ? choice->every - each : 0;
	page_use_look(choice->use, page, kind);
}

/* Resident pages of one range, by mincore in pieces. */
static uint64_t resident(uint64_t start, uint64_t end, bool file, struct page_choice *choice)
{
	uint8_t vec[4096];
	uint64_t n = 0;

	while (start < end) {
		uint64_t bytes = end - start < 4096 * PAGE ? end - start : 4096 * PAGE;

		if (sys3(SYS_mincore, start, bytes, vec) == 0)
			for (uint64_t i = 0; i < bytes / PAGE; i++) {
				if (!(vec[i] & 1))
					continue;
				n++;
				look_at_page(start + i * PAGE, file ? PAGE_OF_FILE : PAGE_FRESH, 1,
					     choice);
			}
		start += bytes;
	}
	return n;
}

static bool is_data(const struct mapping *m)
{
	return m->data && (m->prot & (PROT_READ | PROT_EXEC)) == PROT_READ;
}

/*
 * Pages of a file that the process has in its own page table: mincore tells of any page of it that the kernel keeps.
 * Large ones are looked at in so many pieces of 2 MB.
 */
#define PIECE	    512u
#define MOST_PIECES 64u
#define PRESENT	    (3ull << 62) /* or swapped out */

static uint64_t present(long pagemap, uint64_t start, uint64_t end, struct page_choice *choice)
{
	uint64_t entries[PIECE], n = 0, pages = (end - start) / PAGE;
	uint64_t each = pages / PIECE / MOST_PIECES + 1;

	for (uint64_t at = 0; at < pages; at += each * PIECE) {
		uint64_t page = start / PAGE + at;
		uint64_t want = pages - at < PIECE ? pages - at : PIECE;
		long got = sys4(SYS_pread64, pagemap, entries, want * 8, page * 8);

		for (long i = 0; i < got / 8; i++) {
			if (!(entries[i] & PRESENT))
				continue;
			n += each;
			look_at_page((page + (uint64_t)i) * PAGE, PAGE_OF_DATA, each, choice);
		}
	}
	return n < pages ? n : pages; /* the last piece may be short of what it stands for */
}

/* Those of all files with data; none, if the kernel does not tell. */
static uint64_t present_of_data(struct page_choice *choice)
{
	uint64_t n = 0;
	long pagemap = -1;

	for (uint32_t i = 0; i < map_count; i++) {
		if (!is_data(&map[i]))
			continue;
		if (pagemap < 0)
			pagemap = sys4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
		if (sys_failed(pagemap))
			return 0;
		n += present(pagemap, map[i].start, map[i].end, choice);
	}
	if (pagemap >= 0)
		sys1(SYS_close, pagemap);
	return n;
}

uint64_t pages_footprint(uint64_t stack_pointer, struct page_choice choice)
{
	uint64_t n = present_of_data(&choice);

	for (uint32_t i = 0; i < map_count; i++) {
		uint64_t start = map[i].start;

		if (is_data(&map[i]) || !(map[i].prot & PROT_READ) ||
		    (map[i].file && !(map[i].prot & PROT_WRITE)))
			continue;
		if (map[i].stack) {
			/* The kernel grows it below what we were told. */
			if (stack_pointer < map[i].end && stack_pointer > map[i].end - (1ull << 32))
				start = stack_pointer & ~(PAGE - 1);
		}
		/* Huge reservations are mostly empty: look at their first 64 GB only. */
		uint64_t end = map[i].end - start > (64ull << 30) ? start + (64ull << 30) :
								   map[i].end;
		n += resident(start, end, map[i].file, &choice);
	}
	return n;
}

bool pages_of_data(uint64_t address)
{
	const struct mapping *m = mappings_find(address);

	return m && is_data(m);
}
