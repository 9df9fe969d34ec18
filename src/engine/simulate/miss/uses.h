/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of lines (--line-use) in the filter variant: how often each line of a first level and of
 * the last one is used before it leaves, and which of its bytes. The rules are those of
 * sim/cache/line_use.h. Sums are formed as in sim/system/recent.h: what a line of a first level has
 * seen lately is added to the records of the line, of which the first and the last level have one
 * each, before either begins or ends.
 *
 * Data: code counts by itself, behind the look at a line. The place of a line has
 *
 *   USES_LIVE:     | uses | bias |     16 bytes, at twice the address of the stamp + USES_TO_LIVE
 *   USES_TOUCHED:  | 64 bytes |        0xff where the line's byte was touched
 *
 * The bias plus the address of a byte, both modulo 2^32, is where that byte is marked. C counts
 * the accesses that come to it, and lets code count behind them at a place that no line has.
 *
 * Code: executions of segments say it (uses_code.h).
 *
 * Bits of touched bytes are in an order of their own, in which those marks are gathered quickly:
 * byte b has bit 8 * (b % 8) + b / 8.
 *
 * Records have the number of the instruction that loaded the line as their tag (segments.h); with
 * nodes (calls/nodes.h) that of its cell in the node.
 */
#ifndef DWELL_ENGINE_SIMULATE_USES_USES_H
#define DWELL_ENGINE_SIMULATE_USES_USES_H

#include "engine/simulate/state/filter.h"

/* In the place of labels, as there are no references then; behind the times of pages. */
#define USES_MOST_PLACES 0x20000ul
#define USES_LIVE	 (FILTER_LABELS + 0x100440)
#define USES_TO_LIVE	 (USES_LIVE - 2l * FILTER_STAMPS)
#define USES_TOUCHED	 (USES_LIVE + 16 * USES_MOST_PLACES + 0x800)
#define USES_LINE_BYTES	 64u

#ifndef __ASSEMBLER__

#include "engine/codecache/emit.h"
#include "engine/decode/decode.h"
#include "engine/simulate/plan/plan.h"

struct segment_insn;
struct sim_hierarchy;
struct thread;

static inline bool uses_are_counted_in_code(void)
{
	return plan.uses && !plan.some_uses;
}

/* Does the place, by number, of a level have a line that code must not hit therefore? */
bool uses_hide(const struct filter_level *l, uint64_t place);

/* Called once, when the levels are made and empty. False: no address space. */
bool uses_start(struct sim_hierarchy *h);

/* A process begins, also a forked one: other lines are chosen than in the process before. */
void uses_seed(uint32_t order);

/* The tag of what an instruction of the segment brings now. The spare cell is not in use. */
uint32_t uses_tag(struct segment *s, struct segment_insn *in);
/* A line comes to a level, brought by what has that tag; or leaves the level. */
void uses_begin(const struct filter_level *l, uint32_t place, uint64_t line, uint32_t tag);
void uses_end(const struct filter_level *l, uint32_t place, uint64_t line);

/* An access to data, which are in the first level. */
void uses_touch(uint64_t first, uint64_t last);
/* n more accesses to bytes of one line. */
void uses_touch_again(uint64_t first, uint64_t last, uint64_t n);
/*
 * A fault has ended the segment's execution behind so many instructions, the last of which may have
 * faulted.
 */
void uses_cut(const struct segment *s, uint32_t insns);
/* An access, or the fetch of an instruction of the segment, will be made again: count one less. */
void uses_undo(uint64_t address, uint32_t bytes);
void uses_undo_fetch(const struct segment *s, uint32_t insn);
/* The same for a line of data, or of code. */
void uses_untouch(uint64_t line);
void uses_unfetch(uint64_t line);
/* The place where code counts an access to that address in vain. */
uint32_t uses_nowhere(uint64_t address);

/* A site for an access of the instruction was made. */
void uses_note_site(uint32_t site, const struct segment_insn *in);
/* For filter_miss.S: at a site, a line takes the place of a victim, whose cell is that. */
void uses_replace(uint64_t line, uint32_t place, const uint32_t *victim, uint32_t site);

/* Are there costs of the instruction that its cell has not? Move them to events of a cell. */
bool uses_have_costs(const struct segment_insn *in);
void uses_take_costs(const struct segment_insn *in, uint64_t *events);

/* The run ends: charge all lines that are left. */
void uses_finish(void);
/* Give the hierarchy's levels their records back; its caches get their lines next. */
void uses_hand_over(void);

/* The most bytes of code of the next function. */
uint32_t uses_emit_most(const struct mem_op *m);
/*
 * Count an access to *m, the address of whose stamp is in r, which changes. rcx_is_away: the
 * program's value is in spill3.
 */
void uses_emit(struct out *o, enum reg r, const struct mem_op *m, bool keeps_flags,
	       bool rcx_is_away);

#endif
#endif
