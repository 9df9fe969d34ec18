/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the call graph of a simulation; a part of channel.h, which includes it. */
#ifndef DWELL_CHANNEL_CALL_GRAPH_H
#define DWELL_CHANNEL_CALL_GRAPH_H

#include "channel/channel.h"

/*
 * Simulation with a call graph: a node, a function in a context of callers. Written before the
 * first record that refers to it, and after the nodes of its callers.
 */
struct record_node {
	struct record_header h;
	uint64_t start, end; /* the function's code */
	uint64_t position;   /* accesses of the process so far */
	uint32_t id;	     /* within the process, from 1 */
	uint32_t caller;     /* node of the caller; 0: none, or beyond the context */
	uint32_t thread;     /* index, or UINT32_MAX: all threads */
	uint32_t kind;	     /* enum channel_function */
};

enum channel_function {
	FUNCTION_NORMAL,
	FUNCTION_STUBS,	   /* of a procedure linkage table */
	FUNCTION_RESOLVER, /* the dynamic linker's */
	FUNCTION_UNKNOWN,  /* function boundaries are unknown */
	FUNCTION_MADE,	   /* code made at run time; possibly a part of a function */
};

/* Calls since the arc's last record, and the events during the outermost of them. */
struct record_arc {
	struct record_header h;
	uint64_t pc;	   /* of the call or jump; 0: none */
	uint64_t position; /* accesses of the process so far */
	uint64_t calls;
	uint32_t caller; /* node; 0: none */
	uint32_t callee;
	uint32_t flags; /* enum channel_arc */
	uint32_t events;
};

enum channel_arc {
	ARC_JUMP = 1,	   /* a jump to another function, not a call */
	ARC_RECURSIVE = 2, /* the function was already active */
	ARC_START = 4,	   /* no caller: a thread, or another stack of it, begins */
	ARC_SIGNAL = 8,	   /* no caller: a signal handler */
	ARC_NESTED = 16,   /* to made code, while made code was already active */
};

/* Counts of a branch or jump within a function, since its last record. */
struct record_jump {
	struct record_header h;
	uint64_t from, to;
	uint64_t position; /* accesses of the process so far */
	uint64_t executed, taken;
	uint32_t node;
	uint32_t conditional; /* 1: if not taken, execution continues after `from` */
};

_Static_assert(sizeof(struct record_node) == 48, "layout of record_node");
_Static_assert(sizeof(struct record_arc) == 48, "layout of record_arc");
_Static_assert(sizeof(struct record_jump) == 56, "layout of record_jump");

#endif
