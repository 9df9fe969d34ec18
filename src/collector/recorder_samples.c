/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handles the records about accesses: samples, far reuses, windows, and the origin of data. */
#include <string.h>

#include "base/text.h"
#include "channel/stack_distance.h"
#include "collector/record_check.h"
#include "collector/recorder_parts.h"

_Static_assert(STORE_NEAR == CHANNEL_NEAR,
	       "who reads a profile weighs samples as the engine left them out");
_Static_assert(STACK_FIRST == STORE_STACK_FIRST && STACK_SIZES == STORE_STACK_SIZES,
	       "the same sizes of lines");
_Static_assert(STORE_FAR == CHANNEL_FAR && STORE_FAR_SIZES == CHANNEL_FAR_SIZES,
	       "the same far reuses");
_Static_assert(STORE_TOUCH_CLASSES == CHANNEL_TOUCH_CLASSES, "the same classes of touches");

int recorder_made_code(struct recorder *r, struct process *p)
{
	if (p->made_code == 0)
		p->made_code = symbols_runtime_code(r->symbols, p->row.pid) + 1;
	return p->made_code - 1;
}

int64_t recorder_locate(struct recorder *r, struct process *p, uint64_t pc, uint64_t position)
{
	struct store_location row = {.process_id = p->row.id, .pc = pc, .module_id = STORE_NONE};
	int file, is_new;
	size_t module;
	uint32_t *id;

	id = code_map_locate(&p->code, pc, position, &module, &is_new);
	if (id == NULL) {
		out_of_memory(r);
		return 0;
	}
	if (!is_new)
		return *id;
	if (module != CODE_NO_MODULE) {
		const struct code_module *m = &p->code.modules.items[module];

		file = m->file;
		row.module_id = m->id;
		row.module_address =
			symbols_address(r->symbols, file, pc - m->start + m->file_offset);
	} else {
		file = recorder_made_code(r, p);
	}
	row.id = naming_add(&r->naming, file, module != CODE_NO_MODULE ? row.module_address : pc);
	*id = (uint32_t)row.id;
	if (row.id == 0)
		out_of_memory(r);
	else
		note(r, store_put_location(r->store, &row, &r->err));
	return row.id;
}

static uint64_t path_key(const struct process *p, uint32_t number)
{
	return (uint64_t)p->row.id << 32 | number;
}

/* The store's id of a process's path, or 0. */
static int64_t find_path(const struct recorder *r, const struct process *p, uint32_t number)
{
	uint64_t id;

	return number != 0 && map_get(&r->paths, path_key(p, number), &id) ? (int64_t)id : 0;
}

static struct store_access to_access(struct recorder *r, struct process *p,
				     const struct record_access *a, uint64_t position)
{
	struct store_access to = {
		.location = recorder_locate(r, p, a->pc, position),
		.address = a->address,
		.size = a->size,
		.kind = a->kind,
		.thread = a->thread,
		.site = sites_find(&r->sites, p->row.id, a->site),
		.block = a->block,
		.path = find_path(r, p, a->path),
	};
	uint64_t start;
	int64_t named = regions_find(&p->regions, a->address, position, &start);
	if (named != 0) {
		to.site = named;
		to.block = start;
	}
	if (data_map_touch(&p->data, p->row.id, a->address, position, a->site != 0, &r->naming.data,
			   &to.image) != 0)
		out_of_memory(r);
	return to;
}

/* Add a site. A return address minus 1 is within the call, as the path's locations must be. */
const char *recorder_on_site(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_site *s = (const void *)h;
	const uint64_t *pcs = record_site_path(s);
	int64_t path[SITE_MAX_DEPTH];
	size_t i;

	for (i = 0; i < s->depth; i++)
		path[i] = recorder_locate(r, p, pcs[i] - 1, s->position);
	if (r->failed)
		return NULL;
	note(r, sites_add(&r->sites, p->row.id, s, path, &r->next_site, r->store, &r->err));
	return NULL;
}

const char *recorder_on_path(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_path *rec = (const void *)h;
	const uint64_t *pcs = record_path_path(rec);
	int64_t calls[PATH_MAX_DEPTH];
	struct store_path row = {.process_id = p->row.id, .locations = calls, .count = rec->depth};

	if (find_path(r, p, rec->id) != 0)
		return NULL;
	for (size_t i = 0; i < rec->depth; i++)
		calls[i] = recorder_locate(r, p, pcs[i] - 1, rec->position);
	row.id = r->next_path++;
	if (map_set(&r->paths, path_key(p, rec->id), (uint64_t)row.id) != 0)
		out_of_memory(r);
	if (!r->failed)
		note(r, store_put_path(r->store, &row, &r->err));
	return NULL;
}

const char *recorder_on_site_counts(struct recorder *r, struct process *p,
				    const struct record_header *h)
{
	note(r, sites_count(&r->sites, p->row.id, (const void *)h, r->store, &r->err));
	return NULL;
}

static bool is_close(const struct recorder *r, const struct record_sample *s)
{
	return s->status == SAMPLE_REUSED && s->distance < CHANNEL_NEAR &&
	       s->begin.address >= s->line &&
	       s->begin.address - s->line + s->begin.size <= r->line_bytes;
}

