/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the target has mapped, and which of its pages hold translated code.
 * Ranges are page-aligned addresses, end exclusive. The translate lock guards
 * everything here.
 */
#ifndef DWELL_ENGINE_CODECACHE_PAGES_H
#define DWELL_ENGINE_CODECACHE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct block;

struct mapping {
	uint64_t start, end;
	uint32_t prot;	  /* PROT_* as the target asked */
	bool shared;	  /* another mapping or process may change it */
	bool file;	  /* not anonymous */
	bool stack;	  /* grows down */
	uint64_t file_id; /* see mappings_of_file; 0: not known */
};

/* A page that code was translated from. */
struct code_page {
	uint64_t address;
	struct block *blocks;
	bool write_protected; /* by us; the target believes it can write */
	/* protection does not pay or does not work: blocks verify themselves */
	bool checked;
	uint16_t write_faults;
};

int pages_init(void);

void mappings_set(uint64_t start, uint64_t end, uint32_t prot, bool shared, bool file, bool stack);
void mappings_clear(uint64_t start, uint64_t end);
void mappings_protect(uint64_t start, uint64_t end, uint32_t prot);
/* The mappings in the range are of file `id`, which is not 0 and unique to the file. */
void mappings_of_file(uint64_t start, uint64_t end, uint64_t id);
/* Is it of a file none of which is mapped as code? */
bool mapping_is_data(const struct mapping *m);
/* The mapping that holds address, or NULL. Valid until the next change. */
const struct mapping *mappings_find(uint64_t address);
/* The first mapping that ends above address, or NULL. */
const struct mapping *mappings_after(uint64_t address);

/* The record of a code page, made when missing; NULL when out of memory. */
struct code_page *pages_code(uint64_t page);
struct code_page *pages_find_code(uint64_t page);
/* Iterate over code pages in a range: *cursor starts at 0. */
struct code_page *pages_next_code(uint64_t *cursor, uint64_t start, uint64_t end);
/* All blocks were dropped (cache flush): remove the engine's write protection. */
void pages_forget_code(void);

/*
 * Before code at `page` is used: if the target may write to it, write-protect
 * it or mark it checked. Returns whether blocks from it must verify themselves.
 */
bool pages_guard_code(uint64_t page);
/*
 * Restore the target's write access, and drop the page's blocks. True if the engine had protected
 * it.
 */
bool pages_release(uint64_t page);
/* The same for all pages in the range. True if there was any. */
bool pages_release_range(uint64_t start, uint64_t end);

/* Are there pages that pages_guard_code has write-protected? No lock. */
bool pages_are_protected(void);
/* Stop protecting the pages of the range: their blocks verify themselves. */
void pages_leave_open(uint64_t start, uint64_t end);
/* Protect no page from now on. */
void pages_protect_no_more(void);
/* The code of unprotected pages may have changed, too: all blocks verify themselves from now on. */
void pages_trust_none(void);
/* All records of code pages, whose number grows; for readers from outside. */
const struct code_page *pages_table(const uint32_t **count);
/* A file may be written to, or has lost pages: code of its private mappings verifies itself. */
void mappings_may_change(uint64_t id);

/* The range was unmapped, mapped over or changed protection: forget its code. */
void pages_discard(uint64_t start, uint64_t end);

#endif
