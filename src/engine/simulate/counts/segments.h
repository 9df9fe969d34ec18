/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptions of code segments for a simulation: their executions, instructions and accesses, and
 * the cells of their events. The stream variant writes a segment's number into its trailer
 * (translate.h); replay.c finds the segment by it.
 *
 * Segments are made under the translate lock, counted under the lock of collect.h, and live as long
 * as the process. Code that is translated twice has two segments: the collector adds them up by
 * address.
 */
#ifndef DWELL_ENGINE_SIMULATE_SEGMENTS_H
#define DWELL_ENGINE_SIMULATE_SEGMENTS_H

#include "engine/translate/translate.h"
#include "sim/calls/segment.h"

/* In the counts of a segment: it may leave its function, so it is reported to the call graph. */
#define SEGMENT_LEAVES (1ull << 63)

/* log2 of the unit of segment numbers, in bytes. */
#define SEGMENT_SHIFT 3

struct job;
struct code_exit;

/* Accesses whose sizes fit into the segment's first cache line. */
#define SEGMENT_QUICK_ACCESSES 30u

enum segment_flags {
	SEGMENT_SLOW = 1,    /* more or larger accesses than `size` holds, or relative to %fs */
	SEGMENT_REP = 2,     /* a string instruction with REP: see replay_put_repeat */
	SEGMENT_VECTOR = 4,  /* a gather or scatter: any number of entries, of one kind and size */
	SEGMENT_NEW = 8,     /* the call graph has not met it yet */
	SEGMENT_FILTER = 16, /* of the filter variant */
};

/* How a segment ends. */
enum segment_end {
	SEGMENT_FALLS_THROUGH,
	SEGMENT_BRANCH, /* conditional, to target or to the next instruction */
	SEGMENT_JUMP,
	SEGMENT_JUMP_INDIRECT,
	SEGMENT_CALL,
	SEGMENT_CALL_INDIRECT,
	SEGMENT_RETURN,
	SEGMENT_SYSCALL,
	SEGMENT_OTHER, /* a trap, a mark or an unsupported instruction */
};

/*
 * An instruction. Reads and writes follow Cachegrind's rule, see docs/counting.md. Small, because a
 * compiler has a million of them.
 */
struct segment_insn {
	uint32_t cell;	      /* of its events, see cells.h; 0: it had none yet */
	uint32_t offset : 10; /* of its address from the segment's */
	uint32_t length : 4;
	uint32_t accesses : 3; /* of them, entries in the buffer */
	uint32_t first : 7;    /* index of its first access */
	uint32_t reads : 4, writes : 4;
};

_Static_assert(sizeof(struct segment_insn) == 8, "no more");
_Static_assert(MAX_MEM_OPS < 1 << 3, "accesses of an instruction");
_Static_assert(STREAM_MAX_ACCESSES < 1 << 7, "accesses of a segment");

/* An access of an instruction. */
struct segment_access {
	uint16_t size;
	uint8_t kind : 7;
	uint8_t fs : 1; /* the entry is relative to %fs */
	uint8_t owner;	/* index of the instruction */
};

struct segment {
	/* The first cache line holds all that replaying reads while accesses are no-op. */
	uint64_t executions; /* not sent to the collector yet */
	union {
		uint64_t code_line; /* number of the first line of code, in simulated lines */
		struct {	    /* in the filter variant: see filter_sites.h; and filter.h */
			uint32_t first_site;
			uint32_t counter; /* address of executions to add above; or 0 */
		};
	};
	uint8_t lines; /* of code */
	uint8_t accesses, insns;
	uint8_t flags; /* enum segment_flags */
	uint8_t end;   /* enum segment_end */
	uint8_t room;  /* for accesses */
	uint16_t none; /* unused */
	union {
		struct {
			uint16_t bytes;
			uint8_t size[SEGMENT_QUICK_ACCESSES];
		};
		struct { /* in the filter variant, which ends here: see segment_graph */
			uint16_t same_bytes, unused;
			/* Address of a counter, or 0: see branches.h; with nodes nodes.h. */
			uint32_t passes;
		};
	};
	uint64_t counts; /* for the call graph: SIM_COUNTS, SEGMENT_LEAVES; 0 without one */
};

