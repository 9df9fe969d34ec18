/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of lines of code; see uses_code.h. */
#include "engine/simulate/uses/uses_code.h"

#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/segments.h"

#define MOST_COUNTERS ((LOW_TABLES - FILTER_COUNTERS) / sizeof(uint64_t))
#define MOST_LINES    ((FILTER_MISSES - FILTER_CODE_CELLS) / sizeof(uint32_t))
#define MOST_PARTS    (4 * MOST_COUNTERS)

/* A segment's instructions on a line. Those of a segment follow each other. */
struct part {
	uint64_t touched;
	uint64_t seen;	  /* of its counter */
	uint32_t counter; /* its address */
	uint32_t segment; /* its number */
	uint32_t line;	  /* number of its cell */
	uint32_t next;	  /* of the line; 0: none */
	uint32_t insns;
};

/* By number of its cell. */
struct line {
	struct uses_of_code sum;
	uint32_t first; /* of its parts */
};

/* In one reserve, so large that it does not lie among the program's mappings. */
struct tables {
	struct part parts[MOST_PARTS]; /* from 1 on */
	struct line lines[MOST_LINES];
	uint32_t firsts[MOST_COUNTERS]; /* by counter: the first part of its segment */
};

static struct {
	struct tables *tables;
	uint64_t parts;		   /* the next one */
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
	f.parts = 1;
	return true;
}

static struct part *parts_end(void)
{
	return &f.tables->parts[f.parts];
}

static struct line *line_by(uint32_t number)
{
	return &f.tables->lines[number];
}

static uint64_t number_of(const struct segment *s)
{
	return (s->counter - FILTER_COUNTERS) / sizeof(uint64_t);
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

static struct part *first_of(const struct segment *s)
{
	return &f.tables->parts[f.tables->firsts[number_of(s)]];
}

static uint64_t news(const struct part *p)
{
	return *(const uint64_t *)(uintptr_t)p->counter - p->seen;
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

static bool add_part(const struct segment *s, uint64_t line)
{
	const uint32_t cell = filter_code_cell(line);
	struct part *p = parts_end();

	if (!cell || f.parts == MOST_PARTS)
		return false;
	*p = (struct part){
		.counter = s->counter,
		.segment = segments_number(s),
		.line = number_of_line(line),
	};
	for (uint32_t i = 0; i < s->insns; i++) {
		const struct segment_insn *in = &segment_insns(s)[i];
		const uint64_t pc = segment_graph(s)->pc + in->offset, last = pc + in->length - 1;

		if (pc >> FILTER_LINE_SHIFT > line || last >> FILTER_LINE_SHIFT < line)
			continue;
		p->insns++;
		p->touched |= bits_on(line, pc, last);
	}
	p->next = line_by(p->line)->first;
	line_by(p->line)->first = (uint32_t)f.parts++;
	return true;
}

bool uses_code_meet(const struct segment *s)
{
	const uint64_t pc = segment_graph(s)->pc, number = number_of(s);

	f.tables->firsts[number] = (uint32_t)f.parts;
	f.end = number + 1;
	for (uint64_t line = pc >> FILTER_LINE_SHIFT;
	     line <= (pc + s->bytes - 1) >> FILTER_LINE_SHIFT; line++)
		if (!add_part(s, line))
			return false;
	return true;
}

static void count_part(struct part *p)
{
	const uint64_t n = news(p);

	if (!n)
		return;
	give(p->line, n * p->insns, p->touched);
	p->seen += n;
}

void uses_code_forget(void)
{
	uses_code_reach(0, 0);
	for (struct part *p = f.tables->parts + 1; p < parts_end(); p++) {
		if (filter_may_count())
			count_part(p);
		line_by(p->line)->first = 0;
	}
	f.parts = 1;
	f.from = f.end;
}

void uses_code_counted(const struct segment *s)
{
	if (!has_parts(s))
		return;
	for (struct part *p = first_of(s); p < parts_end() && p->counter == s->counter; p++) {
		count_part(p);
		p->seen = 0;
	}
}

/* ---- A segment that has begun ---- */

/* Of its last execution, if it was not looked at yet, only so many instructions are done. */
static void divide(const struct segment *s, uint32_t insns)
{
	if (!news(first_of(s)))
		return;
	for (struct part *p = first_of(s); p < parts_end() && p->counter == s->counter; p++) {
		p->seen++;
		count_part(p);
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
	return f.owing && f.owing == s && has_parts(s) && !news(first_of(s));
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

struct uses_of_code uses_code_take(uint64_t line)
{
	struct line *l = line_by(number_of_line(line));
	struct uses_of_code sum;

	for (uint32_t n = l->first; n; n = f.tables->parts[n].next) {
		struct part *p = &f.tables->parts[n];

		if (f.now && p->counter == f.now->counter)
			divide(f.now, f.fetched);
		else
			count_part(p);
	}
	sum = l->sum;
	l->sum = (struct uses_of_code){0};
	return sum;
}
