/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building a model: weights, bins, groups of windows, their survivals and the
 * footprint's averages. Solving is elsewhere.
 */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/beyond.h"

#define PAGE_BYTES	  4096
#define MOST_CHANGE	  0.5 /* of a group's weight */
#define FAR_DISTANCE	  1000
#define LEAST_CORRELATION 0.5 /* squared */

static int check_input(const struct model_input *in, struct err *err)
{
	uint64_t position = 0;

	if (in->line_bytes == 0 || (in->line_bytes & (in->line_bytes - 1)) != 0 ||
	    in->line_bytes > PAGE_BYTES)
		return err_set(err, "line of %u bytes: must be a power of two up to %d",
			       in->line_bytes, PAGE_BYTES);
	if (in->sample_count > UINT32_MAX || in->window_count > UINT32_MAX)
		return err_set(err, "more samples than a model can hold");
	for (size_t i = 0; i < in->window_count; i++) {
		if (in->windows[i].start < position)
			return err_set(err, "window %zu begins before the one before it", i);
		position = in->windows[i].start;
	}
	for (size_t i = 0; i < in->sample_count; i++)
		if (in->samples[i].window >= in->window_count)
			return err_set(err, "sample %zu belongs to a window that is not there", i);
	for (size_t i = 0; i < in->stack_count; i++)
		if (in->stacks[i].window >= in->window_count)
			return err_set(err, "lines were counted in a window that is not there");
	for (size_t i = 0; i < in->follow_count; i++)
		if (in->follows[i].window >= in->window_count)
			return err_set(err,
				       "a line was watched on from a window that is not there");
	return 0;
}

static double lines_per_page(const struct model_input *in, double share)
{
	return (share > 0 ? fmin(1, share) : 1) * PAGE_BYTES / in->line_bytes;
}

/*
 * F(t) as a broken line through the ends of the windows, level before the first
 * and up to the last known value after the last.
 */
static void measure_footprint(struct model *m, const struct model_input *in)
{
	double at = 0, pages = 0, last = 0, area = 0;

	for (size_t i = 0; i < in->window_count; i++) {
		const struct model_window *w = &in->windows[i];
		double end = (double)w->start + (double)w->length;
		double now =
			fmax((double)w->footprint_pages, last); /* what was freed was touched too */

		if (now <= 0 || end <= at)
			continue;
		area += (end - at) * (last > 0 ? (pages + now) / 2 : now);
		at = end;
		pages = last = now;
	}
	if (in->footprint_pages > 0)
		last = fmax(last, (double)in->footprint_pages);
	if (m->accesses > at)
		area += (m->accesses - at) * (pages > 0 ? (pages + last) / 2 : last);
	m->has_footprint = last > 0;
	m->last_lines = last * lines_per_page(in, in->line_made);
	m->most_lines = last * lines_per_page(in, 0);
	m->mean_lines = area / fmax(m->accesses, at) * lines_per_page(in, in->line_use);
}

/*
 * The accesses of the run that a window speaks for: those of its period, anywhere in which it could
 * have come to lie; the last one for the rest of the run, which may end before its period or after.
 * When a window stood for the gap before it, half the gaps on both sides scattered less; periods
 * are all of a length, and no neighbour need be asked.
 */
static double window_weight(const struct model *m, const struct model_input *in, size_t i)
{
	const struct model_window *w = &in->windows[i];
	double rest = m->accesses;

	if (i + 1 < in->window_count)
		return fmax((double)w->length, (double)w->stands_for);
	for (size_t k = 0; k < i; k++)
		rest -= fmax((double)in->windows[k].length, (double)in->windows[k].stands_for);
	return fmax((double)w->length, rest);
}

/*
 * First touches: the growth of the footprint over what a group speaks for. Pages are
 * held before all their lines are touched: what does not fit goes to the next groups.
 */
static void place_first_touches(struct model *m, const struct model_input *in)
{
	double lines = lines_per_page(in, in->line_made), held = 0, placed = 0;
	size_t w = 0;

	for (size_t g = 0; g < m->group_count; g++) {
		struct group *group = &m->groups[g];
		double length = group->weight * m->accesses;

		while (w < in->window_count && (double)in->windows[w].start < group->start + length)
			held = fmax(held, (double)in->windows[w++].footprint_pages * lines);
		if (g + 1 == m->group_count)
			held = m->last_lines;
		if (length > 0)
			group->first_touches = fmin(group->own.left, (held - placed) / length);
		placed += group->first_touches * length;
	}
}

