/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data structures of an exact run, named as `dwell objects` names them: variables of files, blocks
 * by the code that allocated them, stacks.
 *
 * The key of an access is the site of its block; outside of blocks, where a file is mapped, the eight
 * bytes it begins in, of which there are as many as variables have; else nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collector/exact.h"
#include "collector/sites.h"

#define KEY_UNKNOWN  ((uint64_t)0)
#define KEY_SITE     ((uint64_t)1 << 62)
#define KEY_VARIABLE ((uint64_t)1 << 61)
#define GRANULE_BITS 3

/* The range that holds the address now: what was mapped last lies on top. */
static const struct data_range *find_range(const struct data_map *d, uint64_t address)
{
	if (address < d->low || address >= d->high)
		return NULL;
	for (size_t i = d->count; i-- > 0;)
		if (address >= d->items[i].low && address < d->items[i].high)
			return &d->items[i];
	return NULL;
}

/* Is it that of a thread's own, and the address in its copy of the program's variables? */
static bool is_local(const struct exact_process *p, uint64_t address, uint32_t site)
{
	const struct data_range *r;

	if (address < p->variables.local_low || address >= p->variables.local_high)
		return false;
	for (size_t i = 0; i < p->sites.count; i++)
		if (p->sites.items[i].id == site) {
			r = p->sites.items[i].kind == SITE_LOCAL
				    ? find_range(&p->variables, address)
				    : NULL;
			return r != NULL && r->is_local;
		}
	return false;
}

uint64_t exact_object_key(const struct exact_process *p, uint64_t address, uint32_t site)
{
	const uint64_t variable = KEY_VARIABLE | address >> GRANULE_BITS;
	const struct data_range *r;

	if (site != 0)
		return is_local(p, address, site) ? variable : KEY_SITE | site;
	r = find_range(&p->variables, address);
	return r != NULL && !r->is_local ? variable : KEY_UNKNOWN;
}

/* ---- Names ---- */

static const char *keep_text(struct exact *e, struct text *t)
{
	const char *kept = t->failed ? NULL : arena_strdup(&e->strings, text_get(t));

	text_release(t);
	return kept;
}

/* The frames of a return address's call. */
static size_t frames_of(struct exact *e, const struct exact_process *p, uint64_t pc,
			uint64_t position, const struct symbols_frame **frames, const char **path)
{
	size_t module = code_map_find_module(&p->code, pc - 1, position);
	uint64_t address = pc - 1;
	int file = -1;

	*path = NULL;
	if (module != CODE_NO_MODULE) {
		const struct code_module *m = &p->code.modules.items[module];

		file = m->file;
		*path = symbols_path(e->symbols, file);
		address = symbols_address(e->symbols, file, pc - 1 - m->start + m->file_offset);
	}
	return symbols_resolve(e->symbols, file, address, frames);
}

/* The first frame of the path that does not only hand allocations on; else its first. */
static const struct symbols_frame *find_caller(struct exact *e, const struct exact_process *p,
					       const struct exact_site *s)
{
	const struct symbols_frame *first = NULL;

	for (uint32_t i = 0; i < s->depth; i++) {
		const struct symbols_frame *frames;
		const char *module;
		size_t count = frames_of(e, p, s->path[i], s->position, &frames, &module);

		for (size_t k = 0; k < count; k++) {
			if (first == NULL)
				first = &frames[k];
			if (!e->options->is_wrapper(frames[k].function, frames[k].file, module))
				return &frames[k];
		}
	}
	return first;
}

static int name_site(struct exact *e, const struct exact_process *p, uint32_t id,
		     struct exact_row *row)
{
	const struct symbols_frame *caller;
	const struct exact_site *s = NULL;
	struct text t = {0};
	const char *what;

	for (size_t i = 0; i < p->sites.count && s == NULL; i++)
		if (p->sites.items[i].id == id)
			s = &p->sites.items[i];
	if (s == NULL || s->kind == SITE_STACK || s->kind == SITE_LOCAL) {
		row->function = s == NULL		? "[unknown]"
				: s->kind == SITE_STACK ? "[stack]"
							: "[thread-local]";
		return 0;
	}
	what = s->name[0] != '\0' ? s->name
				  : sites_kind_name(s->kind, e->options->run.config.allocators);
	caller = find_caller(e, p, s);
	if (caller == NULL) {
		text_addf(&t, "%s [no call path]", what);
	} else {
		text_addf(&t, "%s in %s", what, caller->function);
		if (caller->file != NULL && caller->line > 0)
			text_addf(&t, " (%s:%u)", path_basename(caller->file), caller->line);
		row->file = caller->file;
		row->line = caller->line;
	}
	row->function = keep_text(e, &t);
	return row->function != NULL ? 0 : -1;
}

static void name_variable(struct exact *e, const struct exact_process *p, uint64_t address,
			  struct exact_row *row)
{
	const struct data_range *r = find_range(&p->variables, address);
	struct symbols_variable v;

	/* All of a granule counts as its first byte. */
	if (r != NULL && address < r->low)
		address = r->low;
	if (r == NULL || !symbols_variable(e->symbols, r->file, address - r->bias, &v)) {
		row->function = "[unknown]";
		return;
	}
	row->function = v.name;
	row->file = v.file;
	row->line = v.line;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct exact_row *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

int exact_name_objects(struct exact *e, const struct exact_process *p, struct exact_row *rows,
		       size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < p->data.room; i++) {
		const struct map_entry *entry = &p->data.entries[i];

		if (entry->value != 0)
			rows[(*count)++] =
				(struct exact_row){.address = entry->key,
						   .is_object = true,
						   .sums = p->keys.items[entry->value - 1]};
	}
	/* Questions for variables cost least in order of address. */
	qsort(rows, *count, sizeof(*rows), compare_addresses);
	for (size_t i = 0; i < *count; i++) {
		uint64_t key = rows[i].address;

		rows[i].address = 0;
		if (key & KEY_SITE) {
			if (name_site(e, p, (uint32_t)key, &rows[i]) != 0)
				return -1;
		} else if (key & KEY_VARIABLE) {
			name_variable(e, p, (key & ~KEY_VARIABLE) << GRANULE_BITS, &rows[i]);
		} else {
			rows[i].function = "[unknown]";
		}
	}
	return 0;
}
