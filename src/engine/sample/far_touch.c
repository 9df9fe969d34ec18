/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An access to far lines; see far_lines.h.
 *
 * An access is one far touch or none, at each size: if it touches two lines, that of the line which
 * was touched longer ago, as it misses where one of its lines does. Both must be in one unit to
 * tell; neighbours in one unit stand for the others (of_two). Of lines below 32 bytes only one is
 * watched, which stands for as many as the access touches; and so does each line of an access of
 * more than two.
 */
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/sample/far_lines.h"
#include "engine/sample/scan.h"
#include "engine/unwind/paths.h"

#define LINE	     64u
#define SIZES	     CHANNEL_FAR_SIZES
#define KIND_BITS    14u
#define TOUCHED_LOG2 10u
#define SMALL_MASK   ((1u << FAR_SMALL) - 1)

_Static_assert(1u << TOUCHED_LOG2 == CHANNEL_TOUCHED, "classes of touches");

/* One of the access's lines of 64 bytes. */
struct part {
	struct far_line64 *l; /* NULL: it is not watched */
	uint64_t line;
	uint32_t first, last; /* touched bytes */
	uint32_t sizes;	      /* mask: the access touches a watched line of this size here */
	uint64_t old[SIZES];  /* of these: last touch, the earlier one of two halves */
};

struct event {
	uint32_t sizes;			    /* mask: it is a far touch */
	uint64_t old[SIZES], weight[SIZES]; /* of these */
	uint8_t kind[SIZES];		    /* enum far_kind */
};

static bool is_far(uint64_t old, uint64_t now)
{
	return old + CHANNEL_FAR < now || !old;
}

/* Does [first, last] touch the watched line of 4 << i bytes? */
static bool touches_small(uint64_t line, uint32_t i, uint32_t first, uint32_t last)
{
	uint32_t number = far_lines_place(line) >> i;

	return (first >> (2 + i) <= number) & (last >> (2 + i) >= number);
}

/* ---- What was ---- */

static void read_part(struct far_lines *f, struct part *p)
{
	const struct far_line64 *l = p->l;
	const uint64_t *half = l->half, low = half[p->first / 32], high = half[p->last / 32];
	uint32_t i = FAR_SIZE_64 + 1;

	for (uint32_t k = 0; k < FAR_SMALL; k++)
		if (touches_small(p->line, k, p->first, p->last)) {
			p->sizes |= 1u << k;
			p->old[k] = l->small[k];
		}
	p->old[FAR_SIZE_32] = low < high ? low : high;
	p->old[FAR_SIZE_64] = half[0] > half[1] ? half[0] : half[1];
	for (uint32_t k = l->block ? far_lines_word(l) : 0; k; k /= 2)
		p->old[i++] = f->times[l->block + k];
	p->sizes |= (1u << i) - (1u << FAR_SIZE_32);
}

/* Finds the line, or makes it known. There is room. */
static void find_part(struct watch_set *ws, struct part *p, uint64_t line, const struct access *a)
{
	uint64_t start = line * LINE, last = a->address + (a->size ? a->size - 1u : 0);
	struct far_lines *f = ws->far_lines;
	uint16_t unit;

	p->l = 0;
	p->line = line;
	p->sizes = 0;
	if (!watch_is_far(ws, line))
		return;
	p->first = a->address > start ? (uint32_t)(a->address - start) : 0;
	p->last = last - start < LINE ? (uint32_t)(last - start) : LINE - 1;
	p->l = far_lines_find(f, p->line);
	if (!p->l) {
		unit = far_units_find(&f->units, p->line);
		if (unit == FAR_NO_UNIT)
			return;
		p->l = far_lines_add(f, p->line, unit);
	}
	f->units.touches[p->l->unit]++;
	read_part(f, p);
}

/* ---- What happens ---- */

