/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of lines of code; see uses_code.h. */
#include "engine/simulate/miss/uses_code.h"

#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_counters.h"

#define MOST_COUNTERS ((FILTER_OFFSETS - FILTER_COUNTERS) / sizeof(uint64_t))
#define MOST_LINES    ((FILTER_MISSES - FILTER_CODE_CELLS) / sizeof(uint32_t))
#define MOST_CHUNKS   (2 * MOST_COUNTERS)
#define CHUNK_PARTS   5u

/* A segment's instructions on a line. */
struct part {
	uint64_t touched;
	uint64_t seen;	  /* of its counter */
	uint32_t counter; /* its address; 0: there is no part here, nor behind */
	uint32_t insns;
};

/* Some parts of a line: lists are long, and the processor waits once for each chunk. */
struct chunk {
	uint32_t line; /* number of its cell */
	uint32_t next; /* of the line; 0: none */
	struct part part[CHUNK_PARTS];
};

_Static_assert(sizeof(struct chunk) == 128, "two lines, fetched together");

/* By number of its cell. */
struct line {
	struct uses_of_code sum;
	uint32_t first; /* of its chunks, which may have room */
};

/* In one reserve, so large that it does not lie among the program's mappings. */
struct tables {
	struct chunk chunks[MOST_CHUNKS]; /* from 1 on */
	struct line lines[MOST_LINES];
};

static struct {
	struct tables *tables;
	uint64_t chunks;	   /* the next one */
	uint64_t from, end;	   /* counters that have parts */
	const struct segment *now; /* its code is in C, with `fetched` instructions */
	uint32_t fetched;
	const struct segment *owing; /* of its last execution the instructions from `owed` on */
	uint32_t owed;
} f;

bool uses_code_start(void)
{
	struct grow g;

	if (grow_init_whole(&g, sizeof *f.tables) != 0)
		return false;
	f.tables = (struct tables *)(void *)g.base;
	f.chunks = 1;
	return true;
}

static struct line *line_by(uint32_t number)
{
	return &f.tables->lines[number];
}

static uint32_t counter_of(const struct segment *s)
{
	return plan.nodes ? s->passes : s->counter;
}

static uint64_t number_of(const struct segment *s)
{
	return counter_number(counter_of(s));
}

static uint32_t number_of_line(uint64_t line)
{
	return (*filter_code_index(line) - (uint32_t)FILTER_CODE_CELLS) /
	       (uint32_t)sizeof(uint32_t);
}

static bool has_parts(const struct segment *s)
{
	return segment_has_counter(s) && number_of(s) >= f.from && number_of(s) < f.end;
}

static uint64_t news(const struct part *p)
{
	return *(const uint64_t *)(uintptr_t)p->counter - p->seen;
}

static uint64_t first_line(const struct segment *s)
{
	return segment_graph(s)->pc >> FILTER_LINE_SHIFT;
}

static uint64_t last_line(const struct segment *s)
{
	return (segment_graph(s)->pc + s->bytes - 1) >> FILTER_LINE_SHIFT;
}

/* The segment's part on a line that it lies on. */
static struct part *part_of(const struct segment *s, uint64_t line)
{
	struct chunk *c = &f.tables->chunks[line_by(number_of_line(line))->first];

	for (; c != f.tables->chunks; c = &f.tables->chunks[c->next])
		for (uint32_t i = 0; i < CHUNK_PARTS && c->part[i].counter; i++)
			if (c->part[i].counter == counter_of(s))
				return &c->part[i];
	engine_assert(false);
	return 0;
}

static uint64_t news_of(const struct segment *s)
{
	return news(part_of(s, first_line(s)));
}

/* ---- Instructions on lines ---- */

/* The bits of bytes first to last, as far as they are on the line. */
static uint64_t bits_on(uint64_t line, uint64_t first, uint64_t last)
{
	uint64_t bits = 0;

	for (uint64_t at = first; at <= last; at++)
		if (at >> FILTER_LINE_SHIFT == line)
			bits |= 1ull << uses_bit_of(at);
	return bits;
}

static void give(uint32_t line, uint64_t uses, uint64_t touched)
{
	struct uses_of_code *sum = &line_by(line)->sum;

	sum->uses += uses;
	sum->touched |= touched;
}

void uses_code_fetch(uint64_t pc, uint64_t last)
{
	for (uint64_t line = pc >> FILTER_LINE_SHIFT; line <= last >> FILTER_LINE_SHIFT; line++)
		give(number_of_line(line), 1, bits_on(line, pc, last));
}

static void fetch_some(const struct segment *s, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++) {
		const struct segment_insn *in = &segment_insns(s)[i];
		const uint64_t pc = segment_graph(s)->pc + in->offset;

		uses_code_fetch(pc, pc + in->length - 1);
	}
}

/* ---- Parts ---- */

/* Room for a part of the line; NULL: none. */
static struct part *new_part(uint32_t line)
{
	struct chunk *c = &f.tables->chunks[line_by(line)->first];