static double weight_of(uint32_t weight)
{
	return weight > 0 ? weight : 1;
}

/* What is weighed are touches of lines: an access of several is met by one of them. */
static double sample_weight(const struct model_sample *s)
{
	return weight_of(s->weight) * weight_of(s->touches);
}

/*
 * Of the samples watched on, those whose touch was not seen by the end of the pool. Those of a
 * window stand for all that it left unresolved.
 */
static int gather_follows(struct model *m, const struct model_input *in)
{
	struct tally {
		double samples, unresolved, follows;
	} *windows = calloc(in->window_count + 1, sizeof(*windows));

	m->follows = calloc(in->follow_count + 1, sizeof(*m->follows));
	if (m->follows == NULL || windows == NULL) {
		free(windows);
		return -1;
	}
	for (size_t i = 0; i < in->sample_count; i++) {
		const struct model_sample *s = &in->samples[i];

		windows[s->window].samples += sample_weight(s);
		windows[s->window].unresolved += s->reused ? 0 : sample_weight(s);
	}
	for (size_t i = 0; i < in->follow_count; i++)
		windows[in->follows[i].window].follows += weight_of(in->follows[i].weight);
	for (size_t i = 0; i < in->follow_count; i++) {
		const struct model_follow *f = &in->follows[i];
		const struct tally *w = &windows[f->window];
		double residual = (double)f->watched - m->pool.end_x;
		bool is_early = residual <= 0;

		if (w->samples <= 0)
			continue;
		/* From the end of the array backwards, if need be. */
		m->follows[is_early ? in->follow_count - ++m->early_count : m->follow_count++] =
			(struct follow){residual,
					window_weight(m, in, f->window) * w->unresolved /
						w->samples * weight_of(f->weight) / w->follows,
					f->touched, f->window, (double)f->position};
	}
	m->early_follows = m->follows + in->follow_count - m->early_count;
	free(windows);
	return 0;
}

static int note_windows(struct model *m, const struct model_input *in)
{
	m->spans = calloc(in->window_count + 1, sizeof(*m->spans));
	if (m->spans == NULL)
		return -1;
	for (size_t i = 0; i < in->window_count; i++)
		m->spans[i] = (struct window_span){(double)in->windows[i].start,
						   (double)in->windows[i].length};
	return 0;
}

/* Weight of a sample: that of its window, shared by the window's samples. */
static int weigh_samples(struct model *m, const struct model_input *in)
{
	double *share = calloc(in->window_count + 1, sizeof(*share));
	double total = 0;

	if (share == NULL)
		return -1;
	for (size_t i = 0; i < in->sample_count; i++)
		share[in->samples[i].window] += sample_weight(&in->samples[i]);
	for (size_t i = 0; i < in->window_count; i++) {
		if (share[i] <= 0)
			continue;
		total += window_weight(m, in, i);
		share[i] = window_weight(m, in, i) / share[i];
	}
	for (size_t i = 0; i < in->sample_count; i++) {
		m->weight[i] = total > 0 ? share[in->samples[i].window] / total *
						   sample_weight(&in->samples[i])
					 : 1.0 / (double)in->sample_count;
		m->bin[i] = (uint16_t)model_bin(in->samples[i].distance);
		m->reused[i] = in->samples[i].reused;
		m->lines[i] = in->samples[i].touches > 0 ? in->samples[i].touches : 1;
	}
	free(share);
	return 0;
}

/* The place of a bin: the mean of the reuses in it; of all samples where there is none. */
static void place_bins(struct model *m, const struct model_input *in)
{
	double sum[2][MODEL_BINS] = {{0}};
	uint32_t count[2][MODEL_BINS] = {{0}};

	for (size_t i = 0; i < in->sample_count; i++) {
		unsigned b = m->bin[i], reused = m->reused[i] ? 1 : 0;

		sum[reused][b] += (double)in->samples[i].distance;
		count[reused][b]++;
	}
	for (unsigned b = 0; b < MODEL_BINS; b++) {
		unsigned from = count[1][b] > 0 ? 1 : 0;

		m->bin_x[b] = count[from][b] > 0 ? sum[from][b] / count[from][b] : 0;
	}
}

