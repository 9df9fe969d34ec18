/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that are looked at; see uses_watch.h. */
#include "engine/simulate/uses/uses_watch.h"

#include "engine/codecache/pages.h"
#include "engine/core/random.h"
#include "engine/core/util.h"
#include "engine/simulate/filter/filter_sites.h"
#include "engine/simulate/segments.h"
#include "engine/simulate/uses/uses_code.h"
#include "engine/simulate/uses/uses_records.h"
#include "engine/simulate/walk/filter_pages.h"
#include "engine/simulate/walk/filter_walk.h"

#define w	    filter_state
#define FIRST_LIMIT 64ull /* uses of a line until chance decides again */
#define STAGE_SHIFT 2	  /* and then of each stage: four times those of the last one */
#define MOST_STAGES 12	  /* keeps uses in 32 bits, and what is charged for a line */

struct live {
	uint64_t touched;
	uint32_t uses, limit;
};

_Static_assert(offsetof(struct live, uses) == WATCH_USES, "layout");
_Static_assert(offsetof(struct live, limit) == WATCH_LIMIT, "layout");

#define MOST_PLACES (FILTER_LAST_BYTES / sizeof(uint64_t))

int32_t uses_skip[2];

static struct {
	uint32_t share, stages_most;
	uint64_t random;
	uint32_t skip_last;
	uint8_t *stages; /* by level and place */
} f;

/* ---- Chance ---- */

/* How many are passed over before the next one. */
static uint32_t draw_skip(void)
{
	uint32_t n = 0;

	while (random_next(&f.random) % f.share && n < INT32_MAX)
		n++;
	return n;
}

static bool choose(uint32_t level)
{
	if (level == USES_LAST) {
		if (f.skip_last--)
			return false;
		f.skip_last = draw_skip();
		return true;
	}
	if (uses_skip[level]-- > 0)
		return false;
	uses_skip[level] = (int32_t)draw_skip();
	return true;
}

/* ---- Places ---- */

static uint64_t index_of(const struct filter_level *l, uint32_t place)
{
	return (uint64_t)((uint64_t *)(uintptr_t)place - l->stamps);
}

static uint8_t *stage_of(const struct filter_level *l, uint32_t place)
{
	return f.stages + uses_level(l) * MOST_PLACES + index_of(l, place);
}

static uint64_t *watched_of(const struct filter_level *l, uint64_t index)
{
	return &l->oldest[index / l->places].watched;
}

static bool is_watched(const struct filter_level *l, uint64_t index)
{
	return *watched_of(l, index) >> index % 32 & 1;
}

bool uses_hide(const struct filter_level *l, uint64_t index)
{
	return uses_are_some && l == &w.data && is_watched(l, index);
}

static struct live *live_at(uint32_t place)
{
	return (struct live *)(uintptr_t)USES_LIVE + index_of(&w.data, place);
}

static void mark_last(uint32_t place, bool is_looked_at)
{
	const uint64_t index = index_of(&w.last, place);
	uint32_t *bits = (uint32_t *)(uintptr_t)USES_LAST_BITS + index / 32;

	*bits = (*bits & ~(1u << index % 32)) | (uint32_t)is_looked_at << index % 32;
}

static bool has_record_below(uint64_t line)
{
	const struct sim_line_record *below = uses_record_below(line);

	return below && below->tag;
}

/* ---- Records ---- */

/* The order of uses_bit_of: a matrix of 8 rows of 8 bits, transposed. */
static uint64_t transpose(uint64_t v)
{
	uint64_t swap = (v ^ v >> 7) & 0x00aa00aa00aa00aa;

	v ^= swap ^ swap << 7;
	swap = (v ^ v >> 14) & 0x0000cccc0000cccc;
	v ^= swap ^ swap << 14;
	swap = (v ^ v >> 28) & 0x00000000f0f0f0f0;
	return v ^ swap ^ swap << 28;
}

