/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile for another line size: uses the multi-size samples. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "profile/line_weights.h"
#include "profile/profile.h"

/*
 * The best of 1, 0.75, 0.5 and 0.25, for lines of 32 and 128 bytes when 64 was recorded:
 * docs/sampling.md.
 */
#define MOST_TRUST 0.75
#define LEAST_LINE 4
#define MOST_LINE  4096
#define REUSED	   0 /* status of a sample, and of a touched follow */

uint32_t profile_lines_touched(const struct store_access *a, uint32_t line_bytes)
{
	uint64_t last = a->address + (a->size > 0 ? a->size - 1 : 0);

	return (uint32_t)(last / line_bytes - a->address / line_bytes + 1);
}

/* Replaces the profile's own data. */
struct chosen {
	struct store_sample *samples;
	struct store_follow *follows;
	uint32_t *weights, *follow_weights;
	size_t sample_count, follow_count;
	double touches, weight; /* sums over samples */
};

static void release(struct chosen *c)
{
	free(c->samples);
	free(c->follows);
	free(c->weights);
	free(c->follow_weights);
}

/* The event that ended the watch of lines of this size, or NULL. */
static const struct store_nested_event *find_event(const struct store_nested *n,
						   uint32_t line_bytes)
{
	for (uint32_t i = 0; i < n->event_count; i++)
		if (n->events[i].sizes & line_bytes) /* bit k is 1 << k bytes */
			return &n->events[i];
	return NULL;
}

static void add_sample(struct chosen *c, const struct store_nested *n, uint32_t line_bytes)
{
	const struct store_nested_event *e = find_event(n, line_bytes);
	struct store_sample *x = &c->samples[c->sample_count];
	uint32_t weight = e != NULL ? e->weight : n->weight;

	if (e == NULL && !(n->open & line_bytes)) /* dropped at random */
		return;
	*x = (struct store_sample){
		.process_id = n->process_id,
		.window = n->window,
		.status = e != NULL ? REUSED : n->status,
		.position = n->position,
		.distance = e != NULL ? e->distance : n->watched,
		.line = n->point & ~(uint64_t)(line_bytes - 1),
		.begin = n->begin,
		.end = {.location = STORE_NONE},
	};
	if (e != NULL)
		x->end = e->end;
	c->weights[c->sample_count++] = weight;
}

static void add_follow(struct chosen *c, const struct store_nested *n, uint32_t line_bytes)
{
	const struct store_nested_event *e = find_event(n, line_bytes);
	struct store_follow *f = &c->follows[c->follow_count];

	if (e == NULL && !(n->open & line_bytes)) /* touched in its window */
		return;
	*f = (struct store_follow){
		.process_id = n->process_id,
		.window = n->window,
		.status = e != NULL ? REUSED : n->status,
		.position = n->position,
		.watched = e != NULL ? e->distance : n->watched,
		.end_position = n->position,
		.end = {.location = STORE_NONE, .thread = n->begin.thread},
	};
	if (e != NULL)
		f->end = e->end;
	c->follow_weights[c->follow_count++] = e != NULL ? e->weight : n->weight;
}

static int choose(const struct profile *p, const struct profile_nested *n, uint32_t line_bytes,
		  struct chosen *c, struct err *err)
{
	c->samples = calloc(n->count + 1, sizeof(*c->samples));
	c->follows = calloc(n->count + 1, sizeof(*c->follows));
	c->weights = calloc(n->count + 1, sizeof(*c->weights));
	c->follow_weights = calloc(n->count + 1, sizeof(*c->follow_weights));
	if (c->samples == NULL || c->follows == NULL || c->weights == NULL ||
	    c->follow_weights == NULL)
		return err_set(err, "not enough memory for %zu samples", n->count);
	for (size_t i = 0; i < n->count; i++)
		if (!n->items[i].followed)
			add_sample(c, &n->items[i], line_bytes);
		else if (!p->cut_follows)
			add_follow(c, &n->items[i], line_bytes);
	if (line_weights_calibrate(p, c->samples, c->weights, c->sample_count, err) != 0)
		return -1;
	for (size_t i = 0; i < c->sample_count; i++) {
		c->touches += (double)c->weights[i] *
			      profile_lines_touched(&c->samples[i].begin, line_bytes);
		c->weight += c->weights[i];
	}
	return 0;
}