/* `order` becomes all samples by rising bin, equal ones in the order of the run. */
static void sort_by_bin(const struct model *m, uint32_t *order)
{
	uint32_t next[MODEL_BINS + 1] = {0};

	for (size_t i = 0; i < m->sample_count; i++)
		next[m->bin[i] + 1]++;
	for (unsigned b = 0; b < MODEL_BINS; b++)
		next[b + 1] += next[b];
	for (size_t i = 0; i < m->sample_count; i++)
		order[next[m->bin[i]]++] = (uint32_t)i;
}

double model_speaks_for(const struct model_input *in, const struct model_sample *s)
{
	return s->weight > 0 ? (double)s->weight / fmax(1, in->weight_one) : 1;
}

/* Where these are a choice, all of them show better which windows are alike. */
static int group_windows(struct model *m, const struct model_input *in, uint32_t *kind_of)
{
	const struct model *all = in->all;

	if (all == NULL || all->window_count != in->window_count)
		return groups_form(in, m->group_of, &m->group_count, kind_of);
	memcpy(m->group_of, all->group_of, in->window_count * sizeof(*m->group_of));
	m->group_count = all->group_count;
	for (size_t g = 0; g < all->group_count; g++)
		kind_of[g] = all->groups[g].kind;
	return 0;
}

/*
 * Kinds are numbered in the order of the run, each group is told its own, and each kind its groups.
 */
static int number_kinds(struct model *m, const uint32_t *kind_of)
{
	uint32_t *number = malloc((m->group_count + 1) * sizeof(*number));
	size_t at = 0;

	m->kinds = calloc(m->group_count + 1, sizeof(*m->kinds));
	m->members = calloc(m->group_count + 1, sizeof(*m->members));
	if (number == NULL || m->kinds == NULL || m->members == NULL) {
		free(number);
		return -1;
	}
	memset(number, 0xff, m->group_count * sizeof(*number));
	for (size_t g = 0; g < m->group_count; g++) {
		if (number[kind_of[g]] == UINT32_MAX)
			number[kind_of[g]] = (uint32_t)m->kind_count++;
		m->groups[g].kind = number[kind_of[g]];
		m->kinds[m->groups[g].kind].group_count++;
	}
	free(number);
	for (size_t k = 0; k < m->kind_count; k++) {
		m->kinds[k].first_group = at;
		at += m->kinds[k].group_count;
		m->kinds[k].group_count = 0;
	}
	for (size_t g = 0; g < m->group_count; g++) {
		struct kind *k = &m->kinds[m->groups[g].kind];

		m->members[k->first_group + k->group_count++] = (uint32_t)g;
	}
	for (size_t g = 0; g < m->group_count; g++)
		m->groups[g].has_kin = m->kinds[m->groups[g].kind].group_count > 1;
	return 0;
}

/* How many windows each group has, and how much of what they stand for they did not see. */
static void count_windows(struct model *m, const struct model_input *in)
{
	double *inside = m->scratch, *all = m->scratch + m->group_count;

	for (size_t i = 0; i < in->window_count; i++) {
		const struct model_window *w = &in->windows[i];
		uint32_t g = m->group_of[i];

		m->groups[g].windows++;
		inside[g] += (double)w->length;
		all[g] += fmax((double)w->length, (double)w->stands_for);
	}
	for (size_t g = 0; g < m->group_count; g++)
		m->groups[g].outside = all[g] > 0 ? 1 - inside[g] / all[g] : 1;
}

static int form_groups(struct model *m, const struct model_input *in)
{
	uint32_t *kind_of = calloc(in->window_count + 1, sizeof(*kind_of));
	int ret = -1;

	if (kind_of == NULL || group_windows(m, in, kind_of) != 0)
		goto out;
	m->groups = calloc(m->group_count, sizeof(*m->groups));
	m->scratch = calloc(2 * m->group_count, sizeof(*m->scratch));
	m->evictions = calloc(m->group_count + 1, sizeof(*m->evictions));
	if (m->groups == NULL || m->scratch == NULL || m->evictions == NULL)
		goto out;
	count_windows(m, in);
	ret = number_kinds(m, kind_of);
out:
	free(kind_of);
	return ret;
}

