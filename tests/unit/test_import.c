/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the Callgrind format: the resulting profiles, and the lines named in errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "events/event_rows.h"
#include "import/callgrind.h"
#include "scratch.h"

static int import_text(const char *text, struct text *notes, struct err *err)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct store *s = NULL;
	int status;

	unlink("x.db");
	assert_non_null(in);
	assert_int_equal(store_create("x.db", &s, NULL), 0);
	status = callgrind_import(in, "x", s, notes, err);
	if (status == 0)
		status = store_finish(s, err);
	store_close(s);
	fclose(in);
	return status;
}

static struct event_profile open_text(const char *text)
{
	struct event_profile p = {0};
	struct text notes = {0};
	struct err err = {""};

	if (import_text(text, &notes, &err) != 0 || events_open(&p, "x.db", STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	text_release(&notes);
	return p;
}

static const struct event_row *row_named(const struct event_rows *rows, const char *name)
{
	size_t i;

	for (i = 0; i < rows->count; i++) {
		if (strcmp(rows->items[i].name, name) == 0)
			return &rows->items[i];
	}
	fail_msg("no row %s", name);
	return NULL;
}

/* The example of the format's documentation, with names compressed. */
static const char example[] = "# callgrind format\n"
			      "events: Instructions\n"
			      "fl=(1) file1.c\n"
			      "fn=(1) main\n"
			      "16 20\n"
			      "cfn=(2) func1\n"
			      "calls=1 50\n"
			      "16 400\n"
			      "cfi=(2) file2.c\n"
			      "cfn=(3) func2\n"
			      "calls=3 20\n"
			      "16 400\n"
			      "\n"
			      "fn=(2)\n"
			      "51 100\n"
			      "cfi=(2)\n"
			      "cfn=(3)\n"
			      "calls=2 20\n"
			      "51 300\n"
			      "\n"
			      "fl=(2)\n"
			      "fn=(3)\n"
			      "20 700\n"
			      "totals: 820\n";

static void the_example_of_the_format_has_its_costs(void **state)
{
	struct event_profile p = open_text(example);
	struct event_rows rows;

	(void)state;
	assert_int_equal(p.measured, 1);
	assert_int_equal(p.totals[0], 820);
	assert_int_equal(event_rows_init(&rows, &p, EVENT_BY_FUNCTION, NULL), 0);
	assert_int_equal(rows.count, 3);
	/* main calls func1 and func2: 20 + 400 + 400. */
	assert_int_equal(row_named(&rows, "main")->self[0], 20);
	assert_int_equal(row_named(&rows, "main")->inclusive[0], 820);
	assert_int_equal(row_named(&rows, "func1")->inclusive[0], 400);
	assert_string_equal(row_named(&rows, "func1")->file, "file1.c");
	assert_int_equal(row_named(&rows, "func2")->inclusive[0], 700);
	assert_int_equal(row_named(&rows, "func2")->calls, 5);
	assert_string_equal(row_named(&rows, "func2")->file, "file2.c");
	event_rows_release(&rows);
	events_close(&p);
}

static void positions_may_be_relative_and_events_missing(void **state)
{
	static const char text[] = "version: 1\n"
				   "positions: instr line\n"
				   "event: Sum = 2 Ir + Dr : both\n"
				   "events: Ir Dr\n"
				   "ob=/bin/x\nfl=x.c\nfn=f\n"
				   "0x100 10 1 5\n"
				   "+3 * 2\n"
				   "-3 +1\n"
				   "0x1000 -1 7 0x10\n"
				   "totals: 10 21\n";
	struct event_profile p = open_text(text);
	size_t column;

	(void)state;
	assert_int_equal(p.totals[0], 10);
	assert_int_equal(p.totals[1], 21);
	assert_int_equal(events_column(&p, "Sum", &column, NULL), 0);
	assert_true(events_value(&p, column, p.totals) == 41);
	assert_string_equal(p.columns[column].description, "both");
	/* Four places of code: the third one has no cost, and is not written as one. */
	assert_int_equal(p.location_count, 4);
	assert_int_equal(p.cost_count, 3);
	assert_int_equal(p.locations[1].module_address, 0x103);
	assert_int_equal(p.locations[1].frames[0].line, 10);
	assert_int_equal(p.locations[2].module_address, 0x100);
	assert_int_equal(p.locations[2].frames[0].line, 11);
	assert_int_equal(p.locations[3].frames[0].line, 10);
	assert_string_equal(events_object(&p, &p.locations[1]), "/bin/x");
	events_close(&p);
}

static void recursion_and_callers_in_names_are_understood(void **state)
{
	static const char text[] = "creator: callgrind-3.19.0\n"
				   "events: Ir\n"
				   "fl=x.c\n"
				   "fn=main\n1 1\ncfn=f\ncalls=1 5\n1 10\n"
				   "fn=f\n5 2\ncfn=f'2\ncalls=1 5\n5 8\n"
				   "fn=f'2\n5 8\ncfn=f'2\ncalls=3 5\n5 12\n"
				   "fn=g'f'main\n9 4\n"
				   "fn=g'main\n9 5\n"
				   "cfn=g'0x1f'main\ncalls=1 9\n9 7\nfn=g'0x1f'main\n9 7\n"
				   "totals: 27\n";
	struct event_profile p = open_text(text);
	struct event_rows rows;
	size_t i, contexts = 0;

	(void)state;
	assert_int_equal(event_rows_init(&rows, &p, EVENT_BY_FUNCTION, NULL), 0);
	assert_int_equal(rows.count, 3);
	/* f calls itself: the whole of it is what its call from main cost. */
	assert_int_equal(row_named(&rows, "f")->self[0], 10);
	assert_int_equal(row_named(&rows, "f")->inclusive[0], 10);
	assert_int_equal(row_named(&rows, "f")->calls, 1);
	assert_int_equal(row_named(&rows, "main")->inclusive[0], 11);
	assert_int_equal(row_named(&rows, "g")->self[0], 16);
	event_rows_release(&rows);
	for (i = 0; i < p.node_count; i++)
		contexts +=
			strcmp(p.nodes[i].function, "g") == 0 && p.nodes[i].caller_id != STORE_NONE;
	assert_int_equal(contexts, 3);
	/* An address is a caller, and no recursion. */
	assert_int_equal(p.arcs[p.arc_count - 1].kind, STORE_ARC_CALL);
	assert_int_equal(p.arcs[p.arc_count - 1].values[0], 7);
	events_close(&p);
}

static void of_another_program_quotes_are_parts_of_names(void **state)
{
	struct event_profile p = open_text("creator: other\nevents: E\nfn=main::'lambda'()\n1 1\n");

	(void)state;
	assert_int_equal(p.node_count, 1);
	assert_string_equal(p.nodes[0].function, "main::'lambda'()");
	events_close(&p);
}

static void jumps_are_kept(void **state)
{
	static const char text[] = "positions: instr line\nevents: Ir\nob=x\nfl=x.c\nfn=f\n"
				   "0x10 1 5\njcnd=2/5 +8 +1\n* *\njump=7 0x10 1\n0x18 2\n"
				   "+1 * 1\n";
	struct event_profile p = open_text(text);
	struct store_jump *j;
	size_t count;

	(void)state;
	assert_int_equal(store_read_jumps(p.store, STORE_ALL, &j, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_true(j[0].conditional);
	assert_int_equal(j[0].executed, 5);
	assert_int_equal(j[0].taken, 2);
	assert_int_equal(events_location(&p, j[0].to_id)->module_address, 0x18);
	assert_int_equal(events_location(&p, j[1].from_id)->module_address, 0x18);
	assert_int_equal(events_location(&p, j[1].to_id)->module_address, 0x10);
	assert_int_equal(j[1].taken, 7);
	free(j);
	events_close(&p);
}

static void parts_are_added_up_and_threads_stay_apart(void **state)
{
	static const char text[] = "pid: 7\nthread: 1\nevents: Ir Dr\nfn=f\n1 5 2\ntotals: 5 2\n"
				   "pid: 7\nthread: 2\nevents: Dr Ir\nfn=f\n1 1 3\ntotals: 1 3\n"
				   "pid: 7\nthread: 1\nevents: Ir Dr\nfn=f\n1 10\ntotals: 10\n"
				   "pid: 8\nevents: Ir\nfn=f\n1 100\ntotals: 100\n";
	struct event_profile p = open_text(text);
	struct event_rows rows;

	(void)state;
	assert_int_equal(p.process_count, 2);
	assert_int_equal(p.totals[0], 118);
	assert_int_equal(p.totals[1], 3);
	assert_int_equal(event_rows_init(&rows, &p, EVENT_BY_THREAD, NULL), 0);
	assert_int_equal(rows.count, 3);
	assert_int_equal(rows.items[0].thread, 1);
	assert_int_equal(rows.items[0].self[0], 15);
	assert_int_equal(rows.items[1].self[0], 3);
	event_rows_release(&rows);
	assert_int_equal(event_rows_init(&rows, &p, EVENT_BY_FUNCTION, NULL), 0);
	assert_int_equal(rows.count, 1);
	assert_int_equal(rows.items[0].self[0], 118);
	event_rows_release(&rows);
	events_close(&p);
}

/* Thread 1 has 5 + 10 Ir and 2 Dr, of the process that has threads. */
static void one_thread_is_kept(void **state)
{
	static const char text[] = "pid: 7\nthread: 1\nevents: Ir Dr\nfn=f\n1 5 2\n"
				   "cfn=g\ncalls=1 1\n1 4 1\nfn=g\n1 4 1\ntotals: 9 3\n"
				   "pid: 7\nthread: 2\nevents: Ir Dr\nfn=f\n1 3 1\ntotals: 3 1\n";
	struct event_profile p = open_text(text);
	struct err err;

	(void)state;
	assert_int_equal(events_keep_thread(&p, 9, &err), -1);
	assert_non_null(strstr(err.text, "no thread 9"));
	assert_int_equal(p.totals[0], 12);
	assert_int_equal(events_keep_thread(&p, 1, &err), 0);
	assert_int_equal(p.totals[0], 9);
	assert_int_equal(p.totals[1], 3);
	assert_int_equal(p.node_count, 2);
	assert_int_equal(p.cost_count, 2);
	assert_int_equal(p.arc_count, 1);
	events_close(&p);
}

static void a_file_that_is_wrong_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"\n", "'x', line 1: the file ends without any costs"},
		{"hello world\n", "line 1: 'hello world' is no line of the Callgrind format"},
		{"version: 2\n", "line 1: version 2"},
		{"events:\n", "line 1: the line 'events:' names none"},
		{"fn=f\n", "line 1: costs come before a line 'events:'"},
		{"events: Ir\n1 5\n", "line 2: costs come before a line 'fn='"},
		{"events: Ir\nfn=f\n1 2 3\n", "line 3: more than 1 costs"},
		{"events: Ir\nfn=f\n1 x\n", "line 3: what should be a cost"},
		{"events: Ir\nfn=f\n1 -2\n", "line 3: what should be a cost"},
		{"events: Ir\nfn=f\n1 99999999999999999999\n", "line 3: what should be a cost"},
		{"events: Ir\nfn=f\n99999999999 1\n", "line 3: line 99999999999"},
		{"events: Ir\nfn=f\n-1 1\n", "line 3: line 18446744073709551615"},
		{"events: Ir\nfn=(3)\n", "line 2: the name (3) was not given before"},
		{"events: Ir\nfn=f\ncalls=1 2\n", "line 3: calls of a function that no line"},
		{"events: Ir\nfn=f\ncfn=g\ncalls=x\n", "line 4: 'calls=x'"},
		{"events: Ir\nfn=f\ncfn=g\ncalls=1 2\nfn=h\n", "line 5: after a call"},
		{"events: Ir\nfn=f\ncfn=g\ncalls=1 2\n", "line 4: the file ends within a call"},
		{"events: Ir\nfn=f\n1 5\ntotals: 6\n",
		 "line 4: the totals say 6 Ir, but the lines before it have 5"},
		{"events: Ir\nfn=f\n1 5\ntotals: 5\nevents: Dr\n",
		 "line 5: event 'Dr' is not one of the first part's"},
		{"positions: colour\n", "line 1: positions 'colour'"},
		{"pid: many\n", "line 1: 'many' is no process number"},
	};
	struct text notes = {0};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(import_text(cases[i].text, &notes, &err), -1);
		if (strstr(err.text, cases[i].said) == NULL)
			fail_msg("\"%s\": %s", cases[i].text, err.text);
	}
	text_release(&notes);
}

