/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides what can be merged, and merges the columns; see merge.h. */
#include "merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "merge/private.h"
#include "store/curves.h"
#include "store/whose.h"

#define ALL_PPM 1000000

/* The properties that must agree; the store owns the strings. */
struct outline {
	const char *path;
	struct store *store;
	struct store_event *events;
	size_t event_count;
	size_t measured;
	struct store_geometry *geometry;
	size_t geometry_count;
	int64_t line_bytes;
	bool has_curves;
	const char *by; /* key of the sums, for a cache of this many bytes; "": no sums */
	int64_t by_bytes;
	int64_t lines_one_in;
	int64_t sample_ppm; /* of the accesses were simulated */
};

static void outline_release(struct outline *o)
{
	free(o->events);
	free(o->geometry);
	store_close(o->store);
	*o = (struct outline){0};
}

static int outline_init(struct outline *o, const char *path, struct err *err)
{
	*o = (struct outline){.path = path};
	if (store_open_readonly(path, &o->store, err) != 0)
		return -1;
	if (store_read_events(o->store, &o->events, &o->event_count, err) != 0 ||
	    store_read_geometry(o->store, &o->geometry, &o->geometry_count, err) != 0) {
		outline_release(o);
		return -1;
	}
	while (o->measured < o->event_count && o->events[o->measured].formula == NULL)
		o->measured++;
	o->line_bytes = store_meta_int(o->store, "line_bytes", 0);
	o->has_curves = store_has_curves(o->store);
	o->by = store_meta_text(o->store, "exact_by");
	o->by = o->by != NULL ? o->by : "";
	o->by_bytes = store_meta_int(o->store, "exact_size_bytes", 0);
	o->lines_one_in = store_meta_int(o->store, "lines_one_in", 1);
	o->sample_ppm = store_meta_int(o->store, "sample_ppm", ALL_PPM);
	return 0;
}

/* ---- Compatibility of two profiles ---- */

static const struct store_event *find_event(const struct outline *o, const char *name)
{
	for (size_t i = 0; i < o->event_count; i++)
		if (strcmp(o->events[i].name, name) == 0)
			return &o->events[i];
	return NULL;
}

/* Fail if `b` lacks an event that `a` measured. */
static int check_measured(const struct outline *a, const struct outline *b, struct err *err)
{
	for (size_t i = 0; i < a->measured; i++) {
		const struct store_event *e = find_event(b, a->events[i].name);

		if (e == NULL || e->formula != NULL)
			return err_set(err,
				       "'%.150s' has the event %s and '%.150s' does not: profiles "
				       "of the same events can be merged",
				       a->path, a->events[i].name, b->path);
	}
	return 0;
}

static int check_derived(const struct outline *a, const struct outline *b, struct err *err)
{
	for (size_t i = b->measured; i < b->event_count; i++) {
		const struct store_event *e = find_event(a, b->events[i].name);

		if (e != NULL &&
		    (e->formula == NULL || strcmp(e->formula, b->events[i].formula) != 0))
			return err_set(
				err,
				"the event %s is '%.80s' in '%.120s' and '%.80s' in '%.120s': "
				"it should be the same in both",
				e->name, e->formula != NULL ? e->formula : "measured", a->path,
				b->events[i].formula, b->path);
	}
	return 0;
}

static const char *geometry_of(const struct outline *o, const char *name)
{
	for (size_t i = 0; i < o->geometry_count; i++)
		if (strcmp(o->geometry[i].name, name) == 0)
			return o->geometry[i].value;
	return "not there";
}

static int check_geometry(const struct outline *a, const struct outline *b, struct err *err)
{
	for (size_t i = 0; i < a->geometry_count; i++) {
		const char *name = a->geometry[i].name;

		if (strcmp(a->geometry[i].value, geometry_of(b, name)) != 0)
			return err_set(
				err,
				"%s is '%.80s' in '%.120s' and '%.80s' in '%.120s': misses of "
				"different caches cannot be summed up",
				name, a->geometry[i].value, a->path, geometry_of(b, name), b->path);
	}
	return 0;
}

/* Exact curves remain separate, by process; but sums by data share one table. */
static int check_curves(const struct outline *a, const struct outline *b, struct err *err)
{
	if (a->has_curves != b->has_curves)
		return err_set(err,
			       "'%.150s' has exact curves and '%.150s' has not: only profiles of "
			       "one kind can be merged",
			       a->has_curves ? a->path : b->path,
			       a->has_curves ? b->path : a->path);
	if (strcmp(a->by, b->by) != 0 || a->by_bytes != b->by_bytes)
		return err_set(err,
			       "'%.150s' and '%.150s' were simulated with another --by or --size",
			       a->path, b->path);
	if (a->lines_one_in != b->lines_one_in)
		return err_set(err, "'%.150s' and '%.150s' have other samples of lines: --lines",
			       a->path, b->path);
	return 0;
}

/* All counts are multiplied by one share. */
static int check_sampled(const struct outline *a, const struct outline *b, struct err *err)
{
	const double percent = ALL_PPM / 100.0;

	return a->sample_ppm == b->sample_ppm
		       ? 0
		       : err_set(err,
				 "'%.150s' has simulated %g %% of the accesses and '%.150s' "
				 "%g %%: simulate both with the same --sample",
				 a->path, (double)a->sample_ppm / percent, b->path,
				 (double)b->sample_ppm / percent);
}

