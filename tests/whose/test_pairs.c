/* SPDX-License-Identifier: GPL-2.0-or-later */
/* More pairs than are told apart: further ones are those of their data structures, and no other. */
#include "engine/simulate/observe/pairs.h"

#include <stdio.h>

#include "engine/simulate/observe/groups.h"
#include "engine/simulate/observe/structures.h"

#define GROUPS	   600u /* more pairs than there is room for */
#define STRUCTURES 7u
#define FIRST	   ((1u << STRUCTURE_BITS) - STRUCTURES) /* the highest ids */

struct grow groups_structures;

static uint32_t structures[GROUPS + 1];
static uint64_t counts[STRUCTURES][STRUCTURES];
#define SIGNS 0x5ac3u /* of the only stretch */

static uint64_t coarse, faults;

static void take(void *context, const struct pair *p, uint64_t count,
		 const int32_t contrasts[STRETCH_CONTRASTS])
{
	const uint32_t missed = p->are_groups ? groups_structure(p->missed) : p->missed;
	const uint32_t evictor = p->are_groups ? groups_structure(p->evictor) : p->evictor;

	(void)context;
	for (uint32_t i = 0; i < STRETCH_CONTRASTS; i++)
		faults += contrasts[i] != (SIGNS >> i & 1 ? (int32_t)count : -(int32_t)count);
	coarse += !p->are_groups;
	if (missed < FIRST || missed >= FIRST + STRUCTURES || evictor < FIRST ||
	    evictor >= FIRST + STRUCTURES || p->cache != BIN_FIRST_CODE || p->are_conflicts)
		faults++;
	else
		counts[missed - FIRST][evictor - FIRST] += count;
}

/* Groups of this structure. */
static uint64_t groups_of(uint32_t structure)
{
	uint64_t n = 0;

	for (uint32_t g = 1; g <= GROUPS; g++)
		n += structures[g] == FIRST + structure;
	return n;
}

int main(void)
{
	groups_structures.base = (uint8_t *)structures;
	for (uint32_t g = 1; g <= GROUPS; g++)
		structures[g] = FIRST + g % STRUCTURES;
	faults += !pairs_in_stretches();
	for (uint32_t a = 1; a <= GROUPS; a++)
		for (uint32_t b = 1; b <= GROUPS; b++)
			pairs_count(a, b, BIN_FIRST_CODE, false, 1, SIGNS);
	pairs_take(take, NULL);
	for (uint32_t a = 0; a < STRUCTURES; a++)
		for (uint32_t b = 0; b < STRUCTURES; b++)
			faults += counts[a][b] != groups_of(a) * groups_of(b);
	if (faults || !coarse)
		printf("%lu faults, %lu pairs of structures\n", (unsigned long)faults,
		       (unsigned long)coarse);
	return faults || !coarse;
}
