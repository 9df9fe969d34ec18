/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of dead times in a stretch; see dead.h. */
#include "engine/simulate/observe/dead.h"

#include "engine/core/search.h"
#include "engine/core/util.h"

#define POINTS 256u
#define STEP   (DEAD_WHOLE / POINTS)

/* When a part of the stretch was over; the last one is now. */
struct point {
	uint64_t part, times[DEAD_CLOCKS];
};

struct dead_stretch dead_stretch;
struct stretch_cache stretch_caches[BIN_CACHES];

static struct {
	struct point points[POINTS + 3];
	uint32_t count;
	uint64_t part, middle; /* at the last call; between that and the one before */
	uint64_t stand_for;
} d;

void dead_begin(void)
{
	d.count = 0;
	d.part = d.middle = d.stand_for = 0;
}

static const struct point *now(void)
{
	return &d.points[d.count - 1];
}

void dead_reach_part(uint32_t part)
{
	if (part < d.part) /* the next stretch is planned already */
		part = (uint32_t)d.part;
	d.middle = (d.part + part) / 2;
	d.part = part;
}

void dead_reach(uint64_t accesses)
{
	const uint64_t done = dead_stretch.done + accesses;
	const uint64_t rest = done < dead_stretch.planned ? dead_stretch.planned - done : 0;

	dead_reach_part(DEAD_WHOLE -
			(uint32_t)((unsigned __int128)rest * DEAD_WHOLE / dead_stretch.planned));
}

void dead_look(const uint64_t times[DEAD_CLOCKS], uint64_t stand_for)
{
	if (d.count < 2 || now()->part - d.points[d.count - 2].part >= STEP)
		d.count++;
	engine_assert(d.count <= POINTS + 3);
	d.points[d.count - 1] = (struct point){d.part, {times[0], times[1]}};
	d.stand_for = stand_for;
}

void dead_looked(void)
{
	d.stand_for = 0;
}

void dead_unknown(struct stretch_cache *c)
{
	c->late += d.middle >= DEAD_LATE;
	c->half += d.middle >= DEAD_HALF;
}

/* The part of the stretch that was over at that time. Between points it grows evenly. */
static uint64_t part_at(enum dead_clock clock, uint64_t time)
{
	const uint32_t last = d.count - 1,
		       before = SEARCH_FIRST(i, last, d.points[i + 1].times[clock] > time);
	const struct point *a = &d.points[before], *b = &d.points[before + (before < last)];

	if (time <= a->times[clock])
		return a->part;
	if (time >= b->times[clock])
		return b->part;
	return a->part +
	       (b->part - a->part) * (time - a->times[clock]) / (b->times[clock] - a->times[clock]);
}

void dead_missed(struct stretch_cache *c, enum dead_clock clock, uint64_t time)
{
	uint64_t dead, counted;

	if (!d.stand_for)
		return;
	dead = d.part - part_at(clock, time);
	counted = dead < DEAD_HALF ? dead : DEAD_HALF;
	c->timed += d.stand_for;
	c->dead += d.stand_for * counted * DEAD_WHOLE / (DEAD_WHOLE - counted);
	if (dead > DEAD_LATE)
		c->dead_late +=
			d.stand_for * (counted - DEAD_LATE) * DEAD_WHOLE / (DEAD_WHOLE - counted);
}
