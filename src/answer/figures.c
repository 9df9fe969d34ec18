/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text, and CSV. */
#include "answer/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signal_name.h"
#include "base/size.h"
#include "base/text.h"

#define MILLION	    1000000u
#define ROUNDING    1e-12
#define WHOLE_BELOW 1e15 /* a double represents whole numbers exactly */

char *figure_count(uint64_t n, char buf[FIGURE_BYTES])
{
	double mantissa = (double)n;
	int exponent = 0;

	if (n < 1000) {
		snprintf(buf, FIGURE_BYTES, "%" PRIu64, n);
		return buf;
	}
	if (n < MILLION) {
		snprintf(buf, FIGURE_BYTES, "%" PRIu64 ",%03" PRIu64, n / 1000, n % 1000);
		return buf;
	}
	while (mantissa >= 9.995) {
		mantissa /= 10;
		exponent++;
	}
	snprintf(buf, FIGURE_BYTES, "%.2fe%d", mantissa, exponent);
	return buf;
}

char *figure_things(uint64_t n, const char *what, char buf[FIGURE_BYTES])
{
	char count[FIGURE_BYTES];

	snprintf(buf, FIGURE_BYTES, "%.16s %.20s%s", figure_count(n, count), what,
		 n == 1 ? "" : "s");
	return buf;
}

void figure_more(struct text *out, uint64_t left, const char *what)
{
	char count[FIGURE_BYTES];

	if (left > 0)
		text_addf(out, "... and %s more%s\n", figure_count(left, count), what);
}

/* The number of digits after the point, for two significant digits of a small percentage. */
static int percent_digits(double percent)
{
	int digits = 2;

	for (; percent > 0 && percent < 0.1 && digits < 6; percent *= 10)
		digits++;
	return digits;
}

char *figure_percent(double ratio, char buf[FIGURE_BYTES])
{
	double percent = ratio * 100;

	snprintf(buf, FIGURE_BYTES, "%.*f %%", percent_digits(percent), percent);
	return buf;
}

char *figure_share(double share, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%.2f %%", share * 100);
	return buf;
}

char *figure_duration(uint64_t ns, char buf[FIGURE_BYTES])
{
	double seconds = (double)ns / 1e9;

	if (seconds < 1)
		snprintf(buf, FIGURE_BYTES, "%.0f ms", seconds * 1e3);
	else if (seconds < 120)
		snprintf(buf, FIGURE_BYTES, "%.2f s", seconds);
	else
		snprintf(buf, FIGURE_BYTES, "%" PRIu64 " min %" PRIu64 " s", (uint64_t)seconds / 60,
			 (uint64_t)seconds % 60);
	return buf;
}

char *figure_interval(const struct model_ratio *r, char buf[FIGURE_BYTES])
{
	if (!r->known)
		snprintf(buf, FIGURE_BYTES, "not known");
	else
		snprintf(buf, FIGURE_BYTES, "%.2f - %.2f %%", r->low * 100, r->high * 100);
	return buf;
}

