/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of arcs; see arcs_lines.h. */
#include "engine/simulate/calls/arcs_lines.h"

#include <sys/mman.h>

#include "engine/codecache/cache.h"
#include "engine/core/addresses.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/plan/plan.h"

/* large, so that they do not lie among the program's mappings */
#define LINES_RESERVE (1ull << 30)
#define MOST_LINES    (LINES_RESERVE >> L_SHIFT)
#define ACTIVE_BYTES  (4ull << 20)
#define FIRST_TOWARDS 4096u
#define MOST_TOWARDS  (1u << 18)
#define MOST	      (1ull << 30) /* loads, or stores, between two flushes; 32 bits hold them */

/* Finds the line of an indirect site's target, for arcs.S. */
struct arcs_towards {
	uint64_t target;
	uint32_t site, line;
	uint32_t cell, unused[3];
};

_Static_assert(offsetof(struct arcs_towards, site) == TO_SITE, "layout");
_Static_assert(offsetof(struct arcs_towards, line) == TO_LINE, "layout");
_Static_assert(offsetof(struct arcs_towards, cell) == TO_CELL, "layout");
_Static_assert(sizeof(struct arcs_towards) == 1 << TO_SHIFT, "layout");

static struct {
	struct sim_trail *trail;
	struct grow lines, infos, rare;
	struct grow live; /* numbers of lines whose code is there */
	uint32_t live_count;
	uint32_t events;	/* of a row of rare; a multiple of 4 */
	uint8_t *active;	/* by function */
	uint64_t loads, stores; /* since the last flush */
} l;

uint8_t *arcs_lines;
/* For code: lines of indirect sites. A line has two places, of which the first is even. */
static struct arcs_towards first_towards[FIRST_TOWARDS] __attribute__((aligned(64)));
struct arcs_towards *arcs_towards = first_towards;
uint32_t arcs_towards_mask = (FIRST_TOWARDS - 1) << TO_SHIFT; /* of offsets */

static uint64_t row_bytes(void)
{
	return l.events * sizeof(uint64_t);
}

static uint64_t reserve_for(uint64_t bytes_of_line)
{
	const uint64_t bytes = MOST_LINES * bytes_of_line;

	return bytes > LINES_RESERVE ? bytes : LINES_RESERVE;
}

bool arcs_lines_start(struct sim_trail *trail)
{
	l.trail = trail;
	l.events = (cells.events - CELL_FIRST_MISS + 3u) & ~3u;
	if (!plan.nodes)
		l.active = addresses_map_low(ACTIVE_BYTES, PAGE, MAP_PRIVATE | MAP_NORESERVE);
	if ((!l.active && !plan.nodes) || grow_init(&l.lines, LINES_RESERVE) != 0 ||
	    grow_init(&l.live, MOST_LINES * sizeof(uint32_t)) != 0 ||
	    grow_init(&l.infos, reserve_for(sizeof(struct arcs_info))) != 0 ||
	    grow_init(&l.rare, reserve_for(row_bytes())) != 0)
		return false;
	arcs_lines = l.lines.base;
	grow_take(&l.lines, sizeof(struct arcs_line)); /* 0 is none */
	grow_take(&l.infos, sizeof(struct arcs_info));
	grow_take(&l.rare, row_bytes());
	if (!plan.nodes)
		graph_show_active_in(l.active, ACTIVE_BYTES);
	return true;
}

struct arcs_info *arcs_info(uint32_t line)
{
	return (struct arcs_info *)(void *)l.infos.base + (line >> L_SHIFT);
}

uint64_t *arcs_rare(uint32_t line)
{
	return (uint64_t *)(void *)l.rare.base + (line >> L_SHIFT) * l.events;
}

struct sim_open_call arcs_open_call(uint32_t line, bool is_recursive)
{
	const struct arcs_info *i = arcs_info(line);

	return (struct sim_open_call){
		.caller = i->caller,
		.callee = i->callee,
		.pc = i->pc,
		.flags = (uint32_t)i->flags | (is_recursive ? SIM_ARC_RECURSIVE : 0),
	};
}

/* ---- Making ---- */

/* Code made at run time has rules of its own: what its functions are may change. */
static bool may_be(uint32_t function)
{
	return function && function < ACTIVE_BYTES && graph_kind(function) != SIM_FUNCTION_MADE;
}

/* The address of what says whether a function is active; 0: that is not known. */
static uint32_t cell_of(uint32_t function)
{
	if (plan.nodes)
		return (uint32_t)(uintptr_t)nodes_cell_of(function);
	return (uint32_t)(uintptr_t)&l.active[function];
}

static bool leads_on(uint32_t function)
{
	return graph_kind(function) == SIM_FUNCTION_STUB ||
	       graph_kind(function) == SIM_FUNCTION_RESOLVER;
}

static bool has_room(const struct grow *g, uint64_t bytes)
{
	return g->reserved - g->used >= bytes;
}

static uint32_t *live(void)
{
	return (uint32_t *)(void *)l.live.base;
}

