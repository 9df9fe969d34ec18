/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the filter gear, and what happens where its inline tests fail; see filter.h. */
#define _GNU_SOURCE
#include "engine/filter.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/cells.h"
#include "engine/fsbase.h"
#include "engine/graph.h"
#include "engine/sampler.h"
#include "engine/segments.h"
#include "engine/util.h"
#include "sim/hierarchy.h"

#define LINES	     (1ull << (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT))
#define CELLS_BYTES  (LINES * sizeof(uint32_t))
#define INDEX_AT     (FILTER_CELLS + CELLS_BYTES)
#define LOW_BYTES    (FILTER_CELLS - FILTER_LOW)
#define STAMPS_AT    PAGE
#define STAMPS_BYTES (16u << 20) /* for data; as many for code */
#define CODE_CELLS_AT (FILTER_LOW + STAMPS_AT + 2 * STAMPS_BYTES)
#define CODE_LINES   (16ull << 20)
#define COUNTERS_AT  (CODE_CELLS_AT + (uint32_t)CODE_LINES * 4u)
#define COUNTERS     ((FILTER_CELLS - COUNTERS_AT) / 8u)
#define LEAST_SETS   8u /* neighbouring lines of one segment never meet in a set of code */

/* A first level. */
struct first {
	uint64_t *stamps; /* [set * ways + way] */
	uint32_t **cells; /* the same: of the line that is there */
	uint64_t set_mask;
	uint32_t ways;
};

static struct {
	bool on;
	struct sim_hierarchy *h;
	struct first data, code;
	bool has_code;
	struct grow sites;
	struct grow lines;  /* of code that have a cell, in the order of their cells */
	uint32_t *cells_of; /* line of code -> address of its cell, or 0: reserved as FILTER_CELLS is */
	uint32_t counters;
} f;

bool filter_is_careful;

bool filter_is_on(void)
{
	return f.on;
}

bool filter_has_code(void)
{
	return f.has_code;
}

enum gear filter_gear(void)
{
	return f.on ? GEAR_FILTER : GEAR_STREAM;
}

/* ---- Memory ---- */

