/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines: the sums of arcs that code adds to. A line belongs to a place in the code and a function
 * that it leads to; what is constant of it is in its info. Its misses have a row.
 */
#ifndef DWELL_ENGINE_SIMULATE_ARCS_ARCS_LINES_H
#define DWELL_ENGINE_SIMULATE_ARCS_ARCS_LINES_H

#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/lines_table.h"
#include "engine/simulate/state/notes.h"
#include "sim/calls/open_calls.h"

#define ARCS_UNITS     6u /* events of misses, with two plain levels */
#define ARCS_UNIT_BITS 10 /* of each, in the sums of notes */

_Static_assert(NOTES < 1 << ARCS_UNIT_BITS, "sums of notes do not overflow");

struct arcs_frame {
	uint32_t line, cell;
	uint32_t note, old;
	uint64_t lane[2];
	uint64_t sp;
};

_Static_assert(offsetof(struct arcs_frame, cell) == F_CELL, "layout");
_Static_assert(offsetof(struct arcs_frame, note) == F_NOTE, "layout");
_Static_assert(offsetof(struct arcs_frame, old) == F_OLD, "layout");
_Static_assert(offsetof(struct arcs_frame, lane) == F_LANES, "layout");
_Static_assert(offsetof(struct arcs_frame, sp) == F_SP, "layout");
_Static_assert(sizeof(struct arcs_frame) == F_BYTES, "layout");

/* One cache line: what a return changes, and what leads on from a stub. */
struct arcs_line {
	uint64_t lane[2];
	uint32_t calls[2];
	uint64_t back;
	uint32_t caller, node;
	uint32_t cell, led;
	uint64_t led_target;
	uint32_t led_cell, flags;
};

_Static_assert(offsetof(struct arcs_line, calls) == L_CALLS, "layout");
_Static_assert(offsetof(struct arcs_line, back) == L_BACK, "layout");
_Static_assert(offsetof(struct arcs_line, caller) == L_CALLER, "layout");
_Static_assert(offsetof(struct arcs_line, node) == L_NODE, "layout");
_Static_assert(offsetof(struct arcs_line, flags) == L_FLAGS, "layout");
_Static_assert(offsetof(struct arcs_line, cell) == L_CELL, "layout");
_Static_assert(offsetof(struct arcs_line, led) == L_LED, "layout");
_Static_assert(offsetof(struct arcs_line, led_target) == L_LED_TARGET, "layout");
_Static_assert(offsetof(struct arcs_line, led_cell) == L_LED_CELL, "layout");
_Static_assert(sizeof(struct arcs_line) == 1 << L_SHIFT, "layout");

struct arcs_info {
	struct sim_arc *arc[2];	 /* in the graph, that of active functions behind; or NULL */
	uint64_t pc, target;	 /* of the call or jump, and where to */
	uint32_t caller, callee; /* functions */
	uint32_t site;		 /* 0: reached through a stub */
	uint16_t flags;		 /* SIM_ARC_JUMP, or 0 */
	bool leads_on;		 /* the callee is a stub */
	bool is_inside;		 /* code goes on in the same block */
	struct lines_key key;	 /* if it is looked for */
};

extern uint8_t *arcs_lines;
struct arcs_info *arcs_info(uint32_t line);

static inline struct arcs_line *arcs_line(uint32_t line)
{
	return (struct arcs_line *)(void *)(arcs_lines + line);
}

/* The sums of its misses, by event: a multiple of four, the last of which may stay 0. */
uint64_t *arcs_rare(uint32_t line);

/* The call of a frame, but for its stack pointer and return address. */
struct sim_open_call arcs_open_call(uint32_t line, bool is_recursive);

bool arcs_lines_start(struct sim_trail *trail);
/*
 * A new line from a direct site to pc; 0: that needs the rules. goes_back: may its jump lead back
 * to an active function's middle? Under the translate lock.
 */
uint32_t arcs_new(uint64_t pc, uint32_t site);
bool arcs_goes_back(uint32_t line);
/*
 * A new line from a caller to pc, as told in *like, with a return address, or what L_BACK says
 * instead; 0: it needs the rules. Under the translate lock.
 */
uint32_t arcs_make(const struct arcs_info *like, uint64_t pc, uint64_t back);
/* A new line within the function of a site; 0: there is no room. Under the translate lock. */
uint32_t arcs_make_within(uint32_t site, uint64_t pc);
/* Is the function at pc the one that code there belongs to? Under the translate lock. */
bool arcs_has_code(uint64_t pc);
/*
 * What lines from a site have in common; pc, if it is constant. False: they need the rules.
 */
bool arcs_starts(uint32_t site, struct arcs_info *like, uint64_t *pc, uint64_t *back);
/* The function of a site: its address and size (0: unknown); is it a stub? Does the site call? */
struct arcs_range {
	uint64_t start;
	uint32_t bytes;
	bool is_stub, is_call;
};
struct arcs_range arcs_function_of(uint32_t site);
/*
 * Find the line from an indirect site to pc; code finds it from now on. arcs_find makes it if there
 * is none, arcs_look returns false.
 */
void arcs_find(uint32_t site, uint64_t pc);
bool arcs_look(uint32_t site, uint64_t pc);
/* Does the site's jump to pc stay in its function? Then it is counted. */
bool arcs_switches(uint32_t site, uint64_t pc);
/* The same for a stub that leads to pc. */
void arcs_lead_on(uint32_t stub, uint64_t pc);
/* No function is active. */
void arcs_forget_active(void);
/* So many have happened: before sums overflow they are flushed. */
void arcs_note(uint64_t loads, uint64_t stores);

#endif
