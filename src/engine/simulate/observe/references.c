/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References by data structure; see references.h. */
#include "engine/simulate/observe/references.h"

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/held.h"

#define MOST_BINS	(64u << 20)
#define MOST_REFERENCES (16u << 20)

#define IS_HELD UINT32_MAX /* in place of a bin: see held.h */

/* References of a bin, since they were sent. */
struct references {
	uint32_t bin, unused;
	int64_t counted;		     /* exactly; see references_add */
	uint64_t seen;			     /* in windows */
	uint64_t weights[BIN_WINDOW_GROUPS]; /* of those seen */
};

static struct {
	struct grow numbers; /* uint32_t, by bin: number of its references; 0: none */
	struct grow items;   /* struct references, by number */
	uint32_t count;
	struct bins_memo last; /* of references_count */
	uint64_t last_pc;
	uint32_t seen[BIN_WINDOW_REFERENCES]; /* bins */
	uint32_t seen_count;
	uint64_t windows, weight;
} r;

bool references_start(void)
{
	return grow_init_whole(&r.numbers, MOST_BINS * sizeof(uint32_t)) == 0 &&
	       grow_init(&r.items, MOST_REFERENCES * sizeof(struct references)) == 0 &&
	       grow_take(&r.items, sizeof(struct references));
}

static struct references *item(uint32_t number)
{
	return (struct references *)(void *)r.items.base + number;
}

/* Item 0 stands for what memory has no room for. */
static struct references *references_of(uint32_t bin)
{
	uint32_t *number = (uint32_t *)(void *)r.numbers.base + bin;
	struct references *x;

	if (*number)
		return item(*number);
	x = grow_take(&r.items, sizeof *x);
	if (!x)
		return item(0);
	*number = ++r.count;
	x->bin = bin;
	return x;
}

/* ---- Exactly ---- */

static uint32_t bin_of(uint64_t pc, uint64_t address)
{
	const struct bins_memo *m = &r.last;

	if (pc != r.last_pc || address < m->start || address >= m->end ||
	    m->version != bins_versions().data) {
		r.last_pc = pc;
		bins_look(&r.last, pc, address);
	}
	return r.last.bin;
}

/* How many of n references from address on lie in the memory of the last bin. */
static uint64_t alike(uint64_t address, int64_t step, uint64_t n)
{
	uint64_t room;

	if (step == 0)
		return n;
	if (address < r.last.start || address >= r.last.end)
		return 1;
	room = step > 0 ? (r.last.end - 1 - address) / (uint64_t)step
			: (address - r.last.start) / (uint64_t)-step;
	return room < n - 1 ? room + 1 : n;
}

void references_add(uint32_t bin, int64_t n)
{
	references_of(bin)->counted += n;
}

void references_count(uint64_t pc, uint64_t address, int64_t step, uint64_t n, bool is_held)
{
	while (n) {
		const uint32_t bin = bin_of(pc, address);
		const uint64_t part = alike(address, step, n);

		if (is_held)
			held_references(bin, address, step, part);
		else
			references_add(bin, (int64_t)part);
		address += part * (uint64_t)step;
		n -= part;
	}
}

/* ---- In windows ---- */

void references_begin(uint64_t weight)
{
	r.weight = weight;
	r.seen_count = 0;
}

/* Of the window that is open. What happens in a stretch is alike. */
static uint32_t group_now(void)
{
	return (uint32_t)((bins_stretch.mark ? bins_stretch.mark : r.windows) % BIN_WINDOW_GROUPS);
}

void references_saw(uint32_t bin, uint64_t weight, uint32_t group)
{
	struct references *x = references_of(bin);

	x->seen++;
	x->weights[group] += weight;
}

bool references_see(uint32_t site, uint64_t pc, uint64_t address, bool is_held)
{
	const uint32_t bin = bins_of_access(site, pc, address);

	if (is_held)
		held_seen(bin, address, r.weight, group_now());
	r.seen[r.seen_count++] = is_held ? IS_HELD : bin;
	return r.seen_count == BIN_WINDOW_REFERENCES;
}

void references_end(void)
{
	for (uint32_t i = 0; i < r.seen_count; i++)
		if (r.seen[i] != IS_HELD)
			references_saw(r.seen[i], r.weight, group_now());
	r.windows += !bins_stretch.mark;
	r.seen_count = 0;
}

/* ---- Reports ---- */

static void send(struct process *p, struct references *x)
{
	struct record_references record = {.counted = x->counted > 0 ? (uint64_t)x->counted : 0,
					   .seen = x->seen};

	if (!record.counted && !x->seen)
		return;
	memcpy(record.weights, x->weights, sizeof record.weights);
	bins_describe(p, x->bin, &record.pc, &record.position, &record.data);
	x->counted -= (int64_t)record.counted;
	x->seen = 0;
	memset(x->weights, 0, sizeof x->weights);
	records_references(p, &record);
}

void references_flush(struct process *p)
{
	for (uint32_t number = 1; number <= r.count; number++)
		send(p, item(number));
}

void references_forked(void)
{
	for (uint32_t number = 1; number <= r.count; number++) {
		item(number)->counted = item(number)->seen = 0;
		memset(item(number)->weights, 0, sizeof item(number)->weights);
	}
	r.seen_count = 0;
}
