/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First-level TLBs in the filter variant; see filter_pages.h. */
#include "engine/simulate/miss/filter_pages.h"

#include "engine/core/util.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/simulate/state/filter_sites.h"
#include "sim/cache/cache_kinds.h"
#include "sim/plan/limits.h"

#define PAGE_LINES  64u
#define PAGE_BITS   (FILTER_ADDRESS_BITS - 12)
#define FEW_WAYS    8u
#define MOST_PLACES 0x8000ull
#define NO_PAGE	    (1ull << PAGE_BITS)

/*
 * A place; `since` is a lower bound of its last use. Those of a set are in a list, by age as far as
 * it is known. The list begins with a place that has no page. A set of few places needs none: all
 * of them are looked at, without a branch that nobody can predict.
 */
struct place {
	uint64_t entry; /* of src/sim: the page */
	uint64_t since;
	uint32_t younger, older;
	uint32_t newest; /* the line of its page that was, when its lines were looked at */
};

/* The same place; code writes it, too. */
struct filter_page {
	uint64_t time;	/* a lower bound, too */
	uint64_t shown; /* bits of lines: all others have cell 0 */
};

_Static_assert(MOST_PLACES == SIM_TLB_PLACES, "as the plan has it");
_Static_assert(offsetof(struct filter_page, time) == PAGE_TIME, "layout");
_Static_assert(offsetof(struct filter_page, shown) == PAGE_SHOWN, "layout");
_Static_assert(sizeof(struct filter_page) == 1 << PAGE_USE_SHIFT, "layout");
_Static_assert(FILTER_DATA_PAGE_USES + MOST_PLACES * sizeof(struct filter_page) <=
		       FILTER_CODE_PAGE_USES,
	       "layout");

struct tlb {
	struct filter_level *level; /* NULL: there is none */
	struct sim_cache own;	    /* the core's own, empty meanwhile */
	const struct sim_cache *cache;
	uint32_t *places;	  /* by page; not if cells are in pieces */
	struct filter_page *uses; /* by place, which are numbered from 1 */
	bool has_few;		  /* of data, with up to FEW_WAYS places in a set */
	struct place *list;	  /* of places, and behind them of the beginnings of sets' lists */
};

/* Of the accesses of a site, in the first TLB, and in the second one. */
struct misses {
	uint32_t first, second;
};

_Static_assert(sizeof(struct misses) == 8, "layout");

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

static uint64_t page_of(const struct tlb *t, uint32_t place)
{
	return sim_entry_line(t->list[place].entry);
}

#define REGION_PAGES ((1ull << FILTER_REGION_SHIFT) / PAGE_LINES)

/* Where the page's place stands. */
static uint32_t *place_of(const struct tlb *t, uint64_t page)
{
	const uint64_t n = page % REGION_PAGES + (t == &code ? REGION_PAGES : 0);

	if (!filter_pieces.are_on)
		return t->places + page;
	return filter_behind_cell(filter_data_cell((page - page % REGION_PAGES) * PAGE_LINES),
				  filter_pieces.to_pages) +
	       n;
}

/* ---- Lines of a page ---- */

/* Of a line that was shown. */
static uint32_t *cell_of(const struct tlb *t, uint64_t line)
{
	return t == &data ? filter_data_cell(line) : filter_known_code_cell(line);
}

/* The last use of the page's n-th line, which was shown; 0 if it has left its level. */
static uint64_t last_use(const struct tlb *t, uint64_t page, uint32_t n)
{
	const uint32_t stamp = *cell_of(t, page * PAGE_LINES + n);

	return stamp ? *(const uint64_t *)(uintptr_t)stamp : 0;
}

static uint64_t bit_of(uint64_t line)
{
	return 1ull << line % PAGE_LINES;
}

/*
 * Raises *time to the last use of the lines of a place's page, or, if that is false, to a use. Most
 * pages that were used again were so in the same line: if that says enough, no other is looked at.
 */
static bool look_at(const struct tlb *t, uint32_t place, uint64_t *time)
{
	const uint64_t page = page_of(t, place);
	uint32_t newest = t->list[place].newest;
	uint64_t some = t->uses[place].shown, last = *time, use;

	if (some & 1ull << newest) {
		use = last_use(t, page, newest);
		if (use > last) {
			*time = use;
			return false;
		}
		some &= ~(1ull << newest);
	}
	for (; some; some &= some - 1) {
		const uint32_t n = (uint32_t)__builtin_ctzll(some);

		use = last_use(t, page, n);
		newest = use > last ? n : newest;
		last = use > last ? use : last;
	}
	t->list[place].newest = newest;
	*time = last;
	return true;
}

