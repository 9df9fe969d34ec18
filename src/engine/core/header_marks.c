/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits in the channel's header that all processes share: what they have found and entered. */
#include "engine/core/records.h"

static void set_bits(uint32_t *there, uint32_t bits)
{
	if ((__atomic_load_n(there, __ATOMIC_RELAXED) & bits) != bits)
		__atomic_fetch_or(there, bits, __ATOMIC_RELAXED);
}

void records_mark(uint32_t marks)
{
	struct channel_header *h = records_header();

	if (h)
		set_bits(&h->marks, marks);
}

void records_toggle(uint32_t number, bool is_entered)
{
	struct channel_header *h = records_header();

	if (h)
		set_bits(is_entered ? &h->toggles_entered : &h->toggles_found, 1u << number);
}

void records_allocator(uint32_t bit)
{
	struct channel_header *h = records_header();

	if (h)
		set_bits(&h->allocators_found, 1u << bit);
}