static void *low(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static bool reserve(uint64_t at, uint64_t bytes)
{
	long p = sys6(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (!sys_failed(p) && (uint64_t)p != at) /* a kernel that does not know the flag */
		sys2(SYS_munmap, p, bytes);
	return (uint64_t)p == at && sys3(SYS_madvise, at, bytes, MADV_DONTDUMP) == 0;
}

static void write_constants(void)
{
	const uint64_t address_mask = (1ull << FILTER_ADDRESS_BITS) - 1;
	uint64_t *masks = low(FILTER_ALIGN_MASKS), *tick = low(FILTER_TICK);

	*(uint64_t *)low(FILTER_LINE_MASK) = address_mask & ~((1ull << FILTER_LINE_SHIFT) - 1);
	for (uint32_t n = 0; n <= FILTER_LINE_SHIFT; n++)
		masks[n] = (1ull << n) - 1;
	tick[0] = tick[1] = 2;
}

static bool fits(const struct sim_cache *c)
{
	return c->entries && c->shift == FILTER_LINE_SHIFT && !c->set_magic &&
	       c->sets >= LEAST_SETS && c->replacement == SIM_REPLACE_LRU &&
	       c->sets * c->ways * sizeof(uint64_t) <= STAMPS_BYTES;
}

static bool make_first(struct first *l, const struct sim_cache *c, uint64_t stamps_at)
{
	l->stamps = low(stamps_at);
	l->set_mask = c->set_mask;
	l->ways = c->ways;
	l->cells = pages_get(round_up(c->sets * c->ways * sizeof *l->cells, PAGE));
	return l->cells != 0;
}

bool filter_start(struct sim_hierarchy *h)
{
	const struct sim_cache *data = &h->caches[0], *code = &h->caches[SIM_CODE_SLOT];

	if (!engine.wide || graph_is_on() || !h->is_simple || h->geometry.is_unified ||
	    h->most_bytes < 1u << FILTER_LINE_SHIFT || !fits(data) || (h->has_fetches && !fits(code)))
		return false;
	f.h = h;
	f.has_code = h->has_fetches;
	if (grow_init(&f.lines, CODE_LINES * sizeof(uint64_t)) != 0 ||
	    grow_init(&f.sites, 1ull << 30) != 0 ||
	    !make_first(&f.data, data, FILTER_LOW + STAMPS_AT) ||
	    (f.has_code && !make_first(&f.code, code, FILTER_LOW + STAMPS_AT + STAMPS_BYTES)))
		return false;
	if (cache_need_gear(GEAR_FILTER) != 0 || !reserve(FILTER_LOW, LOW_BYTES) ||
	    !reserve(FILTER_CELLS, 2 * CELLS_BYTES))
		return false;
	f.cells_of = low(INDEX_AT);
	write_constants();
	filter_forget_sites();
	f.on = true;
	return true;
}

uint32_t filter_new_site(const struct filter_site *site)
{
	struct filter_site *s = grow_take(&f.sites, sizeof *s);

	if (!s)
		return 0;
	*s = *site;
	return (uint32_t)((uint64_t)((uint8_t *)s - f.sites.base) / sizeof *s);
}

void filter_forget_sites(void)
{
	f.sites.used = sizeof(struct filter_site); /* number 0 is none */
}

uint32_t filter_code_cell(uint64_t line)
{
	uint32_t *cell = &f.cells_of[line & (LINES - 1)];
	uint64_t *l;

	if (*cell)
		return *cell;
	l = f.lines.used < CODE_LINES * sizeof *l ? grow_take(&f.lines, sizeof *l) : 0;
	if (!l)
		return 0;
	*l = line;
	*cell = CODE_CELLS_AT + (uint32_t)(l - (uint64_t *)(void *)f.lines.base) * 4u;
	return *cell;
}

uint32_t filter_new_counter(void)
{
	return f.counters < COUNTERS ? COUNTERS_AT + 8 * f.counters++ : 0;
}

void filter_count_executions(struct segment *s)
{
	uint64_t *counter = low(s->counter);

	if (!counter)
		return;
	s->executions += *counter;
	*counter = 0;
}

/* ---- First levels ---- */

static uint32_t *data_cell(uint64_t line)
{
	return (uint32_t *)low(FILTER_CELLS) + (line & (LINES - 1));
}

/* The line's cell is 0: it takes the place of the one with the least stamp. */
static void bring_in(struct first *l, uint64_t line, uint32_t *cell)
{
	uint64_t place = (line & l->set_mask) * l->ways, least = place;

	for (uint64_t i = place + 1; i < place + l->ways; i++)
		least = l->stamps[i] < l->stamps[least] ? i : least;
	if (l->cells[least])
		*l->cells[least] = 0;
	l->cells[least] = cell;
	*cell = (uint32_t)(uintptr_t)&l->stamps[least];
}

/* Returns whether it missed. */
static bool touch_line(struct first *l, uint64_t line, uint32_t *cell, uint64_t time)
{
	bool missed = *cell == 0;

	if (missed)
		bring_in(l, line, cell);
	*(uint64_t *)low(*cell) = time;
	return missed;
}

/* The first level has missed: what is below it. */
static void go_below(struct segment_insn *in, enum sim_access kind, uint64_t first, uint64_t last)
{
	uint64_t *events = in->cell ? cells_at(in->cell) : cells_spare();

	sim_hierarchy_below(f.h, kind, first, last, events);
	if (!in->cell)
		cells_take_spare(&in->cell);
}

/* Returns the cell of the last line. */
static uint32_t touch(struct segment_insn *in, uint64_t address, uint32_t bytes, uint32_t kind,
		      uint64_t time)
{
	uint64_t end = address + (bytes < f.h->most_bytes ? bytes : f.h->most_bytes) - 1;
	uint64_t line = address >> FILTER_LINE_SHIFT, last = end >> FILTER_LINE_SHIFT;
	bool missed = touch_line(&f.data, line, data_cell(line), time);

	if (last != line)
		missed |= touch_line(&f.data, last, data_cell(last), time);
	if (missed)
		go_below(in, kind - ACCESS_LOAD, address, end);
	return *data_cell(last);
}

static uint32_t fetch(struct segment *s, struct segment_insn *in, uint64_t time)
{
	uint64_t pc = s->desc.pc + in->offset, end = pc + in->length - 1;
	uint64_t line = pc >> FILTER_LINE_SHIFT, last = end >> FILTER_LINE_SHIFT;
	uint32_t *cell;
	bool missed;

	if (!f.has_code)
		return 0;
	cell = low(filter_code_cell(line));
	missed = touch_line(&f.code, line, cell, time);
	if (last != line) {
		cell = low(filter_code_cell(last));
		missed |= touch_line(&f.code, last, cell, time);
	}
	if (missed)
		go_below(in, SIM_FETCH, pc, end);
	return *cell;
}

uint64_t filter_missed(uint64_t regs[16], uint64_t clock)
{
	const struct thread *t = thread_self();
	const struct filter_site *site = (const void *)f.sites.base;
	struct segment *s;

	site += t->miss_site;
	s = segments_of_trailer(site->segment);
	if (site->flags & FILTER_SITE_CODE) {
		regs[site->reg] = fetch(s, &s->insn[site->index], clock);
	} else {
		const struct stream_access *a = &s->desc.access[site->index];
		uint64_t base = a->fs ? fsbase_get() : 0;

		clock += (site->flags & FILTER_SITE_SECOND) != 0;
		regs[site->reg] = touch(&s->insn[s->owner[site->index]], t->miss_address + base,
					a->size, a->kind, clock);
	}
	return site->back;
}

/* ---- What leaves the cache ---- */

static void count(struct segment_insn *in, uint64_t insns, uint64_t reads, uint64_t writes)
{
	cells_add(&in->cell, insns, reads, writes);
}

void filter_cut(struct thread *t)
{
	struct segment *s = segments_of_trailer(t->cut_segment);
	uint32_t insns = t->cut_insns - 1;

	t->cut_insns = 0;
	s->executions--;
	for (uint32_t i = 0; i < insns && i < s->insns; i++)
		count(&s->insn[i], 1, s->insn[i].reads, s->insn[i].writes);
}

/* A time of its own for each touch. */
static uint64_t next_time(struct thread *t)
{
	return t->clock += 2;
}

/* As Valgrind counts: an instruction for each iteration, and one that finds that it is the end. */
void filter_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep)
{
	struct segment *s = segments_of_trailer(trailer);
	struct segment_insn *in = &s->insn[0];
	uint64_t n = rep->iterations, writes = 0;

	s->executions++;
	fetch(s, in, next_time(t));
	for (uint32_t k = 0; k < rep->accesses; k++)
		writes += rep->kind[k] == ACCESS_STORE;
	if (n)
		count(in, n, n * (rep->accesses - writes), n * writes);
	for (uint64_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < rep->accesses; k++)
			touch(in, rep->address[k] + i * (uint64_t)rep->step, rep->size,
			      rep->kind[k], next_time(t));
}

void filter_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n)
{
	struct segment *s = segments_of_trailer(trailer);
	const struct stream_access *a = &s->desc.access[0];
	struct segment_insn *in = &s->insn[0];
	bool write = a->kind == ACCESS_STORE;

	s->executions++;
	fetch(s, in, next_time(t));
	if (n)
		count(in, 0, write ? 0 : n, write ? n : 0);
	for (uint32_t i = 0; i < n; i++)
		touch(in, STREAM_ADDRESS(entries[i]), a->size, a->kind, next_time(t));
}

