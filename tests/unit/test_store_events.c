/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event profile in a profile file: read back, summed up, queried in SQL, damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "profiles.h"
#include "scratch.h"
#include "store/events.h"
#include "store/store.h"

#define NODES	  3000 /* more than a row of node_batch holds */
#define LOCATIONS 7

static const struct store_event events[] = {
	{"Ir", "instructions", NULL},
	{"D1mr", NULL, NULL},
	{"D1 \"odd\"", NULL, NULL},
	{"CEst", "cycles", "Ir + 10 * D1mr"},
};

static struct store *begin(const char *path)
{
	struct store *s = create_profile(path);
	uint32_t i;

	for (i = 0; i < 2; i++) {
		struct store_process p = {.id = i, A_PROCESS, .state = "exited"};

		assert_int_equal(store_put_process(s, &p, NULL), 0);
	}
	assert_int_equal(store_put_events(s, events, 4, NULL), 0);
	return s;
}

/* Node i is of process i % 2; every third one has a caller, every fifth one a thread. */
static void put_nodes(struct store *s)
{
	int64_t i;

	for (i = 1; i <= NODES; i++) {
		char name[32], path[32];
		struct store_node n = {
			.id = i,
			.process_id = i % 2,
			.thread = i % 5 == 0 ? i : STORE_NONE,
			.function = name,
			.file = i % 7 == 0 ? NULL : "f.c",
			.object = i % 11 == 0 ? NULL : path,
			.caller_id = i % 3 == 0 ? i - 2 : STORE_NONE,
		};

		snprintf(name, sizeof(name), "f%d", (int)(i % 100));
		snprintf(path, sizeof(path), "/lib/%d.so", (int)(i % 10));
		assert_int_equal(store_put_node(s, &n, NULL), 0);
	}
}

/* Two increments of everything, the second one in the other order. */
static void put_increment(struct store *s, bool is_reversed)
{
	int64_t k, i;

	for (k = 0; k < NODES; k++) {
		i = is_reversed ? NODES - k : k + 1;
		uint64_t values[3] = {(uint64_t)i, i % 2 == 0 ? (uint64_t)i * 1000003 : 0, 0};
		struct store_cost c = {i, i % 10 == 0 ? STORE_NONE : i % LOCATIONS, values};
		struct store_arc a = {i % 4 == 0 ? STORE_NONE : i,
				      i % LOCATIONS,
				      NODES + 1 - i,
				      i % 4 == 0 ? STORE_ARC_START : STORE_ARC_CALL,
				      7,
				      values};
		struct store_jump j = {i, i % LOCATIONS, 3, i % 2 == 0, 10, 4};

		assert_int_equal(store_put_cost(s, &c, NULL), 0);
		assert_int_equal(store_put_arc(s, &a, NULL), 0);
		assert_int_equal(store_put_jump(s, &j, NULL), 0);
	}
}

static void write_profile(const char *path)
{
	static const uint64_t zeros[3];
	struct store *s = begin(path);

	assert_int_equal(store_put_geometry(s, "L1d", "32K,8,64", NULL), 0);
	assert_int_equal(store_put_geometry(s, "LL", "8M,16,64", NULL), 0);
	put_nodes(s);
	put_increment(s, false);
	assert_int_equal(store_commit(s, NULL), 0);
	put_increment(s, true);
	/* What is nothing is not written, and so needs not be of a node that exists. */
	assert_int_equal(store_put_cost(s, &(struct store_cost){9999, 1, zeros}, NULL), 0);
	finish_profile(s);
}

