/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes and their counts in code of the filter variant; see nodes.h. */
#include "engine/simulate/calls/nodes.h"

#include <sys/mman.h>

#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_forms.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/translate/job.h"

#define MOST_NODES     (8u << 20)
#define MOST_FUNCTIONS (1u << 20)
#define COUNTS_RESERVE (16ull << 30)
#define LEAST_WORDS    8u  /* of a node's counts */
#define ROOMS	       28u /* powers of two of words */
/* Counts of nodes beyond the most, or without memory; nobody reads them, and the user is told. */
#define LOST_WORDS (1ull << 27)

struct node_slot {
	uint64_t *counts;
	uint32_t active, ran;
	uint32_t room;		 /* words of counts */
	uint32_t next, function; /* another node of the function, or 0 */
	uint32_t unused;
};

_Static_assert(offsetof(struct node_slot, counts) == N_COUNTS, "layout");
_Static_assert(offsetof(struct node_slot, active) == N_ACTIVE, "layout");
_Static_assert(offsetof(struct node_slot, ran) == N_RAN, "layout");
_Static_assert(sizeof(struct node_slot) == 1 << N_SHIFT, "layout");

/* What the counts of a function's nodes have in common. */
struct of_function {
	uint32_t words;		      /* used, 0 before the first */
	uint32_t nodes;		      /* the newest of them that has counts; or 0 */
	struct sim_segment *segments; /* the newest one */
};

static struct {
	uint32_t most; /* the last node that has counts */
	uint32_t *cells;
	struct of_function *functions;
	uint32_t *words; /* by site: where its misses count */
	struct grow counts;
	uint64_t *lost;
	uint64_t *free[ROOMS]; /* counts given back, by room */
	struct segment *last;  /* the segment made last, if it has not ended */
} n;

struct node_slot *nodes_slots;

#define TABLES_RESERVE (1ull << 30)
_Static_assert(MOST_NODES * sizeof(struct node_slot) + MOST_FUNCTIONS * sizeof(struct of_function) +
			       FILTER_MOST_SITES * sizeof(uint32_t) <=
		       TABLES_RESERVE,
	       "room");

static struct node_slot *slot(uint32_t node)
{
	return &nodes_slots[node < MOST_NODES ? node : 0];
}

static struct of_function *of_function(uint32_t function)
{
	return &n.functions[function];
}

uint32_t *nodes_cell_of(uint32_t function)
{
	return function && function < MOST_FUNCTIONS ? &n.cells[function] : 0;
}

/* For the graph, where the rules make frames, or end them. */
static void show(uint32_t function, uint32_t newest, uint32_t node, bool is_active)
{
	n.cells[function] = newest < MOST_NODES ? newest << N_SHIFT : 0;
	slot(node)->active = is_active;
}

void nodes_undo(uint32_t node, uint32_t *cell, uint32_t old, bool was_active)
{
	*cell = old;
	if (!was_active)
		slot(node)->active = 0;
}

/* ---- Counts ---- */

static uint32_t room_of(uint32_t words)
{
	uint32_t room = 0;

	while (LEAST_WORDS << room < words)
		room++;
	return room;
}

static uint64_t *take_counts(uint32_t room)
{
	uint64_t *counts = n.free[room];

	if (!counts)
		return grow_take(&n.counts, sizeof *counts * LEAST_WORDS << room);
	n.free[room] = *(uint64_t **)(void *)counts;
	counts[0] = 0;
	return counts;
}

static void give_counts(uint64_t *counts, uint32_t room)
{
	memset(counts, 0, sizeof *counts * LEAST_WORDS << room);
	*(uint64_t **)(void *)counts = n.free[room];
	n.free[room] = counts;
}

static void tell_lost(void)
{
	static bool told;

	if (!told)
		say("no room for the costs of all contexts: those of some are missing; follow "
		    "fewer callers (--context)");
	told = true;
}

/* Room for all counts of its function. Without memory they are lost. */
static void make_room(struct node_slot *s, uint32_t words)
{
	const uint32_t room = room_of(words);
	uint64_t *more;

	if (s->room >= words && s->counts)
		return;
	more = take_counts(room);
	if (more && s->counts && s->counts != n.lost) {
		memcpy(more, s->counts, sizeof *more * s->room);
		give_counts(s->counts, room_of(s->room));
	}
	if (!more)
		tell_lost();
	s->counts = more ? more : n.lost;
	s->room = more ? LEAST_WORDS << room : UINT32_MAX;
}

/* The node has counts from now on. */
static struct node_slot *prepare(uint32_t node)
{
	const uint32_t function = graph_function_of_node(node);
	struct node_slot *s = slot(node);
	struct of_function *f;

	if (node >= MOST_NODES || function >= MOST_FUNCTIONS)
		tell_lost();
	if (s == nodes_slots || function >= MOST_FUNCTIONS)
		return nodes_slots;
	f = of_function(function);
	if (!s->counts) {
		s->function = function;
		s->next = f->nodes;
		f->nodes = node;
		n.most = node > n.most ? node : n.most;
	}
	make_room(s, f->words);
	return s;
}

