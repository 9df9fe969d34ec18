/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First-level TLBs in the filter variant; see filter_pages.h. */
#include "engine/simulate/walk/filter_pages.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/simulate/arcs/nodes.h"
#include "engine/simulate/cells.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_calls.h"
#include "engine/simulate/filter/filter_sites.h"
#include "engine/simulate/segments.h"
#include "engine/simulate/uses/uses.h"
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
	uint32_t newest; /* the line of its page that was, when its lines were looked at */
};

struct tlb {
	struct filter_level *level; /* NULL: there is none */
	struct sim_cache own;	    /* the core's own, empty meanwhile */
	const struct sim_cache *cache;
	uint32_t *places; /* by page */
	uint64_t
		*resident; /* by page: a bit for each line that code may hit while the TLB has it */
	uint8_t *ways;	   /* by line, of such */
	uint64_t *entries; /* by place, which are numbered from 1 */
	uint64_t *times;   /* lower bounds, too; code writes them */
	struct place *list; /* of places, and behind them of the beginnings of sets' lists */
};

/* Of the accesses of a site, in the first TLB, and in the second one. */
struct misses {
	uint32_t first, second;
};

_Static_assert(FILTER_MOST_SITES * sizeof(struct misses) == FILTER_PAGES_END - FILTER_PAGE_MISSES,
	       "layout");

static struct tlb data, code;
static struct sim_core *core; /* NULL: there are no TLBs, nor memory for these tables */

static struct tlb *tlb_of(const struct filter_level *l)
{
	return l == data.level ? &data : l == code.level ? &code : 0;
}

static uint32_t first_of(const struct tlb *t, uint64_t set)
{
	return (uint32_t)(1 + t->own.sets * t->own.ways + set);
}

/* ---- Lines of a page ---- */

/* Of the first line of a page: what says where lines are. In registers, for loops that store. */
struct lines {
	uint64_t *stamps;
	const uint8_t *ways;
	uint64_t line, set_mask, places;
};

static struct lines lines_of(const struct tlb *t, uint64_t page)
{
	return (struct lines){t->level->stamps, t->ways + page * PAGE_LINES, page * PAGE_LINES,
			      t->level->set_mask, t->level->places};
}

/* Where the last use of the page's n-th line stands, which is resident. */
static uint64_t *stamp_at(const struct lines *l, uint32_t n)
{
	return l->stamps + ((l->line + n) & l->set_mask) * l->places +
	       (l->ways[n] & (l->places - 1));
}

static uint64_t bit_of(uint64_t line)
{
	return 1ull << line % PAGE_LINES;
}

/*
 * Raises *time to the last use of the lines of a place's page. Most pages that were used again were
 * so in the same line: if that says enough, no other is looked at.
 */
static void look_at(const struct tlb *t, uint32_t place, uint64_t *time)
{
	const uint64_t page = sim_entry_line(t->entries[place]);
	const struct lines l = lines_of(t, page);
	uint32_t newest = t->list[place].newest;
	uint64_t some = t->resident[page], last = *time;

	if (some & 1ull << newest && *stamp_at(&l, newest) > last) {
		*time = *stamp_at(&l, newest);
		return;
	}
	for (; some; some &= some - 1) {
		const uint32_t n = (uint32_t)__builtin_ctzll(some);
		const uint64_t stamp = *stamp_at(&l, n);

		newest = stamp > last ? n : newest;
		last = stamp > last ? stamp : last;
	}
	t->list[place].newest = newest;
	*time = last;
}

/* Cells of the page's lines: they are neighbours only of data. */
static void take_cells(const struct tlb *t, uint64_t page)
{
	uint32_t *cell = filter_data_cell(page * PAGE_LINES);

	for (uint64_t some = t->resident[page]; some; some &= some - 1) {
		const uint32_t n = (uint32_t)__builtin_ctzll(some);

		*(t == &data ? cell + n : filter_known_code_cell(page * PAGE_LINES + n)) = 0;
	}
}

