/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs of the model that are put together by hand. */
#ifndef DWELL_TESTS_UNIT_MODEL_RUN_H
#define DWELL_TESTS_UNIT_MODEL_RUN_H

#include <assert.h>
#include <stdlib.h>

#include "model/model.h"

enum { MODEL_RUN_ROOM = 40000 };

/* Zeroed: an empty run. */
struct model_run {
	struct model_window windows[1000];
	struct model_near near[MODEL_RUN_ROOM];
	struct model_far far[MODEL_RUN_ROOM];
	struct model_stack stacks[1000];
	size_t windows_used, near_used, far_used, stacks_used;
	double lines; /* distinct far lines, each for itself */
};

/* A window behind those before it. */
static inline void run_window(struct model_run *r, uint64_t length, uint64_t stands_for)
{
	const struct model_window *last = &r->windows[r->windows_used];

	r->windows[r->windows_used] = (struct model_window){
		.start = r->windows_used > 0 ? last[-1].start + last[-1].length : 0,
		.length = length,
		.stands_for = stands_for};
	r->windows_used++;
}

/* In the last window, its parts after `part` of it: near samples that stand for `share` of it. */
static inline void run_near(struct model_run *r, unsigned count, uint64_t distance, double share)
{
	const struct model_window *w = &r->windows[r->windows_used - 1];

	for (unsigned i = 0; i < count; i++)
		r->near[r->near_used++] = (struct model_near){
			.position = w->start + (uint64_t)((i + 0.5) / count * (double)w->length),
			.distance = distance,
			.weight = share * (double)w->length / count,
			.window = (uint32_t)r->windows_used - 1,
			.touches = 1,
			.is_far = distance >= MODEL_FAR};
}

/* The same of far reuses; distance 0: first touches. */
static inline void run_far(struct model_run *r, unsigned count, uint64_t distance, uint64_t lines,
			   double share)
{
	const struct model_window *w = &r->windows[r->windows_used - 1];

	for (unsigned i = 0; i < count; i++)
		r->far[r->far_used++] = (struct model_far){
			.position = w->start + (uint64_t)((i + 0.5) / count * (double)w->length),
			.distance = distance,
			.lines = lines,
			.weight = share * (double)w->length / count,
			.window = (uint32_t)r->windows_used - 1,
			.is_first = distance == 0};
	if (distance == 0)
		r->lines += share * (double)w->length;
}

static inline struct model_input run_input(const struct model_run *r)
{
	return (struct model_input){.windows = r->windows,
				    .window_count = r->windows_used,
				    .near = r->near,
				    .near_count = r->near_used,
				    .far = r->far,
				    .far_count = r->far_used,
				    .stacks = r->stacks,
				    .stack_count = r->stacks_used,
				    .far_lines = (uint64_t)r->lines,
				    .far_line_weight = 1,
				    .line_bytes = 64,
				    .touches = 1};
}

#endif
