/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The curve of a sample of lines; see line_sample.h. */
#include "collector/simulation/line_sample.h"

#include <math.h>
#include <stdlib.h>

#include "collector/simulation/sim_heap.h"

#define PLACES (LINES_PROBED + 1) /* of probes, by lines */
/*
 * Lines up to which level 1 is used: half of what its probes know, as those that go so far are few.
 */
#define FARTHEST_1 ((uint64_t)LINES_PROBED / 2 * LINES_LEVEL_ONE_IN)
#define LEVEL	   ((size_t)LINES_GROUPS * PLACES)

int line_sample_init(struct line_sample *s, const struct line_sample_config *config)
{
	const size_t n = config->size_count;

	*s = (struct line_sample){
		.config = *config,
		.shift = (unsigned)__builtin_ctz(config->line_bytes),
		.one_in = config->one_in,
		.threshold = lines_threshold(config->one_in),
		.size_lines = calloc(n + 1, sizeof(*s->size_lines)),
		.misses = calloc(LINES_GROUPS * n + 1, sizeof(double)),
		.found = calloc(LINES_LEVELS * LINES_GROUPS * PLACES, sizeof(double)),
		.ended = calloc(LINES_LEVELS * LINES_GROUPS * PLACES, sizeof(double))};
	if (s->size_lines == NULL || s->misses == NULL || s->found == NULL || s->ended == NULL)
		return -1;
	s->anchor = config->one_in > LINES_LEVEL_ONE_IN ? FARTHEST_1 : LINES_PROBED;
	for (size_t k = 0; k < n; k++)
		s->size_lines[k] = config->size_bytes[k] / config->line_bytes;
	return sim_lru_init(&s->lru, &sim_heap);
}

void line_sample_release(struct line_sample *s)
{
	free(s->size_lines);
	free(s->misses);
	free(s->found);
	free(s->ended);
	free(s->far);
	free(s->weights);
	sim_lru_release(&s->lru);
	*s = (struct line_sample){0};
}

/* ---- Sampled lines ---- */