const char *recorder_on_sample(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_sample *s = (const void *)h;
	struct store_sample row = {
		.process_id = p->row.id,
		.window = s->window,
		.status = s->status,
		.position = s->position,
		.distance = s->distance,
		.line = s->line,
	};

	code_map_prefetch(&p->code, s->end.pc);
	row.begin = to_access(r, p, &s->begin, s->position);
	row.end.location = STORE_NONE;
	/* The process made at least as many accesses in between as this thread. */
	if (s->status == SAMPLE_REUSED)
		row.end = to_access(r, p, &s->end, s->position + s->distance + 1);
	memcpy(row.touches, s->touches, sizeof(row.touches));
	note(r, store_put_sample(r->store, &row, &r->err));
	p->close += is_close(r, s);
	r->samples++;
	return NULL;
}

static double to_weight(uint64_t parts)
{
	return (double)parts / CHANNEL_FAR_ONE;
}

const char *recorder_on_far(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_far *f = (const void *)h;
	const struct far_line *line = record_far_lines(f);
	struct store_far row = {
		.process_id = p->row.id,
		.window = f->window,
		.position = f->position,
		.begin = {.location = STORE_NONE},
	};

	if (f->window < p->next_window)
		return "a far reuse of a window that is over";
	row.end = to_access(r, p, &f->end, f->position);
	/* The touch before may be anywhere in the run, so modules count that are mapped now. */
	if (f->begin.kind != 0)
		row.begin = to_access(r, p, &f->begin, f->position);
	for (unsigned i = 0; i < CHANNEL_FAR_SIZES; i++) {
		if ((f->sizes >> i & 1) == 0)
			continue;
		row.of[i] = (struct store_far_line){to_weight(line->weight), line->distance,
						    line->lines, f->first >> i & 1};
		line++;
	}
	note(r, store_put_far(r->store, &row, &r->err));
	return NULL;
}

const char *recorder_on_stack_distance(struct recorder *r, struct process *p,
				       const struct record_header *h)
{
	const struct record_stack_distance *d = (const void *)h;
	struct store_stack_distance row = {
		.process_id = p->row.id, .window = d->window, .position = d->position};

	for (unsigned i = 0; i < STACK_SIZES; i++)
		row.of[i] = (struct store_stack){d->sizes >> i & 1, d->distance[i], d->lines[i]};
	note(r, store_put_stack_distance(r->store, &row, &r->err));
	return NULL;
}

const char *recorder_on_nested(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_nested *n = (const void *)h;
	const struct nested_event *e = (const void *)(n + 1);
	struct store_nested_event events[NESTED_SIZES];
	struct store_nested row = {
		.process_id = p->row.id,
		.window = n->window,
		.status = n->status,
		.position = n->position,
		.point = n->point,
		.begin = to_access(r, p, &n->begin, n->position),
		.watched = n->watched,
		.open = n->open,
		.weight = n->weight,
		.events = events,
		.event_count = n->count,
	};

	for (uint32_t i = 0; i < n->count; i++) {
		events[i] = (struct store_nested_event){
			.sizes = e[i].sizes,
			.weight = e[i].weight,
			.distance = e[i].distance,
			.end = to_access(r, p, &e[i].end, n->position + e[i].distance + 1),
		};
		memcpy(events[i].touches, e[i].touches, sizeof(events[i].touches));
	}
	note(r, store_put_nested(r->store, &row, &r->err));
	return NULL;
}

void recorder_set_far_lines(struct process *p, const uint64_t lines[CHANNEL_FAR_SIZES],
			    const uint64_t weights[CHANNEL_FAR_SIZES])
{
	for (size_t i = 0; i < CHANNEL_FAR_SIZES; i++) {
		if (weights[i] == 0)
			continue;
		p->row.far_lines[i] = lines[i];
		p->row.far_line_weight[i] = to_weight(weights[i]);
	}
}

const char *recorder_on_window(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_window *w = (const void *)h;
	struct store_window row = {
		.process_id = p->row.id,
		.number = w->number,
		.start = w->start,
		.length = w->length,
		.stands_for = w->stands_for,
		.samples = w->samples,
		.footprint_pages = w->footprint_pages,
		.chosen = w->chosen,
		.chosen_loads = w->chosen_loads,
		.close = p->close,
	};

	memcpy(row.touches, w->touches, sizeof(row.touches));
	for (size_t i = 0; i < CHANNEL_FAR_SIZES; i++)
		row.far[i] = to_weight(w->far[i]);
	note(r, store_put_window(r->store, &row, &r->err));
	set_footprint(p, w->footprint_pages);
	recorder_set_far_lines(p, w->far_lines, w->far_line_weight);
	if (w->number >= p->next_window)
		p->next_window = w->number + 1;
	p->close = 0;
	r->windows++;
	return NULL;
}

const char *recorder_on_region(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_region *g = (const void *)h;
	struct text name = {0};
	int status;

	text_add_printable(&name, record_region_name(g), strlen(record_region_name(g)));
	status = regions_name(&p->regions, g->start, g->end, g->position, text_get(&name),
			      p->row.id, &r->next_site);
	if (status == 0)
		status = regions_number(&p->regions, text_get(&name), g->number);
	if (status == REGIONS_FULL)
		recorder_report_limit(r, p, LIMIT_REGIONS);
	else if (name.failed || status != 0)
		out_of_memory(r);
	else
		note(r, regions_write(&p->regions, r->store, &r->err));
	text_release(&name);
	return NULL;
}