static void take_cells(const struct tlb *t, uint32_t place)
{
	const uint64_t line = page_of(t, place) * PAGE_LINES;

	for (uint64_t some = t->uses[place].shown; some; some &= some - 1)
		*cell_of(t, line + (uint32_t)__builtin_ctzll(some)) = 0;
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
	const struct place *p = &t->list[a], *q = &t->list[b];

	return (p->since < q->since) | ((p->since == q->since) & (p->entry < q->entry));
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
	const uint32_t place = *place_of(t, page);

	(void)set;
	return place ? &t->list[place].entry : 0;
}

static bool is_free(const struct tlb *t, uint32_t place)
{
	return page_of(t, place) == NO_PAGE;
}

static void use_place(struct tlb *t, uint64_t set, uint32_t place, uint64_t now)
{
	if (t->has_few) {
		t->list[place].since = now;
		return;
	}
	take_from_list(t, place);
	put_in_list(t, place, now, first_of(t, set));
}

static void use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	struct tlb *t = of_cache(c);
	const struct place *p =
		(const void *)((const uint8_t *)entry - offsetof(struct place, entry));

	use_place(t, set, (uint32_t)(p - t->list), filter_walk_now());
}

/* Raises the bound of a place of data to what is known without a search. */
static void raise_bound(struct tlb *t, uint32_t place)
{
	static const uint64_t never = 0;
	struct place *p = &t->list[place];
	const uint64_t time = t->uses[place].time;
	const uint32_t *cell = filter_data_cell(page_of(t, place) * PAGE_LINES + p->newest);
	const uint32_t stamp = is_free(t, place) ? 0 : *cell;
	const uint64_t use = *(stamp ? (const uint64_t *)(uintptr_t)stamp : &never);

	p->since = p->since > time ? p->since : time;
	p->since = p->since > use ? p->since : use;
}

static uint32_t oldest_of_few(struct tlb *t, uint64_t set)
{
	const uint32_t first = (uint32_t)(1 + set * t->own.ways), end = first + t->own.ways;
	uint32_t known = 0; /* the place whose last use is known */

	for (uint32_t place = first; place < end; place++)
		raise_bound(t, place);
	for (;;) {
		uint32_t least = first;
		uint64_t time;

		for (uint32_t place = first + 1; place < end; place++)
			least = is_older(t, place, least) ? place : least;
		time = t->list[least].since;
		if (least == known)
			return least;
		look_at(t, least, &time);
		if (time == t->list[least].since)
			return least;
		t->list[least].since = time;
		known = least;
	}
}

/* The place of the set that was used first. */
static uint32_t oldest(struct tlb *t, uint64_t set)
{
	const uint32_t first = first_of(t, set);
	uint32_t known = 0; /* the place whose last use is known */

	if (t->has_few)
		return oldest_of_few(t, set);
	for (;;) {
		const uint32_t place = t->list[first].younger;
		uint64_t time = t->list[place].since;

		if (place == known || is_free(t, place))
			return place;
		time = t->uses[place].time > time ? t->uses[place].time : time;
		if (look_at(t, place, &time))
			known = place;
		if (time == t->list[place].since)
			return place;
		take_from_list(t, place);
		put_in_list(t, place, time, first);
	}
}

/* Returns the entry of the page that leaves its place for another one. */
static uint64_t replace(struct tlb *t, uint64_t set, uint64_t entry, uint64_t now)
{
	const uint32_t place = oldest(t, set);
	const uint64_t victim = t->list[place].entry;
	const bool was_free = is_free(t, place);

	if (!was_free) {
		*place_of(t, sim_entry_line(victim)) = 0;
		take_cells(t, place);
	}
	t->list[place].entry = entry;
	*place_of(t, sim_entry_line(entry)) = place;
	t->uses[place] = (struct filter_page){0};
	use_place(t, set, place, now);
	return was_free ? SIM_NO_LINE : victim;
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	return replace(of_cache(c), set, entry, filter_walk_now());
}

static const struct sim_cache_kind pages = {.find = find, .use = use, .insert = insert};

/* ---- */