static void settle_data(uint32_t place, uint64_t line)
{
	struct live *live = live_at(place);

	if (!live->uses)
		return;
	uses_add(uses_record(&w.data, place), line, live->uses, transpose(live->touched));
	live->uses = 0;
	live->touched = 0;
}

void uses_watch_settle(const struct filter_level *l, uint32_t place, uint64_t line)
{
	if (!is_watched(l, index_of(l, place)))
		return;
	if (l == &w.data)
		settle_data(place, line);
	else
		uses_settle_code(uses_record(l, place), line);
}

uint64_t uses_watch_weight(const struct filter_level *l, uint32_t place)
{
	return (uint64_t)f.share << *stage_of(l, place);
}

/* ---- Watching ---- */

static uint64_t uses_left(const struct sim_line_record *r, uint32_t stage)
{
	const uint64_t end = FIRST_LIMIT << STAGE_SHIFT * stage;

	if (!r || !r->tag || stage == f.stages_most)
		return UINT32_MAX;
	return r->uses < end ? end - r->uses : 1;
}

static uint32_t place_below(uint64_t line)
{
	return w.last.stamps ? w.last_cells[line] : 0;
}

static void set_limit(uint32_t place, uint64_t line)
{
	const uint32_t below = place_below(line);
	const uint64_t own = uses_left(uses_record(&w.data, place), *stage_of(&w.data, place)),
		       last = below ? uses_left(uses_record(&w.last, below),
						*stage_of(&w.last, below))
				    : UINT32_MAX;

	live_at(place)->limit = (uint32_t)(own < last ? own : last);
}

static void watch(const struct filter_level *l, uint32_t place, uint64_t line)
{
	const uint64_t index = index_of(l, place);

	if (is_watched(l, index)) {
		uses_watch_settle(l, place, line);
	} else if (l == &w.data) {
		*live_at(place) = (struct live){0};
		filter_pages_lose(l, line, l->stamps[index]);
		*filter_data_cell(line) = 0;
	} else {
		uses_code_take(line);
	}
	*watched_of(l, index) |= 1ull << index % 32;
	if (l == &w.data)
		set_limit(place, line);
}

static void unwatch(const struct filter_level *l, uint32_t place)
{
	const uint64_t index = index_of(l, place);

	*watched_of(l, index) &= ~(1ull << index % 32);
}

/* Chance decides as often as the uses say. */
static void thin(const struct filter_level *l, uint32_t place)
{
	struct sim_line_record *r = uses_record(l, place);
	uint8_t *stage = stage_of(l, place);

	while (r->tag && *stage < f.stages_most && r->uses >= FIRST_LIMIT << STAGE_SHIFT * *stage) {
		if (random_next(&f.random) % 2) {
			++*stage;
			continue;
		}
		*r = (struct sim_line_record){0};
		if (l == &w.last)
			mark_last(place, false);
	}
}

/* The line may have got uses enough. */
static void decide(uint32_t place, uint64_t line)
{
	const uint32_t below = place_below(line);

	settle_data(place, line);
	thin(&w.data, place);
	if (below)
		thin(&w.last, below);
	if (uses_record(&w.data, place)->tag || has_record_below(line)) {
		set_limit(place, line);
		return;
	}
	unwatch(&w.data, place);
	filter_walk_show(&w.data, index_of(&w.data, place));
}

void uses_watch_touch(uint64_t first, uint64_t last, uint64_t n)
{
	const uint64_t line = first >> FILTER_LINE_SHIFT, in_line = USES_LINE_BYTES - 1;
	const uint32_t place = filter_walk_place(&w.data, line);
	struct live *live = live_at(place);

	if (!is_watched(&w.data, index_of(&w.data, place)))
		return;
	live->touched |= ~0ull >> (63 - ((last - first) & in_line)) << (first & in_line);
	live->uses = n < UINT32_MAX - live->uses ? live->uses + (uint32_t)n : UINT32_MAX;
	if (live->uses >= live->limit)
		decide(place, line);
}