static void a_file_without_totals_gets_a_note(void **state)
{
	struct text notes = {0};
	struct err err;

	(void)state;
	assert_int_equal(import_text(example, &notes, &err), 0);
	assert_int_equal(notes.count, 0);
	assert_int_equal(import_text("events: Ir\nfn=f\n1 5\n", &notes, &err), 0);
	assert_non_null(strstr(text_get(&notes), "may have been cut off"));
	text_release(&notes);
}

/* As Cachegrind writes files: a line summary at the end, and no totals. */
static void a_summary_of_the_costs_says_that_a_file_is_whole(void **state)
{
	static const struct {
		const char *text;
		bool is_whole;
	} cases[] = {
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n2 6\nsummary: 11 2\n", true},
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 0\nsummary: 5\n", true},
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n2 6\nsummary: 1", false},
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n2 6\nsummary: 11", false},
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n2 6\nsummary: ", false},
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n2 6\nsumma:", false},
		{"events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n", false},
		{"events: Ir\nsummary: 5\nfn=f\n1 5\nevents: Ir\nfn=f\n", false},
		{"events: Ir\nsummary: 12\nfn=f\n1 5\n", false},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text notes = {0};

		assert_int_equal(import_text(cases[i].text, &notes, &err), 0);
		if ((notes.count == 0) != cases[i].is_whole)
			fail_msg("\"%s\": %s", cases[i].text, text_get(&notes));
		text_release(&notes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_the_format_has_its_costs),
		cmocka_unit_test(positions_may_be_relative_and_events_missing),
		cmocka_unit_test(recursion_and_callers_in_names_are_understood),
		cmocka_unit_test(of_another_program_quotes_are_parts_of_names),
		cmocka_unit_test(jumps_are_kept),
		cmocka_unit_test(parts_are_added_up_and_threads_stay_apart),
		cmocka_unit_test(one_thread_is_kept),
		cmocka_unit_test(a_file_that_is_wrong_is_told_with_its_line),
		cmocka_unit_test(a_file_without_totals_gets_a_note),
		cmocka_unit_test(a_summary_of_the_costs_says_that_a_file_is_whole),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