#define SEGMENT_LINE_BYTES   64u
#define SEGMENT_FILTER_BYTES 32u

_Static_assert(sizeof(struct segment) == SEGMENT_LINE_BYTES, "a cache line");
_Static_assert(offsetof(struct segment, passes) + sizeof(uint32_t) == SEGMENT_FILTER_BYTES,
	       "what the filter variant needs");
_Static_assert(offsetof(struct sim_segment, pc) <= SEGMENT_LINE_BYTES,
	       "what a step looks at: the second");

/*
 * The call graph's part of a segment. Its pc and target are set even without a call graph. It may
 * be a SIM_SHORT_SEGMENT.
 *
 *   | struct segment | struct sim_segment | instructions | accesses |
 *
 * In the filter variant struct segment has its first SEGMENT_FILTER_BYTES only.
 */
static inline struct sim_segment *segment_graph(const struct segment *s)
{
	return (struct sim_segment *)((uintptr_t)s + (s->flags & SEGMENT_FILTER
							      ? SEGMENT_FILTER_BYTES
							      : SEGMENT_LINE_BYTES));
}

/* The same the other way round, in the filter variant. */
static inline struct segment *segment_of_graph(struct sim_segment *g)
{
	return (struct segment *)((uintptr_t)g - SEGMENT_FILTER_BYTES);
}

extern uint32_t segments_graph_bytes; /* the same for all */

static inline struct segment_insn *segment_insns(const struct segment *s)
{
	return (struct segment_insn *)((uintptr_t)segment_graph(s) + segments_graph_bytes);
}

static inline const struct segment_access *segment_accesses(const struct segment *s)
{
	return (const struct segment_access *)(const void *)(segment_insns(s) + s->insns);
}

/* True for segments of the filter variant that are no string or vector instruction. */
static inline bool segment_has_counter(const struct segment *s)
{
	return s->flags & SEGMENT_FILTER && s->counter;
}

/* The segment that passes on to s, where nothing else leads there (miss/branches.h); or NULL. */
struct segment *segment_before(const struct segment *s);

/*
 * Make the segment that j is about to emit, with n accesses. *number becomes the number for its
 * trailers. NULL: memory ran out.
 */
struct segment *segments_new(struct job *j, uint32_t n, uint32_t *number);
/* The same, for translate.h. */
const void *segments_describe(struct job *j, uint32_t n, uint32_t *number);
/* The same for the string or vector instruction of exit e. False: memory ran out. */
bool segments_of_elements(struct job *j, struct code_exit *e);

struct segment *segments_of_trailer(uint64_t trailer);
uint32_t segments_number(const struct segment *s);
/* Numbers of instructions, from 1 on, and the instruction of a number. */
#define SEGMENTS_MOST_INSNS (4ull << 30 >> SEGMENT_SHIFT)
uint32_t segments_insn_number(const struct segment_insn *in);
struct segment_insn *segments_insn(uint32_t number);
/* The segment made after s (NULL: the first); NULL after the last. */
struct segment *segments_next(const struct segment *s);

/*
 * A fault ended the last segment in t's buffer after t->cut_insns - 1 of its instructions. Cuts its
 * entries to theirs, and those of the next one if t->cut_tried. Writes their number into its
 * trailer, for the two functions below. A gather or scatter that faulted part way has a trailer
 * with 0, behind the entries of the elements it did.
 */
void segments_cut_last(struct thread *t);
#define SEGMENT_TRIED_BIT (1ull << 48)
static inline uint64_t segment_cut_trailer(uint64_t trailer, uint32_t insns, bool tried)
{
	return 1ull << 63 | (tried ? SEGMENT_TRIED_BIT : 0) | (uint64_t)insns << 32 |
	       (uint32_t)trailer;
}
static inline bool segment_is_cut(uint64_t trailer)
{
	return trailer >> 32 != UINT32_MAX;
}
static inline uint32_t segment_cut_at(uint64_t trailer)
{
	return (uint32_t)(trailer >> 32) & 0xffff;
}

#endif