/* The part's line of size i is touched; that weighs `weight`. */
static void add(struct event *e, uint32_t i, const struct part *p, uint64_t weight, uint64_t now)
{
	bool is_new = !(e->sizes >> i & 1);

	if (!weight || !is_far(p->old[i], now))
		return;
	e->sizes |= 1u << i;
	e->weight[i] = is_new ? weight : e->weight[i] + weight;
	if (is_new || p->old[i] < e->old[i]) {
		e->old[i] = p->old[i];
		e->kind[i] = (uint8_t)far_lines_kind(p->l);
	}
}

/* Lines of size i that the access touches. */
static uint64_t lines_of(const struct access *a, uint32_t i)
{
	uint64_t last = a->address + (a->size ? a->size - 1u : 0);

	return (last >> (NESTED_FIRST + i)) - (a->address >> (NESTED_FIRST + i)) + 1;
}

/* Of the sizes in a mask. `shares`: other lines of the access are looked at by themselves. */
static void see_one(const struct far_units *u, struct event *e, const struct part *p,
		    const struct access *a, uint32_t sizes, bool shares, uint64_t now)
{
	for (sizes &= p->sizes; sizes; sizes &= sizes - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(sizes);
		uint64_t lines = i < FAR_SMALL || shares ? lines_of(a, i) : 1;
		uint64_t weight = u->weight[far_lines_kind(p->l)][i];

		add(e, i, p, lines > 1 ? weight / lines : weight, now);
	}
}

/* Lines of 32 bytes and more of an access to two neighbours. */
static void see_two(const struct far_units *u, struct event *e, const struct part p[2],
		    uint64_t now)
{
	bool in_one = p[0].l && p[1].l && p[0].l->unit == p[1].l->unit;

	for (uint32_t i = FAR_SIZE_32; i < SIZES; i++) {
		uint32_t shift = i > FAR_SIZE_64 ? i - FAR_SIZE_64 : 0;
		const struct part *any = &p[p[0].sizes >> i & 1 ? 0 : 1];
		enum far_kind kind;

		if (!(any->sizes >> i & 1))
			continue;
		kind = far_lines_kind(any->l);
		/* no unit has two lines of 4096 bytes */
		if (i == FAR_SIZE_4096 ||
		    (i > FAR_SIZE_64 && p[0].line >> shift == p[1].line >> shift))
			add(e, i, any, u->weight[kind][i], now);
		else if (in_one)
			add(e, i, p[0].old[i] < p[1].old[i] ? &p[0] : &p[1], u->of_two[kind][i],
			    now);
	}
}

/* Sets *begin to the access that touched a line of the recorded size at `old`, if it is known. */
static void find_begin(struct thread *t, uint32_t line_shift, uint64_t address, uint64_t old,
		       struct record_access *begin)
{
	struct far_lines *f = t->watches->far_lines;
	uint64_t lines = line_shift > WATCH_SHIFT ? 1ull << (line_shift - WATCH_SHIFT) : 1;
	uint64_t line = (address >> WATCH_SHIFT) & -lines;

	for (; lines--; line++) {
		const struct far_line64 *l = far_lines_find(f, line);
		uint32_t h = l && l->half[0] == old ? 0 : 1;

		if (!l || l->half[h] != old)
			continue;
		*begin = (struct record_access){
			.pc = l->pc[h],
			.address = line * LINE + (uint64_t)(int64_t)l->offset[h],
			.size = l->bytes[h] & ((1u << KIND_BITS) - 1),
			.kind = (uint16_t)(l->bytes[h] >> KIND_BITS),
			.thread = (uint16_t)t->index,
		};
		return;
	}
}

