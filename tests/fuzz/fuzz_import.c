/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds damaged files to the reader of the Callgrind format, and accepted ones to the views: each
 * file must be refused with an error, or shown. Build with sanitizers.
 *
 *   fuzz_import [ROUNDS [SEED]]
 *
 * Each round changes, doubles, moves or cuts lines and bytes of a valid file. With -DFUZZ_LIBFUZZER
 * the bytes come from libFuzzer instead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/calls.h"
#include "answer/report.h"
#include "events/event_annotate.h"
#include "import/callgrind.h"
#include "views/answer_print.h"
#include "views/views.h"

static const char good[] =
	"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 12\nthread: 1\n"
	"cmd: ./x -y\npart: 1\ndesc: D1 cache: 32768 B, 64 B, 8-way associative\n"
	"event: Sum = 2 Ir + Dr : both\nevent: Twice = 2 * Sum\npositions: instr line\n"
	"events: Ir Dr D1mr\n"
	"ob=(1) /bin/true\nfl=(1) x.c\nfn=(1) main\n0x1000 5 3 1\n+4 +1 2 0 1\n"
	"cfn=(2) ns::cls<int>::f(int)\ncalls=2 0x2000 20\n* * 50 5\njump=3 -4 -1\n* *\n"
	"jcnd=1/4 +8 *\n+4 * 4\nfi=(2) y.h\n+3 7 1\nfe=(1)\n+1 6 1\n"
	"fn=(2)\n0x2000 20 10 2\ncob=(2) /lib/z.so\ncfi=(3) z.c\ncfn=(3) g\ncalls=1 0 9\n+1 * 20 "
	"1\n"
	"cfn=(4) ns::cls<int>::f(int)'2\ncalls=7 0x2000 20\n+1 * 90 9\n"
	"fn=(4)\n0x2000 20 15 1\n"
	"ob=(2)\nfl=(3)\nfn=(3)\n0x9 9 5\nfn=(5) g'main'start\n0x9 9 15\ncfn=(2)\ncalls=1 0x2000 "
	"20\n* * 5\n"
	"totals: 52 4 1\n"
	"pid: 12\nthread: 2\nevents: Dr Ir\npositions: line\nfn=(1)\n5 1 2\ntotals: 1 2\n";

#define MOST_BYTES 8192

static uint64_t random_state;
static uint64_t taken, refused;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "%s: %s\n", what, err->text);
	abort();
}

static void show_functions(struct event_profile *p, const struct event_columns *columns)
{
	struct display d = {.width = 100};
	struct err err;
	int by;

	for (by = 0; by < EVENT_BY_COUNT; by++) {
		struct event_choice choice = {.columns = *columns};
		struct event_report r;
		struct answer a = {0};
		struct text out = {0};

		if (by == EVENT_BY_DATA) /* no files of this format hold data structures */
			continue;
		if (event_report_init(&r, p, (enum event_by)by, &choice, &err) != 0 ||
		    report_of_events(&a, &r, 100, &err) != 0 ||
		    answer_text(&a, 100, &d, &out, &err) != 0 ||
		    answer_json(&a, 0, &out, &err) != 0)
			fail("report", &err);
		answer_csv(&a, 0, &out);
		answer_release(&a);
		event_report_release(&r);
		text_release(&out);
	}
}

static void show_calls(struct event_profile *p, const struct event_columns *columns)
{
	struct calls_choice choice = {.direction = CALLS_DOWN, .depth = 5, .top = 100};
	struct display d = {.width = 100, .unicode = true};
	struct text out = {0};
	struct answer a = {0};
	struct calls c;
	struct err err;
	size_t *rows = NULL, i;

	if (calls_init(&c, p, columns, &err) != 0 ||
	    calls_find_roots(&c, &rows, &choice.count, &err) != 0)
		fail("calls", &err);
	choice.rows = rows;
	if (calls_shown(&a, &c, &choice, &err) != 0 || answer_text(&a, 100, &d, &out, &err) != 0)
		fail("calls", &err);
	answer_release(&a);
	for (i = 0; i < c.functions.count && i < 5; i++) {
		choice.rows = &i;
		choice.count = 1;
		choice.direction = i % 2 == 0 ? CALLS_UP : CALLS_BOTH;
		a = (struct answer){0};
		if (calls_shown(&a, &c, &choice, &err) != 0 || answer_json(&a, 0, &out, &err) != 0)
			fail("calls", &err);
		answer_release(&a);
	}
	free(rows);
	calls_release(&c);
	text_release(&out);
}

