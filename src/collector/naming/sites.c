/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites: translates each process's numbers to rows of the store; see sites.h. */
#include "collector/naming/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

struct site {
	struct store_site row;
	char *name;    /* as printed; or NULL */
	uint32_t kind; /* enum site_kind, or beyond it */
	int64_t path[SITE_MAX_DEPTH];
};

/* As the profile names them. */
static const char *const kind_names[SITE_KINDS] = {
	[SITE_MALLOC] = "malloc",
	[SITE_CALLOC] = "calloc",
	[SITE_REALLOC] = "realloc",
	[SITE_REALLOCARRAY] = "reallocarray",
	[SITE_ALIGNED_ALLOC] = "aligned_alloc",
	[SITE_POSIX_MEMALIGN] = "posix_memalign",
	[SITE_MEMALIGN] = "memalign",
	[SITE_VALLOC] = "valloc",
	[SITE_PVALLOC] = "pvalloc",
	[SITE_NEW] = "new",
	[SITE_NEW_ARRAY] = "new[]",
	[SITE_MALLOCX] = "mallocx",
	[SITE_RALLOCX] = "rallocx",
	[SITE_MMAP] = "mmap",
	[SITE_SHMAT] = "shmat",
	[SITE_BRK] = "brk",
	[SITE_STACK] = "stack",
	[SITE_LOCAL] = "thread-local",
	[SITE_GO] = "mallocgc",
	[SITE_ALLOCATOR] = "allocator",
};

/*
 * The name in the profile: "malloc", "new[]", "mmap", or that of an allocator that the run was
 * given.
 */
static const char *kind_name(uint32_t kind, const char allocators[CHANNEL_ALLOCATOR_BYTES])
{
	const char *name = allocators, *end = allocators + CHANNEL_ALLOCATOR_BYTES - 1;

	if (kind < SITE_KINDS)
		return kind_names[kind];
	/* Each allocator has two names. */
	for (uint32_t i = 0; i < 2 * (kind - SITE_KINDS) && name < end; i++)
		name += strlen(name) + 1;
	return name < end && name[0] != '\0' ? name : "?";
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->items[i].name);
	free(s->items);
	map_release(&s->by_process);
	*s = (struct sites){0};
}

static uint64_t key_of(int64_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

static struct site *find(const struct sites *s, int64_t process, uint32_t number)
{
	uint64_t index;

	return map_get(&s->by_process, key_of(process, number), &index) ? &s->items[index] : NULL;
}

static int put(struct site *x, struct store *store, struct err *err)
{
	x->row.path = x->path; /* the array may have been moved */
	x->row.name = x->name;
	return store_put_site(store, &x->row, err);
}

int sites_add(struct sites *s, int64_t process, const struct record_site *rec, const int64_t *path,
	      int64_t *next_id, struct store *store, struct err *err)
{
	struct text name = {0};
	struct site *x;

	if (find(s, process, rec->id) != NULL)
		return 0;
	text_add_printable(&name, rec->name, strlen(rec->name)); /* unnamed sites get no copy */
	if (name.failed || !ARRAY_GROW(s) ||
	    map_set(&s->by_process, key_of(process, rec->id), s->count) != 0) {
		text_release(&name);
		return err_set(err, "out of memory");
	}
	x = &s->items[s->count++];
	*x = (struct site){
		.name = name.items,
		.kind = rec->kind,
		.row =
			{
				.id = (*next_id)++,
				.process_id = process,
				.kind = kind_name(rec->kind, s->allocators),
				.path_count = rec->depth,
				.element_size = rec->element_size,
			},
	};
	memcpy(x->path, path, rec->depth * sizeof(*path));
	return put(x, store, err);
}

int sites_count(struct sites *s, int64_t process, const struct record_site_counts *rec,
		struct store *store, struct err *err)
{
	struct site *x = find(s, process, rec->id);

	if (x == NULL)
		return 0;
	x->row.element_size = rec->element_size;
	x->row.blocks = rec->blocks;
	x->row.bytes = rec->bytes;
	x->row.live_blocks = rec->live_blocks;
	x->row.live_bytes = rec->live_bytes;
	x->row.peak_bytes = rec->peak_bytes;
	x->row.smallest = rec->smallest;
	x->row.largest = rec->largest;
	return put(x, store, err);
}

int64_t sites_find(const struct sites *s, int64_t process, uint32_t number)
{
	const struct site *x = number != 0 ? find(s, process, number) : NULL;

	return x != NULL ? x->row.id : 0;
}

size_t sites_path(const struct sites *s, size_t index, const int64_t **path)
{
	const struct site *x = &s->items[index];

	*path = x->path;
	return x->kind == SITE_STACK || x->kind == SITE_LOCAL || x->kind == SITE_ALLOCATOR
		       ? 0
		       : x->row.path_count;
}

void sites_sizes(const struct sites *s, size_t index, uint64_t *smallest, uint64_t *largest)
{
	*smallest = s->items[index].row.smallest;
	*largest = s->items[index].row.largest;
}

int sites_set_layout(struct sites *s, size_t index, int64_t layout, struct store *store,
		     struct err *err)
{
	s->items[index].row.layout_id = layout;
	return put(&s->items[index], store, err);
}

bool sites_may_hold_files(const struct sites *s, int64_t process, uint32_t number)
{
	const struct site *x = number != 0 ? find(s, process, number) : NULL;

	return x == NULL || x->kind == SITE_MMAP || x->kind == SITE_SHMAT || x->kind == SITE_BRK ||
	       x->kind == SITE_LOCAL;
}
