/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the use of lines in the filter variant; see uses.h. */
#include "engine/simulate/miss/uses.h"

#include "engine/core/util.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_taken.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/miss/uses_records.h"
#include "engine/simulate/miss/uses_watch.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_sites.h"
#include "sim/base/bits.h"
#include "sim/plan/limits.h"
#include "sim/system/hierarchy.h"

#define w	filter_state
#define ROW	16u /* places of a row, at most */
#define NOWHERE (USES_MOST_PLACES - ROW)

_Static_assert(NOWHERE == SIM_USE_PLACES, "as the plan has it");

#define USES_EVENTS 8u

struct live {
	uint64_t uses;
	uint32_t bias, unused;
};

/* What lines have cost that an instruction has brought to a first level, and to the last one. */
struct costs {
	uint64_t events[USES_EVENTS]; /* as from SIM_LINE_USE on */
};

#define DATA   USES_DATA
#define CODE   USES_CODE
#define LAST   USES_LAST
#define LEVELS USES_LEVELS

#define MOST_PLACES (FILTER_LAST_BYTES / sizeof(uint64_t))

/* In one reserve, so large that it does not lie among the program's mappings. */
struct tables {
	struct costs costs[SEGMENTS_MOST_INSNS];
	struct sim_line_record records[LEVELS][MOST_PLACES];
	uint32_t tags[FILTER_MOST_SITES];
};

static struct {
	struct sim_hierarchy *h;
	struct tables *tables;
	struct sim_line_use own[LEVELS]; /* the hierarchy's, unused meanwhile */
	uint32_t at[USES_EVENTS];	 /* positions of the events of costs in a cell */
} f;

/* ---- Places ---- */

struct sim_line_record *uses_record(const struct filter_level *l, uint32_t place)
{
	return &f.tables->records[uses_level(l)][(uint64_t *)(uintptr_t)place - l->stamps];
}

static uint64_t data_place(uint32_t place)
{
	return (place - FILTER_STAMPS) / sizeof(uint64_t);
}

static struct live *live_at(uint32_t place)
{
	return (struct live *)(uintptr_t)USES_LIVE + data_place(place);
}

static uint8_t *touched_at(uint32_t place)
{
	return (uint8_t *)(uintptr_t)(USES_TOUCHED + USES_LINE_BYTES * data_place(place));
}

static void let_mark(uint32_t place, uint64_t first_byte)
{
	live_at(place)->bias = (uint32_t)((uintptr_t)touched_at(place) - first_byte);
}

/* ---- Sums ---- */

static void add(struct sim_line_record *r, uint64_t uses, uint64_t touched)
{
	if (!r->tag)
		return;
	r->touched |= touched;
	r->uses = uses < UINT32_MAX - r->uses ? r->uses + (uint32_t)uses : UINT32_MAX;
}

/* That of the line in the last level, if there is one, and has it. */
struct sim_line_record *uses_record_below(uint64_t line)
{
	const uint32_t place = w.last.stamps ? *filter_last_cell(line) : 0;

	return place ? uses_record(&w.last, place) : 0;
}

void uses_add(struct sim_line_record *r, uint64_t line, uint64_t uses, uint64_t touched)
{
	struct sim_line_record *below = uses_record_below(line);

	add(r, uses, touched);
	if (below)
		add(below, uses, touched);
}

/* The marks of a place, as bits. Clears them. */
static uint64_t gather(uint32_t place)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t *marks = (uint64_t *)(void *)touched_at(place), bits = 0;

#pragma GCC unroll 8
	for (int i = 7; i >= 0; i--) {
		bits = 2 * bits + (marks[i] & ones);
		marks[i] = 0;
	}
	return bits;
}

static void settle_data(struct sim_line_record *r, uint32_t place, uint64_t line)
{
	struct live *live = live_at(place);
	const uint64_t uses = live->uses;

	if (!uses)
		return;
	live->uses = 0;
	uses_add(r, line, uses, gather(place));
}

void uses_settle_code(struct sim_line_record *r, uint64_t line)
{
	const struct uses_of_code sum = uses_code_take(line);

	if (sum.uses)
		uses_add(r, line, sum.uses, sum.touched);
}

static void settle_place(const struct filter_level *l, uint32_t place, uint64_t line)
{
	if (plan.some_uses)
		uses_watch_settle(l, place, line);
	else if (l == &w.data)
		settle_data(uses_record(l, place), place, line);
	else
		uses_settle_code(uses_record(l, place), line);
}

void uses_settle(uint64_t line)
{
	uint32_t place = filter_walk_place(&w.data, line);

	if (place)
		settle_place(&w.data, place, line);
	place = w.code.stamps ? filter_walk_place(&w.code, line) : 0;
	if (place)
		settle_place(&w.code, place, line);
}

/* ---- Costs ---- */

static uint64_t lost(const struct sim_line_record *r)
{
	return USES_LINE_BYTES - (uint64_t)sim_count_bits(r->touched);
}

static struct costs *costs_of(uint32_t tag)
{
	return &f.tables->costs[tag];
}