static void show_code(struct event_profile *p, const struct event_columns *columns)
{
	struct display d = {.width = 100};
	size_t i;

	for (i = 0; i < p->node_count && i < 4; i++) {
		struct text out = {0}, notes = {0};
		struct event_annotation a;
		struct err err;

		/* Nothing may have been counted there, which is an error. */
		if (event_annotation_init(&a, p, columns, p->nodes[i].function, i % 2 == 0, &err) !=
		    0)
			continue;
		if (i % 2 == 0 ? event_code_text(&a, &d, &out, &notes, &err) != 0
			       : event_annotation_text(&a, true, &d, &out, &notes, &err) != 0)
			fail("annotate", &err);
		event_annotation_release(&a);
		text_release(&out);
		text_release(&notes);
	}
}

static void show(const char *path)
{
	struct event_columns columns = {.by_default = true};
	struct event_profile p;
	struct err err;
	size_t i;

	if (events_open(&p, path, STORE_NONE, &err) != 0)
		fail("open", &err);
	for (i = 0; i < p.column_count && i < EVENT_COLUMNS; i++)
		columns.items[columns.count++] = i;
	show_functions(&p, &columns);
	show_calls(&p, &columns);
	show_code(&p, &columns);
	events_close(&p);
}

static void try_file(const char *bytes, size_t count)
{
	char path[] = "/tmp/dwell-fuzz-import-XXXXXX", old[64];
	struct text notes = {0};
	struct store *s = NULL;
	struct err err = {""};
	FILE *in = fmemopen((void *)(uintptr_t)bytes, count, "r");
	int fd = mkstemp(path), status;

	if (in == NULL || fd < 0 || close(fd) != 0 || store_create(path, &s, &err) != 0)
		fail("create", &err);
	status = callgrind_import(in, "fuzz", s, &notes, &err);
	if (status == 0 && store_finish(s, &err) != 0)
		fail("finish", &err);
	store_close(s);
	fclose(in);
	text_release(&notes);
	if (status == 0) {
		taken++;
		show(path);
	} else {
		refused++;
		if (err.text[0] == '\0')
			fail("no reason", &err);
	}
	unlink(path);
	snprintf(old, sizeof(old), "%s-wal", path);
	unlink(old);
	snprintf(old, sizeof(old), "%s-shm", path);
	unlink(old);
}

/* The place where a line begins, at random. */
static size_t some_line(const char *bytes, size_t count)
{
	size_t at = random_next() % count;

	while (at > 0 && bytes[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_length(const char *bytes, size_t count, size_t at)
{
	const char *end = memchr(bytes + at, '\n', count - at);

	return end != NULL ? (size_t)(end - bytes) + 1 - at : count - at;
}

static size_t damage(char *bytes, size_t count)
{
	static const char interesting[] = "0123456789+-*() =:/'\n\0<x,.";
	size_t at, from, length;
	char line[256];

	switch (random_next() % 4) {
	case 0: /* a byte */
		bytes[random_next() % count] =
			interesting[random_next() % (sizeof(interesting) - 1)];
		return count;
	case 1: /* a line comes again elsewhere */
		from = some_line(bytes, count);
		length = line_length(bytes, count, from);
		at = some_line(bytes, count);
		if (length > sizeof(line) || count + length > MOST_BYTES)
			return count;
		memcpy(line, bytes + from, length);
		memmove(bytes + at + length, bytes + at, count - at);
		memcpy(bytes + at, line, length);
		return count + length;
	case 2: /* a line goes */
		at = some_line(bytes, count);
		length = line_length(bytes, count, at);
		if (length == count)
			return count;
		memmove(bytes + at, bytes + at + length, count - at - length);
		return count - length;
	default: /* a number becomes a large one */
		at = random_next() % count;
		if (count - at > 4 && bytes[at] >= '0' && bytes[at] <= '9' &&
		    random_next() % 2 == 0)
			memcpy(bytes + at, "9e9x", 4);
		else if (random_next() % 50 == 0)
			return at > 0 ? at : count;
		return count;
	}
}

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (count > 0)
		try_file((const char *)data, count);
	return 0;
}
#else
int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 500, i, k;
	char bytes[MOST_BYTES];

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 20040912;
	try_file(good, sizeof(good) - 1);
	if (taken != 1) {
		fprintf(stderr, "the good file was refused\n");
		return 1;
	}
	for (i = 0; i < rounds; i++) {
		size_t count = sizeof(good) - 1;

		memcpy(bytes, good, count);
		for (k = random_next() % 4 + 1; k > 0; k--)
			count = damage(bytes, count);
		try_file(bytes, count);
	}
	printf("%" PRIu64 " files taken, %" PRIu64 " refused\n", taken, refused);
	/* Both happen, or it tries nothing. */
	return taken > 1 && refused > 0 ? 0 : 1;
}
#endif
