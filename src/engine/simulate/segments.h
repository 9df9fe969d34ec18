/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a simulation knows of straight pieces of code: how often each was executed, what it fetches
 * and touches, and where the events of its instructions are summed up. The stream variant writes
 * the number of a segment into its trailer (translate.h); replay.c looks it up there.
 *
 * Segments are made under the translate lock, live as long as the process, and are counted
 * under the lock of collect.h. A piece of code that is translated twice has two: the collector
 * sums them up by address.
 */
#ifndef DWELL_ENGINE_SIMULATE_SEGMENTS_H
#define DWELL_ENGINE_SIMULATE_SEGMENTS_H

#include "engine/translate/translate.h"
#include "sim/calls/segment.h"

/* In the counts of a segment: it may leave its function, so that the call graph is to be told. */
#define SEGMENT_LEAVES (1ull << 63)

/* Numbers of segments count so many bytes, as a shift. */
#define SEGMENT_SHIFT 3

struct job;
struct code_exit;

/*
 * Accesses of a segment whose sizes lie in the first cache line; others are looked at one by one.
 */
#define SEGMENT_QUICK_ACCESSES 30u

enum segment_flags {
	SEGMENT_SLOW = 1,    /* accesses too many or too large for `size`, or relative to %fs */
	SEGMENT_REP = 2,     /* a string instruction with REP: see segments_put_rep */
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
	SEGMENT_OTHER, /* a trap, a mark, what is not supported */
};

/*
 * An instruction. Its reads and writes are those of Cachegrind's rule, see docs/counting.md. A
 * compiler has a million of them.
 */
struct segment_insn {
	uint32_t cell;	      /* number of its events' cell, see replay.c; 0: none happened yet */
	uint32_t offset : 10; /* of its address from the segment's */
	uint32_t length : 4;
	uint32_t accesses : 3; /* entries in the buffer */
	uint32_t first : 7;    /* of its accesses */
	uint32_t reads : 4, writes : 4;
};

_Static_assert(sizeof(struct segment_insn) == 8, "no more");
_Static_assert(MAX_MEM_OPS < 1 << 3, "accesses of an instruction");
_Static_assert(STREAM_MAX_ACCESSES < 1 << 7, "accesses of a segment");

/* One of its accesses. */
struct segment_access {
	uint16_t size;
	uint8_t kind : 7;
	uint8_t fs : 1; /* the entry is relative to %fs */
	uint8_t owner;	/* index of the instruction */
};

struct segment {
	/* All that replaying reads as long as nothing happens: a cache line. */
	uint64_t executions; /* that the collector does not know of yet */
	union {
		uint64_t code_line; /* number of the first one, of the simulated caches */
		struct {	    /* in the filter variant: see filter_sites.h; and filter.h */
			uint32_t first_site;
			uint32_t counter; /* address of executions not counted above yet; or 0 */
		};
	};
	uint8_t lines; /* of code */
	uint8_t accesses, insns;
	uint8_t flags;	   /* enum segment_flags */
	uint8_t straddles; /* 1: its first instruction lies on two lines */
	uint8_t quick;	   /* for replay_wide: as `lines`; 0: it leaves the segment to others */
	uint8_t end;	   /* enum segment_end */
	uint8_t room;	   /* for accesses */
	uint16_t bytes;
	/* In the filter variant this is the end of it, see segment_graph. */
	uint8_t size[SEGMENT_QUICK_ACCESSES];
	uint64_t counts; /* for the call graph: SIM_COUNTS, SEGMENT_LEAVES; 0 without one */
};

#define SEGMENT_LINE_BYTES   64u
#define SEGMENT_FILTER_BYTES 32u

_Static_assert(sizeof(struct segment) == SEGMENT_LINE_BYTES, "a cache line");
_Static_assert(offsetof(struct segment, size) <= SEGMENT_FILTER_BYTES,
	       "what the filter variant needs");
_Static_assert(offsetof(struct sim_segment, pc) <= SEGMENT_LINE_BYTES,
	       "what a step looks at: the second");

/*
 * Its part of the call graph, whose pc and target are known without a call graph, too. It may be a
 * SIM_SHORT_SEGMENT.
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

extern uint32_t segments_graph_bytes; /* the same for all */

static inline struct segment_insn *segment_insns(const struct segment *s)
{
	return (struct segment_insn *)((uintptr_t)segment_graph(s) + segments_graph_bytes);
}

static inline const struct segment_access *segment_accesses(const struct segment *s)
{
	return (const struct segment_access *)(const void *)(segment_insns(s) + s->insns);
}

/* Of the filter variant, and no string or vector instruction. */
static inline bool segment_has_counter(const struct segment *s)
{
	return s->flags & SEGMENT_FILTER && s->counter;
}

/* Room of a quick segment's entries in one vector register. */
#define SEGMENT_WIDE_ACCESSES 8

/* Once flags have changed. */
static inline void segment_set_quick(struct segment *s)
{
	bool quick = !s->flags && s->lines <= 2 && s->accesses <= SEGMENT_WIDE_ACCESSES;

	s->quick = quick ? s->lines : 0;
}

/*
 * The segment that j is about to emit, with n accesses. Returns it, and the number for its
 * trailers; NULL when memory ran out.
 */
struct segment *segments_new(struct job *j, uint32_t n, uint32_t *number);
/* The same, for translate.h. */
const void *segments_describe(struct job *j, uint32_t n, uint32_t *number);
/* The same for the string or vector instruction that leaves by e: false when memory ran out. */
bool segments_of_elements(struct job *j, struct code_exit *e);

struct segment *segments_of_trailer(uint64_t trailer);
uint32_t segments_number(const struct segment *s);
/* The segment of number 0, or NULL before there is one. */
uint8_t *segments_base(void);
/* All of them, in the order in which they were made; NULL after the last. */
struct segment *segments_next(const struct segment *s);

/*
 * A fault ended the last segment in the buffer of t after t->cut_insns - 1 of its instructions: its
 * entries are cut to those of these, and its trailer says how many they are, as read by the two
 * below. A gather or scatter that faulted part way has a trailer that says 0, behind the entries of
 * what it did.
 */
void segments_cut_last(struct thread *t);
static inline uint64_t segment_cut_trailer(uint64_t trailer, uint32_t insns)
{
	return 1ull << 63 | (uint64_t)insns << 32 | (uint32_t)trailer;
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
