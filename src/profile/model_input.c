/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the model of a profile, and the list of ends. The model sees windows side by side: a place
 * in it is in accesses inside windows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "profile/profile.h"
#include "profile/sampled.h"
#include "profile/weights.h"

struct building {
	struct profile *p;
	size_t size;	  /* index of the line size in far reuses */
	uint64_t *starts; /* of each window: accesses inside those before it */
	struct model_window *windows;
	struct model_near *near;
	struct model_far *far;
	size_t far_count;
	struct weighed *weighed; /* of each far reuse */
	struct model_stack *stacks;
	size_t stack_count;
};

/*
 * A count of accesses in the unit of the model, touches of lines: each access counts as touching as
 * many as the average.
 */
static uint64_t scaled(const struct profile *p, uint64_t accesses)
{
	return p->touches > 1 ? (uint64_t)((double)accesses * p->touches + 0.5) : accesses;
}

/* The accesses of a window before a position of the process; threads may go beyond its end. */
static uint64_t place_in(const struct store_window *w, uint64_t position)
{
	if (position < w->start)
		return 0;
	return position - w->start < w->length ? position - w->start : w->length;
}

/*
 * The accesses of the run since the touch `distance` accesses inside windows before place `at` of
 * window w.
 */
static uint64_t run_distance(const struct building *b, size_t w, uint64_t at, uint64_t distance)
{
	const struct store_window *windows = b->p->windows;
	uint64_t end = b->starts[w] + at, begin = end > distance ? end - distance : 0, between;
	const size_t from = SEARCH_FIRST(i, w, b->starts[i + 1] > begin); /* the window of begin */

	between = windows[w].start + at - (windows[from].start + (begin - b->starts[from]));
	return between > distance ? between : distance;
}

/* Tell whether the two accesses have a byte in common. */
static bool overlap(const struct store_access *a, const struct store_access *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

static void add_end(struct profile *p, struct profile_end end)
{
	end.is_temporal = end.begin != NULL && overlap(end.begin, end.access);
	p->ends[p->end_count++] = end;
}

/* ---- Windows and samples ---- */

static void take_windows(struct building *b)
{
	const struct profile *p = b->p;
	uint64_t before = 0;

	for (size_t i = 0; i < p->window_count; i++) {
		b->starts[i] = before;
		b->windows[i] =
			(struct model_window){.start = scaled(p, before),
					      .length = scaled(p, p->windows[i].length),
					      .stands_for = scaled(p, p->windows[i].stands_for)};
		memcpy(b->windows[i].touches, p->windows[i].touches, sizeof(b->windows[i].touches));
		before += p->windows[i].length;
	}
}

/*
 * A sample whose watch was cut counts as far. Where a run ends, as many accesses are never touched
 * again as lines were first touched, and those count as far too.
 */
static void take_samples(struct building *b)
{
	struct profile *p = b->p;

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *x = &p->samples[i];
		size_t w = (size_t)profile_window(p, x->window);
		uint64_t at = place_in(&p->windows[w], x->position);
		bool is_reused = x->status == 0;

		if (is_reused)
			at = place_in(&p->windows[w], x->position + x->distance + 1);
		b->near[i] = (struct model_near){
			.position = scaled(p, b->starts[w] + at),
			.distance = is_reused ? scaled(p, x->distance) : 0,
			.weight = p->weights[i] * p->touches,
			.window = (uint32_t)w,
			.touches = 1,
			.is_far = !is_reused,
		};
		memcpy(b->near[i].between, x->touches, sizeof(b->near[i].between));
		if (is_reused)
			add_end(p, (struct profile_end){.access = &x->end,
							.begin = &x->begin,
							.distance = x->distance,
							.item = i,
							.window = (uint32_t)w});
	}
}

/*
 * The stack distances for lines of the profile's size; for shorter lines than counted, those of the
 * shortest.
 */
