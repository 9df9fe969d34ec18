/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads lists of numbers. Reading is strict: a file may hold anything. */
#include "store/numbers.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"

#define NUMBER_BYTES 21 /* sign, 19 digits, separator */
#define SPARE_BYTES  8	/* put_up_to_eight may write this many bytes more */
#define EIGHT	     ((uint64_t)100000000)

/* The eight digits of a number below 10^8, each from 0 to 9, the first one in the lowest byte. */
static uint64_t eight_digits(uint64_t number)
{
	/*
	 * Split into two numbers of four digits, then four of two, then eight of one; each step in
	 * parallel.
	 */
	uint64_t fours = number / 10000 | number % 10000 << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007fu;
	uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
	uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fu;

	return tens | (twos - tens * 10) << 8;
}

static char *put_eight(char *at, uint64_t number)
{
	uint64_t text = eight_digits(number) + 0x3030303030303030u;

	memcpy(at, &text, sizeof(text));
	return at + 8;
}

/* Put a number without leading zeros; not for 0. Always writes eight bytes. */
static char *put_up_to_eight(char *at, uint64_t number)
{
	uint64_t digits = eight_digits(number), text;
	unsigned zeros = (unsigned)__builtin_ctzll(digits) / 8;

	text = (digits + 0x3030303030303030u) >> 8 * zeros;
	memcpy(at, &text, sizeof(text));
	return at + 8 - zeros;
}

/*
 * No branch depends on the number of digits, which would be mispredicted; only on the number of
 * eight-digit groups.
 */
static char *put_unsigned(char *at, uint64_t number)
{
	if (number < 10) {
		*at = (char)('0' + number);
		return at + 1;
	}
	if (number < EIGHT)
		return put_up_to_eight(at, number);
	if (number < EIGHT * EIGHT)
		return put_eight(put_up_to_eight(at, number / EIGHT), number % EIGHT);
	at = put_up_to_eight(at, number / (EIGHT * EIGHT));
	number %= EIGHT * EIGHT;
	return put_eight(put_eight(at, number / EIGHT), number % EIGHT);
}

static char *put_number(char *at, int64_t number)
{
	if (number >= 0)
		return put_unsigned(at, (uint64_t)number);
	*at++ = '-';
	return put_unsigned(at, -(uint64_t)number);
}

/*
 * Three of four numbers in a profile's lists are short: sizes, kinds, distances to near addresses.
 * Their texts, with a comma, are in a table: the bytes in the lower part, their number in the
 * highest byte.
 */
#define LEAST_READY (-128)
#define READY	    512

#define DIGIT(n, unit)	((uint64_t)('0' + (n) / (unit) % 10))
#define BYTES(text, n)	((text) | (uint64_t)(n) << 56)
#define ONE_DIGIT(n)	BYTES(DIGIT(n, 1) | ',' << 8, 2)
#define TWO_DIGITS(n)	BYTES(DIGIT(n, 10) | DIGIT(n, 1) << 8 | ',' << 16, 3)
#define THREE_DIGITS(n) BYTES(DIGIT(n, 100) | DIGIT(n, 10) << 8 | DIGIT(n, 1) << 16 | ',' << 24, 4)
#define UNSIGNED(n)	((n) < 10 ? ONE_DIGIT(n) : (n) < 100 ? TWO_DIGITS(n) : THREE_DIGITS(n))
/* Shift in the sign. That shifts out the number of bytes, which is added again, plus one. */
#define NEGATIVE(n) BYTES(UNSIGNED(-(n)) << 8 | '-', (UNSIGNED(-(n)) >> 56) + 1)
#define ENTRY(n)    ((n) < 0 ? NEGATIVE(n) : UNSIGNED(n))
#define FOUR(n)	    ENTRY(n), ENTRY((n) + 1), ENTRY((n) + 2), ENTRY((n) + 3)
#define SIXTEEN(n)  FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY4(n)   SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)

