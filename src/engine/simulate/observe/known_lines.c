/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of lines that have left the first level; see known_lines.h. */
#include "engine/simulate/observe/known_lines.h"

#include "engine/core/util.h"

#define LINES	 (1u << KNOWN_LINES_BITS)
#define TAG_BITS 25u /* of a line of an address of 47 bits */
#define ONE_ERA	 (1u << TAG_BITS)

_Static_assert(sizeof(uint64_t) == 1u << KNOWN_ENTRY_SHIFT, "layout");

uint64_t *known_lines;
uint32_t known_lines_era = ONE_ERA;

static struct grow room;

bool known_lines_start(void)
{
	if (grow_init_whole(&room, LINES * sizeof *known_lines) != 0)
		return false;
	known_lines = (uint64_t *)(void *)room.base;
	return true;
}

void known_lines_set(uint64_t line, uint32_t label)
{
	const uint32_t tag = (uint32_t)(line >> KNOWN_LINES_BITS) | known_lines_era;

	known_lines[line % LINES] = tag | (uint64_t)label << 32;
}

void known_lines_forget(uint64_t line)
{
	known_lines[line % LINES] = 0;
}

void known_lines_forget_all(void)
{
	known_lines_era += ONE_ERA;
	if (known_lines_era)
		return;
	memset(known_lines, 0, LINES * sizeof *known_lines);
	known_lines_era = ONE_ERA;
}
