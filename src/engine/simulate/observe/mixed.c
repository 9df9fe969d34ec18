/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of lines that several data structures share; see mixed.h. */
#include "engine/simulate/observe/mixed.h"

#include "engine/core/util.h"
#include "engine/data/alloc.h"

#define LINE	 64u
#define PIECE	 4u
#define OF_PLACE (LINE / PIECE)

uint8_t *mixed_labels; /* as if the first place were at address 0 */

static struct grow room;

bool mixed_start(uint32_t first_stamp, uint64_t places)
{
	if (grow_init_whole(&room, places * LINE) != 0)
		return false;
	mixed_labels = room.base - ((uint64_t)first_stamp << MIXED_PLACE_SHIFT);
	return true;
}

static uint32_t *labels_of(uint32_t place)
{
	return (uint32_t *)(void *)(mixed_labels + ((uint64_t)place << MIXED_PLACE_SHIFT));
}

void mixed_clear(uint32_t place)
{
	memset(labels_of(place), 0, LINE);
}

void mixed_forget(uint32_t place, uint64_t line, uint64_t start, uint64_t end)
{
	uint32_t *labels = labels_of(place);
	const uint64_t from = start > line ? start - line : 0,
		       to = end - line < LINE ? end - line : LINE;

	for (uint64_t i = from / PIECE; i * PIECE < to; i++)
		labels[i] = 0;
}

/* The memory around the address that belongs to s, and is quickly found. `line`: around it, too. */
static void find_part(const struct structure *s, uint64_t line, uint64_t address, uint64_t *start,
		      uint64_t *end)
{
	struct structure here = *s;

	here.start = here.is_whole && here.start < line ? line : here.start;
	here.end = here.end > line + LINE ? line + LINE : here.end;
	*start = here.start;
	*end = here.end;
	if (here.is_plain)
		return;
	*end = structures_end(&here, address);
	if (!here.is_whole || *end == address + 1 || alloc_has_blocks(here.start + 1, address + 1))
		*start = address;
}

void mixed_set(uint32_t place, uint64_t address, const struct structure *s, uint32_t label)
{
	const uint64_t line = address & -(uint64_t)LINE;
	uint32_t *labels = labels_of(place);
	uint64_t start, end;

	find_part(s, line, address, &start, &end);
	for (uint64_t at = (start + PIECE - 1) & -(uint64_t)PIECE; at < end; at += PIECE) {
		const uint32_t bytes = end - at < PIECE ? (uint32_t)(end - at) : PIECE;

		labels[(at - line) / PIECE] = label | (bytes - 1) << MIXED_LABEL_BITS;
	}
}
