/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile for another line size: uses the multi-size samples. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/weights.h"

#define LEAST_LINE 4
#define MOST_LINE  4096
#define REUSED	   0 /* status of a sample */

uint32_t profile_lines_touched(const struct store_access *a, uint32_t line_bytes)
{
	uint64_t last = a->address + (a->size > 0 ? a->size - 1 : 0);

	return (uint32_t)(last / line_bytes - a->address / line_bytes + 1);
}

/* Replaces the profile's own samples. */
struct chosen {
	struct store_sample *samples;
	struct weighed *weighed;
	double *weights;
	size_t count;
};

static void release(struct chosen *c)
{
	free(c->samples);
	free(c->weighed);
	free(c->weights);
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

/*
 * A multi-size sample was chosen, or not, as the sample of the recorded size was that began with
 * it: all of the near ones that were kept, and of the others one in so many.
 */
static enum stratum stratum_of_nested(const struct profile *p, const struct store_nested *n)
{
	const struct store_nested_event *e = find_event(n, p->recorded_line);

	return stratum_of(p, &n->begin, e != NULL, e != NULL ? e->distance : 0);
}

static void add_sample(struct chosen *c, const struct profile *p, const struct store_nested *n,
		       uint32_t line_bytes)
{
	const struct store_nested_event *e = find_event(n, line_bytes);
	struct store_sample *x = &c->samples[c->count];
	int64_t window = profile_window(p, n->window);
	uint32_t weight = e != NULL ? e->weight : n->weight;

	if (window < 0 || (e == NULL && !(n->open & line_bytes))) /* dropped at random */
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
	if (e != NULL) {
		x->end = e->end;
		memcpy(x->touches, e->touches, sizeof(x->touches));
	}
	c->weighed[c->count++] = (struct weighed){
		.stratum = stratum_of_nested(p, n),
		.window = (uint32_t)window,
		.weight = weight * weights_one(&p->windows[window]),
	};
}

/* Each stratum is to have the weight that it has among the samples of the recorded size. */
static int fit(struct chosen *c, const struct profile *p, struct err *err)
{
	for (size_t k = 0; k < PROFILE_STRATA; k++)
		if (weights_fit(p, (enum stratum)k, p->strata[k], c->weighed, c->count, err) != 0)
			return -1;
	for (size_t i = 0; i < c->count; i++)
		c->weights[i] = c->weighed[i].weight;
	return 0;
}

static int choose(const struct profile *p, const struct profile_nested *n, uint32_t line_bytes,
		  struct chosen *c, struct err *err)
{
	c->samples = calloc(n->count + 1, sizeof(*c->samples));
	c->weighed = calloc(n->count + 1, sizeof(*c->weighed));
	c->weights = calloc(n->count + 1, sizeof(*c->weights));
	if (c->samples == NULL || c->weighed == NULL || c->weights == NULL)
		return err_set(err, "not enough memory for %zu samples", n->count);
	for (size_t i = 0; i < n->count; i++)
		add_sample(c, p, &n->items[i], line_bytes);
	return fit(c, p, err);
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

/* The number of lines that an access touches on average. */
static double touches_of(const struct chosen *c, uint32_t line_bytes)
{
	double touches = 0, accesses = 0;

	for (size_t i = 0; i < c->count; i++) {
		touches += c->weights[i] * profile_lines_touched(&c->samples[i].begin, line_bytes);
		accesses += c->weights[i];
	}
	return accesses > 0 ? touches / accesses : 1;
}

int profile_at_line(const struct profile *p, const struct profile_nested *n, uint64_t line_bytes,
		    struct profile *out, struct err *err)
{
	struct chosen c = {0};

	if (check(line_bytes, err) != 0)
		return -1;
	if (choose(p, n, (uint32_t)line_bytes, &c, err) != 0) {
		release(&c);
		return -1;
	}
	*out = *p;
	out->samples = c.samples;
	out->sample_count = c.count;
	out->weights = c.weights;
	out->line_bytes = (uint32_t)line_bytes;
	out->touches = touches_of(&c, (uint32_t)line_bytes);
	out->ends = NULL;
	out->model = NULL;
	free(c.weighed);
	if (profile_build_model(out, err) == 0)
		return 0;
	profile_leave_line(out);
	return -1;
}

void profile_leave_line(struct profile *p)
{
	model_free(p->model);
	free(p->samples);
	free(p->weights);
	free(p->ends);
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
	profile_leave_line(p);
	*p = other;
	return 0;
}
