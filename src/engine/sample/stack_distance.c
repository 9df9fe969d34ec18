/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines between the two touches of samples; see stack_distance.h. */
#include "engine/sample/stack_distance.h"

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/translate/translate.h"

/*
 * Lines are counted in one of LATER accesses of windows; and at first also in one of EARLY, FIRST
 * at most. Counting an access takes three times as long as all else that a window does with it. Far
 * samples are dropped: far lines tell more of such distances.
 */
#define LATER 64u
#define EARLY 24u
#define FIRST (4u << 20)
#define EACH  256u /* the cost of a record, in accesses */

#define PAGES_MOST (STACK_SLOTS * 3 / 4)
#define UNIT_SHIFT STACK_FIRST
#define UNITS_LOG2 7u /* of a page */
#define PAGE_SHIFT (UNIT_SHIFT + UNITS_LOG2)
#define MOST_BYTES 16u /* of an access whose size is not looked up */

static uint64_t hash_of(uint64_t page)
{
	return page * 0x9e3779b97f4a7c15ull;
}

/* Uses other bits of the hash than find. */
static bool is_kept(const struct stack_distance *s, uint64_t hash)
{
	return (hash >> 16 & ((1ull << s->one_in_log2) - 1)) == 0;
}

/* The page's slot in the table, or the empty one for it. */
static struct stack_page *find(const struct stack_distance *s, struct stack_page *table,
			       uint64_t page, uint64_t hash)
{
	uint64_t i = hash >> 52;

	_Static_assert(STACK_SLOTS == 1u << (64 - 52), "slots");
	while (table[i].count == s->counts && table[i].page != page)
		i = (i + 1) % STACK_SLOTS;
	return &table[i];
}

/* The mask of the units of the line of 1 << (UNIT_SHIFT + i) bytes that holds `unit`; i < 7. */
static uint64_t line_mask(uint32_t i, uint32_t unit)
{
	uint64_t units = i < 6 ? (1ull << (1u << i)) - 1 : ~0ull;

	return units << (unit & 63 & ~((1u << i) - 1));
}

/* Marks a unit of p that was untouched, and counts its line of each size that was untouched. */
static void count_unit(struct stack_distance *s, struct stack_page *p, uint32_t unit)
{
	uint64_t word = p->units[unit / 64];
	uint32_t i = 0;

	while (i + 1 < STACK_SIZES && !(word & line_mask(i, unit)))
		s->lines[i++]++;
	if (i + 1 == STACK_SIZES && !(p->units[0] | p->units[1]))
		s->lines[i]++;
	p->units[unit / 64] = word | 1ull << (unit & 63);
}

/* There is no room for more pages: keep half of them, now and from now on. */
static void thin_out(struct stack_distance *s)
{
	struct stack_page *from = s->tables[s->current], *to = s->tables[!s->current];
	uint64_t old = s->counts++;

	s->one_in_log2++;
	s->pages = 0;
	for (uint32_t i = 0; i < STACK_SIZES; i++)
		s->lines[i] = 0;
	for (uint32_t k = 0; k < STACK_SLOTS; k++) {
		uint64_t hash = hash_of(from[k].page);
		struct stack_page *p;

		if (from[k].count != old || !is_kept(s, hash))
			continue;
		p = find(s, to, from[k].page, hash);
		*p = (struct stack_page){.page = from[k].page, .count = s->counts};
		s->pages++;
		for (uint32_t unit = 0; unit < 1u << UNITS_LOG2; unit++)
			if (from[k].units[unit / 64] >> (unit & 63) & 1)
				count_unit(s, p, unit);
	}
	s->current = !s->current;
}

static void touch_unit(struct stack_distance *s, uint64_t unit)
{
	uint64_t page = unit >> UNITS_LOG2, hash = hash_of(page);
	uint32_t within = (uint32_t)unit & ((1u << UNITS_LOG2) - 1);
	struct stack_page *p = find(s, s->tables[s->current], page, hash);

	s->recent[unit % STACK_RECENT] = unit;
	if (p->count != s->counts) {
		if (!is_kept(s, hash))
			return;
		*p = (struct stack_page){.page = page, .count = s->counts};
		s->pages++;
	}
	if (p->units[within / 64] >> (within & 63) & 1)
		return;
	count_unit(s, p, within);
	if (s->pages > PAGES_MOST)
		thin_out(s);
}

/*
 * Sets the results of the sizes at which the access touches the sample's own line for the first
 * time.
 */
static void touch_own(struct stack_distance *s, uint64_t first, uint64_t last, uint64_t at)
{
	for (uint32_t i = 0; i < STACK_SIZES; i++) {
		uint32_t shift = UNIT_SHIFT + i;

		if (!(s->open >> i & 1) || first >> shift > s->point >> shift ||
		    last >> shift < s->point >> shift)
			continue;
		s->open &= ~(1u << i);
		s->record.sizes |= 1u << i;
		s->record.distance[i] = at - s->begin_at - 1;
		s->record.lines[i] = s->lines[i] << s->one_in_log2;
	}
}