static uint32_t keep(uint32_t line)
{
	if (l.live_count * sizeof line >= l.live.used && !grow_take(&l.live, 2 * sizeof line))
		return 0;
	live()[l.live_count++] = line;
	return line;
}

uint32_t arcs_make(const struct arcs_info *like, uint64_t pc, uint64_t back)
{
	const uint32_t callee = graph_function(pc);
	struct arcs_info *i;
	struct arcs_line *n;

	if (!may_be(like->caller) || !may_be(callee) || !cell_of(callee) ||
	    !has_room(&l.lines, sizeof *n) || !has_room(&l.infos, sizeof *i) ||
	    !has_room(&l.rare, row_bytes()))
		return 0;
	memset(grow_take(&l.rare, row_bytes()), 0, row_bytes());
	n = grow_take(&l.lines, sizeof *n);
	i = grow_take(&l.infos, sizeof *i);
	*n = (struct arcs_line){.back = back, .cell = cell_of(callee)};
	*i = *like;
	i->target = pc;
	i->arc[0] = i->arc[1] = 0;
	i->callee = callee;
	i->leads_on = leads_on(callee);
	return keep((uint32_t)((uint8_t *)n - arcs_lines));
}

bool arcs_has_code(uint64_t pc)
{
	const struct sim_segment *s = l.trail->segment_at(pc);

	return s && s->function == graph_function(pc);
}

bool arcs_starts(uint32_t number, struct arcs_info *like, uint64_t *pc, uint64_t *back)
{
	const struct sim_site *site = &l.trail->sites[number];
	const struct sim_segment *left = site->left;

	*like = (struct arcs_info){.pc = left->end_pc,
				   .caller = left->function,
				   .site = number,
				   .flags = site->is_call ? 0 : SIM_ARC_JUMP};
	*back = site->is_call ? site->back : 0;
	if (site->is_fixed)
		*pc = site->pc;
	return site->is_call ? site->back != 0 : !leads_on(left->function);
}

/* The line from the end of a segment to pc; 0: it needs the rules. */
uint32_t arcs_new(uint64_t pc, uint32_t number)
{
	struct arcs_info like;
	uint64_t back;

	return arcs_starts(number, &like, &pc, &back) ? arcs_make(&like, pc, back) : 0;
}

static uint32_t make_of_site(uint32_t number, uint64_t pc)
{
	return arcs_new(pc, number);
}

bool arcs_goes_back(uint32_t line)
{
	const struct arcs_info *i = arcs_info(line);

	return !i->leads_on && !graph_begins(i->callee, arcs_info(line)->target);
}

struct arcs_range arcs_function_of(uint32_t number)
{
	const struct sim_site *site = &l.trail->sites[number];

	return (struct arcs_range){.start = site->back,
				   .bytes = site->span <= INT32_MAX ? site->span : 0,
				   .is_stub = leads_on(site->left->function),
				   .is_call = site->is_call};
}

uint32_t arcs_make_within(uint32_t number, uint64_t pc)
{
	const struct sim_segment *left = l.trail->sites[number].left;
	const struct arcs_info like = {
		.pc = left->end_pc, .caller = left->function, .site = number};

	return arcs_make(&like, pc, L_WITHIN);
}

/* ---- Finding ---- */

static uint32_t towards(void)
{
	return (arcs_towards_mask >> TO_SHIFT) + 1;
}

/* Four times as many places: fewer lines then meet in one. The old ones are found again. */
static void grow_towards(void)
{
	const uint32_t places = 4 * towards();
	struct arcs_towards *more;

	if (places > MOST_TOWARDS)
		return;
	more = pages_get(places * sizeof *more);
	if (!more)
		return;
	if (arcs_towards != first_towards)
		pages_put(arcs_towards, towards() * sizeof *more);
	arcs_towards = more;
	arcs_towards_mask = (places - 1) << TO_SHIFT;
}

/* Let code find the line from an indirect site to pc. */
static void publish(uint32_t number, uint64_t pc, uint32_t line)
{
	struct arcs_towards *to;

	if (4 * lines_kept() > towards())
		grow_towards();
	to = &arcs_towards[(((uint32_t)pc >> 4) + number * TO_SITE_FACTOR) & (towards() - 2)];
	to[1] = to[0];
	to[0] = (struct arcs_towards){
		.target = pc, .site = number, .line = line, .cell = arcs_line(line)->cell};
}

/* The known line of a key, or a new one, which `make_one` makes; 0: it needs the rules. */
static uint32_t line_of(struct lines_key k, uint32_t (*make_one)(uint32_t number, uint64_t pc))
{
	uint32_t line = lines_find(k);

	if (line || !lines_have_room())
		return line;
	lock_take(&engine.translate_lock);
	line = make_one(k.site & ~KEY_LED, k.target);
	lock_drop(&engine.translate_lock);
	if (line)
		lines_keep(k, line);
	return line;
}