static uint32_t *low_node(void)
{
	return (uint32_t *)(uintptr_t)A_NODE;
}

static uint32_t offset_of(const struct node_slot *s)
{
	return (uint32_t)((const uint8_t *)s - (const uint8_t *)nodes_slots);
}

uint32_t nodes_prepare(uint32_t node)
{
	return offset_of(prepare(node));
}

static void set_counts(struct node_slot *s)
{
	s->ran = 1;
	*low_node() = offset_of(s);
	*(uint64_t **)(uintptr_t)A_COUNTS = s->counts;
}

void nodes_run(uint32_t node)
{
	if (plan.nodes && filter_may_count())
		set_counts(node == SIM_NO_NODE ? nodes_slots : prepare(node));
}

uint32_t nodes_running(void)
{
	return filter_may_count() ? *low_node() >> N_SHIFT : 0;
}

/* One reservation: a large one, so that it does not lie among the program's mappings. */
static bool make_tables(void)
{
	struct grow all;

	if (grow_init_whole(&all, TABLES_RESERVE) != 0)
		return false;
	nodes_slots = (struct node_slot *)(void *)all.base;
	n.functions = (struct of_function *)(void *)(nodes_slots + MOST_NODES);
	n.words = (uint32_t *)(void *)(n.functions + MOST_FUNCTIONS);
	return true;
}

bool nodes_start(void)
{
	struct grow lost;

	n.cells = addresses_map_low(MOST_FUNCTIONS * sizeof *n.cells, PAGE,
				    MAP_PRIVATE | MAP_NORESERVE);
	if (!n.cells || !make_tables() ||
	    grow_init_whole(&lost, LOST_WORDS * sizeof *n.lost) != 0 ||
	    grow_init(&n.counts, COUNTS_RESERVE) != 0)
		return false;
	n.lost = (uint64_t *)(void *)lost.base;
	nodes_slots[0] = (struct node_slot){.counts = n.lost, .room = UINT32_MAX};
	graph_show_nodes(show, MOST_FUNCTIONS);
	return true;
}

/* ---- Segments ---- */

/* Of a segment's counts, before its sites. */
static uint32_t first_words(void)
{
	return 1 + plan.branches;
}

static uint32_t words_of(const struct segment *s)
{
	return first_words() + filter_next_site() - s->first_site;
}

bool nodes_meet(struct segment *s)
{
	const uint32_t function = segment_graph(s)->function;
	struct of_function *f = of_function(function);

	if (function >= MOST_FUNCTIONS || f->words >= LOST_WORDS - 4096)
		return false;
	f->words += !f->words;
	if (nodes_count_all() && !s->passes)
		return false;
	s->counter = f->words * (uint32_t)sizeof(uint64_t);
	segment_graph(s)->next = f->segments;
	f->segments = segment_graph(s);
	n.last = s;
	return true;
}

void nodes_end_segment(const struct job *j)
{
	struct segment *s = n.last;
	struct of_function *f;

	n.last = 0;
	if (s && j->failed)
		s->counter = 0; /* no code counts there */
	if (!s || j->failed)
		return;
	f = of_function(segment_graph(s)->function);
	for (uint32_t i = first_words(); i < words_of(s); i++)
		n.words[s->first_site + i - first_words()] = f->words + i;
	f->words += words_of(s);
	for (uint32_t node = f->nodes; node; node = slot(node)->next) {
		make_room(slot(node), f->words);
		if (nodes_running() == node)
			set_counts(slot(node));
	}
}

/* mov r, [A_COUNTS] */
static void load_counts(struct out *o, enum reg r)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x8b}, 2);
	operand_abs(o, (uint8_t)r, A_COUNTS);
}

/* mov to, [r + disp] */
static void load_from(struct out *o, enum reg to, enum reg r, uint32_t disp)
{
	emit_bytes(o, (const uint8_t[]){(uint8_t)(0x48 | (to & 8 ? 4 : 0) | (r & 8 ? 1 : 0)), 0x8b},
		   2);
	base_disp(o, (uint8_t)to, (uint8_t)r, (int32_t)disp);
}

/* add qword [r + disp], 1: changes flags */
static void add_one(struct out *o, enum reg r, uint32_t disp)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x49 : 0x48, 0x83}, 2);
	if ((r & 7) == RSP)
		emit_bytes(o, (const uint8_t[]){0x84, 0x24}, 2);
	else
		emit_u8(o, (uint8_t)(0x80 | (r & 7)));
	emit_u32(o, disp);
	emit_u8(o, 1);
}

void nodes_emit_count(struct job *j)
{
	const enum reg r = j->scratch2, other = r == RCX ? RAX : RCX;
	const uint32_t all = segments_of_trailer(j->trailer)->passes;
	struct out *o = &j->o;

	if (!j->live[j->first]) {
		load_counts(o, r);
		add_one(o, r, j->counter);
		if (nodes_count_all())
			emit_add_abs(o, all);
		return;
	}
	emit_store_gs(o, other, T_SPILL4);
	load_counts(o, r);
	load_from(o, other, r, j->counter);
	emit_lea(o, other, other, 1);
	emit_store(o, r, (int32_t)j->counter, other);
	emit_load_gs(o, other, T_SPILL4);
	if (nodes_count_all())
		emit_count_abs(o, r, all);
}