/* Sends the event, which stands for one_in / FAR_RATE_ONE such. */
static void tell(struct thread *t, const struct scan_window *w, const struct event *e,
		 const struct access *a, uint64_t at, uint64_t process_at, uint64_t one_in)
{
	const struct far_lines *f = t->watches->far_lines;
	uint64_t now = at + f->now_less_at, last = a->address + (a->size ? a->size - 1u : 0);
	uint32_t own = w->line_shift - NESTED_FIRST, n = 0;
	struct far_line line[SIZES];
	struct record_far r = {.window = w->number,
			       .sizes = (uint16_t)e->sizes,
			       .position = process_at,
			       .end = {.pc = a->pc,
				       .address = a->address,
				       .size = a->size,
				       .kind = (uint16_t)a->kind,
				       .thread = (uint16_t)t->index}};

	for (uint32_t i = 0; i < SIZES; i++) {
		uint64_t old = e->old[i];
		struct far_line *to = &line[n];

		if (!(e->sizes >> i & 1))
			continue;
		n++;
		*to = (struct far_line){.weight = e->weight[i] * one_in / FAR_RATE_ONE};
		if (!old) {
			r.first |= (uint16_t)(1u << i);
			continue;
		}
		to->distance = now - old - 1;
		to->lines = far_cells_later(&f->cells, i, f->units.weight[e->kind[i]][i], old) /
			    CHANNEL_FAR_ONE;
	}
	alloc_describe(t, &r.end, at);
	r.end.path = paths_number(t, a->pc);
	if ((e->sizes & ~(uint32_t)r.first) >> own & 1) {
		find_begin(t, w->line_shift, a->address, e->old[own], &r.begin);
		if (!r.begin.pc)
			find_begin(t, w->line_shift, last, e->old[own], &r.begin);
	}
	records_far(t->process, &r, line, n);
}

/* Counts the event, and sends it if the coin says so. */
static void take_event(struct thread *t, struct scan_window *w, const struct event *e,
		       const struct access *a, uint64_t at, uint64_t process_at)
{
	uint32_t own = w->line_shift - NESTED_FIRST;
	struct far_rate *r = &w->far_rate[e->sizes >> own ? 0 : 1];
	uint64_t one_in = r->one_in;

	for (uint32_t sizes = e->sizes; sizes; sizes &= sizes - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(sizes);

		w->far[i] += e->weight[i];
	}
	if (far_rate_takes(r, &t->rng))
		tell(t, w, e, a, at, process_at, one_in);
}

/* ---- What near samples see ---- */

/* The class of a touch; the line was touched CHANNEL_TOUCHED or more accesses ago, or never. */
static uint32_t class_of(uint64_t old, uint64_t now)
{
	uint32_t c;

	if (!old)
		return CHANNEL_TOUCH_CLASSES - 1;
	c = (63 - (uint32_t)__builtin_clzll(now - old) - TOUCHED_LOG2) / 2;
	return c < CHANNEL_TOUCH_CLASSES - 2 ? c : CHANNEL_TOUCH_CLASSES - 2;
}

/* The line is touched, last at `old`. Of a pair, one line counts. */
static inline void count_touch(struct watch_set *ws, struct scan_window *w,
			       const struct far_line64 *l, uint64_t old, uint64_t now)
{
	enum far_kind kind;
	uint32_t c;

	if (old && old + CHANNEL_TOUCHED > now)
		return; /* mostly */
	kind = far_lines_kind(l);
	if (kind > FAR_PAIR || (kind == FAR_PAIR && (l->line ^ l->unit) & 1))
		return;
	c = class_of(old, now);
	ws->touches[c]++;
	w->touches[c]++;
}

/* ---- What is from now on ---- */

static void move(struct far_lines *f, enum far_kind kind, uint32_t i, uint64_t *time, uint64_t now)
{
	if (!*time)
		far_lines_know(f, kind, i);
	far_cells_move(&f->cells, i, f->units.weight[kind][i], *time, now);
	*time = now;
}

static void keep_access(struct far_line64 *l, uint32_t h, const struct access *a)
{
	uint32_t most = (1u << KIND_BITS) - 1;

	l->pc[h] = a->pc;
	l->offset[h] = (int16_t)(a->address - l->line * LINE);
	l->bytes[h] = (uint16_t)((a->size < most ? a->size : most) | a->kind << KIND_BITS);
}