static int check_two(const struct outline *a, const struct outline *b, struct err *err)
{
	if ((a->measured > 0) != (b->measured > 0))
		return err_set(err,
			       "'%.150s' has counts of events and '%.150s' has samples: only "
			       "profiles of one kind can be merged",
			       a->measured > 0 ? a->path : b->path,
			       a->measured > 0 ? b->path : a->path);
	if (check_curves(a, b, err) != 0)
		return -1;
	if (a->measured == 0)
		return a->line_bytes == b->line_bytes
			       ? 0
			       : err_set(err,
					 "'%.150s' has lines of %" PRId64
					 " bytes and '%.150s' of %" PRId64
					 ": record both with the same --line",
					 a->path, a->line_bytes, b->path, b->line_bytes);
	if (check_sampled(a, b, err) != 0 || check_measured(a, b, err) != 0 ||
	    check_measured(b, a, err) != 0 || check_derived(a, b, err) != 0 ||
	    check_geometry(a, b, err) != 0)
		return -1;
	return check_geometry(b, a, err);
}

int merge_check(const char *const *inputs, size_t count, struct err *err)
{
	struct outline first, other;
	int status;

	if (outline_init(&first, inputs[0], err) != 0)
		return -1;
	status = 0;
	for (size_t i = 1; status == 0 && i < count; i++) {
		status = outline_init(&other, inputs[i], err);
		if (status != 0)
			break;
		status = check_two(&first, &other, err);
		outline_release(&other);
	}
	outline_release(&first);
	return status;
}

/* ---- Columns ---- */

/* The first profile's measured and derived events; other profiles only add new derived names. */
static int put_events(const struct outline *first, struct store *out, struct err *err)
{
	if (first->event_count == 0)
		return 0;
	if (store_put_events(out, first->events, first->event_count, err) != 0)
		return -1;
	for (size_t i = 0; i < first->geometry_count; i++)
		if (store_put_geometry(out, first->geometry[i].name, first->geometry[i].value,
				       err) != 0)
			return -1;
	return 0;
}

static void match_columns(struct copying *c, const struct outline *first,
			  const struct outline *other)
{
	c->column_count = other->measured;
	for (size_t i = 0; i < other->measured; i++)
		for (size_t k = 0; k < first->measured; k++)
			if (strcmp(other->events[i].name, first->events[k].name) == 0)
				c->columns[i] = k;
}

static void note_lost_events(const struct outline *first, const struct outline *other,
			     struct text *notes)
{
	for (size_t i = other->measured; i < other->event_count; i++)
		if (find_event(first, other->events[i].name) == NULL)
			text_addf(notes,
				  "the event %s of '%s' is left out: '%s' does not have it\n",
				  other->events[i].name, other->path, first->path);
}

/* Data structures are known of some processes only, if there are inputs of both kinds. */
struct bins_seen {
	bool are_there;
	struct text missing; /* a line for each input without them */
};

static void see_bins(struct bins_seen *seen, const struct outline *o)
{
	if (store_has_bins(o->store))
		seen->are_there = true;
	else if (o->measured > 0)
		text_addf(&seen->missing,
			  "'%s' has no misses by data structure: it was simulated without --data\n",
			  o->path);
}

/* ---- Copying ---- */

int64_t shifted(int64_t id, int64_t by)
{
	/* a damaged file may have any number in its lists: the sum may wrap */
	return id == STORE_NONE ? STORE_NONE : (int64_t)((uint64_t)id + (uint64_t)by);
}

void move_image(struct copying *c, int64_t *image)
{
	if (*image == 0)
		return;
	*image = shifted(*image, c->by.image);
	use_id(&c->next.image, *image);
}

void use_id(int64_t *next, int64_t id)
{
	if (id >= *next && id < INT64_MAX)
		*next = id + 1;
}

static int copy(struct copying *c, struct err *err)
{
	c->by = c->next;
	if (copy_run(c, err) != 0 || copy_code(c, err) != 0 || copy_samples(c, err) != 0 ||
	    copy_exact(c, err) != 0 || copy_counts(c, err) != 0 || copy_whose(c, err) != 0)
		return -1;
	return store_commit(c->out, err);
}

int merge_profiles(const char *const *inputs, size_t count, struct store *out, struct text *notes,
		   struct err *err)
{
	struct copying c = {.out = out};
	struct outline first, other;
	struct bins_seen seen = {0};
	int status;

	if (outline_init(&first, inputs[0], err) != 0)
		return -1;
	status = put_events(&first, out, err);
	for (size_t i = 0; status == 0 && i < count; i++) {
		status = outline_init(&other, inputs[i], err);
		if (status != 0)
			break;
		match_columns(&c, &first, &other);
		note_lost_events(&first, &other, notes);
		see_bins(&seen, &other);
		c.in = other.store;
		status = copy(&c, err);
		outline_release(&other);
	}
	outline_release(&first);
	if (seen.are_there)
		text_add(notes, text_get(&seen.missing));
	text_release(&seen.missing);
	return status == 0 ? merge_meta(inputs, count, out, notes, err) : -1;
}
