/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as text. A row for each would cost SQLite 2.5 us, most of what the
 * collector does in a run; so those that come one after another in a window
 * make one row with a JSON list, 0.6 us each, and the view `sample` shows them as rows.
 */
#include "store/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/query.h"

/* The numbers of a sample in the order of the list; without a reuse only those before the end. */
enum { AT_BEGIN = 4, AT_END = 9, NUMBER_COUNT = 14 };

#define NUMBER_BYTES 21 /* a sign, 19 digits, and what stands between */

static char *put_number(char *at, int64_t number)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[NUMBER_BYTES];
	size_t i = 0;

	do
		digits[i++] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (number < 0)
		*at++ = '-';
	while (i > 0)
		*at++ = digits[--i];
	return at;
}

static void access_to_numbers(const struct store_access *a, int64_t numbers[5])
{
	numbers[0] = a->location;
	numbers[1] = (int64_t)a->address;
	numbers[2] = a->size;
	numbers[3] = a->kind;
	numbers[4] = a->thread;
}

static struct store_access numbers_to_access(const int64_t numbers[5])
{
	return (struct store_access){
		.location = numbers[0],
		.address = (uint64_t)numbers[1],
		.size = (uint32_t)numbers[2],
		.kind = (uint16_t)numbers[3],
		.thread = (uint16_t)numbers[4],
	};
}

void samples_add(struct text *list, const struct store_sample *x)
{
	int64_t numbers[NUMBER_COUNT] = {x->status, (int64_t)x->position, (int64_t)x->distance,
					 (int64_t)x->line};
	size_t count = x->end.location == STORE_NONE ? AT_END : NUMBER_COUNT, i;
	char row[NUMBER_COUNT * NUMBER_BYTES + 3], *at = row;

	access_to_numbers(&x->begin, numbers + AT_BEGIN);
	access_to_numbers(&x->end, numbers + AT_END);
	*at++ = list->count == 0 ? '[' : ',';
	for (i = 0; i < count; i++) {
		*at++ = i == 0 ? '[' : ',';
		at = put_number(at, numbers[i]);
	}
	*at++ = ']';
	text_add_bytes(list, row, (size_t)(at - row));
}

void samples_end(struct text *list)
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

/* One sample of the list. Returns what follows it, or NULL when it is none. */
static const char *get_sample(const char *at, struct store_sample *x)
{
	int64_t numbers[NUMBER_COUNT];
	size_t count = 0;

	if (*at != '[')
		return NULL;
	do {
		at = count < NUMBER_COUNT ? get_number(at + 1, &numbers[count++]) : NULL;
	} while (at != NULL && *at == ',');
	if (at == NULL || *at != ']' || (count != NUMBER_COUNT && count != AT_END))
		return NULL;
	x->status = (uint32_t)numbers[0];
	x->position = (uint64_t)numbers[1];
	x->distance = (uint64_t)numbers[2];
	x->line = (uint64_t)numbers[3];
	x->begin = numbers_to_access(numbers + AT_BEGIN);
	x->end = (struct store_access){.location = STORE_NONE};
	if (count == NUMBER_COUNT)
		x->end = numbers_to_access(numbers + AT_END);
	return at + 1;
}

struct sample_list {
	struct store_sample *items;
	size_t count, room;
};

/* Take a row of sample_batch apart. */
static int add_batch(struct store *s, sqlite3_stmt *q, struct sample_list *samples, struct err *err)
{
	struct store_sample x = {
		.process_id = sqlite3_column_int64(q, 0),
		.window = (uint32_t)sqlite3_column_int64(q, 1),
	};
	const char *at = (const char *)sqlite3_column_text(q, 2);

	if (at == NULL || *at != '[')
		return err_set(err, "profile '%s' is truncated or damaged", s->path);
	do {
		at = get_sample(at + 1, &x);
		if (at == NULL)
			return err_set(err, "profile '%s' is truncated or damaged", s->path);
		if (!ARRAY_GROW(samples))
			return err_set(err, "out of memory");
		samples->items[samples->count++] = x;
	} while (*at == ',');
	if (strcmp(at, "]") != 0)
		return err_set(err, "profile '%s' is truncated or damaged", s->path);
	return 0;
}

int store_read_samples(struct store *s, int64_t process, struct store_sample **items, size_t *count,
		       struct err *err)
{
	static const char sql[] = "SELECT process_id, window, list FROM sample_batch"
				  " WHERE ?1 < 0 OR process_id = ?1"
				  " ORDER BY process_id, window, first_id";
	struct sample_list samples = {0};
	sqlite3_stmt *q = NULL;
	int code, status = 0;

	*items = NULL;
	*count = 0;
	if (query_prepare(s, sql, process, &q, err) != 0)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW && status == 0)
		status = add_batch(s, q, &samples, err);
	if (status == 0 && code != SQLITE_DONE)
		status = store_fail(s, "read", err);
	sqlite3_finalize(q);
	if (status != 0) {
		free(samples.items);
		return -1;
	}
	*items = samples.items;
	*count = samples.count;
	return 0;
}
