/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information to rules; see eh_frame.h. Reads the target only by engine_copy. */
#include "engine/unwind/eh_frame.h"

#include "engine/core/search.h"
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/unwind/cfi.h"

#define RETURN_REGISTER 16u

/* ---- The two kinds of descriptions ---- */

/* Copy the description at address, without its length, to bytes. */
static bool open_entry(uint64_t address, uint8_t *bytes, struct cfi_reader *r)
{
	uint32_t length;

	if (engine_copy(&length, (const void *)(uintptr_t)address, 4) != 0 || length < 4 ||
	    length == 0xffffffffu)
		return false;
	if (length > CFI_ROOM)
		length = CFI_ROOM; /* the rest may not be needed */
	if (engine_copy(bytes, (const void *)(uintptr_t)(address + 4), length) != 0)
		return false;
	*r = (struct cfi_reader){bytes, bytes + length, address + 4, bytes, false};
	return true;
}

static bool read_augmentation(struct cfi_common *c, struct cfi_reader *r, const char *text)
{
	uint64_t bytes = cfi_uleb(r);
	const uint8_t *end = r->p + bytes;

	if (r->bad || bytes > (uint64_t)(r->end - r->p))
		return false;
	c->has_augmentation = true;
	for (text++; *text && !r->bad; text++) {
		if (*text == 'R')
			c->pointer_encoding = (uint8_t)cfi_bytes(r, 1);
		else if (*text == 'P')
			cfi_pointer(r, (uint8_t)cfi_bytes(r, 1) & 0x7f);
		else if (*text == 'L')
			cfi_bytes(r, 1);
		else if (*text == 'S')
			c->is_signal = true;
		else
			return false;
	}
	r->p = end;
	return !r->bad;
}

static bool read_common(struct cfi_common *c, uint64_t address)
{
	struct cfi_reader r;
	const char *text;
	uint8_t version;
	uint64_t return_register;

	if (!open_entry(address, c->bytes, &r) || cfi_bytes(&r, 4) != 0)
		return false;
	version = (uint8_t)cfi_bytes(&r, 1);
	text = (const char *)r.p;
	while (cfi_bytes(&r, 1) && !r.bad)
		;
	if (r.bad || (version != 1 && version != 3))
		return false;
	c->code_unit = cfi_uleb(&r);
	c->data_unit = cfi_sleb(&r);
	return_register = version == 1 ? cfi_bytes(&r, 1) : cfi_uleb(&r);
	c->pointer_encoding = 0;
	c->has_augmentation = c->is_signal = false;
	if (r.bad || return_register != RETURN_REGISTER)
		return false;
	if (*text == 'z' ? !read_augmentation(c, &r, text) : *text != 0)
		return false;
	c->program = r;
	return true;
}

/* The description of code at `address` (FDE): the rule for pc, if it covers it. */
static bool read_description(uint64_t address, uint64_t pc, struct frame_rule *rule)
{
	uint8_t bytes[CFI_ROOM];
	struct cfi_common c;
	struct cfi_reader r;
	uint64_t back, start, length;

	if (!open_entry(address, bytes, &r))
		return false;
	back = cfi_bytes(&r, 4);
	if (back == 0 || !read_common(&c, address + 4 - back) || c.is_signal)
		return false;
	start = cfi_pointer(&r, c.pointer_encoding);
	length = cfi_pointer(&r, c.pointer_encoding & 0x0f);
	if (r.bad || pc < start || pc - start >= length)
		return false;
	rule->described = true;
	if (c.has_augmentation)
		cfi_skip(&r, cfi_uleb(&r));
	return !r.bad && cfi_rule(&c, &r, start, pc, rule);
}

/* ---- The table of where they are ---- */

/* Both relative to the table's base. */
struct table_entry {
	int32_t pc, description;
};

_Static_assert(sizeof(struct table_entry) == 8, "engine_peek reads one");

struct table_head {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t count;
};

static bool read_head(const struct frame_table *t, struct table_head *head)
{
	return t->bytes >= sizeof *head &&
	       engine_copy(head, (const void *)(uintptr_t)t->address, sizeof *head) == 0 &&
	       head->version == 1 && (head->frame_encoding & 0x0f) == 0x0b &&
	       head->count_encoding == 0x03 && head->table_encoding == 0x3b &&
	       head->count <= (t->bytes - sizeof *head) / sizeof(struct table_entry);
}

/*
 * Does entry i begin behind `wanted`? It is kept as the latest such one, or the latest other one.
 * Sets *failed if it cannot be read.
 */
static inline bool begins_behind(uint64_t entries, uint32_t i, int64_t wanted,
				 struct table_entry *before, struct table_entry *behind,
				 bool *failed)
{
	uint64_t word;

	/* Not engine_copy: its rep movsb takes longer than the rest of the search. */
	if (engine_peek(&word, (const void *)(uintptr_t)(entries + i * sizeof *before)) != 0) {
		*failed = true;
		return true;
	}
	struct table_entry e;

	__builtin_memcpy(&e, &word, sizeof e);
	*(e.pc > wanted ? behind : before) = e;
	return e.pc > wanted;
}

/*
 * The last entry that begins at or before pc, and the first one behind pc. *place is the number of
 * the latter: 0 if there is none before, head->count if there is none behind.
 */
