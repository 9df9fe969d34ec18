/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a code variant adds to the code of a block: one row of functions for each (enum
 * code_variant_id). So the translator and the code cache name no variant. Any function may be
 * missing.
 */
#ifndef DWELL_ENGINE_CODECACHE_CODE_VARIANT_H
#define DWELL_ENGINE_CODECACHE_CODE_VARIANT_H

#include "engine/core/state.h"

struct arena;
struct arena_data;
struct job;
struct out;

/*
 * The code of steps, which follows calls (simulate/calls/arcs.h). `step`: one of struct code_calls.
 * Registers and flags are the target's; in indirect steps rcx holds where they lead, r11 is free,
 * and spill0 and spill1 have the target's values. new_line: for a direct call to pc; the result is
 * for `call`, which follows the push. jump: by code at `o`. The indirect
 * ones and give_back, a return that has popped, go there, but give_back returns if `pops`: then
 * more is to be popped.
 */
enum code_step_kind {
	CODE_STEP,
	CODE_STEP_SMALL,  /* in less than 100 bytes of code */
	CODE_STEP_INSIDE, /* the block goes on there */
};

struct code_steps {
	uint32_t (*new_line)(struct job *j, uint64_t pc, uint32_t step);
	void (*call)(struct job *j, uint32_t line, uint32_t step);
	void (*call_indirect)(struct job *j, uint32_t step);
	void (*jump)(struct job *j, struct out *o, uint64_t pc, uint32_t step,
		     enum code_step_kind kind);
	void (*jump_indirect)(struct job *j, uint32_t step);
	void (*give_back)(struct job *j, uint32_t step, bool pops);
};

/* For a variant whose code follows calls. */
struct code_calls {
	const struct code_steps *steps;
	bool (*are_followed)(void);
	/* Does the job's segment leave its function for pc? */
	bool (*leaves)(const struct job *j, uint64_t pc);
	/* A new step from there to pc, which is not 0; 0: no memory. */
	uint32_t (*new_step)(struct job *j, uint64_t pc);
};

struct code_variant {
	bool defers;	/* segments may defer their counts to others, see deferred.h */
	bool is_timed;	/* the counter register holds a clock, too, and the target never sees it */
	bool describes; /* its segments are those of a simulation, if there is one */
	const struct code_calls *calls;
	/*
	 * In a new arena's first pages, at o->p; among its constants; and after all code was
	 * dropped.
	 */
	void (*emit_stubs)(struct arena *a, struct out *o);
	void (*write_constants)(struct arena_data *d);
	void (*forget)(void);
	/* At a block's beginning; and where other code enters. */
	void (*begin_block)(struct job *j);
	void (*enter)(struct job *j);
	/* Could in[first..end) be one segment? */
	bool (*fits)(struct job *j, uint32_t end);
	/*
	 * At a segment's beginning, and behind its counting. `counted`: where the code of that
	 * begins.
	 */
	void (*begin)(struct job *j);
	void (*behind_count)(struct job *j, const uint8_t *counted);
	/*
	 * In front of in[i]; in front of what ends the segment, or behind it if nothing does;
	 * behind it.
	 */
	void (*accesses)(struct job *j, uint32_t i);
	void (*end)(struct job *j);
	void (*leave)(struct job *j);
	/* The segment of an instruction apart was made, with that number. */
	void (*meet)(struct job *j, uint32_t segment);
};

/* By enum code_variant_id; set once, at the start. */
extern const struct code_variant *code_variants[VARIANTS];

#endif
