/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation is asked for, besides its caches. */
#ifndef DWELL_SIM_PLAN_ASKS_H
#define DWELL_SIM_PLAN_ASKS_H

/* What is asked for: bits of a set. */
enum sim_ask {
	SIM_ASK_NO_FILTER = 1 << 0, /* replay each access, for tests: the same counts */
	SIM_ASK_ALSO = 1 << 1,	    /* several hierarchies */
	SIM_ASK_LINE_USE = 1 << 2,
	SIM_ASK_WRITE_BACKS = 1 << 3,
	SIM_ASK_SAMPLE = 1 << 4, /* simulate stretches of the run */
	SIM_ASK_SETS = 1 << 5,	 /* simulate some sets */
	SIM_ASK_CONTEXT = 1 << 6,
	SIM_ASK_THREADS = 1 << 7, /* nodes of the call graph belong to a thread */
	SIM_ASK_JUMPS = 1 << 8,
	SIM_ASK_DATA = 1 << 9,	      /* misses by data structure and cause */
	SIM_ASK_REFERENCES = 1 << 10, /* hits by data structure, too */
	SIM_ASK_CONFLICTS = 1 << 11,  /* conflict misses */
	SIM_ASK_NO_GRAPH = 1 << 12,   /* no call graph */
	SIM_ASKS = 13,
};

#endif
