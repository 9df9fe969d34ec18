/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One translation in progress; shared by the files of the translator only. */
#ifndef DWELL_ENGINE_TRANSLATE_JOB_H
#define DWELL_ENGINE_TRANSLATE_JOB_H

#include "engine/codecache/cache.h"
#include "engine/codecache/code_variant.h"
#include "engine/codecache/emit.h"
#include "engine/codecache/exits.h"
#include "engine/translate/translate.h"

#define RETURN_PUSH	  0x42, 0xff, 0x34, 0xdd
#define MAX_SEGMENT_INSNS 40

struct job {
	enum code_variant_id variant_id;
	const struct code_variant *variant; /* its functions */
	struct arena *arena;
	struct block *block;
	struct out o;
	bool failed; /* memory ran out: flush the cache and repeat */
	uint32_t insns;
	struct insn in[MAX_INSNS];
	struct insn_at at[MAX_INSNS];
	/* Of the segment being emitted: */
	uint32_t first, end;			   /* its instructions */
	const uint8_t *begin;			   /* its code */
	struct tally after[MAX_SEGMENT_INSNS + 1]; /* counts of in[first + i] .. in[end - 1] */
	/* scratch2 and scratch3; still set when their values are restored */
	enum reg borrows2, borrows3;
	enum reg scratch2, scratch3; /* stream registers, or NOREG */
	uint16_t spare;		     /* registers that the block does not name */
	enum reg kept2, kept3;	     /* whose target values are in spill2 and spill3, or NOREG */
	struct block *enters;	     /* the entry that the segment begins with, or NULL */
	const void *desc; /* its descriptor; in a simulation a struct segment; NULL: none */
	uint32_t trailer;
	int32_t begin_at; /* offset of the entries from the value of scratch2 */
	uint32_t entries; /* entries before the segment's trailer */
	uint32_t next_entry;
	bool has_trailer;
	bool is_given;	/* the counter register has the target's value */
	bool gave_half; /* xmm15 only: the upper half of ymm15 stays in memory */
	/* Of the count variant: */
	struct deferred deferred, left; /* where the segment begins, and behind it */
	bool adds;			/* the segment adds to the counters */
	struct meeting {		/* code that a branch of the block leads to */
		uint64_t pc;
		struct deferred deferred;
	} meeting[MAX_INSNS];
	uint32_t meetings;
	/* Of the filter variant: */
	bool is_entered;	 /* the next segment is an entry */
	uint8_t live[MAX_INSNS]; /* flags that are live in front of each instruction */
	uint64_t code_line;	 /* last one that the block has touched, or UINT64_MAX */
	uint32_t counter;	 /* address of the segment's executions */
	bool stack_is_aligned;	 /* to 8 bytes: it has been tested */
	/* by tested register: log2 of its known alignment in bytes; 0: unknown */
	uint8_t aligned[16];
	bool is_given_back; /* scratch2 has the target's value again */
	bool has_rcx;	    /* spill3 has the value of rcx */
	/* the code is in the cold part, where a fault does not find its block */
	bool is_apart;
	uint32_t islands;
	struct island {
		uint8_t *field; /* rel8 of a jrcxz */
		const uint8_t *to;
	} island[16];
	struct call_site {	/* of the block: calls whose other half follows its code */
		uint8_t *field; /* rel32 of the call */
		uint32_t insn;
		uint32_t step; /* in the filter variant, see filter_calls.h; or 0 */
		uint32_t line; /* for code_steps, or 0 */
	} call[MAX_INSNS];
	uint32_t calls;
};

/* jmp rel32 to a block or, as long as there is none, to its stub. */
void job_jump_link(struct job *j, uint64_t target);

/* Copy in[i], repairing what depends on its address. */
void job_copy_insn(struct job *j, uint32_t i);
/* Note where the copy of in[i] begins. */
void job_note(struct job *j, uint32_t i, uint8_t flags);
/*
 * Before in[i], if a conditional branch ends the segment: keeps the branch, with its comparison,
 * off the end of 32 bytes of code, see keeps_branches.
 */
void job_place_branch(struct job *j, uint32_t i);
/*
 * Before `head`: aligns it if it is the head of a loop, as compilers do. A badly placed loop of a
 * dozen instructions took 1.3 times as long after a change of variants (AMD, fifth generation).
 */
void job_align_loop(struct job *j, const struct insn *head);

/* In front of a block (head_emit.c): leave if its source has changed. */
void job_self_check(struct job *j);
/* Call the engine, on its own stack, with that number on it (hooks.h). No flag changes. */
void job_call_engine(struct job *j, struct out *o, uint32_t what);
/* Call the engine, if something is hooked at pc. */
void job_hook(struct job *j, uint64_t pc);
/*
 * The same in front of an instruction that shows the state of x87. The counters are in their
 * register.
 */