static void take_stacks(struct building *b)
{
	const struct profile *p = b->p;
	unsigned shift = (unsigned)__builtin_ctz(p->line_bytes);
	unsigned size = shift > STORE_STACK_FIRST ? shift - STORE_STACK_FIRST : 0;

	for (size_t i = 0; i < p->stack_count && size < STORE_STACK_SIZES; i++) {
		const struct store_stack *x = &p->stacks[i].of[size];
		int64_t w = profile_window(p, p->stacks[i].window);

		if (w >= 0 && x->touched)
			b->stacks[b->stack_count++] =
				(struct model_stack){(uint32_t)w, scaled(p, x->distance), x->lines};
	}
}

/* ---- Far reuses ---- */

/* The touch before, which is recorded for lines of the recorded size. */
static const struct store_access *begin_of(const struct building *b, const struct store_far *f)
{
	const struct store_far_line *own = &f->of[b->size];
	const struct store_far_line *recorded = &f->of[profile_far_size(b->p->recorded_line)];

	if (f->begin.location == STORE_NONE || own->is_first || own->distance != recorded->distance)
		return NULL;
	return &f->begin;
}

/* The part that a window is of the accesses for which it stands. */
static double seen_part(const struct store_window *w)
{
	return w->length < w->stands_for ? (double)w->length / (double)w->stands_for : 1;
}

static void take_far(struct building *b, const struct store_far *f, size_t w)
{
	struct profile *p = b->p;
	const struct store_far_line *x = &f->of[b->size];
	uint64_t at = place_in(&p->windows[w], f->position);

	b->weighed[b->far_count] = (struct weighed){STRATUM_REST, (uint32_t)w, x->weight};
	b->far[b->far_count] = (struct model_far){
		.position = scaled(p, b->starts[w] + at),
		.distance = scaled(p, x->distance),
		.lines = x->lines,
		.window = (uint32_t)w,
		.is_first = x->is_first,
	};
	add_end(p, (struct profile_end){.access = &f->end,
					.begin = begin_of(b, f),
					.distance = run_distance(b, w, at, x->distance),
					.item = b->far_count++,
					.window = (uint32_t)w,
					.is_far = true,
					.first = x->is_first ? seen_part(&p->windows[w]) : 0});
}

static int take_all_far(struct building *b, struct err *err)
{
	struct profile *p = b->p;
	double *known = calloc(p->window_count + 1, sizeof(*known));
	int status;

	if (known == NULL)
		return err_set(err, "not enough memory for %zu windows", p->window_count);
	for (size_t i = 0; i < p->far_count; i++) {
		int64_t w = profile_window(p, p->far[i].window);

		if (w >= 0 && p->far[i].of[b->size].weight > 0)
			take_far(b, &p->far[i], (size_t)w);
	}
	for (size_t w = 0; w < p->window_count; w++)
		known[w] = p->windows[w].far[b->size];
	status = weights_fit(p, STRATUM_REST, known, b->weighed, b->far_count, err);
	for (size_t i = 0; i < b->far_count; i++)
		b->far[i].weight = b->weighed[i].weight * p->touches;
	p->far_items = b->far_count;
	free(known);
	return status;
}

/* ---- The model ---- */

static int build(struct building *b, struct err *err)
{
	struct profile *p = b->p;
	const struct store_process *x = p->process;

	take_windows(b);
	take_samples(b);
	take_stacks(b);
	if (take_all_far(b, err) != 0)
		return -1;
	p->model = model_new(
		&(struct model_input){
			.windows = b->windows,
			.window_count = p->window_count,
			.near = b->near,
			.near_count = p->sample_count,
			.far = b->far,
			.far_count = b->far_count,
			.stacks = b->stacks,
			.stack_count = b->stack_count,
			.accesses = scaled(
				p, sampled_accesses(p->windows, p->window_count, x->accesses)),
			.far_lines = x->far_lines[b->size],
			.far_line_weight = x->far_line_weight[b->size],
			.line_bytes = p->line_bytes,
			.touches = p->touches,
		},
		err);
	return p->model != NULL ? 0 : -1;
}

