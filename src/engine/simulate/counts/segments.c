/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of code segments for simulations; see segments.h. */
#include "engine/simulate/counts/segments.h"

#include "engine/core/util.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments_places.h"
#include "engine/simulate/plan/plan.h"
#include "engine/translate/job.h"

#define LINE	     64u /* of the processor: a segment that is replayed begins on one */
#define UNIT	     (1u << SEGMENT_SHIFT)
#define RESERVE	     (SEGMENTS_MOST_INSNS << SEGMENT_SHIFT)
#define TRAILER_WORD (STREAM_TRAILER_BIT | STREAM_PLAIN_BIT)

_Static_assert(MAX_SEGMENT_INSNS * 15 < 1 << 10, "offsets of instructions");
_Static_assert(sizeof(struct segment_insn) == UNIT, "numbers of instructions");
_Static_assert(sizeof(struct sim_segment) % UNIT == 0 && SIM_SHORT_SEGMENT % UNIT == 0,
	       "instructions begin at a unit");

static struct grow all; /* | segment, its instructions, its accesses | segment ... | */
static uint64_t lines_from = UINT64_MAX; /* from this offset on segments begin on a LINE */

uint32_t segments_graph_bytes;

static uint8_t end_of(const struct insn *in)
{
	switch (in->kind) {
	case INSN_PLAIN:
	case INSN_REP:
	case INSN_ELEMENTS:
	case INSN_RDGSBASE:
		return SEGMENT_FALLS_THROUGH;
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_XBEGIN:
		return SEGMENT_BRANCH;
	case INSN_JMP:
	case INSN_JMP_INTO:
		return SEGMENT_JUMP;
	case INSN_JMP_IND:
		return SEGMENT_JUMP_INDIRECT;
	case INSN_CALL:
		return SEGMENT_CALL;
	case INSN_CALL_IND:
		return SEGMENT_CALL_INDIRECT;
	case INSN_RET:
		return SEGMENT_RETURN;
	case INSN_SYSCALL:
		return SEGMENT_SYSCALL;
	default:
		return SEGMENT_OTHER;
	}
}

static struct segment_access *accesses_of(const struct segment *s)
{
	return (struct segment_access *)(void *)(segment_insns(s) + s->insns);
}

/* Cachegrind's rule: an access that modifies counts as a read. */
static void describe_insns(const struct job *j, struct segment *s)
{
	struct segment_insn *insn = segment_insns(s);
	uint32_t first = 0;

	for (uint32_t i = 0; i < s->insns; i++) {
		const struct insn *in = &j->in[j->first + i];

		engine_assert(in->loads + in->modifies < 16 && in->stores < 16);
		insn[i] = (struct segment_insn){
			.offset = (uint32_t)(in->pc - segment_graph(s)->pc) & 0x3ff,
			.length = in->length & 15,
			.accesses = in->kind == INSN_REP || in->kind == INSN_ELEMENTS
					    ? 0
					    : in->mem_count & 7,
			.reads = (uint32_t)(in->loads + in->modifies) & 15,
			.writes = in->stores & 15,
			.first = first & 127,
		};
		first += insn[i].accesses;
	}
}

/* In the buffer's order. Without SEGMENT_SLOW the sizes are also in the first cache line. */
static void describe_accesses(const struct job *j, struct segment *s)
{
	struct segment_access *a = accesses_of(s);
	uint32_t n = 0;

	for (uint32_t i = j->first; i < j->end; i++)
		for (uint32_t k = 0; k < segment_insns(s)[i - j->first].accesses; k++, n++) {
			const struct mem_op *m = &j->in[i].mem[k];

			a[n] = (struct segment_access){.size = m->size,
						       .kind = m->kind & 127,
						       .fs = m->fs && !job_adds_fs_base(m),
						       .owner = (uint8_t)(i - j->first)};
			if (n >= SEGMENT_QUICK_ACCESSES || m->size > UINT8_MAX || a[n].fs)
				s->flags |= SEGMENT_SLOW;
			else if (!(s->flags & SEGMENT_FILTER))
				s->size[n] = (uint8_t)m->size;
		}
}

/*
 * Room for a segment of the job, with `bytes` behind its part of the call graph. NULL: no memory.
 */
static struct segment *take(const struct job *j, uint64_t bytes)
{
	const bool is_filter = j->variant_id != VARIANT_STREAM;
	struct segment *s;

	if (!all.base && grow_init(&all, RESERVE) != 0)
		return 0;
	segments_graph_bytes =
		graph_counts_in_cells() ? sizeof(struct sim_segment) : SIM_SHORT_SEGMENT;
	bytes += (is_filter ? SEGMENT_FILTER_BYTES : SEGMENT_LINE_BYTES) + segments_graph_bytes;
	if (!is_filter && lines_from == UINT64_MAX) {
		lines_from = all.used;
		grow_take(&all, round_up(all.used, LINE) - all.used);
	}
	s = grow_take(&all, round_up(bytes, is_filter ? UNIT : LINE));
	if (!s || ((uint8_t *)s - all.base) / UNIT > STREAM_NUMBER_MASK)
		return 0;
	s->flags = (uint8_t)((is_filter ? SEGMENT_FILTER : 0) |
			     (engine_follows_calls() ? SEGMENT_NEW : 0));
	return s;
}