static struct group *group_of_sample(const struct model *m, const struct model_input *in, size_t i)
{
	return &m->groups[m->group_of[in->samples[i].window]];
}

/* Deal the samples, sorted by bin, out to their kinds. */
static void deal_samples(struct model *m, const struct model_input *in, const uint32_t *order)
{
	double position = 0;
	size_t at = 0;

	for (size_t i = 0; i < m->sample_count; i++) {
		struct group *g = group_of_sample(m, in, i);

		m->group_at[i] = (uint32_t)(g - m->groups);
		g->count++;
		g->weight += m->weight[i];
		m->kinds[g->kind].count++;
	}
	for (size_t g = 0; g < m->group_count; g++) {
		m->groups[g].start = position;
		position += m->groups[g].weight * m->accesses;
	}
	for (size_t k = 0; k < m->kind_count; k++) {
		m->kinds[k].first = at;
		at += m->kinds[k].count;
		m->kinds[k].count = 0;
	}
	for (size_t i = 0; i < m->sample_count; i++) {
		struct kind *k = &m->kinds[group_of_sample(m, in, order[i])->kind];

		m->sorted[k->first + k->count++] = order[i];
	}
}

/* Of the window's accesses, where that is known, or else of the sample's. */
static double load_share(const struct model_window *w, const struct model_sample *s)
{
	return w->chosen > 0 ? (double)w->chosen_loads / (double)w->chosen : s->load;
}

/* Share of each group's samples that load, and that see no reuse within FAR_DISTANCE. */
static void sum_groups(const struct model *m, const struct model_input *in, double *loads,
		       double *far)
{
	memset(loads, 0, m->group_count * sizeof(*loads));
	memset(far, 0, m->group_count * sizeof(*far));
	for (size_t i = 0; i < m->sample_count; i++) {
		const struct model_sample *s = &in->samples[i];
		size_t g = m->group_of[s->window];

		loads[g] += m->weight[i] * load_share(&in->windows[s->window], s);
		far[g] += s->distance > FAR_DISTANCE ? m->weight[i] : 0;
	}
	for (size_t g = 0; g < m->group_count; g++)
		if (m->groups[g].weight > 0) {
			loads[g] /= m->groups[g].weight;
			far[g] /= m->groups[g].weight;
		}
}

/*
 * How many accesses of the run are loads is known, and each group shows how many of its own are.
 * Where the windows met too many of a phase that loads much, its groups count less: the
 * regression estimator of survey sampling, as weights. Only where loads tell the phases apart:
 * the groups' far reuses have to go with them.
 */
static void calibrate(struct model *m, const struct model_input *in)
{
	double *loads = m->scratch, *far = m->scratch + m->group_count;
	double l = 0, f = 0, ll = 0, ff = 0, lf = 0, sum = 0, step = 0;

	sum_groups(m, in, loads, far);
	for (size_t g = 0; g < m->group_count; g++) {
		double weight = m->groups[g].weight;

		l += weight * loads[g];
		f += weight * far[g];
		ll += weight * loads[g] * loads[g];
		ff += weight * far[g] * far[g];
		lf += weight * loads[g] * far[g];
	}
	ll -= l * l;
	ff -= f * f;
	lf -= l * f;
	if (in->loads > 0 && ll > 0 && ff > 0 && lf * lf > LEAST_CORRELATION * ll * ff)
		step = ((double)in->loads / m->accesses - l) / ll;
	for (size_t g = 0; g < m->group_count; g++) {
		double change = fmin(MOST_CHANGE, fmax(-MOST_CHANGE, step * (loads[g] - l)));

		m->groups[g].share = m->groups[g].weight * (1 + change);
		sum += m->groups[g].share;
	}
	for (size_t g = 0; g < m->group_count && sum > 0; g++)
		m->groups[g].share /= sum;
}

