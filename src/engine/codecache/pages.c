/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target's mappings and code pages; see pages.h. */
#include "engine/codecache/pages.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/mapped_files.h"
#include "engine/core/intervals.h"
#include "engine/core/util.h"

#define MAX_MAPPINGS (1u << 20)
#define CODE_SLOTS   (1u << 18)
/* After this many write faults on one page its blocks check themselves instead. */
#define FAULTS_BEFORE_CHECKING 64

static struct intervals map;
static struct code_page *code; /* [code_count], never shrinks */
static uint32_t code_count;
static uint32_t protected_count;
static bool protects_none, trusts_none;
static uint32_t *code_slots; /* hash of page -> index in code + 1 */

static void *reserve(uint64_t bytes)
{
	long p = sys6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return sys_failed(p) ? 0 : (void *)p;
}

int pages_init(void)
{
	code = reserve(CODE_SLOTS / 2 * sizeof *code);
	code_slots = reserve(CODE_SLOTS * sizeof *code_slots);
	return code && code_slots ? intervals_init(&map, sizeof(struct mapping), MAX_MAPPINGS) : -1;
}

static void say_too_many(void)
{
	static bool said;

	if (!said)
		say("more than a million mappings: those beyond are not known, and code in them "
		    "does not run");
	said = true;
}

/* Make `at` a boundary between mappings. */
static void split(uint64_t at)
{
	struct mapping *m = intervals_after(&map, at);

	if (!m || m->start >= at)
		return;
	struct mapping upper = *m;

	upper.start = at;
	intervals_set_end(&map, m, at);
	/* lookups then stay safe: the kernel is asked about unknown memory */
	if (!intervals_insert(&map, &upper))
		say_too_many();
	else
		mapped_files_add(upper.file_id, upper.shared);
}

void mappings_clear(uint64_t start, uint64_t end)
{
	struct mapping *m;

	split(start);
	split(end);
	while ((m = intervals_after(&map, start)) && m->start < end) {
		mapped_files_remove(m->file_id, m->shared);
		intervals_remove(&map, m);
	}
}

/* Can two neighbouring mappings be merged? Heaps consist of many pieces. */
static bool are_alike(const struct mapping *m, const struct mapping *other)
{
	return m->prot == other->prot && m->shared == other->shared && !m->file && !m->stack &&
	       !other->file && !other->stack;
}

void mappings_set(uint64_t start, uint64_t end, uint32_t prot, bool shared, bool file, bool stack)
{
	const struct mapping new = {start, end, prot, shared, file, stack, 0};
	struct mapping *below;

	mappings_clear(start, end);
	below = intervals_after(&map, start - 1);
	if (below && below->end == start && are_alike(below, &new))
		intervals_set_end(&map, below, end);
	else if (!intervals_insert(&map, &new))
		say_too_many();
}

void mappings_protect(uint64_t start, uint64_t end, uint32_t prot)
{
	struct mapping *m;

	split(start);
	split(end);
	for (uint64_t at = start; (m = intervals_after(&map, at)) && m->start < end; at = m->end) {
		m->prot = prot;
		if (m->file_id && (prot & PROT_EXEC))
			mapped_files_note_code(m->file_id);
	}
}

void mappings_of_file(uint64_t start, uint64_t end, uint64_t id)
{
	struct mapping *m;

	for (uint64_t at = start; (m = intervals_after(&map, at)) && m->start < end; at = m->end) {
		mapped_files_remove(m->file_id, m->shared);
		m->file_id = id;
		mapped_files_add(id, m->shared);
		if (m->prot & PROT_EXEC)
			mapped_files_note_code(id);
	}
}

bool mapping_is_data(const struct mapping *m)
{
	return m->file_id && !mapped_files_have_code(m->file_id);
}

const struct mapping *mappings_after(uint64_t address)
{
	return intervals_after(&map, address);
}

const struct mapping *mappings_find(uint64_t address)
{
	const struct mapping *m = intervals_after(&map, address);

	return m && m->start <= address ? m : 0;
}

/* 64 neighbours have neighbouring slots: else nearly each costs a page fault in the table. */
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
	code[code_count] = (struct code_page){.address = page};
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

/*
 * write_protected is set before the page is protected, and cleared after it is unprotected. Another
 * process, which takes no lock, may find the page protected, and then reads it (visits.c).
 */
static void mark_protected(struct code_page *p, bool on)
{
	if (p->write_protected != on)
		__atomic_fetch_add(&protected_count, on ? 1u : ~0u, __ATOMIC_RELAXED);
	p->write_protected = on;
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
		mark_protected(&code[i], false);
	}
}

bool pages_are_protected(void)
{
	return __atomic_load_n(&protected_count, __ATOMIC_RELAXED) != 0;
}

void pages_leave_open(uint64_t start, uint64_t end)
{
	uint64_t cursor = 0;
	struct code_page *p;

	while ((p = pages_next_code(&cursor, start, end)))
		if (pages_release(p->address))
			p->checked = true;
}

void pages_protect_no_more(void)
{
	protects_none = true;
	pages_release_range(0, 1ull << 47);
}

void pages_trust_none(void)
{
	trusts_none = true;
	pages_protect_no_more();
	cache_invalidate(0, 1ull << 47);
}

const struct code_page *pages_table(const uint32_t **count)
{
	*count = &code_count;
	return code;
}

void mappings_may_change(uint64_t id)
{
	struct mapping *m;

	if (!mapped_files_have_code(id) || mapped_files_are_shared(id))
		return; /* never code, or it verifies itself already */
	for (uint64_t at = 0; (m = intervals_after(&map, at)); at = m->end)
		if (m->file_id == id) {
			mapped_files_remove(id, m->shared);
			m->shared = true;
			mapped_files_add(id, true);
			cache_invalidate(m->start, m->end);
		}
}

bool pages_guard_code(uint64_t page)
{
	struct code_page *p = pages_code(page);
	const struct mapping *m = mappings_find(page);

	if (!p)
		return true;
	/* unknown memory, such as that of shmat, may change */
	if (!m || m->shared || trusts_none || (protects_none && (m->prot & PROT_WRITE)))
		p->checked = true;
	if (p->checked)
		return true;
	if ((m->prot & PROT_WRITE) && !p->write_protected) {
		mark_protected(p, true);
		set_protection(page, m->prot & ~(uint32_t)PROT_WRITE);
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
	if (++p->write_faults >= FAULTS_BEFORE_CHECKING)
		p->checked = true;
	if (m)
		set_protection(page, m->prot);
	mark_protected(p, false);
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
		mark_protected(p, false);
		p->checked = false;
		p->write_faults = 0;
	}
}
