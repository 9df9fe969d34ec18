/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run is simulated: the one place that decides it. One table says which options exclude each
 * other, one what each way of simulation can do, one what each option needs. The command line
 * refuses by them, the engine simulates by them, and `dwell simulate --plan` prints them.
 *
 * A way that the tables choose may still lack memory in the target: then the engine makes the plan
 * again, without the ways in code.
 */
#ifndef DWELL_SIM_PLAN_PLAN_H
#define DWELL_SIM_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/geometry.h"
#include "sim/plan/asks.h"

/* The option that asks for the lowest bit of the set, as "--data". */
const char *sim_ask_option(uint32_t asks);

/* The ways, the best first. */
enum sim_way {
	SIM_WAY_PAIR,	 /* two levels in code */
	SIM_WAY_WALK,	 /* code looks into the first level; misses walk through what is below */
	SIM_WAY_FIRST,	 /* the first level in code; plain caches below */
	SIM_WAY_SEVERAL, /* code looks into what all first levels have; the rest in one pass */
	SIM_WAY_REPLAY,	 /* accesses are written down, and replayed */
	SIM_WAYS,
};

struct sim_request {
	const struct sim_geometry *geometries; /* `count` of them, each checked */
	unsigned count;
	uint32_t asks; /* enum sim_ask */
	bool no_room;  /* the target has no memory for the ways in code */
};

struct sim_plan {
	enum sim_way way;
	const char *why;  /* of a replay: what another way would need; else NULL */
	uint32_t asks;	  /* those that the way can do */
	uint32_t missing; /* the others */
};

/*
 * Do two of these asks exclude each other? Then *one and *other are the two, and the result says
 * why. NULL: no.
 */
const char *sim_plan_contradiction(uint32_t asks, uint32_t *one, uint32_t *other);

void sim_plan_make(const struct sim_request *r, struct sim_plan *plan);

/* Why the plan lacks the ask, one of `missing`. */
const char *sim_plan_why_missing(const struct sim_request *r, const struct sim_plan *plan,
				 uint32_t ask);

/* Has the second level the form that assembly code keeps? */
bool sim_plan_has_quick_second(const struct sim_geometry *g);

/* A way in words, and its usual price: the run's CPU time over the native one. */
struct sim_way_text {
	const char *name, *how, *price;
};
extern const struct sim_way_text sim_way_texts[SIM_WAYS];

/*
 * The rules of a way, for those who print them: the i-th condition, or NULL behind the last. Those
 * that all ways but the replay have are the rules of SIM_WAYS.
 */
const char *sim_way_rule(enum sim_way way, unsigned i);

#endif
