/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines by what leads to them; see lines_table.h. */
#include "engine/simulate/calls/lines_table.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/simulate/calls/arcs_lines.h"

#define FIRST_PLACES 4096u

static struct {
	uint32_t *line; /* by hash of its key; 0: free */
	uint64_t places, used;
} all;

static bool are_equal(struct lines_key a, struct lines_key b)
{
	return a.target == b.target && a.site == b.site && a.node == b.node;
}

static uint64_t place_of(struct lines_key k)
{
	const uint64_t words[] = {k.target, (uint64_t)k.site << 32 | k.node};
	uint64_t at = hash_words(0, words, 2) & (all.places - 1);

	while (all.line[at] && !are_equal(arcs_info(all.line[at])->key, k))
		at = (at + 1) & (all.places - 1);
	return at;
}

static bool grow_places(void)
{
	const uint32_t *old = all.line;
	const uint64_t old_places = all.places, places = old ? 2 * old_places : FIRST_PLACES;
	uint32_t *new = pages_get(round_up(places * sizeof *new, PAGE));

	if (!new)
		return false;
	all.line = new;
	all.places = places;
	all.used = 0;
	for (uint64_t i = 0; i < old_places; i++)
		if (old[i] && arcs_info(old[i])->key.target != KEY_NOWHERE) {
			new[place_of(arcs_info(old[i])->key)] = old[i];
			all.used++;
		}
	if (old)
		pages_put((void *)(uintptr_t)old, round_up(old_places * sizeof *old, PAGE));
	return true;
}

uint32_t lines_find(struct lines_key k)
{
	return all.places ? all.line[place_of(k)] : 0;
}

bool lines_have_room(void)
{
	return 2 * all.used < all.places || grow_places();
}

void lines_keep(struct lines_key k, uint32_t line)
{
	all.line[place_of(k)] = line;
	all.used++;
	arcs_info(line)->key = k;
}

/* Its place stays taken until the table grows. */
void lines_drop(uint32_t line)
{
	arcs_info(line)->key.target = KEY_NOWHERE;
}

uint64_t lines_kept(void)
{
	return all.used;
}

void lines_forget(void)
{
	if (all.used)
		memset(all.line, 0, all.places * sizeof *all.line);
	all.used = 0;
}