#define SHOW_MOST 40u /* bytes of code */
void job_show_x87(struct job *j);

/*
 * Jump by the table of indirect branches to rcx, whose target's value is in spill0, as r11's is in
 * spill1. The same as a machine's return.
 */
void emit_table_jump(struct out *o, enum code_variant_id variant);
void emit_table_return(struct out *o, enum code_variant_id variant);

/* The branch, call, return or other end at in[i]. */
void job_terminator(struct job *j, uint32_t i);
/* At the block's beginning: a function that is marked is entered, see marks.h. */
void job_marked_entry(struct job *j);
/*
 * Behind the call at in[i]: the code that its return is predicted to reach, and reaches if
 * possible.
 */
void job_return_site(struct job *j, uint32_t i);
/* The other halves of the block's calls. */
void job_call_tails(struct job *j);
/*
 * Read instructions from pc on into in[] until the block must end (read.c); of a checked block only
 * as many as are compared. job_leave_decoder restores the target's state that the decoder has
 * saved.
 */
enum translate_result job_read_block(struct job *j, uint64_t pc, bool checked);
void job_leave_decoder(void);
bool insn_ends_block(const struct insn *in);
bool insn_ends_segment(const struct insn *in);
bool insn_is_call(const struct insn *in);

extern const struct code_variant count_variant, stream_variant;

/* Counting (count_emit.c). */
void job_count_segment(struct job *j);
/* Does it use the counter register, or one that is hidden with it? */
bool job_touches_counter(const struct insn *in);
/* Add what is deferred here and not there. Does not stop a called thread. */
void job_count_difference(struct job *j, struct deferred here, struct deferred there);
/*
 * Load the target's value into the counter register for in[i], if it uses the register; and the
 * counters again.
 */
void job_give_counter(struct job *j, uint32_t i);
void job_take_counter(struct job *j);
/*
 * Behind the copy of in[i]: clears the part of the target's value in memory that in[i] has cleared.
 */
void job_follow_counter(struct job *j, uint32_t i);
/* Should the register keep the target's value in in[i], if it has it before? */
bool job_wants_counter(const struct job *j, uint32_t i);

/*
 * Which segments count (deferred.c). block: before a block's first segment; segment: before a
 * described segment is emitted; behind: behind it, where the next instruction may defer other
 * counts.
 */
void job_defer_block(struct job *j, struct deferred deferred);
void job_defer_segment(struct job *j);
void job_defer_behind(struct job *j);

/*
 * Streaming (stream_emit.c). The bytes from where a segment can begin again, with one register
 * saved, to the store that finds a full buffer. If the place is in memory (lanes.h) the segment is
 * counted by then.
 */
#define STREAM_PROBE_AT	       18
#define STREAM_PROBE_MEMORY_AT 9
/* At the block's beginning, and where code comes from elsewhere. */
void job_stream_block(struct job *j);
void job_stream_forget(struct job *j);
bool job_stream_fits(struct job *j, uint32_t end);
/* Before and behind the code that counts the segment. `counted`: the beginning of that code. */
void job_stream_begin(struct job *j);
void job_stream_reserve(struct job *j, const uint8_t *counted);
void job_stream_accesses(struct job *j, uint32_t i);
void job_stream_end(struct job *j);
/* For the filter variant, too. */
uint16_t job_free_registers(const struct job *j, uint32_t first, uint32_t end);
/* Returns whether its value must be saved. */
bool job_choose_scratch2(struct job *j, uint16_t of);
uint32_t job_accesses(const struct job *j);
bool job_adds_fs_base(const struct mem_op *m);
void job_lea_operand(struct out *o, enum reg to, const struct mem_op *m);

/* Behind the segment: forget saved values of registers that it uses. */
void job_stream_leave(struct job *j);

/*
 * Calls, if the variant follows them (steps_emit.c). Does the segment leave its function for pc?
 * Then job_step emits a step; all registers are the program's. Calls are not followed: job_steps
 * returns NULL, and job_new_step 0.
 */
const struct code_steps *job_steps(const struct job *j);
bool job_leaves(const struct job *j, uint64_t pc);
void job_step(struct job *j, uint64_t pc, enum code_step_kind kind);
uint32_t job_new_step(struct job *j, uint64_t pc);
/* Emit cold code of a step that jumps. Returns its beginning; *field: the jump's rel32. */
uint8_t *job_step_apart(struct job *j, uint64_t pc, uint8_t **field);
/* Behind the segment, whatever it ends in. */
void job_step_behind(struct job *j);

#endif