/* Ends the count. */
static void end(struct thread *t, uint64_t at)
{
	struct stack_distance *s = t->watches->stack;

	if (s->record.sizes)
		records_stack_distance(t->process, &s->record);
	s->looked_at += EACH + (at > s->begin_at ? at - s->begin_at : 0);
	s->open = 0;
}

void stack_distance_touch(struct thread *t, uint64_t address, uint32_t size, uint64_t at)
{
	struct stack_distance *s = t->watches->stack;
	uint64_t last = address + (size ? size - 1u : 0);

	if (!stack_distance_counts(t->watches) || at <= s->begin_at)
		return;
	if ((address ^ s->point) >> PAGE_SHIFT == 0 || (last ^ s->point) >> PAGE_SHIFT == 0)
		touch_own(s, address, last, at);
	if (!s->open || at - s->begin_at > CHANNEL_FAR) {
		end(t, at);
		return;
	}
	for (uint64_t unit = address >> UNIT_SHIFT; unit <= last >> UNIT_SHIFT; unit++)
		touch_unit(s, unit);
}

/* Accesses that may be counted when windows have seen `seen`. */
static uint64_t allowance(uint64_t seen)
{
	return seen / LATER + (seen / EARLY < FIRST ? seen / EARLY : FIRST);
}

void stack_distance_begin(struct thread *t, const struct scan_window *w,
			  const struct record_access *a, uint64_t at, uint64_t process_at)
{
	struct stack_distance *s = t->watches->stack;

	if (!s || s->open || s->looked_at > allowance(s->seen + at - t->watches->first_at))
		return;
	s->record = (struct record_stack_distance){.window = w->number, .position = process_at};
	s->point = a->address;
	s->begin_at = at;
	s->from = t->watches->ahead;
	s->open = STACK_ALL;
	s->counts++;
	s->pages = s->one_in_log2 = 0;
	for (uint32_t i = 0; i < STACK_SIZES; i++)
		s->lines[i] = 0;
	for (uint32_t i = 0; i < STACK_RECENT; i++)
		s->recent[i] = ~0ull;
}

/*
 * Does an access at the address touch nothing new? Mostly so, and then its size is not looked up.
 * The end of a larger access may be missed, until another access begins there.
 */
static inline bool is_recent(const struct stack_distance *s, uint64_t address)
{
	uint64_t first = address >> UNIT_SHIFT, last = (address + MOST_BYTES - 1) >> UNIT_SHIFT;

	return (s->recent[first % STACK_RECENT] == first) &
	       (s->recent[last % STACK_RECENT] == last);
}

/* Counts an entry of t's buffer, access `at`. */
static void touch_entry(struct thread *t, const uint64_t *entry, uint64_t at, uint64_t fs)
{
	const uint64_t *begin = entry, *trailer = entry;
	const struct stream_access *a;

	while (begin > t->buf_start && !(begin[-1] >> 63))
		begin--;
	while (!(*trailer >> 63))
		trailer++;
	a = &translate_desc((uint32_t)*trailer & STREAM_NUMBER_MASK)->access[entry - begin];
	stack_distance_touch(t, *entry + (a->fs ? fs : 0), a->size, at);
}

void stack_distance_buffer(struct thread *t, uint64_t end, uint64_t fs)
{
	struct stack_distance *s = t->watches->stack;
	const uint64_t *p = s->from ? s->from : t->buf_start;
	uint64_t at = s->from ? s->begin_at + 1 : t->stream_position;
	bool all = t->special != 0;

	s->from = 0;
	for (; p < t->buf && s->open; p++) {
		uint64_t is_access = ~*p >> 63;

		if (is_access && (all || !is_recent(s, *p))) {
			if (at >= end)
				return;
			touch_entry(t, p, at, fs);
		}
		at += is_access;
	}
}

void stack_distance_repeat(struct thread *t, const struct repeat *r, uint64_t i, uint64_t end,
			   uint64_t at)
{
	const uint64_t first = i;

	while (i < end && stack_distance_counts(t->watches)) {
		uint64_t stay = end - i, number = at + (i - first) * r->accesses;

		for (uint32_t k = 0; k < r->accesses; k++) {
			uint64_t address = r->address[k] + i * (uint64_t)r->step;
			uint64_t here = scan_stays(address, r, UNIT_SHIFT);

			stack_distance_touch(t, address, r->size, number + k);
			stay = here < stay ? here : stay;
		}
		/*
		 * Iterations that touch nothing new are skipped. If the count began within them,
		 * those behind it are not.
		 */
		if (number <= t->watches->stack->begin_at &&
		    t->watches->stack->begin_at < number + stay * r->accesses)
			stay = (t->watches->stack->begin_at - number) / r->accesses + 1;
		i += stay;
	}
}

void stack_distance_end_window(struct thread *t, uint64_t at)
{
	struct stack_distance *s = t->watches->stack;

	if (s->open)
		end(t, at);
	s->seen += at > t->watches->first_at ? at - t->watches->first_at : 0;
}
