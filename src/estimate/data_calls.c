/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares and numbers rows; see data_calls.h. */
#include "estimate/data_calls.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/* Calls of a line, or of a function without lines, that are distinguished. */
#define MOST_CALLS 8

static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

int data_compare_rows(const struct data_row *x, const struct data_row *y)
{
	int order = (int)x->kind - (int)y->kind;

	if (order == 0)
		order = compare_text(x->name, y->name);
	if (order == 0)
		order = compare_text(x->file, y->file);
	if (order == 0)
		order = compare_text(x->module, y->module);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order;
}

int data_compare_placed(const void *a, const void *b)
{
	const struct data_row *x = &((const struct data_placed_row *)a)->row;
	const struct data_row *y = &((const struct data_placed_row *)b)->row;
	int order = data_compare_rows(x, y);

	return order != 0 ? order : (x->call_pc > y->call_pc) - (x->call_pc < y->call_pc);
}

/* "f [2 of 3]"; or a name that other versions of a program keep: "f", "f [2]", "f [3]". */
static void put_name(const char *name, uint32_t call, uint32_t calls, enum data_by by,
		     struct text *out)
{
	text_add(out, name);
	if (by != DATA_BY_ORDER)
		text_addf(out, " [%" PRIu32 " of %" PRIu32 "]", call, calls);
	else if (call > 1)
		text_addf(out, " [%" PRIu32 "]", call);
}

/* Number the calls of n equal rows. */
static void number_calls(struct data *d, struct data_placed_row *rows, size_t n, enum data_by by)
{
	uint32_t calls = 1, call = 1;

	for (size_t i = 1; i < n; i++)
		calls += rows[i].row.call_pc != rows[i - 1].row.call_pc;
	if (calls == 1 || calls > MOST_CALLS)
		return;
	for (size_t i = 0; i < n; i++) {
		struct text name = {0};

		call += i > 0 && rows[i].row.call_pc != rows[i - 1].row.call_pc;
		put_name(rows[i].row.unnumbered, call, calls, by, &name);
		if (!name.failed)
			rows[i].row.name = arena_strdup(&d->strings, text_get(&name));
		text_release(&name);
	}
}

void data_number_calls(struct data *d, struct data_placed_row *rows, size_t n, enum data_by by)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (data_compare_rows(&rows[i].row, &rows[end].row) != 0)
				break;
		number_calls(d, rows + i, end - i, by);
	}
}
