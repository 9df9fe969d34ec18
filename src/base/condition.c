/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses conditions and evaluates them. */
#include "base/condition.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double condition_change(double a, double b)
{
	return b - a;
}

double condition_relative(double a, double b)
{
	if (a == 0)
		return b == 0 ? 0 : copysign(INFINITY, b);
	return (b - a) / fabs(a);
}

static const char example[] = "'EVENT > +2%', 'FUNCTION:EVENT > +1000' or 'EVENT < 5000' is one";

/* Find the comparison sign: the last one, as C++ names may contain others. */
static const char *find_sign(const char *text)
{
	const char *less = strrchr(text, '<'), *more = strrchr(text, '>');

	return less == NULL || (more != NULL && more > less) ? more : less;
}

static int parse_limit(struct condition_test *t, const char *text, const char *whole,
		       struct err *err)
{
	const char *at = text + strspn(text, " \t");
	bool has_sign = *at == '+' || *at == '-';
	char *end;

	if (!isdigit((unsigned char)at[has_sign]) && at[has_sign] != '.')
		return err_set(err, "'%.100s' is no condition: %s", whole, example);
	errno = 0;
	t->limit = strtod(at, &end);
	end += strspn(end, " \t");
	t->limit_is = *end == '%' ? CONDITION_PERCENT
		      : has_sign  ? CONDITION_CHANGE
				  : CONDITION_VALUE;
	end += *end == '%';
	end += strspn(end, " \t");
	if (errno != 0 || *end != '\0' || !isfinite(t->limit))
		return err_set(err, "'%.100s' is no condition: %s", whole, example);
	return 0;
}

int condition_parse(struct condition_test *t, const char *text, struct err *err)
{
	const char *sign = find_sign(text), *begin = text + strspn(text, " \t"), *end = sign;

	*t = (struct condition_test){0};
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

bool condition_holds(const struct condition_test *t, double a, double b)
{
	double value = b;

	if (t->limit_is == CONDITION_CHANGE)
		value = condition_change(a, b);
	else if (t->limit_is == CONDITION_PERCENT)
		value = condition_relative(a, b) * 100;
	if (t->or_equal && value == t->limit)
		return true;
	return t->is_less ? value < t->limit : value > t->limit;
}