/* Survivals of pool and kinds, the pieces packed one after another in m->storage. */
static void estimate_survivals(struct model *m, const uint32_t *order)
{
	double *x = m->storage, *mass = m->storage + 2 * m->sample_count;
	double *joined = m->storage + 4 * m->sample_count, left_before = 0;

	survival_estimate(m, order, m->sample_count, MODEL_POOL_AT_RISK, x, mass, &m->pool);
	for (size_t i = 0; i < m->kind_count; i++) {
		struct kind *k = &m->kinds[i];
		size_t used = m->sample_count + k->first;

		survival_estimate(m, m->sorted + k->first, k->count, MODEL_GROUP_AT_RISK, x + used,
				  mass + used, &k->own);
		pieces_join(&k->own, joined + k->first, joined + m->sample_count + k->first,
			    &k->joined);
	}
	for (size_t g = 0; g < m->group_count; g++) {
		struct group *group = &m->groups[g];

		group->own = m->kinds[group->kind].own;
		group->left_before = left_before;
		left_before += group->own.left * group->weight * m->accesses;
	}
}

/* What lies between the touches of reuses; where these are a choice, all of them show it better. */
static int look_inside(struct model *m, const struct model_input *in)
{
	if (in->all != NULL) {
		stacks_take(m, in->all);
		m->scatter = in->all->scatter;
	} else if (stacks_measure(m, in) != 0 || scatter_measure(m, in) != 0) {
		return -1;
	}
	stacks_place(m);
	return counted_measure(m, in);
}

static int fill(struct model *m, const struct model_input *in)
{
	uint32_t *order = malloc((m->sample_count + 1) * sizeof(*order));
	uint32_t *group_of;
	int ret = -1;

	m->window_count = in->window_count;
	m->group_of = group_of = malloc((in->window_count + 1) * sizeof(*group_of));
	if (order == NULL || group_of == NULL || weigh_samples(m, in) != 0 ||
	    form_groups(m, in) != 0)
		goto out;
	place_bins(m, in);
	sort_by_bin(m, order);
	deal_samples(m, in, order);
	calibrate(m, in);
	estimate_survivals(m, order);
	measure_footprint(m, in);
	place_first_touches(m, in);
	if (note_windows(m, in) != 0 || gather_follows(m, in) != 0 || look_inside(m, in) != 0)
		goto out;
	model_set_tails(m, in->all);
	ret = places_weigh(m, in);
out:
	free(order);
	return ret;
}

struct model *model_new(const struct model_input *in, struct err *err)
{
	struct model *m;
	size_t n = in->sample_count + 1; /* malloc(0) may return NULL */

	if (check_input(in, err) != 0)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		goto no_memory;
	m->sample_count = in->sample_count;
	m->touches = in->touches > 0 ? in->touches : 1;
	m->line_bytes = in->line_bytes;
	m->accesses = (double)in->accesses;
	if (in->accesses == 0)
		for (size_t i = 0; i < in->window_count; i++)
			m->accesses += (double)in->windows[i].stands_for;
	if (m->accesses <= 0)
		m->accesses = 1;
	m->bin = malloc(n * sizeof(*m->bin));
	m->reused = malloc(n * sizeof(*m->reused));
	m->weight = malloc(n * sizeof(*m->weight));
	m->lines = malloc(n * sizeof(*m->lines));
	m->open_weight = malloc(n * sizeof(*m->open_weight));
	m->sorted = malloc(n * sizeof(*m->sorted));
	m->group_at = malloc(n * sizeof(*m->group_at));
	m->storage = malloc(6 * n * sizeof(*m->storage));
	m->lines_at = malloc(n * sizeof(*m->lines_at));
	if (m->bin == NULL || m->reused == NULL || m->weight == NULL || m->lines == NULL ||
	    m->open_weight == NULL || m->sorted == NULL || m->group_at == NULL ||
	    m->storage == NULL || m->lines_at == NULL || fill(m, in) != 0)
		goto no_memory;
	return m;
no_memory:
	model_free(m);
	err_set(err, "not enough memory for %zu samples", in->sample_count);
	return NULL;
}

void model_free(struct model *m)
{
	if (m == NULL)
		return;
	free(m->groups);
	free(m->kinds);
	free(m->members);
	free(m->bin);
	free(m->reused);
	free(m->weight);
	free(m->lines);
	free(m->open_weight);
	free(m->sorted);
	free(m->group_at);
	free(m->storage);
	free(m->lines_at);
	free(m->follows);
	free(m->counted);
	free(m->factors);
	free(m->spans);
	free(m->scratch);
	free(m->evictions);
	free(m->group_of);
	free(m);
}