	for (uint32_t i = 0; i < CHUNK_PARTS && line_by(line)->first; i++)
		if (!c->part[i].counter)
			return &c->part[i];
	if (f.chunks == MOST_CHUNKS)
		return 0;
	c = &f.tables->chunks[f.chunks];
	*c = (struct chunk){.line = line, .next = line_by(line)->first};
	line_by(line)->first = (uint32_t)f.chunks++;
	return c->part;
}

static bool add_part(const struct segment *s, uint64_t line)
{
	struct part *p = filter_code_cell(line) ? new_part(number_of_line(line)) : 0;

	if (!p)
		return false;
	*p = (struct part){.counter = counter_of(s)};
	for (uint32_t i = 0; i < s->insns; i++) {
		const struct segment_insn *in = &segment_insns(s)[i];
		const uint64_t pc = segment_graph(s)->pc + in->offset, last = pc + in->length - 1;

		if (pc >> FILTER_LINE_SHIFT > line || last >> FILTER_LINE_SHIFT < line)
			continue;
		p->insns++;
		p->touched |= bits_on(line, pc, last);
	}
	return true;
}

/* Without room it is not executed: parts on its other lines never count. */
bool uses_code_meet(struct segment *s)
{
	for (uint64_t line = first_line(s); line <= last_line(s); line++)
		if (!add_part(s, line)) {
			s->counter = 0;
			return false;
		}
	f.end = number_of(s) + 1;
	return true;
}

static void count_part(uint32_t line, struct part *p)
{
	const uint64_t n = news(p);

	if (!n)
		return;
	give(line, n * p->insns, p->touched);
	p->seen += n;
}

void uses_code_forget(void)
{
	uses_code_reach(0, 0);
	for (uint64_t n = 1; n < f.chunks; n++) {
		struct chunk *c = &f.tables->chunks[n];

		for (uint32_t i = 0; i < CHUNK_PARTS && c->part[i].counter && filter_may_count();
		     i++)
			count_part(c->line, &c->part[i]);
		line_by(c->line)->first = 0;
	}
	f.chunks = 1;
	f.from = f.end;
}

void uses_code_counted(const struct segment *s)
{
	if (!has_parts(s))
		return;
	for (uint64_t line = first_line(s); line <= last_line(s); line++) {
		struct part *p = part_of(s, line);

		count_part(number_of_line(line), p);
		p->seen = 0;
	}
}

/* ---- A segment that has begun ---- */

/* Of its last execution, if it was not looked at yet, only so many instructions are done. */
static void divide(const struct segment *s, uint32_t insns)
{
	if (!news_of(s))
		return;
	for (uint64_t line = first_line(s); line <= last_line(s); line++) {
		struct part *p = part_of(s, line);

		p->seen++;
		count_part(number_of_line(line), p);
	}
	fetch_some(s, 0, insns);
	f.owing = s;
	f.owed = insns;
}

static void pay(uint32_t insns)
{
	if (insns > f.owed) {
		fetch_some(f.owing, f.owed, insns);
		f.owed = insns;
	}
	if (f.owed == f.owing->insns)
		f.owing = 0;
}

static bool is_owing(const struct segment *s)
{
	return f.owing && f.owing == s && has_parts(s) && !news_of(s);
}

void uses_code_reach(const struct segment *s, uint32_t insns)
{
	if (is_owing(s))
		pay(insns);
	else if (f.owing)
		pay(f.owing->insns);
	f.now = s && has_parts(s) ? s : 0;
	f.fetched = insns;
}

uint32_t uses_code_cut(const struct segment *s, uint32_t insns)
{
	const bool owes = is_owing(s);
	const uint32_t counted = owes && f.owed > insns ? f.owed : insns;

	uses_code_reach(s, insns);
	if (f.now && !owes)
		divide(s, insns);
	f.owing = f.now = 0;
	return counted;
}

bool uses_code_uncount(uint64_t line)
{
	struct uses_of_code *sum = &line_by(number_of_line(line))->sum;

	if (!sum->uses)
		return false;
	sum->uses--;
	return true;
}

/* With few branches: which segments were executed is no good guess. */
static void take_chunk(struct chunk *c, uint32_t now, struct uses_of_code *sum)
{
	for (uint32_t i = 0; i < CHUNK_PARTS && c->part[i].counter; i++) {
		struct part *p = &c->part[i];
		const uint64_t n = news(p);

		if (p->counter == now) {
			divide(f.now, f.fetched);
			continue;
		}
		sum->uses += n * p->insns;
		sum->touched |= p->touched & -(uint64_t)(n != 0);
		p->seen += n;
	}
}

struct uses_of_code uses_code_take(uint64_t line)
{
	struct line *l = line_by(number_of_line(line));
	const uint32_t now = f.now ? counter_of(f.now) : 0;
	struct uses_of_code sum = {0};

	for (uint32_t n = l->first; n; n = f.tables->chunks[n].next)
		take_chunk(&f.tables->chunks[n], now, &sum);
	sum.uses += l->sum.uses;
	sum.touched |= l->sum.touched;
	l->sum = (struct uses_of_code){0};
	return sum;
}