/* Group digits by three. */
static char *group_digits(const char *digits, char buf[FIGURE_BYTES])
{
	size_t length = strlen(digits), out = 0, i;

	for (i = 0; i < length && out + 2 < FIGURE_BYTES; i++) {
		if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
	return buf;
}

char *event_figure(double value, char buf[FIGURE_BYTES])
{
	char digits[FIGURE_BYTES];

	if (isnan(value)) {
		snprintf(buf, FIGURE_BYTES, "-");
		return buf;
	}
	/* After division and multiplication, whole numbers are off in the last digits. */
	if (fabs(value) < WHOLE_BELOW &&
	    (fabs(value) >= 1e4 || fabs(value - round(value)) <= fabs(value) * ROUNDING)) {
		snprintf(digits, sizeof(digits), "%.0f", value);
		return group_digits(digits, buf);
	}
	snprintf(buf, FIGURE_BYTES, "%.4g", value);
	return buf;
}

char *event_change(double change, char buf[FIGURE_BYTES])
{
	char plain[FIGURE_BYTES];

	event_figure(change, plain);
	snprintf(buf, FIGURE_BYTES, "%s%.40s", change > 0 ? "+" : "", plain);
	return buf;
}

char *event_growth(double relative, char buf[FIGURE_BYTES])
{
	if (isinf(relative))
		snprintf(buf, FIGURE_BYTES, "new");
	else if (isnan(relative))
		snprintf(buf, FIGURE_BYTES, "-");
	else
		snprintf(buf, FIGURE_BYTES, "%+.2f %%", relative * 100);
	return buf;
}

void figure_cache(const struct profile *p, const struct query *q, struct text *out)
{
	const char *name = profile_cache_name(p, q->size_bytes), *before = " (";
	uint64_t resolved = profile_resolved_size(p);
	char size[SIZE_TEXT_BYTES];
	size_t bare;

	text_addf(out, "%s", size_format(q->size_bytes, size));
	bare = out->count;
	if (name != NULL)
		text_addf(out, "%s%s", before, name);
	before = out->count > bare ? ", " : before;
	if (q->ways > 0)
		text_addf(out, "%s%" PRIu64 "-way", before, q->ways);
	before = out->count > bare ? ", " : before;
	if (q->policy != QUERY_RANDOM && !p->is_exact)
		text_addf(out, "%s%s", before, figure_policy(profile_policy(q)));
	if (q->size_bytes > resolved)
		text_addf(out, "%sbounds only: reuses are resolved up to %s",
			  out->count > bare ? "; " : before, size_format(resolved, size));
	if (out->count > bare)
		text_add(out, ")");
}

char *figure_ways(const struct query *q, char buf[FIGURE_BYTES])
{
	if (q->ways > 0)
		snprintf(buf, FIGURE_BYTES, "%" PRIu64 "-way", q->ways);
	else
		snprintf(buf, FIGURE_BYTES, "fully associative");
	return buf;
}

const char *figure_policy(enum model_policy policy)
{
	static const char *const names[] = {[MODEL_RANDOM] = "random", [MODEL_LRU] = "LRU"};

	return names[policy];
}

const char *policy_word(enum model_policy policy)
{
	static const char *const words[] = {[MODEL_RANDOM] = "random", [MODEL_LRU] = "lru"};

	return words[policy];
}

char *figure_state(const struct store_process *x, char buf[FIGURE_BYTES])
{
	char name[SIGNAL_NAME_BYTES];

	if (x->signal > 0)
		snprintf(buf, FIGURE_BYTES, "killed (%s)", signal_name(x->signal, name));
	else
		snprintf(buf, FIGURE_BYTES, "%s", x->state);
	return buf;
}

void process_put_ending(const struct store_process *x, struct text *out)
{
	char time[FIGURE_BYTES], name[SIGNAL_NAME_BYTES];

	if (strcmp(x->state, "exited") == 0 && x->exit_status >= 0)
		text_addf(out, "exited with status %" PRId64, x->exit_status);
	else if (x->signal > 0)
		text_addf(out, "killed by %s (signal %" PRId64 ")", signal_name(x->signal, name),
			  x->signal);
	else if (strcmp(x->state, "killed") == 0)
		text_add(out, "killed, by which signal is not known,");
	else if (strcmp(x->state, "exec") == 0)
		text_add(out, "became another program");
	else if (strcmp(x->state, "detached") == 0)
		text_add(out, "was let go and ran on");
	else if (strcmp(x->state, "running") == 0)
		text_add(out, "still running, or cut off with its profiler");
	else
		text_add_printable(out, x->state, strlen(x->state));
	if (x->end_ns > x->start_ns)
		text_addf(out, " after %s", figure_duration(x->end_ns - x->start_ns, time));
}

void figure_place(const char *file, uint32_t line, const char *function, struct text *out)
{
	if (file != NULL && line > 0)
		text_addf(out, "%s:%" PRIu32 " ", path_basename(file), line);
	text_add(out, function != NULL ? function : "");
}

/* Spreadsheets treat such a field as a formula, which may run programs; except numbers. */
static bool is_formula(const char *field)
{
	char *end;

	if (strchr("+-", field[0]) != NULL) {
		strtod(field, &end);
		return *end != '\0';
	}
	return strchr("=@", field[0]) != NULL;
}

void csv_field(struct text *t, const char *field)
{
	struct text safe = {0};
	const char *s;

	if (field == NULL || field[0] == '\0')
		return;
	if (is_formula(field))
		text_add(&safe, "'");
	text_add_printable(&safe, field, strlen(field));
	t->failed |= safe.failed;
	s = text_get(&safe);
	if (strpbrk(s, ",\"") == NULL) {
		text_add(t, s);
	} else {
		text_add(t, "\"");
		for (; *s != '\0'; s++) {
			if (*s == '"')
				text_add(t, "\"");
			text_add_bytes(t, s, 1);
		}
		text_add(t, "\"");
	}
	text_release(&safe);
}

void event_csv(struct text *out, double value)
{
	if (!isfinite(value))
		return;
	if (floor(value) == value && fabs(value) < WHOLE_BELOW)
		text_addf(out, "%.0f", value);
	else
		text_addf(out, "%.8g", value);
}

void folded_name(struct text *out, const char *name)
{
	size_t begin = out->count;

	text_add_printable(out, name, strlen(name));
	for (size_t i = begin; i < out->count; i++)
		if (out->items[i] == ';')
			out->items[i] = ':';
}