bool arcs_look(uint32_t number, uint64_t pc)
{
	const uint32_t line = lines_find((struct lines_key){.target = pc, .site = number});

	if (line)
		publish(number, pc, line);
	return line != 0;
}

void arcs_find(uint32_t number, uint64_t pc)
{
	const uint32_t line =
		line_of((struct lines_key){.target = pc, .site = number}, make_of_site);

	if (line)
		publish(number, pc, line);
}

bool arcs_switches(uint32_t number, uint64_t pc)
{
	const struct arcs_range in = arcs_function_of(number);
	uint32_t line;

	if (pc - in.start >= in.bytes)
		return false;
	line = line_of((struct lines_key){.target = pc, .site = number}, arcs_make_within);
	if (line) {
		publish(number, pc, line);
		arcs_line(line)->calls[0]++;
	} else {
		graph_add_jumps(l.trail->sites[number].left, 0, pc, 1);
	}
	return true;
}

/* What a stub's line leads on to. */
static uint32_t make_led(uint32_t stub, uint64_t pc)
{
	struct arcs_info like = *arcs_info(stub << L_SHIFT);

	like.site = 0;
	return arcs_make(&like, pc, arcs_line(stub << L_SHIFT)->back);
}

void arcs_lead_on(uint32_t stub, uint64_t pc)
{
	struct arcs_line *w = arcs_line(stub);
	uint32_t line;

	if (!arcs_info(stub)->leads_on)
		return;
	line = line_of((struct lines_key){.target = pc, .site = stub >> L_SHIFT | KEY_LED},
		       make_led);
	if (!line)
		return;
	w->led = line;
	w->led_target = pc;
	w->led_cell = arcs_line(line)->cell;
}

/* ---- Forgetting ---- */

static void forget_towards(void)
{
	memset(arcs_towards, 0, towards() * sizeof *arcs_towards);
}

void arcs_forget(void)
{
	arcs_flush();
	forget_towards();
	lines_forget();
	if (plan.nodes)
		nodes_forget_lines();
	l.live_count = 0;
	l.lines.used = sizeof(struct arcs_line);
	l.infos.used = sizeof(struct arcs_info);
	l.rare.used = row_bytes();
}

void arcs_forget_code(uint64_t start, uint64_t end)
{
	const uint32_t count = l.live_count;

	if (!plan.arcs)
		return;
	if (plan.nodes) { /* no code names lines */
		arcs_forget();
		return;
	}
	forget_towards();
	l.live_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		const uint32_t line = live()[k];
		const struct arcs_info *i = arcs_info(line);
		struct arcs_line *w = arcs_line(line);

		if (w->led && graph_is_in(arcs_info(w->led)->callee, start, end))
			w->led_target = 0;
		if (!graph_is_in(i->callee, start, end)) {
			live()[l.live_count++] = line;
			continue;
		}
		lines_drop(line);
		if (!graph_is_in(i->caller, start, end)) {
			lock_take(&engine.translate_lock);
			cache_invalidate(i->pc, i->pc + 1);
			lock_drop(&engine.translate_lock);
		}
	}
}

void arcs_forget_active(void)
{
	graph_clear_active();
}

/* ---- Telling ---- */

static bool are_any(const struct sim_sums *s)
{
	uint64_t any = s->calls | s->lane[0] | s->lane[1];

	for (uint32_t k = 0; k < l.events; k++)
		any |= s->rare[k];
	return any != 0;
}

static void flush(uint32_t line)
{
	struct arcs_line *n = arcs_line(line);
	struct arcs_info *i = arcs_info(line);
	struct sim_sums sums = {.calls = n->calls[0], .rare = arcs_rare(line)};

	/* what misses has also executed something */
	if (!(n->calls[0] | n->calls[1] | n->lane[0] | n->lane[1]))
		return;
	if (n->back == L_WITHIN) {
		if (n->calls[0])
			graph_add_jumps(l.trail->sites[i->site].left, i->key.node >> N_SHIFT,
					i->target, n->calls[0]);
		n->calls[0] = 0;
		return;
	}
	if (n->calls[1]) {
		const struct sim_open_call c = arcs_open_call(line, true);

		graph_add_sums(&c, &i->arc[1], &(struct sim_sums){.calls = n->calls[1]});
	}
	sums.lane[0] = n->lane[0];
	sums.lane[1] = n->lane[1];
	if (are_any(&sums)) {
		const struct sim_open_call c = arcs_open_call(line, false);

		graph_add_sums(&c, &i->arc[0], &sums);
	}
	memset(arcs_rare(line), 0, row_bytes());
	n->calls[0] = n->calls[1] = 0;
	memset(n->lane, 0, sizeof n->lane);
}

void arcs_note(uint64_t loads, uint64_t stores)
{
	l.loads += loads;
	l.stores += stores;
	if (l.loads > MOST || l.stores > MOST)
		arcs_flush();
}

void arcs_flush(void)
{
	if (!plan.arcs)
		return;
	l.loads = l.stores = 0;
	for (uint32_t k = 0; k < l.live_count; k++)
		flush(live()[k]);
}
