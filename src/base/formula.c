/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formulas: read by recursive descent into a list of steps for a stack machine; names that are
 * formulas are read in place.
 */
#include "base/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_NESTED 32	/* parentheses, and formulas in formulas */
#define MAX_DEPTH  256	/* of the stack */
#define MAX_STEPS  4096 /* more is no formula but a mistake: doubling formulas, one in another */

enum step_kind { STEP_NUMBER, STEP_VALUE, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE };

struct step {
	enum step_kind kind;
	double number;
	size_t index;
};

struct formula {
	struct step *items;
	size_t count, room;
	size_t depth; /* of the stack */
};

struct reading {
	struct formula *f;
	const struct formula_name *names;
	size_t name_count;
	const char *text, *at;
	size_t depth; /* of the stack, now */
	unsigned nested;
	struct err *err;
};

static int add(struct reading *r, struct step step)
{
	if (r->f->count >= MAX_STEPS)
		return err_set(r->err, "the formula '%.100s' is too long", r->text);
	if (!ARRAY_GROW(r->f))
		return err_set(r->err, "not enough memory for a formula");
	r->f->items[r->f->count++] = step;
	if (step.kind == STEP_NUMBER || step.kind == STEP_VALUE)
		r->depth++;
	else
		r->depth--;
	if (r->depth > r->f->depth)
		r->f->depth = r->depth;
	if (r->f->depth > MAX_DEPTH)
		return err_set(r->err, "the formula '%.100s' is nested too deeply", r->text);
	return 0;
}