static void give_cells(const struct tlb *t, uint64_t page)
{
	const struct lines l = lines_of(t, page);
	uint32_t *cell = filter_data_cell(l.line);

	for (uint64_t some = t->resident[page]; some; some &= some - 1) {
		const uint32_t n = (uint32_t)__builtin_ctzll(some);
		const uint64_t *stamp = stamp_at(&l, n);

		if (!uses_hide(t->level, (uint64_t)(stamp - l.stamps)))
			*(t == &data ? cell + n : filter_known_code_cell(l.line + n)) =
				(uint32_t)(uintptr_t)stamp;
	}
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
	return c == data.cache ? &data : &code;
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

/* The place of the set that was used first. */
static uint32_t oldest(struct tlb *t, uint64_t set)
{
	const uint32_t first = first_of(t, set);

	for (;;) {
		const uint32_t place = t->list[first].younger;
		uint64_t time = t->list[place].since;

		if (is_free(t, place))
			return place;
		time = t->times[place] > time ? t->times[place] : time;
		look_at(t, place, &time);
		if (time == t->list[place].since)
			return place;
		take_from_list(t, place);
		put_in_list(t, place, time, first);
	}
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	struct tlb *t = of_cache(c);
	const uint32_t place = oldest(t, set);
	const uint64_t page = sim_entry_line(entry), victim = t->entries[place];
	const bool was_free = is_free(t, place);

	t->entries[place] = entry;
	t->places[page] = place;
	take_from_list(t, place);
	put_in_list(t, place, filter_walk_now(), first_of(t, set));
	t->times[place] = 0;
	if (!was_free) {
		t->places[sim_entry_line(victim)] = 0;
		take_cells(t, sim_entry_line(victim));
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
		.cache = c,
		.places = (uint32_t *)(uintptr_t)tables,
		.resident = (uint64_t *)(uintptr_t)(tables + FILTER_PAGE_PLACES_BYTES),
		.ways = (uint8_t *)(uintptr_t)(tables + FILTER_PAGE_PLACES_BYTES +
					       2 * FILTER_PAGE_PLACES_BYTES),
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
	core = c->has_tlb ? c : 0;
	filter_state.data_pages = data.places;
	filter_state.code_pages = code.places;
	filter_state.data_resident = data.resident;
	filter_state.code_resident = code.resident;
	filter_state.data_ways = data.ways;
	filter_state.code_ways = code.ways;
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

bool filter_pages_let(const struct filter_level *l, uint64_t line, uint64_t place)
{
	struct tlb *t = tlb_of(l);

	if (!t)
		return true;
	t->resident[line / PAGE_LINES] |= bit_of(line);
	t->ways[line] = (uint8_t)place;
	return t->places[line / PAGE_LINES] != 0;
}

void filter_pages_lose(const struct filter_level *l, uint64_t line, uint64_t time)
{
	struct tlb *t = tlb_of(l);
	uint32_t place;

	if (!t)
		return;
	t->resident[line / PAGE_LINES] &= ~bit_of(line);
	place = t->places[line / PAGE_LINES];
	if (place && t->times[place] < time)
		t->times[place] = time;
}

uint32_t filter_pages_hidden(const struct filter_level *l, uint64_t line)
{
	const struct tlb *t = tlb_of(l);
	struct lines page;

	if (!t || !(t->resident[line / PAGE_LINES] & bit_of(line)))
		return 0;
	page = lines_of(t, line / PAGE_LINES);
	return (uint32_t)(uintptr_t)stamp_at(&page, line % PAGE_LINES);
}

/* ---- Misses that filter_miss.S hands over ---- */

static struct misses *misses_at(uint32_t site)
{
	return (struct misses *)(uintptr_t)FILTER_PAGE_MISSES + site;
}

static void count(const struct filter_owner *o, unsigned id, uint32_t *counter)
{
	const uint32_t event = core->shared->list.index[id];

	if (nodes_are_on()) {
		cells_spare()[event]++;
		cells_take_spare(
			filter_cell_number(segments_of_trailer(o->segment), filter_site_insn(o)));
	} else {
		++*counter;
	}
	filter_calls_count(event, 1);
}

void filter_pages_missed(uint64_t line, uint32_t site, uint64_t clock)
{
	const struct filter_owner *o = filter_site_owner(site);
	const uint64_t page = line / PAGE_LINES;
	const bool is_code = o->flags & FILTER_SITE_CODE;
	struct sim_cache *tlb = is_code ? &core->code_tlb : &core->data_tlb;
	struct sim_cache *second = &core->second_tlb;

	filter_walk_set_now(clock + ((o->flags & FILTER_SITE_SECOND) != 0));
	insert(tlb, sim_cache_set(tlb, page), sim_entry_of(page, 0));
	count(o, SIM_TLB_MISSES + o->column, &misses_at(site)->first);
	if (!second->memory || sim_cache_use(second, page, 0) != SIM_NO_LINE)
		return;
	sim_cache_insert(second, page, 0);
	count(o, SIM_TLB_MISSES + 3 + o->column, &misses_at(site)->second);
}

bool filter_pages_missed_at(uint32_t site)
{
	return core && misses_at(site)->first;
}

void filter_pages_take(uint32_t site, uint32_t column, uint64_t events[])
{
	const uint8_t *index;

	if (!filter_pages_missed_at(site))
		return;
	index = core->shared->list.index + SIM_TLB_MISSES + column;
	events[index[0]] += misses_at(site)->first;
	if (misses_at(site)->second)
		events[index[3]] += misses_at(site)->second;
	*misses_at(site) = (struct misses){0};
}

/* ---- Off ---- */

static void hand_over(struct tlb *t, struct sim_cache *c)
{
	if (!t->level)
		return;
	*c = t->own;
	for (uint64_t set = 0; set < c->sets; set++)
		for (uint32_t n = 0; n < c->ways; n++) {
			const uint32_t place = oldest(t, set);

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