int profile_build_model(struct profile *p, struct err *err)
{
	struct building b = {
		.p = p,
		.size = profile_far_size(p->line_bytes),
		.starts = calloc(p->window_count + 1, sizeof(*b.starts)),
		.windows = calloc(p->window_count + 1, sizeof(*b.windows)),
		.near = calloc(p->sample_count + 1, sizeof(*b.near)),
		.far = calloc(p->far_count + 1, sizeof(*b.far)),
		.weighed = calloc(p->far_count + 1, sizeof(*b.weighed)),
		.stacks = calloc(p->stack_count + 1, sizeof(*b.stacks)),
	};
	int status = -1;

	p->end_count = 0;
	p->ends = calloc(p->sample_count + p->far_count + 1, sizeof(*p->ends));
	if (b.starts == NULL || b.windows == NULL || b.near == NULL || b.far == NULL ||
	    b.weighed == NULL || b.stacks == NULL || p->ends == NULL)
		err_set(err, "not enough memory for %zu samples", p->sample_count);
	else
		status = build(&b, err);
	free(b.starts);
	free(b.windows);
	free(b.near);
	free(b.far);
	free(b.weighed);
	free(b.stacks);
	return status;
}

/* ---- Shares ---- */

struct sharing {
	const struct profile *p;
	const struct query *q;
	struct model_share *near, *far; /* of samples, of far reuses: in one cache */
};

static int attribute(const struct sharing *s, uint64_t size_bytes, struct err *err)
{
	const struct model_cache cache = {size_bytes / s->p->line_bytes, s->q->ways};

	return model_attribute(s->p->model, profile_policy(s->q), &cache, s->near, s->far, err);
}

static const struct model_share *share_of(const struct sharing *s, const struct profile_end *e)
{
	return e->is_far ? &s->far[e->item] : &s->near[e->item];
}

/* What misses of this level wait more than those of the level before. */
static int add_cycles(const struct sharing *s, uint64_t size_bytes, double cycles,
		      struct profile_share *shares, struct err *err)
{
	if (attribute(s, size_bytes, err) != 0)
		return -1;
	for (size_t i = 0; i < s->p->end_count; i++) {
		const struct profile_end *e = &s->p->ends[i];
		const struct model_share *share = share_of(s, e);

		shares[i].cycles += cycles * fmax(0, share->misses - share->accesses * e->first);
	}
	return 0;
}

static int share_out(const struct sharing *s, struct profile_share *shares, struct err *err)
{
	if (attribute(s, s->q->size_bytes, err) != 0)
		return -1;
	for (size_t i = 0; i < s->p->end_count; i++) {
		const struct model_share *share = share_of(s, &s->p->ends[i]);

		shares[i] = (struct profile_share){.accesses = share->accesses,
						   .misses = share->misses,
						   .begins = share->begins};
	}
	return 0;
}

static int add_all_cycles(const struct sharing *s, struct profile_share *shares, struct err *err)
{
	struct profile_cache caches[PROFILE_CACHES];
	uint32_t before = 0;

	profile_caches(s->p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		if (caches[i].size_bytes < s->p->line_bytes)
			continue;
		if (add_cycles(s, caches[i].size_bytes, (double)caches[i].miss_cycles - before,
			       shares, err) != 0)
			return -1;
		before = caches[i].miss_cycles;
	}
	return 0;
}

static struct profile_share *share(const struct profile *p, const struct query *q, bool has_cycles,
				   struct err *err)
{
	struct sharing s = {.p = p,
			    .q = q,
			    .near = calloc(p->sample_count + 1, sizeof(*s.near)),
			    .far = calloc(p->far_items + 1, sizeof(*s.far))};
	struct profile_share *shares = calloc(p->end_count + 1, sizeof(*shares));
	int status = -1;

	if (s.near == NULL || s.far == NULL || shares == NULL)
		err_set(err, "not enough memory for %zu samples", p->sample_count);
	else
		status = share_out(&s, shares, err);
	if (status == 0 && has_cycles)
		status = add_all_cycles(&s, shares, err);
	free(s.near);
	free(s.far);
	if (status == 0)
		return shares;
	free(shares);
	return NULL;
}

struct profile_share *profile_attribute(const struct profile *p, const struct query *q,
					struct err *err)
{
	return share(p, q, true, err);
}

struct profile_share *profile_attribute_misses(const struct profile *p, const struct query *q,
					       struct err *err)
{
	return share(p, q, false, err);
}
