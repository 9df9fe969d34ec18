/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The curve of a sample of lines: what its records say; see line_sample.h. */
#include "collector/simulation/line_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "collector/simulation/sim_heap.h"

/* Points between the sizes of caches, for each doubling. */
#define POINTS_PER_OCTAVE 16

static int by_lines(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The sizes, where sources meet, and points between, in order. */
static int set_points(struct line_sample *s)
{
	const struct line_sample_config *c = &s->config;
	const uint64_t largest =
		c->size_count > 0 ? c->size_bytes[c->size_count - 1] / c->line_bytes : 1;
	const double step = exp2(1.0 / POINTS_PER_OCTAVE);
	size_t count = c->size_count + 1;

	for (double at = LINES_PROBED; at < 2.0 * (double)largest; at *= step)
		count++;
	s->points = calloc(count, sizeof(*s->points));
	s->misses = calloc(LINES_GROUPS * count, sizeof(double));
	if (s->points == NULL || s->misses == NULL)
		return -1;
	for (unsigned k = 0; k < c->size_count; k++)
		s->points[s->point_count++] = c->size_bytes[k] / c->line_bytes;
	s->points[s->point_count++] = s->anchor;
	for (double at = LINES_PROBED; at < 2.0 * (double)largest; at *= step)
		s->points[s->point_count++] = (uint64_t)at;
	qsort(s->points, s->point_count, sizeof(*s->points), by_lines);
	return 0;
}

int line_sample_init(struct line_sample *s, const struct line_sample_config *config)
{
	*s = (struct line_sample){
		.config = *config,
		.shift = (unsigned)__builtin_ctz(config->line_bytes),
		.one_in = config->one_in,
		.scale = (double)config->one_in,
		.threshold = lines_threshold(config->one_in),
		.anchor = config->one_in > LINES_LEVEL_ONE_IN ? LINES_FARTHEST_1 : LINES_PROBED,
		.found = calloc(LINES_LEVELS * LINES_LEVEL_PLACES, sizeof(double)),
		.ended = calloc(LINES_LEVELS * LINES_LEVEL_PLACES, sizeof(double))};
	if (s->found == NULL || s->ended == NULL || set_points(s) != 0)
		return -1;
	return sim_lru_init(&s->lru, &sim_heap);
}

void line_sample_release(struct line_sample *s)
{
	free(s->points);
	free(s->misses);
	free(s->found);
	free(s->ended);
	line_estimate_release(&s->estimate);
	sim_lru_release(&s->lru);
	*s = (struct line_sample){0};
}

bool line_sample_is_whole(const struct line_sample *s)
{
	return s->config.one_in == 1 && s->one_in == 1;
}

/* ---- Sampled lines ---- */

/* Number of points, smallest first, that miss. */
static unsigned points_missed(const struct line_sample *s, double lines)
{
	return SEARCH_FIRST(i, s->point_count, (double)s->points[i] > lines);
}

static bool is_kept(void *context, uint64_t line)
{
	const struct line_sample *s = context;

	return lines_hash(line, (uint32_t)s->config.seed) < s->threshold;
}

/* How many lines one of the sample stands for: all have been counted, and those of the sample. */
static void set_scale(struct line_sample *s)
{
	if (!line_sample_is_whole(s) && s->lines > 0 && s->lru.lines > 0)
		s->scale = fmax(s->lines / (double)s->lru.lines, 1);
	else
		s->scale = (double)s->one_in;
}

/* Halves the sample. */
static void thin_out(struct line_sample *s)
{
	s->one_in *= 2;
	s->threshold = lines_threshold(s->one_in);
	sim_lru_keep(&s->lru, is_kept, s);
	set_scale(s);
}

static double lines_of_bits(uint64_t set)
{
	const double all = (double)LINES_TOUCHED_BITS;

	return -all * log1p(-fmin((double)set, all - 1) / all);
}

void line_sample_touched(struct line_sample *s, const struct record_lines *r)
{
	const double bits = fmax((double)r->touched, 1);

	s->lines = lines_of_bits(r->touched);
	s->level_lines = s->lines * (double)r->level_touched / bits;
	s->first_touches = s->lines * (double)r->first_touches / bits;
	set_scale(s);
}

/* The part of the lines that one of the sample belongs to. */
static unsigned group_of(const struct line_sample *s, uint32_t hash)
{
	return (unsigned)((uint64_t)hash * LINES_GROUPS / s->threshold);
}

void line_sample_access(struct line_sample *s, uint64_t address, uint32_t bytes)
{
	uint64_t line = address >> s->shift;
	const uint64_t last = (address + (bytes > 0 ? bytes - 1 : 0)) >> s->shift;
	unsigned most = 0, group = 0, sampled = 0;
	bool is_new = false;
	double weight;

	for (; line <= last; line++) {
		const uint32_t hash = lines_hash(line, (uint32_t)s->config.seed);
		uint64_t distance;
		unsigned missed;

		if (hash >= s->threshold)
			continue;
		sampled++;
		distance = sim_lru_touch(&s->lru, line);
		if (distance == 0)
			continue;
		is_new |= distance == SIM_FIRST_TOUCH;
		missed = distance == SIM_FIRST_TOUCH
				 ? s->point_count
				 : points_missed(s, (double)distance * s->scale);
		if (missed >= most) {
			most = missed;
			group = group_of(s, hash);
		}
	}
	/* of the lines that it covers, which mostly miss together, each may have brought it here */
	weight = bytes > s->config.line_bytes
			 ? fmin((double)sampled * s->config.line_bytes / bytes, 1)
			 : 1;
	if (is_new) {
		s->new_accesses++;
		set_scale(s);
	} else if (most > 0) {
		s->misses[group * s->point_count + most - 1] += weight * s->scale;
	}
	if (s->config.most > 0 && s->lru.lines > s->config.most)
		thin_out(s);
}

/* ---- Probes ---- */

void line_sample_probe(struct line_sample *s, unsigned level, uint32_t weight, uint64_t entry)
{
	const uint64_t at = LINES_PROBE_LINES(entry), lines = at < LINES_PROBED ? at : LINES_PROBED;
	const bool is_found = LINES_PROBE_WHAT(entry) == LINES_FOUND,
		   joins = LINES_PROBE_WHAT(entry) == LINES_JOINED;
	double *by_lines = (is_found ? s->found : s->ended) + level * LINES_LEVEL_PLACES;
	const double each = (entry & LINES_MANY ? LINES_LEVEL_ONE_IN : 1) * (double)weight;

	/* Accesses that join cancel as many that have ended. */
	by_lines[LINES_PROBE_GROUP(entry) * LINES_PLACES + lines] += joins ? -each : each;
	s->probes[level] += !(entry & LINES_MANY);
}

/* ---- Results ---- */

uint64_t line_sample_lines(const struct line_sample *s)
{
	return line_sample_is_whole(s) ? s->lru.lines : (uint64_t)llround(s->lines);
}
