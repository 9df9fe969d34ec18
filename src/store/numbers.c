/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing and reading lists of integers; strict, for a file may hold anything. */
#include "store/numbers.h"

#include <assert.h>
#include <string.h>

#define NUMBER_BYTES 22 /* a sign, 19 digits and a zero in front, and what stands between */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* Two digits at a time: divisions are what this takes. */
static char *put_number(char *at, int64_t number)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[NUMBER_BYTES], *first = digits + sizeof(digits);

	for (; rest >= 100; rest /= 100) {
		first -= 2;
		memcpy(first, &pairs[rest % 100 * 2], 2);
	}
	first -= 2;
	memcpy(first, &pairs[rest * 2], 2);
	first += rest < 10;
	if (number < 0)
		*at++ = '-';
	memcpy(at, first, (size_t)(digits + sizeof(digits) - first));
	return at + (digits + sizeof(digits) - first);
}

void numbers_add(struct text *list, const int64_t *numbers, size_t count)
{
	char array[NUMBERS_MAX * NUMBER_BYTES + 3], *at = array;
	size_t i;

	assert(count > 0 && count <= NUMBERS_MAX);
	*at++ = list->count == 0 ? '[' : ',';
	for (i = 0; i < count; i++) {
		*at++ = i == 0 ? '[' : ',';
		at = put_number(at, numbers[i]);
	}
	*at++ = ']';
	text_add_bytes(list, array, (size_t)(at - array));
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
