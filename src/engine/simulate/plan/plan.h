/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How this process is simulated: made once, before code is made, from the tables of sim/plan. Other
 * rooms read it, and decide nothing. A part without memory clears its member, and the user reads a
 * sentence. Two members are not of the plan: `turns`, and `code_line_shift`, known when the caches
 * are made.
 */
#ifndef DWELL_ENGINE_SIMULATE_PLAN_H
#define DWELL_ENGINE_SIMULATE_PLAN_H

#include "sim/plan/plan.h"

struct simulate_plan {
	enum sim_way way;
	const char *why; /* of a replay: see struct sim_plan */
	bool turns; /* there was a second thread: code counts blocks (mode/filter_scheduler.h) */
	uint32_t code_line_shift; /* log2 of the line of the first level of code */
	/* By the way. */
	bool pair, walks, several; /* two levels in code; SIM_WAY_WALK; SIM_WAY_SEVERAL */
	bool fetches;		   /* instruction fetches are simulated */
	bool sets;		   /* only some lines are simulated */
	bool pages;		   /* code looks into TLBs, too */
	bool stretches;		   /* only a part of the accesses is simulated */
	/* What is told besides counts; in code only. */
	bool data, references, conflicts;
	bool uses, some_uses; /* of lines: of all of them, or of some */
	bool windows;	      /* some windows see all references: miss/filter_windows.h */
	/* Calls. */
	bool contexts; /* a segment has a cell in each context that executes it */
	bool arcs;     /* code follows calls: calls/arcs.h */
	bool nodes;    /* in contexts: calls/nodes.h */
	bool branches; /* how often conditional branches are taken */
};
extern struct simulate_plan plan;

/* For the engine's configuration, whose geometries have been checked. */
void plan_make(void);
/* The ways in code lack memory: replay. */
void plan_replay(void);

#endif
