/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that lay at one address in turn; see eras.h. */
#include "engine/unwind/eras.h"

#include "engine/core/util.h"

/* Files at their places: further ones have era 0, as if nothing had been there before. */
#define MOST_PLACES 16384u

struct place {
	uint64_t start, end;
	uint64_t device, inode, modified_ns;
	uint64_t era;
};

static struct grow places;    /* struct place */
static struct grow positions; /* uint64_t, by era */
static uint32_t count, last_era;
bool eras_are_any;

static bool start(void)
{
	return places.base || (grow_init(&places, MOST_PLACES * sizeof(struct place)) == 0 &&
			       grow_init(&positions, (ERAS_MOST + 1) * sizeof(uint64_t)) == 0 &&
			       grow_take(&positions, sizeof(uint64_t)));
}

/* The era of the file at its place, if it was there before; else of a new one. */
static uint32_t find(const struct place *new, bool *is_known)
{
	const struct place *p = (const struct place *)(const void *)places.base;
	uint32_t era = 0;

	*is_known = false;
	for (uint32_t i = 0; i < count; i++) {
		if (p[i].start >= new->end || p[i].end <= new->start)
			continue;
		*is_known = p[i].start == new->start &&p[i].end == new->end &&p[i].device ==
			    new->device &&p[i].inode == new->inode &&p[i].modified_ns ==
			    new->modified_ns;
		if (*is_known)
			return (uint32_t)p[i].era;
		era = last_era + 1;
	}
	return era;
}

uint32_t eras_get(uint64_t from, uint64_t to, const struct module_file *file, uint64_t position)
{
	struct place new = {.start = from,
			    .end = to,
			    .device = file->device,
			    .inode = file->inode,
			    .modified_ns = file->modified_ns},
		     *place;
	bool is_known;
	uint64_t *at;

	if (!start())
		return 0;
	new.era = find(&new, &is_known);
	if (is_known || count == MOST_PLACES || new.era > ERAS_MOST)
		return is_known ? (uint32_t) new.era : 0;
	if (new.era != 0) {
		at = grow_take(&positions, sizeof *at);
		if (!at)
			return 0;
		*at = position;
		last_era++;
		eras_are_any = true;
	}
	place = grow_take(&places, sizeof *place);
	if (place) {
		*place = new;
		count++;
	}
	return (uint32_t) new.era;
}

uint64_t eras_position(uint64_t key)
{
	const uint32_t era = eras_of(key);

	return era ? ((const uint64_t *)(const void *)positions.base)[era] : 0;
}

void eras_forked(void)
{
	for (uint32_t era = 1; era <= last_era; era++)
		((uint64_t *)(void *)positions.base)[era] = 0;
}