static void make_lists(struct tlb *t)
{
	const uint32_t ways = t->own.ways;

	for (uint64_t set = 0; set < t->own.sets; set++) {
		const uint32_t first = first_of(t, set);

		t->list[first].younger = t->list[first].older = first;
		for (uint32_t way = 0; way < ways; way++) {
			const uint32_t place = (uint32_t)(1 + set * ways + way);

			t->list[place].entry = sim_entry_of(NO_PAGE, 0);
			put_in_list(t, place, 0, first);
		}
	}
}

/* Makes it the TLB of a level, with these tables. */
static bool take(struct tlb *t, struct filter_level *l, struct sim_cache *c, uint64_t places,
		 uint64_t uses)
{
	const uint64_t count = 1 + c->sets * c->ways + c->sets;

	if (!c->memory)
		return true;
	*t = (struct tlb){
		.level = l,
		.own = *c,
		.cache = c,
		.places = (uint32_t *)(uintptr_t)places,
		.uses = (struct filter_page *)(uintptr_t)uses,
		.has_few = t == &data && c->ways <= FEW_WAYS,
		.list = pages_get(round_up(count * sizeof *t->list, PAGE)),
	};
	if (!t->list)
		return false;
	make_lists(t);
	c->kind = &pages;
	c->noop_loads = c->noop_stores = 0;
	return true;
}

static void move_to_pieces(const struct tlb *t)
{
	for (uint32_t place = 1; t->level && place <= t->own.sets * t->own.ways; place++)
		if (!is_free(t, place))
			*place_of(t, page_of(t, place)) = place;
}

static void divide(void)
{
	move_to_pieces(&data);
	move_to_pieces(&code);
	data.places = code.places = 0;
	filter_state.data_pages = filter_state.code_pages = 0;
}

static void move(uint64_t by)
{
	data.places += by / sizeof *data.places;
	code.places += by / sizeof *code.places;
	filter_state.data_pages = data.places;
	filter_state.code_pages = code.places;
}

bool filter_pages_start(struct sim_core *c)
{
	const uint64_t pages = filter_memory_pages();

	if (!take(&data, &filter_state.data, &c->data_tlb, pages, FILTER_DATA_PAGE_USES) ||
	    !take(&code, &filter_state.code, &c->code_tlb, pages ? pages + FILTER_PAGES_BYTES : 0,
		  FILTER_CODE_PAGE_USES))
		return false;
	core = c->has_tlb ? c : 0;
	filter_state.data_pages = data.places;
	filter_state.code_pages = code.places;
	filter_state.divide_pages = divide;
	filter_state.move_pages = move;
	return true;
}

bool filter_pages_have(const struct filter_level *l, uint64_t line)
{
	const struct tlb *t = tlb_of(l);

	return !t || *place_of(t, line / PAGE_LINES);
}

bool filter_pages_hide(const struct filter_level *l)
{
	return tlb_of(l) != 0;
}

bool filter_pages_let(const struct filter_level *l, uint64_t line)
{
	struct tlb *t = tlb_of(l);
	uint32_t place;

	if (!t)
		return true;
	place = *place_of(t, line / PAGE_LINES);
	if (place)
		t->uses[place].shown |= bit_of(line);
	return place != 0;
}

void filter_pages_lose(const struct filter_level *l, uint64_t line, uint64_t time)
{
	struct tlb *t = tlb_of(l);
	const uint32_t place = t ? *place_of(t, line / PAGE_LINES) : 0;

	if (place && t->uses[place].time < time)
		t->uses[place].time = time;
}

/* ---- Misses that filter_miss.S hands over ---- */

static struct misses *misses_at(uint32_t site)
{
	return (struct misses *)filter_state.page_misses + site;
}

static void count(const struct filter_owner *o, unsigned id, uint32_t *counter)
{
	const uint32_t event = core->shared->list.index[id];

	if (plan.nodes) {
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
	struct tlb *t = is_code ? &code : &data;
	struct sim_cache *second = &core->second_tlb;

	replace(t, sim_cache_set(&t->own, page), sim_entry_of(page, 0),
		clock + ((o->flags & FILTER_SITE_SECOND) != 0));
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

/* ---- Tables that move ---- */

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
				sim_cache_insert(c, page_of(t, place), 0);
			if (t->has_few)
				t->list[place].since = UINT64_MAX;
			else
				take_from_list(t, place);
		}
}

void filter_pages_hand_over(struct sim_core *c)
{
	hand_over(&data, &c->data_tlb);
	hand_over(&code, &c->code_tlb);
}
