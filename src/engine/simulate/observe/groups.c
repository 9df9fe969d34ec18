/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with a data structure; see groups.h. */
#include "engine/simulate/observe/groups.h"

#include "engine/simulate/observe/numbering.h"
#include "engine/unwind/eras.h"
#include "engine/unwind/functions.h"

static struct numbering groups; /* key of the function (eras.h), structure */
struct grow groups_structures;

bool groups_start(void)
{
	return numbering_init(&groups, GROUP_MOST) == 0 &&
	       grow_init_whole(&groups_structures, GROUP_MOST * sizeof(uint32_t)) == 0;
}

uint32_t groups_get(uint64_t key, uint32_t structure)
{
	struct sim_function f = {0};
	uint32_t number;

	functions_find(0, eras_address(key), &f);
	number = numbering_get(&groups, eras_key_of(f.start, eras_of(key)), structure);
	if (number)
		((uint32_t *)(void *)groups_structures.base)[number] = structure;
	return number;
}

uint64_t groups_function(uint32_t group)
{
	return numbering_key(&groups, group)->a;
}
