/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that are looked at; see uses_watch.h. */
#include "engine/simulate/miss/uses_watch.h"

#include "engine/codecache/pages.h"
#include "engine/core/random.h"
#include "engine/core/util.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_pages.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/miss/uses_records.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_sites.h"

#define w	    filter_state
#define FIRST_LIMIT 64ull /* uses of a line until chance decides again */
#define STAGE_SHIFT 2	  /* and then of each stage: four times those of the last one */
#define MOST_STAGES 12	  /* keeps uses in 32 bits, and what is charged for a line */
#define SHIFT_AT    4	  /* bits of a stage, before those of a shift */
#define FIRST_SHIFT 5	  /* see struct chance: 1/1 of a share of 1/32 */
/* Lines stay for longer in the last level, so that each costs more. */
#define FIRST_SHIFT_OF_LAST 3
#define FIRST_END	    1024u
#define PHASE_SHIFT	    2 /* a phase has four times the lines of the one before */

struct live {
	uint64_t touched;
	uint32_t uses, limit;
};

_Static_assert(offsetof(struct live, uses) == WATCH_USES, "layout");
_Static_assert(offsetof(struct live, limit) == WATCH_LIMIT, "layout");

#define MOST_PLACES (FILTER_LAST_BYTES / sizeof(uint64_t))

int32_t uses_skip[USES_LEVELS];

/*
 * When the next line is chosen. At first more are, as if the share was `shift` times halved: until
 * so many lines have come as `end` says.
 */
struct chance {
	uint64_t next, end; /* lines, in the order of their coming, from 0 on */
	uint32_t shift;
};

static struct {
	uint32_t log2_share, stages_most;
	uint64_t random;
	struct chance chance[USES_LEVELS];
	uint8_t *stages; /* by level and place */
} f;

/* ---- Chance ---- */

/* How many are passed over before the next one: 64 chances at a time. */
static uint32_t draw_skip(uint32_t shift)
{
	for (uint32_t n = 0; n < INT32_MAX - 64; n += 64) {
		uint64_t chosen = UINT64_MAX;

		for (uint32_t i = shift; i < f.log2_share; i++)
			chosen &= random_next(&f.random);
		if (chosen)
			return n + (uint32_t)__builtin_ctzll(chosen);
	}
	return INT32_MAX;
}

/* `from`: the line that may be the next one. */
static void draw(uint32_t level, uint64_t from)
{
	struct chance *c = &f.chance[level];

	c->next = from + draw_skip(c->shift);
	while (c->next >= c->end && c->shift > 0) {
		c->next = c->end + draw_skip(--c->shift);
		c->end <<= PHASE_SHIFT;
	}
	uses_skip[level] = (int32_t)(c->next - from);
}

/* The next one has come. Returns the stages of its place. */
static uint8_t take(uint32_t level)
{
	const uint32_t shift = f.chance[level].shift;

	draw(level, f.chance[level].next + 1);
	return (uint8_t)(shift << SHIFT_AT);
}

/* ---- Places ---- */

static uint64_t index_of(const struct filter_level *l, uint32_t place)
{
	return (uint64_t)((uint64_t *)(uintptr_t)place - l->stamps);
}

/* The stage, and SHIFT_AT the shift of the chance. */
static uint8_t *stages_of(const struct filter_level *l, uint32_t place)
{
	return f.stages + uses_level(l) * MOST_PLACES + index_of(l, place);
}

static uint32_t stage_of(const struct filter_level *l, uint32_t place)
{
	return *stages_of(l, place) & ((1u << SHIFT_AT) - 1);
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
	return plan.some_uses && l == &w.data && is_watched(l, index);
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
	const uint32_t shift = *stages_of(l, place) >> SHIFT_AT;

	return 1ull << (f.log2_share - shift + stage_of(l, place));
}

/* ---- Watching ---- */

/* The uses of a record until chance decides. */
static uint32_t uses_left(const struct sim_line_record *r, uint32_t stage)
{
	const uint64_t end = FIRST_LIMIT << STAGE_SHIFT * stage;

	if (!r->tag || stage == f.stages_most)
		return UINT32_MAX;
	return r->uses < end ? (uint32_t)(end - r->uses) : 0;
}

static uint32_t place_below(uint64_t line)
{
	return w.last.stamps ? *filter_last_cell(line) : 0;
}

static void set_limit(uint32_t place, uint64_t line)
{
	const uint32_t below = place_below(line);
	uint32_t left = uses_left(uses_record(&w.data, place), stage_of(&w.data, place)), last;

	if (below) {
		last = uses_left(uses_record(&w.last, below), stage_of(&w.last, below));
		left = last < left ? last : left;
	}
	live_at(place)->limit = left;
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

	while (uses_left(r, stage_of(l, place)) == 0) {
		if (random_next(&f.random) % 2) {
			++*stages_of(l, place);
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
	const bool is_chosen = uses_skip[USES_LAST]-- == 0;

	if (is_chosen)
		uses_settle(line);
	*uses_record(&w.last, place) = (struct sim_line_record){.tag = is_chosen ? tag : 0};
	*stages_of(&w.last, place) = is_chosen ? take(USES_LAST) : 0;
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
	*stages_of(l, place) = is_chosen ? take(uses_level(l)) : 0;
	if (is_chosen || has_record_below(line))
		watch(l, place, line);
}

void uses_watch_begin(const struct filter_level *l, uint32_t place, uint64_t line, uint32_t tag)
{
	if (l == &w.last)
		begin_last(place, line, tag);
	else
		begin_first(l, place, line, tag, uses_skip[uses_level(l)]-- == 0);
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

	if (is_code)
		uses_code_reach(segments_of_trailer(o->segment), o->index);
	if (is_watched(l, index_of(l, place))) {
		uses_watch_settle(l, place,
				  is_code ? filter_line_of_code(victim)
					  : filter_line_of_data(victim));
		charge(l, place, r);
		unwatch(l, place);
	}
	const bool is_chosen = uses_skip[uses_level(l)] < 0;

	begin_first(l, place, line, is_chosen ? uses_tag_of_site(site) : 0, is_chosen);
}

void uses_seed(uint32_t order)
{
	f.random = engine.config.seed + ((uint64_t)order << 32);
	for (uint32_t level = 0; level < USES_LEVELS && plan.some_uses; level++)
		draw(level, f.chance[level].next - (uint64_t)uses_skip[level]);
}

bool uses_watch_start(uint32_t share)
{
	f.log2_share = (uint32_t)__builtin_ctz(share);
	f.stages_most = share > 1 ? MOST_STAGES : 0;
	for (uint32_t level = 0; level < USES_LEVELS; level++) {
		struct chance *c = &f.chance[level];

		c->end = FIRST_END;
		c->shift = level == USES_LAST ? FIRST_SHIFT_OF_LAST : FIRST_SHIFT;
		if (c->shift > f.log2_share)
			c->shift = f.log2_share;
	}
	f.stages = pages_get(round_up(USES_LEVELS * MOST_PLACES, PAGE));
	return f.stages;
}
