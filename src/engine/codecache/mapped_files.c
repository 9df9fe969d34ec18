/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are mapped; see mapped_files.h. */
#include "engine/codecache/mapped_files.h"

#include "engine/core/state.h"
#include "engine/core/util.h"

#define FIRST_PLACES 256u

struct mapped_file {
	uint64_t id; /* 0: free */
	uint32_t mappings, shared;
	bool has_code;
};

/* By hash, at most half full. Files are never removed: they may be mapped again. */
static struct {
	struct mapped_file *file;
	uint64_t places, used;
	bool lost; /* some file is not known */
} all;

static struct mapped_file *place_of(uint64_t id)
{
	uint64_t at = hash_words(0, &id, 1) & (all.places - 1);

	while (all.file[at].id && all.file[at].id != id)
		at = (at + 1) & (all.places - 1);
	return &all.file[at];
}

static bool grow_places(void)
{
	struct mapped_file *old = all.file, *new;
	const uint64_t old_places = all.places, places = old ? 2 * old_places : FIRST_PLACES;

	new = pages_get(round_up(places * sizeof *new, PAGE));
	if (!new)
		return false;
	all.file = new;
	all.places = places;
	for (uint64_t i = 0; i < old_places; i++)
		if (old[i].id)
			*place_of(old[i].id) = old[i];
	if (old)
		pages_put(old, round_up(old_places * sizeof *old, PAGE));
	return true;
}

/* NULL: not known. */
static struct mapped_file *find(uint64_t id)
{
	struct mapped_file *f = id && all.places ? place_of(id) : 0;

	return f && f->id ? f : 0;
}

/* NULL: there is no memory. */
static struct mapped_file *find_or_make(uint64_t id)
{
	struct mapped_file *f = find(id);

	if (f || !id)
		return f;
	if (2 * all.used >= all.places && !grow_places()) {
		all.lost = true;
		return 0;
	}
	all.used++;
	f = place_of(id);
	f->id = id;
	return f;
}

void mapped_files_add(uint64_t id, bool is_shared)
{
	struct mapped_file *f = find_or_make(id);

	if (!f)
		return;
	f->mappings++;
	f->shared += is_shared;
}

void mapped_files_remove(uint64_t id, bool is_shared)
{
	struct mapped_file *f = find(id);

	if (!f)
		return;
	f->mappings -= f->mappings > 0;
	f->shared -= is_shared && f->shared > 0;
}

void mapped_files_note_code(uint64_t id)
{
	struct mapped_file *f = find_or_make(id);

	if (f)
		f->has_code = true;
}

bool mapped_files_have_code(uint64_t id)
{
	const struct mapped_file *f = find(id);

	return f ? f->has_code : all.lost;
}

bool mapped_files_have_shared(uint64_t id)
{
	const struct mapped_file *f = find(id);

	return f && f->shared;
}

bool mapped_files_are_shared(uint64_t id)
{
	const struct mapped_file *f = find(id);

	return f && f->shared == f->mappings;
}