static void write_part(struct far_lines *f, const struct part *p, const struct access *a,
		       uint64_t now)
{
	struct far_line64 *l = p->l;
	enum far_kind kind = far_lines_kind(l);
	uint64_t last = l->half[0] > l->half[1] ? l->half[0] : l->half[1];
	uint32_t i = FAR_SIZE_64 + 1;

	for (uint32_t k = 0; k < FAR_SMALL; k++)
		if (p->sizes >> k & 1)
			move(f, kind, k, &l->small[k], now);
	for (uint32_t h = p->first / 32; h <= p->last / 32; h++) {
		move(f, kind, FAR_SIZE_32, &l->half[h], now);
		keep_access(l, h, a);
	}
	move(f, kind, FAR_SIZE_64, &last, now);
	for (uint32_t k = l->block ? far_lines_word(l) : 0; k; k /= 2)
		move(f, kind, i++, &f->times[l->block + k], now);
}

/* ---- All of it ---- */

static void touch_fully(struct thread *t, struct scan_window *w, const struct access *a,
			uint64_t at, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct far_lines *f = ws->far_lines;
	uint64_t now = at + f->now_less_at;
	uint64_t line = a->address / LINE,
		 last = (a->address + (a->size ? a->size - 1u : 0)) / LINE;
	bool is_large = last > line + 1;

	while (line <= last) {
		uint32_t parts = last > line && !is_large ? 2 : 1;
		struct part p[2];
		struct event e;

		far_lines_make_room(ws, now, &t->rng);
		far_cells_advance(&f->cells, now);
		e.sizes = 0; /* zeros in the rest, too, would take as long as all else */
		for (uint32_t k = 0; k < parts; k++)
			find_part(ws, &p[k], line + k, a);
		for (uint32_t k = 0; k < parts; k++)
			see_one(&f->units, &e, &p[k], a, parts == 2 ? SMALL_MASK : ~0u, is_large,
				now);
		if (parts == 2)
			see_two(&f->units, &e, p, now);
		if (e.sizes)
			take_event(t, w, &e, a, at, process_at);
		for (uint32_t k = 0; k < parts; k++) {
			if (!p[k].l)
				continue;
			count_touch(ws, w, p[k].l, p[k].old[FAR_SIZE_64], now);
			write_part(f, &p[k], a, now);
		}
		line += parts;
	}
}

/*
 * Most touches are of lines that were touched in this cell of time: then so were all larger ones,
 * and only times change. False: it is another touch.
 */
static bool touch_again(struct watch_set *ws, struct scan_window *w, struct far_line64 *l,
			const struct access *a, uint32_t last, uint64_t now)
{
	struct far_lines *f = ws->far_lines;
	uint32_t first = (uint32_t)a->address % LINE, low = first / 32, high = last / 32;
	uint64_t old = l->half[low] < l->half[high] ? l->half[low] : l->half[high];
	bool touches[FAR_SMALL];

	/* without branches, which nothing could predict */
	for (uint32_t k = 0; k < FAR_SMALL; k++) {
		uint64_t small = l->small[k];

		touches[k] = touches_small(l->line, k, first, last);
		small = touches[k] ? small : old;
		old = small < old ? small : old;
	}
	if (old < (now & -(1ull << FAR_CELL_LOG2)))
		return false;
	f->units.touches[l->unit]++;
	count_touch(ws, w, l, l->half[0] > l->half[1] ? l->half[0] : l->half[1], now);
	for (uint32_t k = 0; k < FAR_SMALL; k++)
		l->small[k] = touches[k] ? now : l->small[k];
	l->half[low] = l->half[high] = now;
	keep_access(l, low, a);
	if (high != low)
		keep_access(l, high, a);
	for (uint32_t k = l->block ? far_lines_word(l) : 0; k; k /= 2)
		f->times[l->block + k] = now;
	return true;
}

void far_lines_touch(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		     uint64_t process_at)
{
	struct far_lines *f = t->watches->far_lines;
	uint64_t line = a->address / LINE, last = a->address + (a->size ? a->size - 1u : 0);
	struct far_line64 *l = last / LINE == line ? far_lines_find(f, line) : 0;

	if (!l || !touch_again(t->watches, w, l, a, (uint32_t)last % LINE, at + f->now_less_at))
		touch_fully(t, w, a, at, process_at);
}
