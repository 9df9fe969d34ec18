/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing and reading lists of integers; strict, for a file may hold anything. */
#include "store/numbers.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"

#define NUMBER_BYTES 21 /* a sign, 19 digits, and what stands between */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

static char *put_pair(char *at, uint64_t pair)
{
	memcpy(at, &pairs[pair * 2], 2);
	return at + 2;
}

/* The four digits of what is below 10,000. */
static char *put_four(char *at, uint64_t number)
{
	return put_pair(put_pair(at, number / 100), number % 100);
}

/* Without zeros in front. */
static char *put_up_to_two(char *at, uint64_t number)
{
	if (number >= 10)
		return put_pair(at, number);
	*at = (char)('0' + number);
	return at + 1;
}

static char *put_up_to_four(char *at, uint64_t number)
{
	if (number < 100)
		return put_up_to_two(at, number);
	return put_pair(put_up_to_two(at, number / 100), number % 100);
}

/*
 * In fours, whose digits do not wait for one another: most numbers are addresses and
 * positions of 10 to 15 digits, and this is a fifth of what a sample costs.
 */
static char *put_unsigned(char *at, uint64_t number)
{
	uint64_t low;

	if (number < 10000)
		return put_up_to_four(at, number);
	if (number < 100000000)
		return put_four(put_up_to_four(at, number / 10000), number % 10000);
	low = number % 100000000;
	at = put_unsigned(at, number / 100000000);
	return put_four(put_four(at, low / 10000), low % 10000);
}

static char *put_number(char *at, int64_t number)
{
	if (number >= 0)
		return put_unsigned(at, (uint64_t)number);
	*at++ = '-';
	return put_unsigned(at, -(uint64_t)number);
}

void numbers_add(struct text *list, const int64_t *numbers, size_t count)
{
	size_t i, most = count * NUMBER_BYTES + 3;
	char *at;

	assert(count > 0 && count <= NUMBERS_MAX);
	if (!array_reserve_in((void **)&list->items, &list->room, list->count + most, 1)) {
		list->failed = true;
		return;
	}
	at = list->items + list->count;
	*at++ = list->count == 0 ? '[' : ',';
	for (i = 0; i < count; i++) {
		*at++ = i == 0 ? '[' : ',';
		at = put_number(at, numbers[i]);
	}
	*at++ = ']';
	*at = '\0';
	list->count = (size_t)(at - list->items);
}

void numbers_end(struct text *list)
{
	text_add(list, "]");
}

/* Returns what follows the number, or NULL when there is none. */
static const char *get_number(const char *at, int64_t *number)
{
	bool is_negative = *at == '-';
	uint64_t value = 0;

	at += is_negative;
	if (*at < '0' || *at > '9')
		return NULL;
	for (; *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	*number = (int64_t)(is_negative ? -value : value);
	return at;
}

/* An inner array. Returns what follows it, or NULL when it is none. */
static const char *get_array(const char *at, struct numbers *n)
{
	n->count = 0;
	if (*at != '[')
		return NULL;
	do {
		at = n->count < NUMBERS_MAX ? get_number(at + 1, &n->items[n->count++]) : NULL;
	} while (at != NULL && *at == ',');
	return at != NULL && *at == ']' ? at + 1 : NULL;
}

struct numbers numbers_read(const char *list)
{
	struct numbers n;

	n.at = list;
	n.count = 0;
	n.is_bad = list == NULL || *list != '[';
	return n;
}

/* Between calls n->at is on the '[' of the list, on a ',' after an array, or on the last ']'. */
bool numbers_next(struct numbers *n)
{
	if (n->is_bad)
		return false;
	if (*n->at == ']') {
		n->is_bad = n->at[1] != '\0';
		return false;
	}
	n->at = *n->at == '[' || *n->at == ',' ? get_array(n->at + 1, n) : NULL;
	n->is_bad = n->at == NULL;
	return !n->is_bad;
}
