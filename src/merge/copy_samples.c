/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies samples with their data and call paths, with new ids. */
#include <stdlib.h>
#include <string.h>

#include "merge/private.h"
#include "store/curves.h"
#include "store/layouts.h"

/* Sites and paths are numbered from 1; 0 means none. */
static int64_t shifted_number(int64_t id, int64_t by)
{
	return id == 0 ? 0 : shifted(id, by);
}

static void move_access(struct copying *c, struct store_access *a)
{
	a->location = shifted(a->location, c->by.location);
	a->site = shifted_number(a->site, c->by.site);
	move_image(c, &a->image);
	a->path = shifted_number(a->path, c->by.path);
}

static int put_windows(struct copying *c, struct store_window *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	return store_put_window(c->out, x, err);
}

COPY_EACH(windows, struct store_window, store_read_windows(c->in, STORE_ALL, &items, &count, err))

static int put_sample_rows(struct copying *c, struct store_sample *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	move_access(c, &x->begin);
	move_access(c, &x->end);
	return store_put_sample(c->out, x, err);
}

COPY_EACH(sample_rows, struct store_sample,
	  store_read_samples(c->in, STORE_ALL, &items, &count, err))

static int put_far(struct copying *c, struct store_far *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	move_access(c, &x->begin);
	move_access(c, &x->end);
	return store_put_far(c->out, x, err);
}

COPY_EACH(far, struct store_far, store_read_far(c->in, STORE_ALL, &items, &count, err))

static int put_stack_distances(struct copying *c, struct store_stack_distance *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	return store_put_stack_distance(c->out, x, err);
}

COPY_EACH(stack_distances, struct store_stack_distance,
	  store_read_stack_distances(c->in, STORE_ALL, &items, &count, err))

static int put_nested(struct copying *c, struct store_nested *n, struct err *err)
{
	struct store_nested_event events[STORE_MAX_EVENTS];
	uint32_t count = n->event_count < STORE_MAX_EVENTS ? n->event_count : STORE_MAX_EVENTS;

	for (uint32_t i = 0; i < count; i++) {
		events[i] = n->events[i];
		move_access(c, &events[i].end);
	}
	n->process_id = shifted(n->process_id, c->by.process);
	move_access(c, &n->begin);
	n->events = events;
	n->event_count = count;
	return store_put_nested(c->out, n, err);
}

COPY_EACH(nested, struct store_nested, store_read_nested(c->in, STORE_ALL, &items, &count, err))

/* Their new locations, owned by the caller; NULL without memory. */
static int64_t *moved_locations(const struct copying *c, const int64_t *locations, size_t count)
{
	int64_t *moved = calloc(count + 1, sizeof(*moved));

	for (size_t i = 0; moved != NULL && i < count; i++)
		moved[i] = shifted(locations[i], c->by.location);
	return moved;
}

static int put_paths(struct copying *c, struct store_path *x, struct err *err)
{
	int64_t *moved = moved_locations(c, x->locations, x->count);
	int status;

	x->id = shifted(x->id, c->by.path);
	x->process_id = shifted(x->process_id, c->by.process);
	x->locations = moved;
	use_id(&c->next.path, x->id);
	status = moved != NULL ? store_put_path(c->out, x, err)
			       : err_set(err, "not enough memory for a call path");
	free(moved);
	return status;
}

COPY_EACH(paths, struct store_path, store_read_paths(c->in, STORE_ALL, &items, &count, err))

static int put_sites(struct copying *c, struct store_site *x, struct err *err)
{
	int64_t *moved = moved_locations(c, x->path, x->path_count);
	int status;

	x->id = shifted(x->id, c->by.site);
	x->process_id = shifted(x->process_id, c->by.process);
	x->path = moved;
	x->layout_id = shifted_number(x->layout_id, c->by.layout);
	use_id(&c->next.site, x->id);
	status = moved != NULL ? store_put_site(c->out, x, err)
			       : err_set(err, "not enough memory for a call path");
	free(moved);
	return status;
}

COPY_EACH(sites, struct store_site, store_read_sites(c->in, STORE_ALL, &items, &count, err))

static int put_variables(struct copying *c, struct store_variable *x, struct err *err)
{
	x->id = shifted(x->id, c->by.variable);
	x->process_id = shifted(x->process_id, c->by.process);
	x->layout_id = shifted_number(x->layout_id, c->by.layout);
	move_image(c, &x->image);
	use_id(&c->next.variable, x->id);
	return store_put_variable(c->out, x, err);
}

COPY_EACH(variables, struct store_variable,
	  store_read_variables(c->in, STORE_ALL, &items, &count, err))

static int put_layouts(struct copying *c, struct store_layout *x, struct err *err)
{
	x->id = shifted(x->id, c->by.layout);
	use_id(&c->next.layout, x->id);
	return store_put_layout(c->out, x, err);
}

COPY_EACH(layouts, struct store_layout, store_read_layouts(c->in, &items, &count, err))

static int put_members(struct copying *c, struct store_member *x, struct err *err)
{
	x->layout_id = shifted(x->layout_id, c->by.layout);
	return store_put_member(c->out, x, err);
}

COPY_EACH(members, struct store_member, store_read_members(c->in, &items, &count, err))

/* ---- Exact curves ---- */

static int put_curves(struct copying *c, struct store_curve *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	return store_put_curve(c->out, x, err);
}

COPY_EACH(curves, struct store_curve, store_read_curves(c->in, STORE_ALL, &items, &count, err))

static int put_data_costs(struct copying *c, struct store_data_cost *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	x->site_id = shifted(x->site_id, c->by.site);
	move_image(c, &x->image);
	return store_put_data_cost(c->out, x, err);
}

COPY_EACH(data_costs, struct store_data_cost,
	  store_read_data_costs(c->in, STORE_ALL, &items, &count, err))

int copy_exact(struct copying *c, struct err *err)
{
	return copy_curves(c, err) == 0 ? copy_data_costs(c, err) : -1;
}

int copy_samples(struct copying *c, struct err *err)
{
	if (copy_windows(c, err) != 0 || copy_paths(c, err) != 0 || copy_sites(c, err) != 0 ||
	    copy_variables(c, err) != 0 || copy_layouts(c, err) != 0 || copy_members(c, err) != 0 ||
	    copy_sample_rows(c, err) != 0 || copy_far(c, err) != 0 ||
	    copy_stack_distances(c, err) != 0)
		return -1;
	return copy_nested(c, err);
}
