/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation has counted, as records: each time what is new since the last; see replay.h. */
#include "engine/cells.h"
#include "engine/records.h"
#include "engine/replay.h"
#include "engine/segments.h"
#include "engine/util.h"

#define DUE_NS	   2000000000ull /* between two reports of a run that goes on */
#define MOST_WORDS 12000u /* parts and events of a record: a quarter of the smallest ring holds them */

static struct {
	uint64_t told_ns;
	uint64_t words[MOST_WORDS]; /* under the sampler's lock */
} out;

static bool has_news(const uint64_t *cell)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < cells.events; i++)
		any |= cell[i];
	return any != 0;
}

/* Takes the events of the segment's instructions out of their cells. Returns the words written. */
static uint32_t take_parts(const struct segment *s)
{
	struct segment_part *part = (void *)out.words;
	uint32_t n = s->insns;

	for (uint32_t i = 0; i < s->insns; i++) {
		const struct segment_insn *in = &s->insn[i];
		uint64_t *cell = in->cell ? cells_at(in->cell) : 0;

		part[i] = (struct segment_part){ .offset = in->offset,
						 .length = in->length,
						 .reads = in->reads,
						 .writes = in->writes,
						 .has_events = cell && has_news(cell) };
		if (!part[i].has_events)
			continue;
		memcpy(out.words + n, cell, cells.events * sizeof *cell);
		memset(cell, 0, cells.events * sizeof *cell);
		n += cells.events;
	}
	return n;
}

static void tell_segment(struct process *p, struct segment *s)
{
	struct record_segment r = { .pc = s->desc.pc,
				    .executions = s->executions - s->told,
				    .parts = s->insns,
				    .events = (uint16_t)cells.events,
				    .thread = UINT32_MAX };
	uint32_t words = take_parts(s);

	s->told = s->executions;
	if (r.executions || words > s->insns)
		records_segment(p, &r, out.words, words * (uint32_t)sizeof *out.words);
}

void replay_tell(struct process *p)
{
	if (!segments_are_on() || !p->profiling || p->borrowed_memory)
		return;
	lock_take(&engine.translate_lock); /* no segment is half made */
	for (struct segment *s = segments_next(0); s; s = segments_next(s))
		tell_segment(p, s);
	lock_drop(&engine.translate_lock);
	out.told_ns = now_ns();
}

void replay_tell_when_due(struct process *p)
{
	uint64_t now = now_ns();

	if (!out.told_ns)
		out.told_ns = now;
	if (now - out.told_ns >= DUE_NS)
		replay_tell(p);
}

void replay_forked(void)
{
	for (struct segment *s = segments_next(0); s; s = segments_next(s)) {
		s->told = s->executions;
		for (uint32_t i = 0; i < s->insns; i++)
			if (s->insn[i].cell)
				memset(cells_at(s->insn[i].cell), 0,
				       cells.events * sizeof(uint64_t));
	}
	out.told_ns = 0;
}
