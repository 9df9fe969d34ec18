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
	bool failed; /* out of some memory: flush and do again */
	uint32_t insns;
	struct insn in[MAX_INSNS];
	struct insn_at at[MAX_INSNS];
	/* Of the segment being emitted: */
	uint32_t first, end;			   /* its instructions */
	const uint8_t *begin;			   /* its code */
	struct tally after[MAX_SEGMENT_INSNS + 1]; /* counts of in[first + i] .. in[end - 1] */
	enum reg borrows2, borrows3; /* the same, and still when they are given back */
	enum reg scratch2, scratch3; /* stream registers, or NOREG */
	uint16_t spare;		     /* registers that the block does not name */
	enum reg kept2, kept3;	     /* whose target values stand in spill2 and spill3, or NOREG */
	struct block *enters;	     /* the entry that the segment begins with, or NULL */
	const void *desc; /* what describes it: of a simulation a segment; NULL: nothing */
	uint32_t trailer;
	int32_t begin_at; /* of the entries, from what scratch2 holds */
	uint32_t entries; /* that the segment writes before its trailer */
	uint32_t next_entry;
	bool has_trailer;
	bool is_given;	/* the counter register has the target's value */
	bool gave_half; /* of ymm15: but for its upper half, which stays in memory */
	/* Of the count variant: */
	struct deferred deferred, left; /* where the segment begins, and behind it */
	bool adds;			/* the segment adds to the counters */
	struct meeting {		/* code that a branch of the block leads to */
		uint64_t pc;
		struct deferred deferred;
	} meeting[MAX_INSNS];
	uint32_t meetings;
	/* Of the filter variant: */
	bool is_entered;	 /* other code leads to the segment that comes next */
	uint8_t live[MAX_INSNS]; /* flags that are live in front of each instruction */
	uint64_t code_line;	 /* last one that the block has touched, or UINT64_MAX */
	uint32_t counter;	 /* address of the segment's executions */
	bool stack_is_aligned;	 /* to 8 bytes: it has been tested */
	/*
	 * registers that have been tested: log2 of the bytes that each is a multiple of; 0: not
	 * known
	 */
	uint8_t aligned[16];
	bool is_given_back; /* scratch2 has the target's value again */
	bool has_rcx;	    /* spill3 has the value of rcx */
	/* what is emitted lies in the cold part: no fault finds its block */
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
 * Before in[i], when a conditional branch ends the segment: it, or it with its comparison, is kept
 * off the end of 32 bytes, where the processor wants that.
 */
void job_place_branch(struct job *j, uint32_t i);
/*
 * Before `head`: if it is the head of a loop, it begins a line of decoded code, as compilers have
 * it. A loop of a dozen instructions that lay badly after a change of variants took 1.3 times as
 * long (AMD, fifth generation).
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

/* The branch, call, return or other end at in[i]. */
void job_terminator(struct job *j, uint32_t i);
/* At the block's beginning: a function that is marked is entered, see marks.h. */
void job_marked_entry(struct job *j);
/* Behind the call at in[i]: where its return is predicted to lead, and leads if it can be. */
void job_return_site(struct job *j, uint32_t i);
/* The other halves of the block's calls. */
void job_call_tails(struct job *j);
/*
 * Read instructions from pc on into in[] until the block must end (read.c); of a checked block only
 * as many as may be compared. What the decoder has put away of the target is put back by the other.
 */
enum translate_result job_read_block(struct job *j, uint64_t pc, bool checked);
void job_leave_decoder(void);
bool insn_ends_block(const struct insn *in);
bool insn_ends_segment(const struct insn *in);
bool insn_is_call(const struct insn *in);

extern const struct code_variant count_variant, stream_variant;

/* Counting (count_emit.c). */
void job_count_segment(struct job *j);
/* Add, without asking whether to stop, what is deferred here and not there. */
void job_count_difference(struct job *j, struct deferred here, struct deferred there);
/*
 * The counter register has the target's value for in[i], if that uses it, and until it is taken
 * back.
 */
void job_give_counter(struct job *j, uint32_t i);
void job_take_counter(struct job *j);
/* Behind the copy of in[i]: what it has cleared of the target's value in memory. */
void job_follow_counter(struct job *j, uint32_t i);
/* Is it to have that in in[i], if it has it in front? */
bool job_wants_counter(const struct job *j, uint32_t i);

/*
 * Who counts (deferred.c): before any segment of a block; before a segment that is described is
 * emitted; behind it, where the next instruction may defer something else.
 */
void job_defer_block(struct job *j, struct deferred deferred);
void job_defer_segment(struct job *j);
void job_defer_behind(struct job *j);

/*
 * Streaming (stream_emit.c). From where a segment can begin again, one register put away, to the
 * store that finds a full buffer; where the place is in memory (lanes.h) it is counted by then.
 */
#define STREAM_PROBE_AT	       18
#define STREAM_PROBE_MEMORY_AT 9
/* At the block's beginning, and where code comes from elsewhere. */
void job_stream_block(struct job *j);
void job_stream_forget(struct job *j);
bool job_stream_fits(struct job *j, uint32_t end);
/* Before the segment is counted, and behind that. `counted`: where the code of that begins. */
void job_stream_begin(struct job *j);
void job_stream_reserve(struct job *j, const uint8_t *counted);
void job_stream_accesses(struct job *j, uint32_t i);
void job_stream_end(struct job *j);
/* What the filter variant does likewise. */
uint16_t job_free_registers(const struct job *j, uint32_t first, uint32_t end);
/* Returns whether its value has to be put away. */
bool job_choose_scratch2(struct job *j, uint16_t of);
uint32_t job_accesses(const struct job *j);
bool job_adds_fs_base(const struct mem_op *m);
void job_lea_operand(struct out *o, enum reg to, const struct mem_op *m);

/* Behind the segment: what it has changed is put away no longer. */
void job_stream_leave(struct job *j);

/*
 * Calls, where the variant follows them (steps_emit.c). Does the segment leave its function for pc?
 * Then job_step writes a record of that, with all registers the program's. A new step: 0 where
 * calls are not followed.
 */
bool job_leaves(const struct job *j, uint64_t pc);
void job_step(struct job *j, uint64_t pc);
uint32_t job_new_step(struct job *j, uint64_t pc);
/*
 * A record where rcx holds the target and r11 can be used; of a call that has pushed. Step 0: none.
 */
void job_step_to_rcx(struct job *j, uint32_t step, bool has_sp);
void job_step_of_call(struct job *j, uint32_t step);
/*
 * Code elsewhere that writes a record and jumps: returns its beginning, and where the rel32 of the
 * jump is to be.
 */
uint8_t *job_step_apart(struct job *j, uint64_t pc, uint8_t **field);
/* Behind the segment, whatever it ends in. */
void job_step_behind(struct job *j);

#endif
