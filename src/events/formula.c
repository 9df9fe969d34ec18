/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parser by recursive descent, which writes the steps of a stack machine. */
#include "events/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* nested brackets and signs; at most twice this many values are on the stack */
#define MAX_DEPTH 50

struct formula_step {
	enum {
		STEP_NUMBER,
		STEP_COLUMN,
		STEP_NEGATE,
		STEP_ADD,
		STEP_SUBTRACT,
		STEP_MULTIPLY,
		STEP_DIVIDE,
	} kind;
	double number;
	size_t column;
};

struct parser {
	struct formula *f;
	const char *text, *at;
	formula_lookup *lookup;
	const void *context;
	unsigned depth;
	struct err *err;
};

static int parse_sum(struct parser *p);

void formula_release(struct formula *f)
{
	free(f->items);
	*f = (struct formula){0};
}

size_t formula_name_length(const char *text)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
		n++;
	return n;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static int add_step(struct parser *p, struct formula_step step)
{
	if (!ARRAY_GROW(p->f))
		return err_set(p->err, "out of memory");
	p->f->items[p->f->count++] = step;
	return 0;
}

static int parse_name(struct parser *p)
{
	size_t length = formula_name_length(p->at), column;

	if (!p->lookup(p->context, p->at, length, &column))
		return err_set(p->err, "formula '%s': there is no event '%.*s'", p->text,
			       (int)length, p->at);
	p->at += length;
	return add_step(p, (struct formula_step){.kind = STEP_COLUMN, .column = column});
}

/* Digits first: strtod alone would also accept "inf", "nan" and signs. */
static int parse_number(struct parser *p)
{
	char *end;
	double number = strtod(p->at, &end);

	p->at = end;
	return add_step(p, (struct formula_step){.kind = STEP_NUMBER, .number = number});
}

static int parse_inner(struct parser *p)
{
	skip_blanks(p);
	if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
		return parse_number(p);
	if (formula_name_length(p->at) > 0)
		return parse_name(p);
	if (*p->at == '(') {
		p->at++;
		if (parse_sum(p) != 0)
			return -1;
		skip_blanks(p);
		if (*p->at != ')')
			return err_set(p->err, "formula '%s': a bracket is not closed", p->text);
		p->at++;
		return 0;
	}
	if (*p->at == '\0')
		return err_set(p->err, "formula '%s': something is missing at its end", p->text);
	return err_set(
		p->err,
		"formula '%s': '%s' is no event, number or bracket (other signs are + - * /)",
		p->text, p->at);
}

static int parse_factor(struct parser *p)
{
	bool is_negative;
	int status;

	if (p->depth >= MAX_DEPTH)
		return err_set(p->err, "formula '%.40s...' is nested too deep", p->text);
	p->depth++;
	skip_blanks(p);
	is_negative = *p->at == '-';
	p->at += is_negative;
	status = is_negative ? parse_factor(p) : parse_inner(p);
	p->depth--;
	if (status == 0 && is_negative)
		status = add_step(p, (struct formula_step){.kind = STEP_NEGATE});
	return status;
}

/* Tell whether the last step was a number, followed by a factor without a sign. */
static bool is_silent_product(const struct parser *p)
{
	return p->f->items[p->f->count - 1].kind == STEP_NUMBER &&
	       (formula_name_length(p->at) > 0 || *p->at == '(');
}

static int parse_product(struct parser *p)
{
	if (parse_factor(p) != 0)
		return -1;
	for (;;) {
		int kind = STEP_MULTIPLY;

		skip_blanks(p);
		if (*p->at == '/')
			kind = STEP_DIVIDE;
		if (*p->at == '*' || *p->at == '/')
			p->at++;
		else if (!is_silent_product(p))
			return 0;
		if (parse_factor(p) != 0 || add_step(p, (struct formula_step){.kind = kind}) != 0)
			return -1;
	}
}

static int parse_sum(struct parser *p)
{
	if (parse_product(p) != 0)
		return -1;
	for (;;) {
		int kind;

		skip_blanks(p);
		if (*p->at != '+' && *p->at != '-')
			return 0;
		kind = *p->at++ == '+' ? STEP_ADD : STEP_SUBTRACT;
		if (parse_product(p) != 0 || add_step(p, (struct formula_step){.kind = kind}) != 0)
			return -1;
	}
}

int formula_parse(struct formula *f, const char *text, formula_lookup *lookup, const void *context,
		  struct err *err)
{
	struct parser p = {f, text, text, lookup, context, 0, err};

	*f = (struct formula){0};
	if (parse_sum(&p) == 0) {
		if (*p.at == '\0')
			return 0;
		err_set(err, "formula '%s': '%s' is too much at its end", text, p.at);
	}
	formula_release(f);
	return -1;
}

/* A sum and a product each keep a value on the stack while a factor is evaluated. */
#define STACK_ROOM (3 * MAX_DEPTH + 8)

double formula_value(const struct formula *f, formula_column *column, const void *context)
{
	double stack[STACK_ROOM] = {0};
	size_t top = 0, i;

	for (i = 0; i < f->count; i++) {
		const struct formula_step *s = &f->items[i];

		switch (s->kind) {
		case STEP_NUMBER:
			stack[top++] = s->number;
			break;
		case STEP_COLUMN:
			stack[top++] = column(context, s->column);
			break;
		case STEP_NEGATE:
			stack[top - 1] = -stack[top - 1];
			break;
		case STEP_ADD:
			top--;
			stack[top - 1] += stack[top];
			break;
		case STEP_SUBTRACT:
			top--;
			stack[top - 1] -= stack[top];
			break;
		case STEP_MULTIPLY:
			top--;
			stack[top - 1] *= stack[top];
			break;
		case STEP_DIVIDE:
			top--;
			stack[top - 1] = stack[top] != 0 ? stack[top - 1] / stack[top] : NAN;
			break;
		}
	}
	return top > 0 ? stack[0] : 0;
}

size_t formula_weight(const struct formula *f, formula_weigher *weigh, const void *context)
{
	size_t sum = f->count, i;

	for (i = 0; i < f->count; i++) {
		if (f->items[i].kind == STEP_COLUMN)
			sum += weigh(context, f->items[i].column);
	}
	return sum;
}