static const uint64_t ready[] = {
	SIXTY4(LEAST_READY),	   SIXTY4(LEAST_READY + 64),  SIXTY4(LEAST_READY + 128),
	SIXTY4(LEAST_READY + 192), SIXTY4(LEAST_READY + 256), SIXTY4(LEAST_READY + 320),
	SIXTY4(LEAST_READY + 384), SIXTY4(LEAST_READY + 448),
};
static_assert(sizeof(ready) / sizeof(ready[0]) == READY, "an entry for each short number");

static char *put_with_comma(char *at, int64_t number)
{
	uint64_t place = (uint64_t)number - (uint64_t)LEAST_READY;

	if (place < READY) {
		memcpy(at, &ready[place], sizeof(ready[place]));
		return at + (ready[place] >> 56);
	}
	at = put_number(at, number);
	*at++ = ',';
	return at;
}

void numbers_array(struct text *to, const int64_t *numbers, size_t count)
{
	size_t i, most = count * NUMBER_BYTES + 3 + SPARE_BYTES;
	char *at;

	if (!array_reserve_in((void **)&to->items, &to->room, to->count + most, 1)) {
		to->failed = true;
		return;
	}
	at = to->items + to->count;
	*at++ = '[';
	for (i = 0; i < count; i++)
		at = put_with_comma(at, numbers[i]);
	if (count > 0)
		at--; /* replace the last comma */
	*at++ = ']';
	*at = '\0';
	to->count = (size_t)(at - to->items);
}

void numbers_add(struct text *list, const int64_t *numbers, size_t count)
{
	assert(count > 0 && count <= NUMBERS_MAX);
	text_add(list, list->count == 0 ? "[" : ",");
	numbers_array(list, numbers, count);
}

void numbers_end(struct text *list)
{
	text_add(list, "]");
}

#define FRACTION_DIGITS 3
#define FRACTION	1000u /* 10 to that */
#define REAL_MOST	1e15  /* FRACTION times as much is an integer */

/* Without zeros at the end of the fraction. */
static char *put_real(char *at, double number)
{
	double limited = number > 0 ? number < REAL_MOST ? number : REAL_MOST : 0;
	uint64_t parts = (uint64_t)(limited * FRACTION + 0.5), rest = parts % FRACTION;

	at = put_unsigned(at, parts / FRACTION);
	if (rest > 0)
		*at++ = '.';
	for (uint64_t unit = FRACTION / 10; rest > 0; rest %= unit, unit /= 10)
		*at++ = (char)('0' + rest / unit);
	return at;
}

void numbers_reals(struct text *to, const double *numbers, size_t count)
{
	size_t most = count * (NUMBER_BYTES + 1 + FRACTION_DIGITS) + 3 + SPARE_BYTES;
	char *at;

	if (!array_reserve_in((void **)&to->items, &to->room, to->count + most, 1)) {
		to->failed = true;
		return;
	}
	at = to->items + to->count;
	*at++ = '[';
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			*at++ = ',';
		at = put_real(at, numbers[i]);
	}
	*at++ = ']';
	*at = '\0';
	to->count = (size_t)(at - to->items);
}

/* Returns the text after the number, or NULL if there is none. */
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

static const char *get_real(const char *at, double *number)
{
	double digits = 0, unit = 1;
	int64_t whole;

	at = *at != '-' ? get_number(at, &whole) : NULL;
	if (at == NULL || whole < 0)
		return NULL;
	*number = (double)whole;
	if (*at != '.')
		return at;
	for (at++; *at >= '0' && *at <= '9'; at++) {
		if (unit >= REAL_MOST)
			return NULL;
		digits = digits * 10 + (*at - '0');
		unit *= 10;
	}
	*number += digits / unit;
	return at;
}

bool numbers_read_reals(const char *array, double *numbers, size_t room, size_t *count)
{
	const char *at = array;

	*count = 0;
	if (array == NULL || *at != '[')
		return false;
	if (strcmp(at, "[]") == 0)
		return true;
	do {
		at = *count < room ? get_real(at + 1, &numbers[(*count)++]) : NULL;
	} while (at != NULL && *at == ',');
	return at != NULL && strcmp(at, "]") == 0;
}

/* Read an inner array. Returns the text after it, or NULL if it is invalid. */
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

/* Between calls n->at is at the '[' of the list, at a ',' after an array, or at the last ']'. */
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
