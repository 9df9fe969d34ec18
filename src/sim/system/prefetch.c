/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strides of instructions. */
#include "sim/system/prefetch.h"

#include <stddef.h>

#define SURE 2u /* repetitions that make a stride reliable */

int sim_strides_init(struct sim_strides *s, const struct sim_memory *memory)
{
	s->memory = memory;
	s->items = sim_take(memory, SIM_STRIDES * sizeof(*s->items));
	return s->items != NULL ? 0 : -1;
}

void sim_strides_release(struct sim_strides *s)
{
	if (s->memory != NULL)
		sim_give(s->memory, s->items, SIM_STRIDES * sizeof(*s->items));
	*s = (struct sim_strides){0};
}

uint64_t sim_strides_learn(struct sim_strides *s, uint32_t tag, uint64_t address,
			   unsigned line_shift)
{
	struct sim_stride *item = &s->items[tag % SIM_STRIDES];
	uint64_t line_bytes = (uint64_t)1 << line_shift;
	int64_t bytes = (int64_t)(address - item->address);

	if (item->tag != tag) {
		*item = (struct sim_stride){.address = address, .tag = tag};
		return address;
	}
	if (bytes == item->bytes)
		item->repeats++;
	else
		item->repeats = 0;
	item->bytes = bytes;
	item->address = address;
	if (item->repeats < SURE || bytes == 0)
		return address;
	if ((address + (uint64_t)bytes) >> line_shift != address >> line_shift)
		return address + (uint64_t)bytes;
	return bytes > 0 ? address + line_bytes : address - line_bytes;
}