void filter_undo_elements(uint32_t trailer, uint32_t n)
{
	struct segment *s = segments_of_trailer(trailer);
	bool write = s->desc.access[0].kind == ACCESS_STORE;

	s->executions--;
	count(&s->insn[0], 0, write ? 0 : -(uint64_t)n, write ? -(uint64_t)n : 0);
}

/* ---- The end ---- */

/* The lines of a first level to that of the hierarchy, in each set the oldest first. */
static void hand_over(const struct first *l, struct sim_cache *c, uint64_t (*line_of)(const uint32_t *))
{
	for (uint64_t place = 0; place < c->sets * l->ways; place += l->ways)
		for (uint32_t n = 0; n < l->ways; n++) {
			uint64_t least = place;

			for (uint64_t i = place; i < place + l->ways; i++)
				if (l->cells[i] &&
				    (!l->cells[least] || l->stamps[i] < l->stamps[least]))
					least = i;
			if (!l->cells[least])
				break;
			sim_cache_insert(c, line_of(l->cells[least]), 0);
			l->cells[least] = 0;
		}
}

static uint64_t line_of_data(const uint32_t *cell)
{
	return (uint64_t)(cell - (uint32_t *)low(FILTER_CELLS));
}

static uint64_t line_of_code(const uint32_t *cell)
{
	const uint64_t *lines = (const uint64_t *)(const void *)f.lines.base;

	return lines[cell - (uint32_t *)low(CODE_CELLS_AT)];
}

void filter_stop(void)
{
	if (!f.on)
		return;
	f.on = false;
	hand_over(&f.data, &f.h->caches[0], line_of_data);
	if (f.has_code)
		hand_over(&f.code, &f.h->caches[SIM_CODE_SLOT], line_of_code);
	sys2(SYS_munmap, FILTER_CELLS, CELLS_BYTES);
}