bool uses_watch_untouch(uint32_t place)
{
	struct live *live = live_at(place);

	if (!is_watched(&w.data, index_of(&w.data, place)))
		return true;
	if (!live->uses)
		return false;
	live->uses--;
	return true;
}

/* ---- Lines come and go ---- */

static void charge(const struct filter_level *l, uint32_t place, const struct sim_line_record *r)
{
	const uint64_t weight = uses_watch_weight(l, place);

	if (!r->tag)
		return;
	uses_charge(l, r, weight);
	uses_charge_calls(l, r, weight);
}

static void begin_last(uint32_t place, uint64_t line, uint32_t tag)
{
	const struct filter_level *const first[] = {&w.data, &w.code};
	const bool is_chosen = choose(USES_LAST);

	if (is_chosen)
		uses_settle(line);
	*uses_record(&w.last, place) = (struct sim_line_record){.tag = is_chosen ? tag : 0};
	*stage_of(&w.last, place) = 0;
	mark_last(place, is_chosen);
	for (uint32_t n = 0; n < 2 && is_chosen; n++) {
		const uint32_t at = first[n]->stamps ? filter_walk_place(first[n], line) : 0;

		if (at)
			watch(first[n], at, line);
	}
}

static void begin_first(const struct filter_level *l, uint32_t place, uint64_t line, uint32_t tag,
			bool is_chosen)
{
	*uses_record(l, place) = (struct sim_line_record){.tag = is_chosen ? tag : 0};
	*stage_of(l, place) = 0;
	if (is_chosen || has_record_below(line))
		watch(l, place, line);
}

void uses_watch_begin(const struct filter_level *l, uint32_t place, uint64_t line, uint32_t tag)
{
	if (l == &w.last)
		begin_last(place, line, tag);
	else
		begin_first(l, place, line, tag, choose(uses_level(l)));
}

void uses_watch_end(const struct filter_level *l, uint32_t place, uint64_t line)
{
	struct sim_line_record *r = uses_record(l, place);

	if (l != &w.last)
		uses_watch_settle(l, place, line);
	else if (r->tag)
		uses_settle(line);
	charge(l, place, r);
	*r = (struct sim_line_record){0};
	if (l != &w.last)
		unwatch(l, place);
	else
		mark_last(place, false);
}

void uses_watch_replace(uint64_t line, uint32_t place, const uint32_t *victim, uint32_t site)
{
	const struct filter_owner *o = filter_site_owner(site);
	const bool is_code = o->flags & FILTER_SITE_CODE;
	const struct filter_level *l = is_code ? &w.code : &w.data;
	struct sim_line_record *r = uses_record(l, place);
	int32_t *skip = &uses_skip[uses_level(l)];
	const bool is_chosen = *skip < 0;

	if (is_code)
		uses_code_reach(segments_of_trailer(o->segment), o->index);
	if (is_watched(l, index_of(l, place))) {
		uses_watch_settle(l, place,
				  is_code ? filter_line_of_code(victim)
					  : filter_line_of_data(victim));
		charge(l, place, r);
		unwatch(l, place);
	}
	if (is_chosen)
		*skip = (int32_t)draw_skip();
	begin_first(l, place, line, uses_tag_of_site(site), is_chosen);
}

void uses_seed(uint32_t order)
{
	f.random = engine.config.seed + ((uint64_t)order << 32);
	if (!uses_are_some)
		return;
	for (uint32_t n = 0; n < 2; n++)
		uses_skip[n] = (int32_t)draw_skip();
	f.skip_last = draw_skip();
}

bool uses_watch_start(uint32_t share)
{
	f.share = share;
	f.stages_most = share > 1 ? MOST_STAGES : 0;
	f.stages = pages_get(round_up(USES_LEVELS * MOST_PLACES, PAGE));
	return f.stages;
}