static void skip_blanks(struct reading *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static int fail_here(struct reading *r, const char *wanted)
{
	if (*r->at == '\0')
		return err_set(r->err, "the formula '%.100s' ends where %s should be", r->text,
			       wanted);
	return err_set(r->err, "the formula '%.100s' has '%.20s' where %s should be", r->text,
		       r->at, wanted);
}

size_t formula_name_length(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static int read_sum(struct reading *r);

static int read_formula_of(struct reading *r, const struct formula_name *name)
{
	struct reading inner = *r;

	if (++inner.nested > MAX_NESTED)
		return err_set(r->err, "the formula of '%s' leads back to itself", name->name);
	inner.text = inner.at = name->formula;
	if (read_sum(&inner) != 0)
		return -1;
	if (*inner.at != '\0')
		return fail_here(&inner, "an operator");
	r->depth = inner.depth;
	return 0;
}

static int read_name(struct reading *r)
{
	size_t length = formula_name_length(r->at);

	for (size_t i = 0; i < r->name_count; i++) {
		const struct formula_name *n = &r->names[i];

		if (strlen(n->name) != length || strncmp(n->name, r->at, length) != 0)
			continue;
		r->at += length;
		if (n->formula != NULL)
			return read_formula_of(r, n);
		return add(r, (struct step){.kind = STEP_VALUE, .index = n->index});
	}
	return err_set(r->err, "'%.*s' is no event of the profile",
		       (int)(length < 100 ? length : 100), r->at);
}

/* strtod would take "inf", hexadecimals and, by locale, other points. */
static int read_number(struct reading *r)
{
	double number = 0, unit = 1;

	for (; isdigit((unsigned char)*r->at); r->at++)
		number = number * 10 + (*r->at - '0');
	if (*r->at == '.')
		for (r->at++; isdigit((unsigned char)*r->at); r->at++) {
			unit /= 10;
			number += unit * (*r->at - '0');
		}
	return add(r, (struct step){.kind = STEP_NUMBER, .number = number});
}

static bool begins_number(const char *s)
{
	return isdigit((unsigned char)s[0]) || (s[0] == '.' && isdigit((unsigned char)s[1]));
}

static int read_parentheses(struct reading *r)
{
	r->at++;
	if (++r->nested > MAX_NESTED)
		return err_set(r->err, "the formula '%.100s' is nested too deeply", r->text);
	if (read_sum(r) != 0)
		return -1;
	if (*r->at != ')')
		return fail_here(r, "')'");
	r->at++;
	r->nested--;
	return 0;
}

/* A number, a name, or a sum in parentheses; "10 L1m" is a product. */
static int read_factor(struct reading *r)
{
	skip_blanks(r);
	if (*r->at == '(')
		return read_parentheses(r);
	if (formula_name_length(r->at) > 0)
		return read_name(r);
	if (!begins_number(r->at))
		return fail_here(r, "a name or a number");
	if (read_number(r) != 0)
		return -1;
	skip_blanks(r);
	if (*r->at != '(' && formula_name_length(r->at) == 0)
		return 0;
	if ((*r->at == '(' ? read_parentheses(r) : read_name(r)) != 0)
		return -1;
	return add(r, (struct step){.kind = STEP_MULTIPLY});
}

static int read_product(struct reading *r)
{
	if (read_factor(r) != 0)
		return -1;
	for (skip_blanks(r); *r->at == '*' || *r->at == '/'; skip_blanks(r)) {
		bool divide = *r->at++ == '/';

		if (read_factor(r) != 0 ||
		    add(r, (struct step){.kind = divide ? STEP_DIVIDE : STEP_MULTIPLY}) != 0)
			return -1;
	}
	return 0;
}

static int read_sum(struct reading *r)
{
	skip_blanks(r);
	/* A sign in front: from 0 it is a sum like others. */
	if (*r->at == '+' || *r->at == '-') {
		if (add(r, (struct step){.kind = STEP_NUMBER}) != 0)
			return -1;
	} else if (read_product(r) != 0) {
		return -1;
	}
	for (skip_blanks(r); *r->at == '+' || *r->at == '-'; skip_blanks(r)) {
		bool subtract = *r->at++ == '-';

		if (read_product(r) != 0 ||
		    add(r, (struct step){.kind = subtract ? STEP_SUBTRACT : STEP_ADD}) != 0)
			return -1;
	}
	return 0;
}

struct formula *formula_parse(const char *text, const struct formula_name *names, size_t count,
			      struct err *err)
{
	struct formula *f = calloc(1, sizeof(*f));
	struct reading r = {.f = f, .names = names, .name_count = count, .err = err};
	int status;

	if (f == NULL) {
		err_set(err, "not enough memory for a formula");
		return NULL;
	}
	r.text = r.at = text;
	status = read_sum(&r);
	if (status == 0 && *r.at != '\0')
		status = fail_here(&r, "an operator");
	if (status == 0)
		return f;
	formula_free(f);
	return NULL;
}

void formula_free(struct formula *f)
{
	if (f == NULL)
		return;
	free(f->items);
	free(f);
}

static double apply(enum step_kind kind, double a, double b)
{
	switch (kind) {
	case STEP_ADD:
		return a + b;
	case STEP_SUBTRACT:
		return a - b;
	case STEP_MULTIPLY:
		return a * b;
	default:
		return b != 0 ? a / b : 0;
	}
}

static double value(const struct formula *f, const uint64_t *counts, const double *numbers)
{
	double stack[MAX_DEPTH];
	size_t depth = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct step *s = &f->items[i];

		if (s->kind == STEP_NUMBER) {
			stack[depth++] = s->number;
		} else if (s->kind == STEP_VALUE) {
			stack[depth++] =
				counts != NULL ? (double)counts[s->index] : numbers[s->index];
		} else {
			depth--;
			stack[depth - 1] = apply(s->kind, stack[depth - 1], stack[depth]);
		}
	}
	return stack[0];
}

double formula_value(const struct formula *f, const uint64_t *values)
{
	return value(f, values, NULL);
}

double formula_value_of(const struct formula *f, const double *values)
{
	return value(f, NULL, values);
}

/* ---- Sums ---- */

/*
 * Each step's result is a sum of values with factors, and a constant, or no such thing. A row of
 * the stack has the factors and then the constant.
 */
static bool has_values(const double *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (row[i] != 0)
			return true;
	return false;
}

static bool apply_to_rows(enum step_kind kind, double *a, const double *b, size_t count)
{
	double constant;

	switch (kind) {
	case STEP_ADD:
	case STEP_SUBTRACT:
		for (size_t i = 0; i <= count; i++)
			a[i] += kind == STEP_ADD ? b[i] : -b[i];
		return true;
	case STEP_MULTIPLY:
		if (has_values(a, count) && has_values(b, count))
			return false;
		constant = has_values(a, count) ? b[count] : a[count];
		if (!has_values(a, count))
			memcpy(a, b, (count + 1) * sizeof(*a));
		for (size_t i = 0; i <= count; i++)
			a[i] *= constant;
		return true;
	default:
		if (has_values(b, count) || b[count] == 0)
			return false;
		for (size_t i = 0; i <= count; i++)
			a[i] /= b[count];
		return true;
	}
}

bool formula_is_sum(const struct formula *f, double *factors, size_t count)
{
	size_t row = count + 1, depth = 0;
	double *stack = calloc((f->depth + 1) * row, sizeof(*stack));
	bool ok = stack != NULL;

	for (size_t i = 0; ok && i < f->count; i++) {
		const struct step *s = &f->items[i];
		double *top = stack + depth * row;

		if (s->kind == STEP_NUMBER || s->kind == STEP_VALUE) {
			memset(top, 0, row * sizeof(*top));
			if (s->kind == STEP_NUMBER)
				top[count] = s->number;
			else if (s->index < count)
				top[s->index] = 1;
			depth++;
		} else {
			depth--;
			ok = apply_to_rows(s->kind, top - 2 * row, top - row, count);
		}
	}
	ok = ok && stack[count] == 0;
	if (ok)
		memcpy(factors, stack, count * sizeof(*factors));
	free(stack);
	return ok;
}
