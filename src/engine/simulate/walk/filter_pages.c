/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First-level TLBs in the filter variant; see filter_pages.h. */
#include "engine/simulate/walk/filter_pages.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/walk/filter_walk.h"
#include "sim/cache/cache_kinds.h"

#define PAGE_LINES  64u
#define PAGE_BITS   (FILTER_ADDRESS_BITS - 12)
#define MOST_WAYS   128u /* all are looked at where a page is evicted */
#define MOST_PLACES 0x10000u
#define NO_PAGE	    (1ull << PAGE_BITS)

/*
 * A place. Those of a set are in a list, by age as far as it is known: `since` is a lower bound.
 * The list begins with a place that has no page.
 */
struct place {
	uint64_t since;
	uint32_t younger, older;
	uint64_t newest; /* the line of its page that was, when its lines were looked at */
};

struct tlb {
	struct filter_level *level; /* NULL: there is none */
	struct sim_cache own;	    /* the core's own, empty meanwhile */
	uint32_t *places;	    /* by page */
	uint64_t *lost;		    /* by page: lines whose cells were taken */
	uint64_t *entries;	    /* by place, which are numbered from 1 */
	uint64_t *times;	    /* lower bounds, too; code writes them */
	struct place *list; /* of places, and behind them of the beginnings of sets' lists */
};

static struct tlb data, code;

static struct tlb *tlb_of(const struct filter_level *l)
{
	return l == data.level ? &data : l == code.level ? &code : 0;
}

static uint32_t first_of(const struct tlb *t, uint64_t set)
{
	return (uint32_t)(1 + t->own.sets * t->own.ways + set);
}

/* ---- Lines of a page ---- */

static uint32_t *cell_of(const struct tlb *t, uint64_t line)
{
	return t == &data ? filter_data_cell(line) : filter_known_code_cell(line);
}

#define TOGETHER 8u /* lines whose cells are looked at together */

/*
 * The lines of the page, as bits, that code may hit; of code, those that were translated. With few
 * branches, as no guess is good.
 */
static uint64_t known_lines(const struct tlb *t, uint64_t page)
{
	const uint64_t line = page * PAGE_LINES;
	const uint32_t *cells = t == &data ? filter_data_cell(line) : filter_code_index(line);
	uint64_t lines = 0;
	uint32_t groups = 0;

#pragma GCC unroll 8
	for (uint32_t g = 0; g < PAGE_LINES / TOGETHER; g++) {
		const uint64_t *two = (const uint64_t *)(const void *)(cells + g * TOGETHER);

		groups |= (uint32_t)((two[0] | two[1] | two[2] | two[3]) != 0) << g;
	}
	for (; groups; groups &= groups - 1) {
		const uint32_t first = (uint32_t)__builtin_ctz(groups) * TOGETHER;
		uint64_t some = 0;

#pragma GCC unroll 8
		for (uint32_t n = 0; n < TOGETHER; n++)
			some |= (uint64_t)(cells[first + n] != 0) << n;
		lines |= some << first;
	}
	return lines;
}

/* Where the last use of a line stands, if code may hit it; else NULL. */
static const uint64_t *stamp_of(const struct tlb *t, uint64_t line)
{
	const uint32_t *cell = cell_of(t, line);

	return cell ? (const uint64_t *)(uintptr_t)*cell : 0;
}

/*
 * The lines of a place's page that code may hit, as bits. Raises *time to their last use. Most
 * pages that were used again were so in the same line: if that says enough, no other is looked at,
 * and the result is 0.
 */