uint32_t segments_number(const struct segment *s)
{
	return (uint32_t)(((const uint8_t *)s - all.base) / UNIT);
}

static struct segment *make(struct job *j, uint32_t accesses, uint32_t room)
{
	const struct insn *first = &j->in[j->first], *last = &j->in[j->end - 1];
	uint32_t insns = j->end - j->first, shift = plan.code_line_shift;
	const uint64_t line = first->pc >> shift;
	struct segment *s =
		take(j, insns * sizeof(struct segment_insn) + room * sizeof(struct segment_access));

	if (!s)
		return 0;
	segment_graph(s)->pc = first->pc;
	segment_graph(s)->target = last->target;
	s->room = (uint8_t)room;
	s->insns = (uint8_t)insns;
	s->accesses = (uint8_t)accesses;
	s->bytes = (uint16_t)(last->pc + last->length - first->pc);
	s->end = end_of(last);
	if (!(s->flags & SEGMENT_FILTER))
		s->code_line = line;
	s->lines = (uint8_t)(((first->pc + s->bytes - 1) >> shift) - line + 1);
	describe_insns(j, s);
	graph_extend(s);
	if (!segments_places_add(first->pc, segments_number(s)))
		return 0;
	return s;
}

uint32_t segments_insn_number(const struct segment_insn *in)
{
	return (uint32_t)(((const uint8_t *)in - all.base) / UNIT);
}

struct segment_insn *segments_insn(uint32_t number)
{
	return (struct segment_insn *)(void *)(all.base + (uint64_t)number * UNIT);
}

struct segment *segments_new(struct job *j, uint32_t n, uint32_t *number)
{
	struct segment *s = make(j, n, n);

	if (!s)
		return 0;
	describe_accesses(j, s);
	*number = segments_number(s);
	return s;
}

const void *segments_describe(struct job *j, uint32_t n, uint32_t *number)
{
	return segments_new(j, n, number);
}

bool segments_of_elements(struct job *j, struct code_exit *e)
{
	const struct insn *in = &j->in[j->first];
	struct segment *s;

	/* a stretch may begin in the middle of a string instruction */
	if (!j->variant->describes && (!plan.stretches || in->kind != INSN_REP))
		return true;
	s = make(j, 0, 1);
	if (!s)
		return false;
	s->flags |= in->kind == INSN_REP ? SEGMENT_REP : SEGMENT_VECTOR;
	*accesses_of(s) =
		(struct segment_access){.size = in->mem[0].size, .kind = in->mem[0].kind & 127};
	e->more->segment = TRAILER_WORD | segments_number(s);
	if (j->variant->meet)
		j->variant->meet(j, segments_number(s));
	return true;
}

struct segment *segments_of_trailer(uint64_t trailer)
{
	return (struct segment *)(void *)(all.base +
					  ((uint64_t)trailer & STREAM_NUMBER_MASK) * UNIT);
}

struct segment *segments_next(const struct segment *s)
{
	const uint8_t *p = all.base;

	if (s) {
		p = (const uint8_t *)(segment_accesses(s) + s->room);
		p = all.base + round_up((uint64_t)(p - all.base), UNIT);
		if ((uint64_t)(p - all.base) >= lines_from)
			p = all.base + round_up((uint64_t)(p - all.base), LINE);
	}
	return p && p < all.base + all.used ? (struct segment *)(void *)p : 0;
}

void segments_cut_last(struct thread *t)
{
	uint32_t insns = t->cut_insns - 1, all_insns = insns + t->cut_tried, done = 0;
	uint64_t trailer, *entry;
	const struct segment *s;

	t->cut_insns = 0;
	if (t->buf == t->buf_start)
		return;
	trailer = t->buf[-1];
	s = segments_of_trailer(trailer);
	entry = t->buf - 1 - s->accesses;
	for (uint32_t i = 0; i < all_insns && i < s->insns; i++)
		done += segment_insns(s)[i].accesses;
	for (uint32_t i = 0; i < done; i++)
		entry[i] &= ~(1ull << 63); /* one that was tried may be anywhere */
	entry[done] = segment_cut_trailer(trailer, insns, t->cut_tried);
	t->buf = all_insns ? entry + done + 1 : entry;
}

struct segment *segment_before(const struct segment *s)
{
	const uint32_t number = plan.branches ? segment_graph(s)->before : 0;

	return number ? segments_of_trailer(number - 1) : 0;
}
