/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the simulated stretches of a sampled simulation to the store. */
#include "store/stretches.h"
#include "collector/recorder_parts.h"

const char *recorder_on_stretch(struct recorder *r, struct process *p,
				const struct record_header *h)
{
	const struct record_stretch *s = (const void *)h;

	for (uint64_t i = 0; i < BIN_CACHES && !r->failed; i++) {
		const struct stretch_cache *c = &s->caches[i];
		const struct store_stretch row = {
			.process_id = p->row.id,
			.number = s->number,
			.cache = whose_cache_name(r, i),
			.signs = s->signs,
			.start = s->start,
			.accesses = s->accesses,
			.instructions = s->instructions,
			.misses = c->missed,
			.unknown = c->unknown,
			.above = c->above,
			.late = c->late,
			.half = c->half,
			.timed = c->timed,
			.dead = c->dead,
			.dead_late = c->dead_late,
		};

		if (row.cache == NULL && c->missed != 0)
			return "misses in a cache that there is not";
		if (row.cache != NULL)
			note(r, store_put_stretch(r->store, &row, &r->err));
	}
	return NULL;
}