static uint64_t look_at(const struct tlb *t, uint32_t place, uint64_t *time)
{
	const uint64_t page = sim_entry_line(t->entries[place]);
	struct place *p = &t->list[place];
	const uint64_t *stamp = p->newest / PAGE_LINES == page ? stamp_of(t, p->newest) : 0;
	uint64_t lines = 0;

	if (stamp && *stamp > *time) {
		*time = *stamp;
		return 0;
	}
	for (uint64_t known = known_lines(t, page); known; known &= known - 1) {
		const uint64_t line = page * PAGE_LINES + (uint64_t)__builtin_ctzll(known);

		stamp = stamp_of(t, line);
		if (!stamp)
			continue;
		lines |= known & -known;
		if (*stamp > *time) {
			*time = *stamp;
			p->newest = line;
		}
	}
	return lines;
}

static void take_cells(struct tlb *t, uint64_t page, uint64_t lines)
{
	t->lost[page] |= lines;
	for (; lines; lines &= lines - 1)
		*cell_of(t, page * PAGE_LINES + (uint64_t)__builtin_ctzll(lines)) = 0;
}

/* Lines that have left their level meanwhile get none. */
static void give_cells(struct tlb *t, uint64_t page)
{
	for (uint64_t lost = t->lost[page]; lost; lost &= lost - 1)
		filter_walk_show(t->level, page * PAGE_LINES + (uint64_t)__builtin_ctzll(lost));
	t->lost[page] = 0;
}

/* ---- The list of a set ---- */

static void take_from_list(struct tlb *t, uint32_t place)
{
	const struct place *p = &t->list[place];

	t->list[p->younger].older = p->older;
	t->list[p->older].younger = p->younger;
}

static bool is_older(const struct tlb *t, uint32_t a, uint32_t b)
{
	return t->list[a].since < t->list[b].since ||
	       (t->list[a].since == t->list[b].since && t->entries[a] < t->entries[b]);
}

static void put_in_list(struct tlb *t, uint32_t place, uint64_t since, uint32_t first)
{
	uint32_t older = t->list[first].older; /* the youngest of all */

	t->list[place].since = since;
	while (older != first && is_older(t, place, older))
		older = t->list[older].older;
	t->list[place].older = older;
	t->list[place].younger = t->list[older].younger;
	t->list[t->list[older].younger].older = place;
	t->list[older].younger = place;
}

/* ---- A TLB as a cache ---- */

static struct tlb *of_cache(const struct sim_cache *c)
{
	return c == filter_walk_tlb(false) ? &data : &code;
}

static uint64_t *find(struct sim_cache *c, uint64_t set, uint64_t page)
{
	const struct tlb *t = of_cache(c);
	const uint32_t place = t->places[page];

	(void)set;
	return place ? t->entries + place : 0;
}

static bool is_free(const struct tlb *t, uint32_t place)
{
	return sim_entry_line(t->entries[place]) == NO_PAGE;
}

static void use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	struct tlb *t = of_cache(c);
	const uint32_t place = (uint32_t)(entry - t->entries);

	take_from_list(t, place);
	put_in_list(t, place, filter_walk_now(), first_of(t, set));
}

/* The place of the set that was used first. Gets the lines of its page that code may hit. */
static uint32_t oldest(struct tlb *t, uint64_t set, uint64_t *lines)
{
	const uint32_t first = first_of(t, set);

	for (;;) {
		const uint32_t place = t->list[first].younger;
		uint64_t time = t->list[place].since;

		*lines = 0;
		if (is_free(t, place))
			return place;
		time = t->times[place] > time ? t->times[place] : time;
		*lines = look_at(t, place, &time);
		if (time == t->list[place].since)
			return place;
		take_from_list(t, place);
		put_in_list(t, place, time, first);
	}
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	struct tlb *t = of_cache(c);
	uint64_t lines;
	const uint32_t place = oldest(t, set, &lines);
	const uint64_t page = sim_entry_line(entry), victim = t->entries[place];
	const bool was_free = is_free(t, place);

	t->entries[place] = entry;
	t->places[page] = place;
	take_from_list(t, place);
	put_in_list(t, place, filter_walk_now(), first_of(t, set));
	t->times[place] = 0;
	if (!was_free) {
		t->places[sim_entry_line(victim)] = 0;
		take_cells(t, sim_entry_line(victim), lines);
	}
	give_cells(t, page);
	return was_free ? SIM_NO_LINE : victim;
}