/* Of the first event of the record's level. */
static uint32_t first_event(const struct filter_level *l)
{
	return l == &w.last ? 2 : 0;
}

/* Event k of the costs of a tag. */
static void add_event(uint32_t tag, uint32_t k, uint64_t n)
{
	if (!plan.nodes)
		costs_of(tag)->events[k] += n;
	else if (f.at[k] != SIM_NO_EVENT)
		cells_at(tag)[f.at[k]] += n;
}

static void add_costs(uint32_t tag, uint32_t k, uint64_t cost, uint64_t weight)
{
	add_event(tag, k, cost * weight);
	add_event(tag, k + USES_EVENTS / 2, cost * cost * weight * (weight - 1));
}

void uses_charge(const struct filter_level *l, const struct sim_line_record *r, uint64_t weight)
{
	add_costs(r->tag, first_event(l), sim_line_access_cost(r), weight);
	add_costs(r->tag, first_event(l) + 1, lost(r), weight);
}

void uses_charge_calls(const struct filter_level *l, const struct sim_line_record *r,
		       uint64_t weight)
{
	const uint32_t *at = f.at + first_event(l);

	filter_calls_count(at[0], (int64_t)(sim_line_access_cost(r) * weight));
	filter_calls_count(at[1], (int64_t)(lost(r) * weight));
}

bool uses_have_costs(const struct segment_insn *in)
{
	const struct costs *c = costs_of(segments_insn_number(in));

	uint64_t any = 0;

	for (uint32_t k = 0; k < USES_EVENTS; k++)
		any |= c->events[k];
	return any;
}

void uses_take_costs(const struct segment_insn *in, uint64_t *events)
{
	struct costs *c = costs_of(segments_insn_number(in));

	for (uint32_t k = 0; k < USES_EVENTS; k++)
		if (f.at[k] != SIM_NO_EVENT)
			events[f.at[k]] += c->events[k];
	*c = (struct costs){0};
}

/* ---- Lines come and go ---- */

static void begin_data(uint32_t place, uint64_t line, uint32_t tag)
{
	*uses_record(&w.data, place) = (struct sim_line_record){.tag = tag};
	let_mark(place, line << FILTER_LINE_SHIFT);
}

void uses_begin(const struct filter_level *l, uint32_t place, uint64_t line, uint32_t tag)
{
	if (plan.some_uses) {
		uses_watch_begin(l, place, line, tag);
		return;
	}
	if (l == &w.data) {
		begin_data(place, line, tag);
		return;
	}
	if (l == &w.last)
		uses_settle(line);
	*uses_record(l, place) = (struct sim_line_record){.tag = tag};
}

void uses_end(const struct filter_level *l, uint32_t place, uint64_t line)
{
	struct sim_line_record *r = uses_record(l, place);

	if (plan.some_uses) {
		uses_watch_end(l, place, line);
		return;
	}
	if (l == &w.last)
		uses_settle(line);
	else
		settle_place(l, place, line);
	uses_charge(l, r, 1);
	uses_charge_calls(l, r, 1);
	*r = (struct sim_line_record){0};
}

void uses_note_site(uint32_t site, const struct segment_insn *in)
{
	f.tables->tags[site] = segments_insn_number(in);
}

uint32_t uses_tag(struct segment *s, struct segment_insn *in)
{
	uint32_t *cell;

	if (!plan.nodes)
		return segments_insn_number(in);
	cell = filter_cell_number(s, in);
	cells_keep(cell);
	return *cell;
}

uint32_t uses_tag_of_site(uint32_t site)
{
	const struct filter_owner *o = filter_site_owner(site);

	return plan.nodes ? uses_tag(segments_of_trailer(o->segment), filter_site_insn(o))
			  : f.tables->tags[site];
}

void uses_replace(uint64_t line, uint32_t place, const uint32_t *victim, uint32_t site)
{
	struct sim_line_record *r = uses_record(&w.data, place);

	if (plan.some_uses) {
		uses_watch_replace(line, place, victim, site);
		return;
	}
	if (r->tag) {
		settle_data(r, place, filter_line_of_data(victim));
		uses_charge(&w.data, r, 1);
		uses_charge_calls(&w.data, r, 1);
	}
	begin_data(place, line, uses_tag_of_site(site));
}

/* ---- Accesses that come to C ---- */

void uses_touch_again(uint64_t first, uint64_t last, uint64_t n)
{
	const uint64_t in_line = USES_LINE_BYTES - 1;
	const uint32_t place = filter_walk_place(&w.data, first >> FILTER_LINE_SHIFT);
	uint8_t *touched = touched_at(place);

	if (plan.some_uses) {
		uses_watch_touch(first, last, n);
		return;
	}
	live_at(place)->uses += n;
	for (uint64_t at = first & in_line; at <= (last & in_line); at++)
		touched[at] = 0xff;
}

void uses_touch(uint64_t first, uint64_t last)
{
	const uint64_t end = last & ~(uint64_t)(USES_LINE_BYTES - 1);

	if (first < end)
		uses_touch_again(first, end - 1, 1);
	uses_touch_again(first < end ? end : first, last, 1);
}

