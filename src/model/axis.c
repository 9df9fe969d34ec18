/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run as its windows put side by side, in cells, with what ends in each of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#include "base/search.h"

/* The cell that holds a position, and the part of it that lies before. */
static uint32_t cell_of(const struct model *m, size_t window, double position, double *part)
{
	const struct window *w = &m->windows[window];
	const double cells = (position - w->start) / w->length * MODEL_CELLS;
	const double whole = fmin(MODEL_CELLS - 1, fmax(0, floor(cells)));

	*part = fmin(1, fmax(0, cells - whole));
	return (uint32_t)window * MODEL_CELLS + (uint32_t)whole;
}

/* The window at or before `last` that holds a position. */
static size_t window_of(const struct model *m, size_t last, double position)
{
	return SEARCH_FIRST(i, last, m->windows[i + 1].start > position);
}

uint32_t axis_cell(const struct model *m, size_t last, double position, double *part)
{
	return cell_of(m, window_of(m, last, position), position, part);
}

static struct reuse reuse_of(const struct model *m, uint32_t window, uint64_t position,
			     double distance)
{
	const struct window *w = &m->windows[window];
	const double end = fmin(w->start + w->length, fmax(w->start, (double)position));
	const double begin = end - distance - 1;
	struct reuse r = {.distance = distance};

	r.cell = cell_of(m, window, end, &r.part);
	r.begin_cell = axis_cell(m, window, begin, &r.begin_part);
	return r;
}

static size_t read_near(const struct model *m, const struct model_input *in, struct reuse *to)
{
	size_t count = 0;

	for (size_t i = 0; i < in->near_count; i++) {
		const struct model_near *near = &in->near[i];
		struct reuse *r = &to[count];

		if (near->is_far)
			continue;
		count++;
		*r = reuse_of(m, near->window, near->position, (double)near->distance);
		r->weight = near->weight;
		memcpy(r->between, near->between, sizeof(r->between));
		r->source = (uint32_t)i;
		r->kind = near->distance < MODEL_CLOSE ? REUSE_CLOSE : REUSE_NEAR;
	}
	return count;
}

static void read_far(const struct model *m, const struct model_input *in, struct reuse *to)
{
	for (size_t i = 0; i < in->far_count; i++) {
		const struct model_far *far = &in->far[i];
		struct reuse *r = &to[i];

		*r = reuse_of(m, far->window, far->position,
			      far->is_first ? (double)far->position : (double)far->distance);
		r->weight = far->weight;
		r->source = (uint32_t)i;
		r->lines = (double)far->lines;
		r->kind = far->is_first ? REUSE_FIRST : REUSE_FAR;
	}
}

/* By cell, in the order that they had in each; fills cell_first. */
static void sort(struct model *m, const struct reuse *from)
{
	size_t *first = m->cell_first, cells = m->window_count * MODEL_CELLS;

	for (size_t i = 0; i < m->reuse_count; i++)
		first[from[i].cell + 1]++;
	for (size_t c = 0; c < cells; c++)
		first[c + 1] += first[c];
	for (size_t i = 0; i < m->reuse_count; i++)
		m->reuses[first[from[i].cell]++] = from[i];
	memmove(first + 1, first, cells * sizeof(*first));
	first[0] = 0;
}

static void place_windows(struct model *m, const struct model_input *in)
{
	for (size_t i = 0; i < m->window_count; i++) {
		const struct model_window *from = &in->windows[i];
		struct window *w = &m->windows[i];

		w->length = fmax(1, (double)from->length);
		w->start = fmax((double)from->start, m->end);
		w->scale = fmax(1, (double)from->stands_for / w->length);
		for (unsigned c = 0; c < MODEL_TOUCHES; c++) {
			w->touches[c] = (double)from->touches[c];
			m->has_touches |= from->touches[c] > 0;
		}
		m->end = w->start + w->length;
	}
}

int axis_place(struct model *m, const struct model_input *in)
{
	size_t most = in->near_count + in->far_count;
	struct reuse *unsorted = malloc((most + 1) * sizeof(*unsorted));
	size_t cells = in->window_count * MODEL_CELLS;

	m->window_count = in->window_count;
	m->windows = calloc(in->window_count + 1, sizeof(*m->windows));
	m->sums = calloc(in->window_count + 1, sizeof(*m->sums));
	m->reuses = malloc((most + 1) * sizeof(*m->reuses));
	m->miss = calloc(most + 1, sizeof(*m->miss));
	m->chance = calloc(most + 1, sizeof(*m->chance));
	m->cell_first = calloc(cells + 2, sizeof(*m->cell_first));
	m->misses = calloc(cells + 1, sizeof(*m->misses));
	m->passed = calloc(most + 1, sizeof(*m->passed));
	m->begins = calloc(in->near_count + 1, sizeof(*m->begins));
	if (unsorted == NULL || m->windows == NULL || m->sums == NULL || m->reuses == NULL ||
	    m->miss == NULL || m->chance == NULL || m->cell_first == NULL || m->misses == NULL ||
	    m->passed == NULL || m->begins == NULL) {
		free(unsorted);
		return -1;
	}
	place_windows(m, in);
	m->near_count = in->near_count;
	m->far_count = in->far_count;
	m->reuse_count = read_near(m, in, unsorted);
	read_far(m, in, unsorted + m->reuse_count);
	m->reuse_count += in->far_count;
	sort(m, unsorted);
	free(unsorted);
	return 0;
}