static const struct sim_cache_kind pages = {.find = find, .use = use, .insert = insert};

/* ---- */

static bool fits(const struct sim_cache *c)
{
	return !c->memory || (c->shift == 12 && c->replacement == SIM_REPLACE_LRU &&
			      c->ways <= MOST_WAYS && c->sets * c->ways < MOST_PLACES);
}

bool filter_pages_fit(const struct sim_core *c)
{
	return !c->shared->geometry.is_tlb_unified && fits(&c->data_tlb) && fits(&c->code_tlb);
}

static void make_lists(struct tlb *t)
{
	const uint32_t ways = t->own.ways;

	for (uint64_t set = 0; set < t->own.sets; set++) {
		const uint32_t first = first_of(t, set);

		t->list[first].younger = t->list[first].older = first;
		for (uint32_t way = 0; way < ways; way++) {
			const uint32_t place = (uint32_t)(1 + set * ways + way);

			t->entries[place] = sim_entry_of(NO_PAGE, 0);
			put_in_list(t, place, 0, first);
		}
	}
}

/* Makes it the TLB of a level, with tables by page from `tables` on. */
static bool take(struct tlb *t, struct filter_level *l, struct sim_cache *c, uint64_t tables,
		 uint64_t times)
{
	const uint64_t places = 1 + c->sets * c->ways;

	if (!c->memory)
		return true;
	*t = (struct tlb){
		.level = l,
		.own = *c,
		.places = (uint32_t *)(uintptr_t)tables,
		.lost = (uint64_t *)(uintptr_t)(tables + FILTER_PAGE_PLACES_BYTES),
		.entries = pages_get(round_up(places * sizeof *t->entries, PAGE)),
		.times = (uint64_t *)(uintptr_t)times,
		.list = pages_get(round_up((places + c->sets) * sizeof *t->list, PAGE)),
	};
	if (!t->entries || !t->list)
		return false;
	make_lists(t);
	c->kind = &pages;
	c->noop_loads = c->noop_stores = 0;
	return true;
}

bool filter_pages_start(struct sim_core *c)
{
	if (!take(&data, &filter_state.data, &c->data_tlb, FILTER_DATA_PAGES,
		  FILTER_DATA_PAGE_TIMES) ||
	    !take(&code, &filter_state.code, &c->code_tlb, FILTER_CODE_PAGES,
		  FILTER_CODE_PAGE_TIMES))
		return false;
	filter_state.data_pages = data.places;
	filter_state.code_pages = code.places;
	return true;
}

bool filter_pages_are_on(void)
{
	return data.level != 0;
}

bool filter_pages_have(const struct filter_level *l, uint64_t line)
{
	const struct tlb *t = tlb_of(l);

	return !t || t->places[line / PAGE_LINES];
}

void filter_pages_lose(const struct filter_level *l, uint64_t line, uint64_t time)
{
	const struct tlb *t = tlb_of(l);
	const uint32_t place = t ? t->places[line / PAGE_LINES] : 0;

	if (place && t->times[place] < time)
		t->times[place] = time;
}

/* ---- Off ---- */

static void hand_over(struct tlb *t, struct sim_cache *c)
{
	if (!t->level)
		return;
	*c = t->own;
	for (uint64_t set = 0; set < c->sets; set++)
		for (uint32_t n = 0; n < c->ways; n++) {
			uint64_t lines;
			const uint32_t place = oldest(t, set, &lines);

			if (!is_free(t, place))
				sim_cache_insert(c, sim_entry_line(t->entries[place]), 0);
			take_from_list(t, place);
		}
}

void filter_pages_hand_over(struct sim_core *c)
{
	hand_over(&data, &c->data_tlb);
	hand_over(&code, &c->code_tlb);
}
