/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copying samples and what they know of data and call paths, with new ids. */
#include <stdlib.h>
#include <string.h>

#include "merge/private.h"

/* Sites and paths are numbered from 1: 0 stands for none. */
static int64_t shifted_number(int64_t id, int64_t by)
{
	return id == 0 ? 0 : shifted(id, by);
}

static void move_access(const struct copying *c, struct store_access *a)
{
	a->location = shifted(a->location, c->by.location);
	a->site = shifted_number(a->site, c->by.site);
	a->path = shifted_number(a->path, c->by.path);
}

static int copy_windows(struct copying *c, struct err *err)
{
	struct store_window *items;
	size_t count;
	int status = 0;

	if (store_read_windows(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].process_id += c->by.process;
		status = store_put_window(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_sample_rows(struct copying *c, struct err *err)
{
	struct store_sample *items;
	size_t count;
	int status = 0;

	if (store_read_samples(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].process_id += c->by.process;
		move_access(c, &items[i].begin);
		move_access(c, &items[i].end);
		status = store_put_sample(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_follows(struct copying *c, struct err *err)
{
	struct store_follow *items;
	size_t count;
	int status = 0;

	if (store_read_follows(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].process_id += c->by.process;
		move_access(c, &items[i].end);
		status = store_put_follow(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_arrivals(struct copying *c, struct err *err)
{
	struct store_arrival *items;
	size_t count;
	int status = 0;

	if (store_read_arrivals(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].process_id += c->by.process;
		move_access(c, &items[i].end);
		status = store_put_arrival(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int put_nested(const struct copying *c, struct store_nested *n, struct err *err)
{
	struct store_nested_event events[STORE_MAX_EVENTS];
	uint32_t count = n->event_count < STORE_MAX_EVENTS ? n->event_count : STORE_MAX_EVENTS;

	for (uint32_t i = 0; i < count; i++) {
		events[i] = n->events[i];
		move_access(c, &events[i].end);
	}
	n->process_id += c->by.process;
	move_access(c, &n->begin);
	n->events = events;
	n->event_count = count;
	return store_put_nested(c->out, n, err);
}

static int copy_nested(struct copying *c, struct err *err)
{
	struct store_nested *items;
	size_t count;
	int status = 0;

	if (store_read_nested(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = put_nested(c, &items[i], err);
	free(items);
	return status;
}

/* Their locations, in memory of the caller's; NULL when there is not enough. */
static int64_t *moved_locations(const struct copying *c, const int64_t *locations, size_t count)
{
	int64_t *moved = calloc(count + 1, sizeof(*moved));

	for (size_t i = 0; moved != NULL && i < count; i++)
		moved[i] = shifted(locations[i], c->by.location);
	return moved;
}

static int copy_paths(struct copying *c, struct err *err)
{
	struct store_path *items;
	size_t count;
	int status = 0;

	if (store_read_paths(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		int64_t *moved = moved_locations(c, items[i].locations, items[i].count);

		items[i].id += c->by.path;
		items[i].process_id += c->by.process;
		items[i].locations = moved;
		use_id(&c->next.path, items[i].id);
		status = moved != NULL ? store_put_path(c->out, &items[i], err)
				       : err_set(err, "not enough memory for a call path");
		free(moved);
	}
	free(items);
	return status;
}

static int copy_sites(struct copying *c, struct err *err)
{
	struct store_site *items;
	size_t count;
	int status = 0;

	if (store_read_sites(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		int64_t *moved = moved_locations(c, items[i].path, items[i].path_count);

		items[i].id += c->by.site;
		items[i].process_id += c->by.process;
		items[i].path = moved;
		use_id(&c->next.site, items[i].id);
		status = moved != NULL ? store_put_site(c->out, &items[i], err)
				       : err_set(err, "not enough memory for a call path");
		free(moved);
	}
	free(items);
	return status;
}

static int copy_variables(struct copying *c, struct err *err)
{
	struct store_variable *items;
	size_t count;
	int status = 0;

	if (store_read_variables(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].id += c->by.variable;
		items[i].process_id += c->by.process;
		use_id(&c->next.variable, items[i].id);
		status = store_put_variable(c->out, &items[i], err);
	}
	free(items);
	return status;
}

int copy_samples(struct copying *c, struct err *err)
{
	if (copy_windows(c, err) != 0 || copy_paths(c, err) != 0 || copy_sites(c, err) != 0 ||
	    copy_variables(c, err) != 0 || copy_sample_rows(c, err) != 0 ||
	    copy_follows(c, err) != 0 || copy_arrivals(c, err) != 0)
		return -1;
	return copy_nested(c, err);
}
