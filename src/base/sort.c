/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Radix sort, from the lowest byte of the keys to the highest. Addresses of one file differ in
 * three or four bytes only; equal bytes need no pass.
 */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 8, DIGITS = 256 };

static unsigned digit(const struct sort_item *item, unsigned byte)
{
	return (unsigned)(item->key >> 8 * byte) & (DIGITS - 1);
}

/* Turn the counts of digits into the places of their first items. */
static void counts_to_places(size_t at[DIGITS])
{
	size_t sum = 0;

	for (size_t i = 0; i < DIGITS; i++) {
		size_t n = at[i];

		at[i] = sum;
		sum += n;
	}
}

/* Distribute by one byte. Returns 0, without changes, if it is the same in all keys. */
static int pass(const struct sort_item *from, struct sort_item *to, size_t count, unsigned byte)
{
	size_t at[DIGITS] = {0}, i;

	for (i = 0; i < count; i++)
		at[digit(&from[i], byte)]++;
	if (at[digit(&from[0], byte)] == count)
		return 0;
	counts_to_places(at);
	for (i = 0; i < count; i++)
		to[at[digit(&from[i], byte)]++] = from[i];
	return 1;
}

int sort_by_key(struct sort_item *items, size_t count)
{
	struct sort_item *other, *from = items, *to;
	unsigned byte;

	if (count < 2)
		return 0;
	other = calloc(count, sizeof(*other));
	if (other == NULL)
		return -1;
	to = other;
	for (byte = 0; byte < KEY_BYTES; byte++) {
		if (pass(from, to, count, byte)) {
			struct sort_item *sorted = to;

			to = from;
			from = sorted;
		}
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
	free(other);
	return 0;
}

static int pass_numbers(const uint64_t *from, uint64_t *to, size_t count, unsigned byte)
{
	size_t at[DIGITS] = {0}, i;

	for (i = 0; i < count; i++)
		at[from[i] >> 8 * byte & (DIGITS - 1)]++;
	if (at[from[0] >> 8 * byte & (DIGITS - 1)] == count)
		return 0;
	counts_to_places(at);
	for (i = 0; i < count; i++)
		to[at[from[i] >> 8 * byte & (DIGITS - 1)]++] = from[i];
	return 1;
}

int sort_by_upper_half(uint64_t *numbers, size_t count)
{
	uint64_t *other, *from = numbers, *to;
	unsigned byte;

	if (count < 2)
		return 0;
	other = malloc(count * sizeof(*other));
	if (other == NULL)
		return -1;
	to = other;
	for (byte = KEY_BYTES / 2; byte < KEY_BYTES; byte++) {
		if (pass_numbers(from, to, count, byte)) {
			uint64_t *sorted = to;

			to = from;
			from = sorted;
		}
	}
	if (from != numbers)
		memcpy(numbers, from, count * sizeof(*numbers));
	free(other);
	return 0;
}