static void columns_and_geometry_come_back_in_order(void **state)
{
	struct store_geometry *g;
	struct store_event *e;
	struct store *s;
	size_t count, i;

	(void)state;
	write_profile("columns.db");
	s = open_profile("columns.db");
	assert_int_equal(store_read_events(s, &e, &count, NULL), 0);
	assert_int_equal(count, 4);
	assert_string_equal(e[0].name, events[0].name);
	/* Spaces and quotation marks would be in the way in columns and terminals. */
	for (i = 0; i < count; i++)
		assert_string_equal(e[i].name,
				    strchr(events[i].name, '"') ? "D1__odd_" : events[i].name);
	assert_null(e[0].formula);
	assert_null(e[1].description);
	assert_string_equal(e[3].formula, events[3].formula);
	free(e);
	assert_int_equal(store_read_geometry(s, &g, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_string_equal(g[1].name, "LL");
	assert_string_equal(g[1].value, "8M,16,64");
	free(g);
	store_close(s);
}

static void nodes_come_back_as_they_were(void **state)
{
	struct store_node *n;
	struct store *s;
	size_t count, i;
	char name[32];

	(void)state;
	write_profile("nodes.db");
	s = open_profile("nodes.db");
	assert_int_equal(store_read_nodes(s, STORE_ALL, &n, &count, NULL), 0);
	assert_int_equal(count, NODES);
	for (i = 0; i < count; i++) {
		int64_t id = (int64_t)i + 1;

		assert_int_equal(n[i].id, id);
		assert_int_equal(n[i].process_id, id % 2);
		assert_int_equal(n[i].thread, id % 5 == 0 ? id : STORE_NONE);
		assert_int_equal(n[i].caller_id, id % 3 == 0 ? id - 2 : STORE_NONE);
		snprintf(name, sizeof(name), "f%d", (int)(id % 100));
		assert_string_equal(n[i].function, name);
		snprintf(name, sizeof(name), "/lib/%d.so", (int)(id % 10));
		if (id % 11 == 0)
			assert_null(n[i].object);
		else
			assert_string_equal(n[i].object, name);
		assert_int_equal(n[i].file == NULL, id % 7 == 0);
	}
	free(n);
	assert_int_equal(store_read_nodes(s, 1, &n, &count, NULL), 0);
	assert_int_equal(count, NODES / 2);
	free(n);
	store_close(s);
}

static void increments_are_summed_up(void **state)
{
	struct store_cost *c;
	struct store_arc *a;
	struct store_jump *j;
	struct store *s;
	size_t count, i;

	(void)state;
	write_profile("sums.db");
	s = open_profile("sums.db");
	assert_int_equal(store_read_costs(s, STORE_ALL, &c, &count, NULL), 0);
	assert_int_equal(count, NODES);
	for (i = 0; i < count; i++) {
		assert_int_equal(c[i].node_id, i + 1);
		assert_int_equal(c[i].location_id,
				 (i + 1) % 10 == 0 ? STORE_NONE : (int64_t)(i + 1) % LOCATIONS);
		assert_int_equal(c[i].values[0], 2 * (i + 1));
		assert_int_equal(c[i].values[1], i % 2 == 1 ? 2 * (i + 1) * 1000003 : 0);
		assert_int_equal(c[i].values[2], 0);
	}
	free(c);
	assert_int_equal(store_read_arcs(s, STORE_ALL, &a, &count, NULL), 0);
	assert_int_equal(count, NODES);
	for (i = 0; i < count; i++) {
		int64_t id = NODES + 1 - a[i].callee_id;

		/* Those without a caller come first. */
		assert_int_equal(a[i].caller_id, i < NODES / 4 ? STORE_NONE : id);
		assert_int_equal(a[i].location_id, id % LOCATIONS);
		assert_int_equal(a[i].kind, i < NODES / 4 ? STORE_ARC_START : STORE_ARC_CALL);
		assert_int_equal(a[i].calls, 14);
		assert_int_equal(a[i].values[0], 2 * id);
	}
	free(a);
	assert_int_equal(store_read_jumps(s, 1, &j, &count, NULL), 0);
	assert_int_equal(count, NODES / 2);
	assert_int_equal(j[0].executed, 20);
	assert_int_equal(j[0].taken, 8);
	assert_false(j[0].conditional);
	free(j);
	assert_int_equal(store_read_costs(s, 0, &c, &count, NULL), 0);
	assert_int_equal(count, NODES / 2);
	free(c);
	store_close(s);
}

static void without_events_there_is_nothing(void **state)
{
	struct store_event *e;
	struct store_cost *c;
	struct store *s = NULL;
	size_t count;

	(void)state;
	assert_int_equal(store_create("none.db", &s, NULL), 0);
	finish_profile(s);
	s = open_profile("none.db");
	assert_int_equal(store_read_events(s, &e, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(e);
	assert_int_equal(store_read_costs(s, STORE_ALL, &c, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(c);
	store_close(s);
}

static int64_t ask(const char *path, const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db = NULL;
	int64_t n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static void views_show_rows_with_columns_named_after_the_events(void **state)
{
	/* Twice 1 + 2 + ... + 3000 = 9,003,000. */
	(void)state;
	write_profile("views.db");
	assert_int_equal(ask("views.db", "SELECT sum(Ir) FROM cost"), 9003000);
	assert_int_equal(ask("views.db", "SELECT sum(Ir) FROM arc"), 9003000);
	assert_int_equal(ask("views.db", "SELECT sum(\"D1 \"\"odd\"\"\") FROM cost"), 0);
	assert_int_equal(ask("views.db", "SELECT count(*) FROM cost WHERE location_id IS NULL"),
			 600);
	assert_int_equal(ask("views.db", "SELECT count(*) FROM arc WHERE kind = 'start'"), 1500);
	assert_int_equal(ask("views.db", "SELECT sum(taken) FROM jump"), 24000);
	/* Ids that end in 1, but for the multiples of 11. */
	assert_int_equal(ask("views.db", "SELECT count(*) FROM node WHERE object = '/lib/1.so'"),
			 300 - 28);
	/* f1 is the name of nodes 1, 101, ... 2901: twice 30 * 1451. */
	assert_int_equal(ask("views.db", "SELECT sum(Ir) FROM cost JOIN node ON node.id = node_id"
					 " WHERE function = 'f1'"),
			 87060);
}

static void break_it(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	write_profile(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void lists_that_cannot_be_are_refused(void **state)
{
	static const char *const damages[] = {
		"INSERT INTO cost_batch VALUES(99999, '[[1]]')",
		"INSERT INTO cost_batch VALUES(99999, '[[1,1,1,2,3,4]]')",
		"INSERT INTO cost_batch VALUES(99999, '[[-1,1,5]]')",
		"INSERT INTO cost_batch VALUES(99999, '[[3001,1,5]]')",
		"INSERT INTO cost_batch VALUES(99999, '[[1,-2,5]]')",
		"INSERT INTO cost_batch VALUES(99999, '[[1,99999999999,5]]')",
		"INSERT INTO cost_batch VALUES(99999, 'x')",
		"DELETE FROM node_batch",
		("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70)"
		 " INSERT INTO event(name) SELECT 'e' || i FROM n"),
	};
	static const char *const arc_damages[] = {
		"INSERT INTO arc_batch VALUES(99999, '[[1,1,2,0]]')",
		"INSERT INTO arc_batch VALUES(99999, '[[1,1,-1,0,1]]')",
		"INSERT INTO arc_batch VALUES(99999, '[[5000,1,1,0,1]]')",
		"INSERT INTO arc_batch VALUES(99999, '[[1,1,1,9,1]]')",
	};
	struct store_cost *c;
	struct store_arc *a;
	struct store *s;
	struct err err;
	size_t count, i;

	(void)state;
	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		break_it("damaged.db", damages[i]);
		s = open_profile("damaged.db");
		assert_int_equal(store_read_costs(s, STORE_ALL, &c, &count, &err), -1);
		assert_non_null(strstr(err.text, "damaged"));
		store_close(s);
	}
	for (i = 0; i < sizeof(arc_damages) / sizeof(arc_damages[0]); i++) {
		break_it("damaged.db", arc_damages[i]);
		s = open_profile("damaged.db");
		assert_int_equal(store_read_arcs(s, STORE_ALL, &a, &count, &err), -1);
		assert_non_null(strstr(err.text, "damaged"));
		store_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_and_geometry_come_back_in_order),
		cmocka_unit_test(nodes_come_back_as_they_were),
		cmocka_unit_test(increments_are_summed_up),
		cmocka_unit_test(without_events_there_is_nothing),
		cmocka_unit_test(views_show_rows_with_columns_named_after_the_events),
		cmocka_unit_test(lists_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
