/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts references of data structures (references.h) exactly, where code checks accesses.
 *
 * Each place of the first level has a label: that of the data structure that holds all of the
 * place's line; or LABEL_MIXED, and each part of the line has one (mixed.h); or 0. It is 0 when a
 * line comes, and when memory in the line gets another owner; the next access then leaves the code.
 * If the line lies in the same memory as the last one of this access, or had a label when it left
 * (known_lines.h), filter_miss.S sets the label; else C looks the address up.
 *
 * Behind each access in code, and behind each line of a run, code compares the place's label with
 * the one that it expects, which is in memory. If they are equal it goes on: the executions of the
 * segment count the reference. Else filter_miss.S looks at the part of the line. If that is not as
 * expected it counts an exception, by site and label (tallies.h). C does that for a label that the
 * site has not had. If most executions are exceptions of one structure the access expects that.
 *
 * So of the executions of a segment those without exceptions count for the structure that an access
 * expects. They are taken before it expects another one, and before they are sent.
 *
 * In a call that allocates (held.h) all references that leave the code wait, and are exceptions.
 * What an allocator has for blocks is never the label of a whole line, so code leaves there.
 *
 * Code counts before the access. What a fault puts off is taken back: by its address for accesses
 * of the instruction that faulted; as expected for those behind it, which are of a run, or still
 * are to count as executions.
 *
 * An access on two lines counts for the first one, but code has the place of the second one, whose
 * label is cleared for that.
 *
 * The thread whose turn it is counts (filter_scheduler.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_REFERENCES_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_REFERENCES_H

/* struct site_memo, of filter_references.c; filter_miss.S reads it */
#define MEMO_START   0
#define MEMO_END     8
#define MEMO_VERSION 16
#define MEMO_LABEL   20
#define MEMO_BYTES   32

#define LABEL_MIXED 1 /* the line has labels of its own for its parts: mixed.h */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include "engine/codecache/emit.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"

struct segment;
struct thread;

/* Called once. False: no address space. */
bool filter_references_start(void);

/* A new site. */
void filter_reference_begin(uint32_t number);

/* The most bytes that filter_emit_expect emits. */
#define FILTER_EXPECT_MOST 48u
/*
 * Branch if the label of the place at r is not the one that site `number` expects. Changes r; if
 * `keeps_flags` no flags, and r is rcx then. Returns the branch's rel32.
 */
uint8_t *filter_emit_expect(struct out *o, enum reg r, uint32_t number, bool keeps_flags);

/* C: the access of a site, to t->miss_address, is an exception, perhaps. */
void filter_reference(const struct thread *t, uint32_t number);

/* A call that allocates is over. */
void filter_references_allocated(void);
/* Move exceptions to their bins. */
void filter_references_settle(void);

/* The segment was executed n more times: count its references. */
void filter_references_executed(struct segment *s, uint64_t n);
/* The same, but the last one has only begun. */
void filter_references_began(struct segment *s, uint64_t executions);
/* One of them ended after `insns` instructions, where the thread is now. */
void filter_references_cut(const struct thread *t, const struct segment *s, uint32_t insns);

/* Memory in [start, end), and no other, has got another owner. */
void filter_references_forget(uint64_t start, uint64_t end);
#endif
#endif
