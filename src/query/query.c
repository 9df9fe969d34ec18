/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query: its defaults, and the rows that it shows. */
#include "query/query.h"

#include <string.h>

#define MOST_EXPRESSION 1000 /* bytes */

void query_init(struct query *q)
{
	*q = (struct query){.process = QUERY_ANY, .thread = QUERY_ANY};
}

void query_release(struct query *q)
{
	if (q->has_focus)
		regfree(&q->focus);
	if (q->has_ignore)
		regfree(&q->ignore);
	q->has_focus = q->has_ignore = false;
}

static int compile(regex_t *regex, bool *has, const char *text, struct err *err)
{
	char reason[128];
	int code;

	if (*has)
		regfree(regex);
	*has = false;
	/* regcomp recurses at each bracket, and allocates a gigabyte for each {1000}. */
	if (strlen(text) > MOST_EXPRESSION)
		return err_set(err, "an expression of %zu bytes is too long: %d are the most",
			       strlen(text), MOST_EXPRESSION);
	code = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	if (code != 0) {
		regerror(code, regex, reason, sizeof(reason));
		return err_set(err, "'%s' is no regular expression: %s", text, reason);
	}
	*has = true;
	return 0;
}

int query_set_focus(struct query *q, const char *expression, struct err *err)
{
	return compile(&q->focus, &q->has_focus, expression, err);
}

int query_set_ignore(struct query *q, const char *expression, struct err *err)
{
	return compile(&q->ignore, &q->has_ignore, expression, err);
}

static bool matches(const regex_t *regex, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] != NULL && regexec(regex, names[i], 0, NULL, 0) == 0)
			return true;
	return false;
}

bool query_focuses(const struct query *q, const char *const *names, size_t count)
{
	return !q->has_focus || matches(&q->focus, names, count);
}

bool query_ignores(const struct query *q, const char *const *names, size_t count)
{
	return q->has_ignore && matches(&q->ignore, names, count);
}

bool query_shows(const struct query *q, const char *const *names, size_t count)
{
	return query_focuses(q, names, count) && !query_ignores(q, names, count);
}

int query_order_or(const struct query *q, enum query_order usual, enum query_order *order,
		   struct err *err)
{
	static const char *const words[QUERY_ORDERS] = {[QUERY_BY_COST] = "cost",
							[QUERY_BY_MISSES] = "misses",
							[QUERY_BY_RATIO] = "ratio",
							[QUERY_BY_ACCESSES] = "accesses",
							[QUERY_BY_SAMPLES] = "samples"};

	*order = usual;
	for (size_t i = 0; q->sort != NULL && i < QUERY_ORDERS; i++)
		if (strcmp(q->sort, words[i]) == 0) {
			*order = (enum query_order)i;
			return 0;
		}
	if (q->sort == NULL || q->is_sort_usual)
		return 0;
	return err_set(
		err,
		"rows of samples are sorted by cost, misses, ratio, accesses or samples, and "
		"not by '%.100s'",
		q->sort);
}

int query_order(const struct query *q, enum query_order *order, struct err *err)
{
	return query_order_or(q, q->is_by_cost ? QUERY_BY_COST : QUERY_BY_MISSES, order, err);
}

struct query query_at(const struct query *q, uint64_t size_bytes)
{
	struct query at = *q;

	at.size_bytes = size_bytes;
	return at;
}

bool query_filters(const struct query *q)
{
	return q->has_focus || q->has_ignore;
}