uint32_t nodes_pass_counter(const struct segment *s)
{
	return s->counter + (uint32_t)sizeof(uint64_t);
}

void nodes_emit_pass(struct job *j, uint32_t counter)
{
	struct out *o = &j->o;

	emit_store_gs(o, RCX, T_SPILL4);
	emit_store_gs(o, RAX, T_SPILL0);
	load_counts(o, RCX);
	load_from(o, RAX, RCX, counter);
	emit_lea(o, RAX, RAX, 1);
	emit_store(o, RCX, (int32_t)counter, RAX);
	emit_load_gs(o, RAX, T_SPILL0);
	emit_load_gs(o, RCX, T_SPILL4);
}

void nodes_pass(const struct segment *s, int64_t times)
{
	if (segment_has_counter(s))
		slot(nodes_running())->counts[nodes_pass_counter(s) / sizeof(uint64_t)] +=
			(uint64_t)times;
}

/* ---- What was counted ---- */

static struct sim_cell *cell_in(struct segment *s, uint32_t node)
{
	struct sim_cell *cell = graph_cell_of(s, node);

	cell->owner = 1;
	return cell;
}

static struct sim_cell *nodes_cell(struct segment *s)
{
	return cell_in(s, nodes_running());
}

uint32_t *nodes_cell_number(struct segment *s, struct segment_insn *in)
{
	return graph_cell_number(nodes_cell(s), s, in);
}

static void execute(struct segment *s, uint32_t node, struct sim_cell *cell, uint64_t times)
{
	struct segment *before = segment_before(s);

	if (plan.branches && s->end == SEGMENT_BRANCH)
		cell->taken += times;
	if (before)
		cell_in(before, node)->taken -= times;
	if (cell == &segment_graph(s)->own)
		s->executions += times;
	else
		cell->executions += times;
}

void nodes_execute(struct segment *s, uint64_t times)
{
	execute(s, nodes_running(), nodes_cell(s), times);
}

struct node_misses *nodes_misses(uint32_t node, uint32_t site)
{
	const uint32_t word = n.words[site];

	return (struct node_misses *)(void *)(slot(node >> N_SHIFT)->counts + word);
}

uint32_t *nodes_number(uint32_t node, uint32_t site)
{
	const struct filter_owner *o = filter_site_owner(site);
	struct segment *s = segments_of_trailer(o->segment);
	uint32_t *number = &nodes_misses(node, site)->first;

	if (slot(node >> N_SHIFT)->counts == n.lost)
		return 0;
	if (!*number) {
		struct sim_cell *cell = cell_in(s, node >> N_SHIFT);
		uint32_t *of_cell = graph_cell_number(cell, s, filter_site_insn(o));

		cells_keep(of_cell);
		*number = *of_cell;
	}
	return number;
}

static void take_misses(struct segment *s, struct sim_cell *cell, uint32_t site,
			struct node_misses *m)
{
	const struct filter_owner *o = filter_site_owner(site);
	struct segment_insn *in = filter_site_insn(o);
	uint32_t *number = graph_cell_number(cell, s, in);
	uint64_t *events = cells_at(*number);

	events[filter_state.columns[o->column][0]] += m->first;
	events[filter_state.columns[o->column][1]] += m->last;
	cells_keep(number);
	*m = (struct node_misses){0};
}

static void take_of_node(struct segment *s, uint32_t node)
{
	uint64_t *word = slot(node)->counts + s->counter / 8;
	struct node_misses *m = (struct node_misses *)(void *)(word + first_words());
	struct sim_cell *cell = 0;

	if (*word) {
		cell = cell_in(s, node);
		execute(s, node, cell, *word);
		*word = 0;
	}
	if (plan.branches && word[1]) {
		cell_in(s, node)->taken -= word[1];
		word[1] = 0;
	}
	for (uint32_t site = s->first_site; filter_site_is_of(site, s); site++, m++) {
		if (!m->first)
			continue;
		if (!cell)
			cell = cell_in(s, node);
		if (plan.several)
			m->first = 0; /* it was a cell's number */
		else
			take_misses(s, cell, site, m);
	}
}

void nodes_take(void)
{
	for (uint32_t node = 1; node <= n.most; node++) {
		struct node_slot *s = slot(node);

		if (!s->ran || !s->counts || s->counts == n.lost)
			continue;
		s->ran = node == nodes_running();
		for (struct sim_segment *g = of_function(s->function)->segments; g; g = g->next)
			if (segment_of_graph(g)->counter)
				take_of_node(segment_of_graph(g), node);
	}
}

void nodes_forget_code(void)
{
	nodes_take();
	for (struct segment *s = segments_next(0); s; s = segments_next(s)) {
		struct of_function *f = of_function(segment_graph(s)->function);

		if (!segment_has_counter(s))
			continue;
		f->words = 0;
		f->segments = 0;
		s->counter = 0;
	}
	n.last = 0;
}