static int check(uint64_t line_bytes, struct err *err)
{
	if (line_bytes < LEAST_LINE || line_bytes > MOST_LINE || (line_bytes & (line_bytes - 1)))
		return err_set(err,
			       "a line of %" PRIu64 ": it is a power of two from %d to %d bytes",
			       line_bytes, LEAST_LINE, MOST_LINE);
	return 0;
}

int profile_read_nested(const struct profile *p, struct profile_nested *n, struct err *err)
{
	*n = (struct profile_nested){0};
	if (store_meta_int(p->store, "nested_one_in", 0) == 0)
		return err_set(err,
			       "the profile watched lines of %" PRIu32 " bytes only: for others "
			       "record without --one-line, or with --line BYTES",
			       p->line_bytes);
	return store_read_nested(p->store, p->process->id, &n->items, &n->count, err);
}

/* Make *out the samples for another line size, with their own model. p stays valid. */
static int see(const struct profile *p, const struct profile_nested *n, uint32_t line_bytes,
	       struct profile *out, struct err *err)
{
	struct chosen c = {0};

	if (choose(p, n, line_bytes, &c, err) != 0) {
		release(&c);
		return -1;
	}
	*out = *p;
	out->samples = c.samples;
	out->sample_count = c.sample_count;
	out->follows = c.follows;
	out->follow_count = c.follow_count;
	out->weights = c.weights;
	out->follow_weights = c.follow_weights;
	out->touches = c.weight > 0 ? c.touches / c.weight : 1;
	out->chosen_from = p->sample_count;
	out->arrival_count = 0;
	out->line_bytes = line_bytes;
	out->model = NULL;
	out->chosen = NULL;
	out->all = p->model;
	if (profile_build_model(out, err) == 0) {
		out->all = NULL;
		return 0;
	}
	out->all = NULL;
	profile_leave_line(out);
	return -1;
}

/*
 * How far the sampling error at the recorded size tells the error at another size. The farther
 * apart the sizes are, the less the two errors have in common. An octave apart, the sizes share
 * nearly all misses; for the few that they do not share, the error at one size tells nothing.
 */
static double trust(double line_ratio)
{
	double octaves = fabs(log2(line_ratio));

	if (octaves < 0.5) /* the same size */
		return 1;
	return fmin(MOST_TRUST, 1 / octaves);
}

int profile_at_line(const struct profile *p, const struct profile_nested *n, uint64_t line_bytes,
		    struct profile *out, struct err *err)
{
	double line_ratio = (double)p->line_bytes / (double)line_bytes;
	struct profile same;

	if (check(line_bytes, err) != 0 || see(p, n, (uint32_t)line_bytes, out, err) != 0)
		return -1;
	if (see(p, n, p->line_bytes, &same, err) != 0) {
		profile_leave_line(out);
		return -1;
	}
	out->chosen = same.model;
	same.model = NULL;
	profile_leave_line(&same);
	model_set_yardstick(out->model, p->model, out->chosen, line_ratio, trust(line_ratio));
	return 0;
}

void profile_leave_line(struct profile *p)
{
	model_free(p->model);
	model_free(p->chosen);
	model_free(p->all);
	free(p->samples);
	free(p->follows);
	free(p->weights);
	free(p->follow_weights);
}

int profile_use_line(struct profile *p, uint64_t line_bytes, struct err *err)
{
	struct profile_nested n;
	struct profile other;
	int status;

	if (line_bytes == p->line_bytes)
		return 0;
	if (check(line_bytes, err) != 0 || profile_read_nested(p, &n, err) != 0)
		return -1;
	status = profile_at_line(p, &n, line_bytes, &other, err);
	free(n.items);
	if (status != 0)
		return -1;
	other.all = p->model; /* other's model is still corrected by it */
	p->model = NULL;
	profile_leave_line(p);
	*p = other;
	return 0;
}
