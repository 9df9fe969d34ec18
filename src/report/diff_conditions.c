/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on what has changed between two profiles, for tests that watch over a program. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "report/event_rows.h"

/* ---- Reading ---- */

static const char example[] = "'EVENT > +2%', 'FUNCTION:EVENT > +1000' or 'EVENT < 5000' is one";

/* The sign that separates: the last one, as names of C++ may have some. */
static const char *find_sign(const char *text)
{
	const char *less = strrchr(text, '<'), *more = strrchr(text, '>');

	return less == NULL || (more != NULL && more > less) ? more : less;
}

static int parse_limit(struct diff_test *t, const char *text, const char *whole, struct err *err)
{
	const char *at = text + strspn(text, " \t");
	bool has_sign = *at == '+' || *at == '-';
	char *end;

	if (!isdigit((unsigned char)at[has_sign]) && at[has_sign] != '.')
		return err_set(err, "'%.100s' is no condition: %s", whole, example);
	errno = 0;
	t->limit = strtod(at, &end);
	end += strspn(end, " \t");
	t->limit_is = *end == '%' ? DIFF_PERCENT : has_sign ? DIFF_CHANGE : DIFF_VALUE;
	end += *end == '%';
	end += strspn(end, " \t");
	if (errno != 0 || *end != '\0' || !isfinite(t->limit))
		return err_set(err, "'%.100s' is no condition: %s", whole, example);
	return 0;
}

int diff_parse_test(struct diff_test *t, const char *text, struct err *err)
{
	const char *sign = find_sign(text), *begin = text + strspn(text, " \t"), *end = sign;

	*t = (struct diff_test){0};
	if (sign == NULL)
		return err_set(err, "'%.100s' is no condition: %s", text, example);
	while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end == begin || (size_t)(end - begin) >= sizeof(t->subject))
		return err_set(err, "'%.100s' is no condition: %s", text, example);
	memcpy(t->subject, begin, (size_t)(end - begin));
	t->is_less = *sign == '<';
	t->or_equal = sign[1] == '=';
	return parse_limit(t, sign + 1 + t->or_equal, text, err);
}

bool diff_test_holds(const struct diff_test *t, double a, double b)
{
	double value = b;

	if (t->limit_is == DIFF_CHANGE)
		value = diff_change(a, b);
	else if (t->limit_is == DIFF_PERCENT)
		value = diff_relative(a, b) * 100;
	if (t->or_equal && value == t->limit)
		return true;
	return t->is_less ? value < t->limit : value > t->limit;
}

/* ---- Of event profiles ---- */

/* "work" and "work(int)" name work(int); the latter not work(long). "work" is each instance of a template, too. */
static bool is_function(const char *function, const char *name)
{
	size_t length = strlen(name);
	struct text plain = {0};
	bool same;

	if (strncmp(function, name, length) == 0 &&
	    (function[length] == '\0' || function[length] == '('))
		return true;
	event_plain_name(function, &plain);
	same = strcmp(text_get(&plain), name) == 0;
	text_release(&plain);
	return same;
}

static bool sum_function(const struct event_profile *p, const char *name,
			 uint64_t sums[STORE_MAX_COLUMNS])
{
	bool any = false;

	for (size_t i = 0; i < p->node_count; i++)
		any = any || is_function(p->nodes[i].function, name);
	for (size_t i = 0; any && i < p->cost_count; i++) {
		const struct store_cost *c = &p->costs[i];

		if (!is_function(events_node(p, c->node_id)->function, name))
			continue;
		for (size_t k = 0; k < p->measured; k++)
			sums[k] += c->values[k];
	}
	return any;
}

/* The event's text behind the function's name and ':', which must not be one of a '::'. */
static char *split_function(char *subject)
{
	char *colon = strrchr(subject, ':');

	if (colon == NULL || colon == subject || colon[-1] == ':')
		return NULL;
	*colon = '\0';
	for (char *end = colon; end > subject && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return colon + 1 + strspn(colon + 1, " \t");
}

int diff_check(struct diff *d, struct diff_condition *c, struct err *err)
{
	uint64_t sums[2][STORE_MAX_COLUMNS] = {{0}};
	size_t column_a, column_b;
	struct diff_test t;
	char *event;

	if (diff_parse_test(&t, c->text, err) != 0)
		return -1;
	event = split_function(t.subject);
	if (events_column(d->a.profile, event != NULL ? event : t.subject, &column_a, err) != 0)
		return err_prefix(err, "condition '%.80s': %.80s: ", c->text, d->a.path);
	if (events_column(d->b.profile, event != NULL ? event : t.subject, &column_b, err) != 0)
		return err_prefix(err, "condition '%.80s': %.80s: ", c->text, d->b.path);
	if (event == NULL) {
		memcpy(sums[0], d->a.profile->totals, sizeof(sums[0]));
		memcpy(sums[1], d->b.profile->totals, sizeof(sums[1]));
	} else {
		bool in_a = sum_function(d->a.profile, t.subject, sums[0]);
		bool in_b = sum_function(d->b.profile, t.subject, sums[1]);

		if (!in_a && !in_b)
			return err_set(
				err, "condition '%.100s': neither profile has a function '%.100s'",
				c->text, t.subject);
	}
	c->a = events_value(d->a.profile, column_a, sums[0]);
	c->b = events_value(d->b.profile, column_b, sums[1]);
	c->holds = diff_test_holds(&t, c->a, c->b);
	return 0;
}

void diff_explain(const struct diff_condition *c, struct text *out)
{
	char before[FIGURE_BYTES], now[FIGURE_BYTES], percent[FIGURE_BYTES];

	text_addf(out, "condition '%s' holds: %s, before %s (%s)\n", c->text,
		  event_figure(c->b, now), event_figure(c->a, before),
		  diff_percent(c->a, c->b, percent));
}