/* The use is in its records already. */
static void take_from_records(const struct filter_level *l, uint32_t place, uint64_t line)
{
	struct sim_line_record *below = uses_record_below(line);

	uses_record(l, place)->uses -= uses_record(l, place)->tag != 0;
	if (below)
		below->uses -= below->tag != 0;
}

void uses_unfetch(uint64_t line)
{
	const uint32_t place = filter_walk_place(&w.code, line);

	if (place && !uses_code_uncount(line))
		take_from_records(&w.code, place, line);
}

void uses_untouch(uint64_t line)
{
	const uint32_t place = filter_walk_place(&w.data, line);

	if (!place || (plan.some_uses && uses_watch_untouch(place)))
		return;
	if (!plan.some_uses && live_at(place)->uses) {
		live_at(place)->uses--;
		return;
	}
	take_from_records(&w.data, place, line);
}

uint32_t uses_nowhere(uint64_t address)
{
	const uint32_t place = FILTER_STAMPS + NOWHERE * sizeof(uint64_t);

	let_mark(place, address);
	return place;
}

/* ---- On and off ---- */

static const struct filter_level *level_of(uint32_t n)
{
	return n == DATA ? &w.data : n == CODE ? &w.code : &w.last;
}

static struct sim_level *own_level(uint32_t n)
{
	return f.h->core.levels[n == CODE ? SIM_CODE_SLOT : n == DATA ? 0 : 1];
}

bool uses_start(struct sim_hierarchy *h)
{
	struct grow g;

	if (!plan.uses)
		return true;
	f.h = h;
	for (uint32_t k = 0; k < USES_EVENTS; k++)
		f.at[k] = h->shared.list.index[SIM_LINE_USE + k];
	if (grow_init_whole(&g, sizeof *f.tables) != 0 || !uses_code_start())
		return false;
	f.tables = (struct tables *)(void *)g.base;
	if (plan.some_uses && !uses_watch_start(h->shared.geometry.line_share))
		return false;
	for (uint32_t n = 0; n < LEVELS; n++) {
		if (!level_of(n)->stamps)
			continue;
		f.own[n] = own_level(n)->use;
		own_level(n)->use = (struct sim_line_use){0};
	}
	return true;
}

static uint64_t line_at(uint32_t n, uint64_t place)
{
	return filter_walk_line(level_of(n), place);
}

static uint64_t weight_of(uint32_t n, uint64_t place)
{
	const struct filter_level *l = level_of(n);

	return plan.some_uses ? uses_watch_weight(l, (uint32_t)(uintptr_t)&l->stamps[place]) : 1;
}

static uint64_t places_of(uint32_t n)
{
	const struct filter_level *l = level_of(n);

	return l->stamps ? own_level(n)->cache.sets * l->places : 0;
}

static struct sim_line_record *records_of(uint32_t n)
{
	return f.tables->records[n];
}

static void settle_all(void)
{
	uses_code_reach(0, 0);
	for (uint32_t n = DATA; n <= (plan.some_uses ? LAST : CODE); n++)
		for (uint64_t i = 0; i < places_of(n); i++)
			if (records_of(n)[i].tag)
				uses_settle(line_at(n, i));
}

void uses_finish(void)
{
	if (!plan.uses)
		return;
	settle_all();
	for (uint32_t n = 0; n < LEVELS; n++)
		for (uint64_t i = 0; i < places_of(n); i++)
			if (records_of(n)[i].tag)
				uses_charge(level_of(n), &records_of(n)[i], weight_of(n, i));
}

/* In the order of the bytes. */
static uint64_t in_order(uint64_t touched)
{
	uint64_t bits = 0;

	for (uint32_t byte = 0; byte < USES_LINE_BYTES; byte++)
		bits |= (touched >> uses_bit_of(byte) & 1) << byte;
	return bits;
}

/* The replay's tags are cells. */
static uint32_t cell_of(uint32_t tag)
{
	struct segment_insn *in = segments_insn(tag);

	if (plan.nodes)
		return tag;
	cells_keep(&in->cell);
	return in->cell;
}

/* A record goes on in the replay. */
static void hand_over(struct sim_line_use *u, uint64_t line, const struct sim_line_record *r)
{
	struct sim_line_record *to;

	sim_line_use_begin(u, line, cell_of(r->tag));
	to = sim_line_use_find(u, line);
	to->uses = r->uses;
	to->touched = in_order(r->touched);
}

/* Replay looks at each line that comes from now on. What stands for others ends here. */
void uses_hand_over(void)
{
	if (!plan.uses)
		return;
	settle_all();
	for (uint32_t n = 0; n < LEVELS; n++) {
		if (level_of(n)->stamps)
			own_level(n)->use = f.own[n];
		for (uint64_t i = 0; i < places_of(n); i++) {
			const struct sim_line_record *r = &records_of(n)[i];

			if (!r->tag)
				continue;
			if (weight_of(n, i) == 1)
				hand_over(&own_level(n)->use, line_at(n, i), r);
			else
				uses_charge(level_of(n), r, weight_of(n, i));
		}
	}
	filter_take_all_misses(); /* what was charged just now */
	plan.uses = plan.some_uses = false;
}