static bool search(const struct frame_table *t, const struct table_head *head, uint64_t pc,
		   struct table_entry *before, struct table_entry *behind, uint32_t *place)
{
	const uint64_t entries = t->address + sizeof *head;
	const int64_t wanted = (int64_t)(pc - t->base);
	bool failed = false;

	*place = SEARCH_FIRST(i, head->count,
			      begins_behind(entries, i, wanted, before, behind, &failed));
	return !failed;
}

static uint64_t description_of(const struct frame_table *t, const struct table_entry *e)
{
	return t->base + (uint64_t)(int64_t)e->description;
}

bool eh_frame_find(const struct frame_table *t, uint64_t pc, struct frame_rule *rule)
{
	struct table_entry found = {0}, behind;
	struct table_head head;
	uint32_t place;

	*rule = (struct frame_rule){.base = FRAME_END};
	if (!read_head(t, &head) || !search(t, &head, pc, &found, &behind, &place) || place == 0)
		return false;
	return read_description(description_of(t, &found), pc, rule);
}

/* The range of code that the description at `address` covers. */
static bool read_range(uint64_t address, struct frame_range *range)
{
	uint8_t bytes[CFI_ROOM];
	struct cfi_common c;
	struct cfi_reader r;
	uint64_t back;

	if (!open_entry(address, bytes, &r))
		return false;
	back = cfi_bytes(&r, 4);
	if (back == 0 || !read_common(&c, address + 4 - back))
		return false;
	range->start = cfi_pointer(&r, c.pointer_encoding);
	range->end = range->start + cfi_pointer(&r, c.pointer_encoding & 0x0f);
	/* glibc lets the range of a signal trampoline begin one byte early, for unwinding. */
	range->start += c.is_signal;
	return !r.bad && range->start < range->end;
}

bool eh_frame_range(const struct frame_table *t, uint64_t pc, struct frame_range *range)
{
	struct table_entry before = {0}, behind = {0};
	struct frame_range described = {0};
	struct table_head head;
	uint32_t place;

	if (!read_head(t, &head) || !search(t, &head, pc, &before, &behind, &place))
		return false;
	if (place > 0 && read_range(description_of(t, &before), &described) &&
	    pc >= described.start && pc < described.end) {
		*range = described;
		range->described = true;
		return true;
	}
	*range = (struct frame_range){
		.start = described.end <= pc ? described.end : pc,
		.end = place < head.count ? t->base + (uint64_t)(int64_t)behind.pc : UINT64_MAX,
	};
	return true;
}

/* ---- Making one ---- */

/* Where the next description begins; 0 at the section's end. */
static uint64_t next_entry(uint64_t at, uint64_t end)
{
	uint32_t length;

	if (end - at < 8 || engine_copy(&length, (const void *)(uintptr_t)at, 4) != 0 ||
	    length < 4 || length == 0xffffffffu || length > end - at - 4)
		return 0;
	return at + 4 + length;
}

/* The beginning of the code that is described at `at`; 0: it describes no code. */
static uint64_t described_code(uint64_t at, struct cfi_common *c, uint64_t *common_at)
{
	uint32_t head[2];
	struct cfi_reader r;
	uint64_t wanted;

	if (engine_copy(head, (const void *)(uintptr_t)at, 8) != 0 || head[1] == 0)
		return 0;
	wanted = at + 4 - head[1];
	if (wanted != *common_at && !read_common(c, wanted))
		return 0;
	*common_at = wanted;
	if (!open_entry(at, c->bytes, &r)) /* overwrites c->bytes, no longer needed */
		return 0;
	cfi_skip(&r, 4);
	return cfi_pointer(&r, c->pointer_encoding);
}

/* Shell's sort: nearly all are in order. */
static void sort_entries(struct table_entry *e, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			struct table_entry x = e[i];
			uint32_t k = i;

			for (; k >= gap && e[k - gap].pc > x.pc; k -= gap)
				e[k] = e[k - gap];
			e[k] = x;
		}
}

static uint32_t list_entries(uint64_t address, uint64_t bytes, struct table_entry *e)
{
	uint64_t end = address + bytes, common_at = 0, pc;
	struct cfi_common c;
	uint32_t n = 0;

	for (uint64_t at = address, next; (next = next_entry(at, end)); at = next) {
		pc = described_code(at, &c, &common_at);
		if (!pc || (int64_t)(pc - address) != (int32_t)(pc - address))
			continue;
		if (e)
			e[n] = (struct table_entry){(int32_t)(pc - address),
						    (int32_t)(at - address)};
		n++;
	}
	return n;
}

bool eh_frame_index(uint64_t address, uint64_t bytes, struct frame_table *table)
{
	struct table_head *head;
	uint32_t n;

	*table = (struct frame_table){0};
	if (bytes >> 31 || (n = list_entries(address, bytes, 0)) == 0)
		return false;
	table->bytes = sizeof *head + n * sizeof(struct table_entry);
	head = pages_get(round_up(table->bytes, PAGE));
	if (!head) {
		table->bytes = 0;
		return false;
	}
	*head = (struct table_head){1, 0x1b, 0x03, 0x3b, 0, n};
	list_entries(address, bytes, (struct table_entry *)(void *)(head + 1));
	sort_entries((struct table_entry *)(void *)(head + 1), n);
	table->address = (uint64_t)(uintptr_t)head;
	table->base = address;
	return true;
}