/* Number of sizes, smallest first, that miss. */
static unsigned sizes_missed(const struct line_sample *s, uint64_t lines)
{
	unsigned low = 0, high = s->config.size_count;

	while (low < high) {
		const unsigned middle = low + (high - low) / 2;

		if (s->size_lines[middle] <= lines)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_kept(void *context, uint64_t line)
{
	const struct line_sample *s = context;

	return lines_hash(line, (uint32_t)s->config.seed) < s->threshold;
}

/* Halves the sample. */
static void thin_out(struct line_sample *s)
{
	s->one_in *= 2;
	s->threshold = lines_threshold(s->one_in);
	sim_lru_keep(&s->lru, is_kept, s);
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
	unsigned most = 0, group = 0;
	bool is_far = false;

	for (; line <= last; line++) {
		const uint32_t hash = lines_hash(line, (uint32_t)s->config.seed);
		uint64_t distance;
		unsigned missed;

		if (hash >= s->threshold)
			continue;
		distance = sim_lru_touch(&s->lru, line);
		if (distance == 0)
			continue;
		is_far |= distance == SIM_FIRST_TOUCH || distance * s->one_in >= s->anchor;
		missed = distance == SIM_FIRST_TOUCH ? s->config.size_count
						     : sizes_missed(s, distance * s->one_in);
		if (missed >= most) {
			most = missed;
			group = group_of(s, hash);
		}
	}
	if (is_far)
		s->anchored[group] += (double)s->one_in;
	if (most > 0)
		s->misses[group * s->config.size_count + most - 1] += (double)s->one_in;
	if (s->config.most > 0 && s->lru.lines > s->config.most)
		thin_out(s);
}

/* ---- Probes ---- */

void line_sample_probe(struct line_sample *s, unsigned level, uint32_t weight, uint64_t entry)
{
	const uint64_t lines = entry >> 8 < LINES_PROBED ? entry >> 8 : LINES_PROBED;
	double *by_lines = (entry & 1 ? s->found : s->ended) + level * LEVEL;

	by_lines[(entry >> 1) % LINES_GROUPS * PLACES + lines] += weight;
}

/* ---- Sources: miss ratios by some of the groups ---- */

/* Sets of groups: one, all but one, all. */
#define ONLY(g)	   (g)
#define WITHOUT(g) (LINES_GROUPS + (g))
#define ALL_GROUPS (2 * LINES_GROUPS)
#define SETS	   (ALL_GROUPS + 1)

static double sum(const double *of, size_t stride, unsigned set)
{
	double all = 0;

	if (set < LINES_GROUPS)
		return of[set * stride];
	for (unsigned g = 0; g < LINES_GROUPS; g++)
		if (set != WITHOUT(g))
			all += of[g * stride];
	return all;
}

/* To all groups. */
static double scale_of(unsigned set)
{
	return set < LINES_GROUPS ? LINES_GROUPS
	       : set < ALL_GROUPS ? LINES_GROUPS / (LINES_GROUPS - 1.0)
				  : 1;
}

/* Of a level's probes: far[i]: the part of the accesses with a stack distance of at least i. */
static void solve(struct line_sample *s, unsigned level, unsigned set)
{
	const double *of_found = s->found + level * LEVEL, *of_ended = s->ended + level * LEVEL;
	double *far = s->far + ((size_t)level * SETS + set) * PLACES;
	double found[PLACES], ended[PLACES], left = 0, part = 1;

	for (unsigned i = 0; i < PLACES; i++) {
		found[i] = sum(of_found + i, PLACES, set);
		ended[i] = sum(of_ended + i, PLACES, set);
		left += found[i] + ended[i];
	}
	s->weights[level * SETS + set] = left;
	for (unsigned i = 0; i < PLACES; i++) {
		far[i] = part;
		left -= ended[i];
		if (left > 0)
			part *= fmax(1 - found[i] / left, 0);
		left -= found[i];
	}
}

int line_sample_solve(struct line_sample *s)
{
	s->far = calloc(LINES_LEVELS * SETS * PLACES, sizeof(double));
	s->weights = calloc(LINES_LEVELS * SETS, sizeof(double));
	if (s->far == NULL || s->weights == NULL)
		return -1;
	for (unsigned level = 0; level < LINES_LEVELS; level++)
		for (unsigned set = 0; set < SETS; set++)
			solve(s, level, set);
	return 0;
}

/* Two levels of probes; and the sample, at the size k, or at the anchor (size_count). */
enum source { ALL_LINES, LEVEL_1, SAMPLE };

struct point {
	uint64_t lines;
	unsigned k;
};

static double sampled_part(const struct line_sample *s, unsigned k, unsigned set)
{
	double misses = 0;

	if (k == s->config.size_count)
		misses = sum(s->anchored, 1, set);
	for (unsigned i = k; i < s->config.size_count; i++)
		misses += sum(s->misses + i, s->config.size_count, set);
	return scale_of(set) * misses / (double)s->accesses;
}

static double part_by(const struct line_sample *s, enum source by, struct point at, unsigned set)
{
	const uint64_t one_in = LINES_LEVEL_ONE_IN;
	const double *far = s->far + ((size_t)by * SETS + set) * PLACES;

	if (by == SAMPLE)
		return sampled_part(s, at.k, set);
	if (by == ALL_LINES)
		return far[at.lines];
	return scale_of(set) * far[(at.lines + one_in / 2) / one_in] * s->weights[by * SETS + set] *
	       (double)one_in / (double)s->accesses;
}

/* ---- Results ---- */

/* How much of what a source misses at `anchor` it misses at the point, over its groups. */
static double slope(const struct line_sample *s, enum source by, struct point at,
		    struct point anchor)
{
	double x[LINES_GROUPS], y[LINES_GROUPS], mean_x = 0, mean_y = 0, both = 0, square = 0;

	for (unsigned g = 0; g < LINES_GROUPS; g++) {
		x[g] = part_by(s, by, anchor, ONLY(g));
		y[g] = part_by(s, by, at, ONLY(g));
		mean_x += x[g] / LINES_GROUPS;
		mean_y += y[g] / LINES_GROUPS;
	}
	for (unsigned g = 0; g < LINES_GROUPS; g++) {
		both += (x[g] - mean_x) * (y[g] - mean_y);
		square += (x[g] - mean_x) * (x[g] - mean_x);
	}
	return square > 0 ? fmin(fmax(both / square, 0), 1) : 0;
}

/* The miss ratio at a point by a source, and what the sources for smaller caches say. */
static double corrected(const struct line_sample *s, enum source by, struct point at, unsigned set,
			double slopes[])
{
	const bool has_level_1 = s->config.one_in > LINES_LEVEL_ONE_IN;
	const struct point anchor = {by == LEVEL_1 ? LINES_PROBED : s->anchor,
				     s->config.size_count};
	const enum source below = by == SAMPLE && has_level_1 ? LEVEL_1 : ALL_LINES;
	const double part = part_by(s, by, at, set);
	double truth;

	if (by == ALL_LINES || s->config.one_in == 1)
		return part;
	if (set == ALL_GROUPS)
		slopes[by] = slope(s, by, at, anchor);
	truth = corrected(s, below, anchor, set, slopes);
	return fmax(part + slopes[by] * (truth - part_by(s, by, anchor, set)), 0);
}

static enum source source_of(const struct line_sample *s, uint64_t lines)
{
	if (s->config.one_in == 1)
		return SAMPLE;
	if (lines <= LINES_PROBED)
		return ALL_LINES;
	return s->config.one_in > LINES_LEVEL_ONE_IN && lines <= FARTHEST_1 ? LEVEL_1 : SAMPLE;
}

struct line_ratio line_sample_ratio(const struct line_sample *s, unsigned k)
{
	const double normal = 2.13; /* Student's t for 15 degrees of freedom */
	const struct point at = {s->size_lines[k], k};
	const enum source by = source_of(s, at.lines);
	double mean = 0, squares = 0, each[LINES_GROUPS], reach, slopes[SAMPLE + 1] = {0};
	struct line_ratio r = {0};

	if (s->accesses == 0)
		return r;
	r.ratio = r.low = r.high = fmin(corrected(s, by, at, ALL_GROUPS, slopes), 1);
	if (s->config.one_in == 1 && s->one_in == 1)
		return r;
	for (unsigned g = 0; g < LINES_GROUPS; g++) {
		each[g] = corrected(s, by, at, WITHOUT(g), slopes);
		mean += each[g] / LINES_GROUPS;
	}
	for (unsigned g = 0; g < LINES_GROUPS; g++)
		squares += (each[g] - mean) * (each[g] - mean);
	reach = normal * sqrt(squares * (LINES_GROUPS - 1) / LINES_GROUPS);
	r.low = fmax(r.ratio - reach, 0);
	r.high = fmin(r.ratio + reach, 1);
	return r;
}

uint64_t line_sample_lines(const struct line_sample *s)
{
	return s->lru.lines * s->one_in;
}
