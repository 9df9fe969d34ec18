/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inclusive costs with recursion and cycles, classes of names, trees of calls, arrows of jumps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/names.h"
#include "events/calls.h"
#include "events/event_cycles.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"
#include "views/listing/jump_arrows.h"

struct edge {
	int64_t from, to; /* from 0: nothing calls */
	uint64_t calls, cost;
	uint32_t kind;
};

/* Functions by number from 1; a cost each. */
struct graph {
	const char *const *names; /* NULL at the end */
	const uint64_t *costs;
	const int64_t *callers;	 /* of contexts, or NULL: there are none */
	const struct edge *arcs; /* to 0 at the end */
};

static void put_graph(struct store *s, const struct graph *g)
{
	size_t i;

	for (i = 0; g->names[i] != NULL; i++) {
		struct store_node n = {
			.id = (int64_t)i + 1,
			.thread = STORE_NONE,
			.function = g->names[i],
			.caller_id = g->callers != NULL ? g->callers[i] : STORE_NONE,
		};
		struct store_cost c = {n.id, STORE_NONE, &g->costs[i]};

		assert_int_equal(store_put_node(s, &n, NULL), 0);
		assert_int_equal(store_put_cost(s, &c, NULL), 0);
	}
	for (i = 0; g->arcs[i].to != 0; i++) {
		struct store_arc a = {
			.caller_id = g->arcs[i].from != 0 ? g->arcs[i].from : STORE_NONE,
			.location_id = STORE_NONE,
			.callee_id = g->arcs[i].to,
			.kind = g->arcs[i].kind,
			.calls = g->arcs[i].calls,
			.values = &g->arcs[i].cost,
		};

		assert_int_equal(store_put_arc(s, &a, NULL), 0);
	}
}

static struct event_profile open_graph(const struct graph *g)
{
	static const struct store_event event = {"Ir", NULL, NULL};
	struct store_process process = {.parent_id = STORE_NONE,
					.cause = "start",
					.exe = "x",
					.command = "x",
					.state = "exited"};
	struct event_profile p;
	struct store *s = NULL;
	struct err err;

	unlink("g.db");
	assert_int_equal(store_create("g.db", &s, NULL), 0);
	assert_int_equal(store_put_process(s, &process, NULL), 0);
	assert_int_equal(store_put_events(s, &event, 1, NULL), 0);
	put_graph(s, g);
	finish_profile(s);
	if (events_open(&p, "g.db", STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void assert_inclusive(const struct graph *g, enum event_by by, const uint64_t *expected)
{
	struct event_profile p = open_graph(g);
	struct event_rows rows;
	size_t i;

	assert_int_equal(event_rows_init(&rows, &p, by, NULL), 0);
	for (i = 0; i < rows.count; i++)
		assert_int_equal(rows.items[i].inclusive[0], expected[i]);
	event_rows_release(&rows);
	events_close(&p);
}

static void a_circle_of_calls_is_counted_once(void **state)
{
	/*
	 * main(1) calls even(10) calls odd(20) calls even again, which calls leaf(5). What even
	 * costs inside of even is in the outer call: main -> even 35, even -> odd 25 (it holds the
	 * inner even's leaf), even's leaf 5.
	 */
	static const char *const names[] = {"main", "even", "odd", "leaf", NULL};
	static const uint64_t costs[] = {1, 10, 20, 5};
	const struct graph folded = {names, costs, NULL,
				     (const struct edge[]){
					     {0, 1, 1, 36, STORE_ARC_START},
					     {1, 2, 1, 35, STORE_ARC_CALL},
					     {2, 3, 1, 25, STORE_ARC_CALL},
					     {3, 2, 1, 0, STORE_ARC_RECURSIVE},
					     {2, 4, 1, 5, STORE_ARC_CALL},
					     {0},
				     }};
	/* The same of a tool that adds up inner calls as well: never more than the circle has. */
	const struct graph inflated = {names, costs, NULL,
				       (const struct edge[]){
					       {1, 2, 1, 35, STORE_ARC_CALL},
					       {2, 3, 9, 250, STORE_ARC_CALL},
					       {3, 2, 9, 350, STORE_ARC_CALL},
					       {2, 4, 1, 5, STORE_ARC_CALL},
					       {0},
				       }};

	(void)state;
	assert_inclusive(&folded, EVENT_BY_FUNCTION, (const uint64_t[]){36, 35, 25, 5});
	assert_inclusive(&inflated, EVENT_BY_FUNCTION, (const uint64_t[]){36, 35, 35, 5});
}

static void a_function_that_calls_itself_is_counted_once(void **state)
{
	static const char *const names[] = {"main", "f", "leaf", NULL};
	static const uint64_t costs[] = {1, 10, 5};
	const struct graph g = {names, costs, NULL,
				(const struct edge[]){
					{1, 2, 1, 15, STORE_ARC_CALL},
					{2, 2, 7, 90, STORE_ARC_CALL},
					{2, 3, 8, 5, STORE_ARC_CALL},
					{0},
				}};

	(void)state;
	assert_inclusive(&g, EVENT_BY_FUNCTION, (const uint64_t[]){16, 15, 5});
}

static void a_class_has_what_is_called_from_outside_of_it(void **state)
{
	/* main -> A::f -> A::g -> B::h: main 1, A 2 + 3, B 4. */
	static const char *const names[] = {"main", "A::f(int)", "A::g()", "B::h()", NULL};
	static const uint64_t costs[] = {1, 2, 3, 4};
	const struct graph g = {names, costs, NULL,
				(const struct edge[]){
					{1, 2, 1, 9, STORE_ARC_CALL},
					{2, 3, 1, 7, STORE_ARC_CALL},
					{3, 4, 1, 4, STORE_ARC_CALL},
					{0},
				}};

	(void)state;
	assert_inclusive(&g, EVENT_BY_CLASS, (const uint64_t[]){10, 9, 4});
}

static void what_nothing_calls_was_called_from_outside(void **state)
{
	/* A::start(1) -> B::f(2) -> A::g(4): A and B are on a circle, and A began it all. */
	static const char *const names[] = {"A::start()", "B::f()", "A::g()", NULL};
	static const uint64_t costs[] = {1, 2, 4};
	const struct graph g = {names, costs, NULL,
				(const struct edge[]){
					{1, 2, 1, 6, STORE_ARC_CALL},
					{2, 3, 1, 4, STORE_ARC_CALL},
					{0},
				}};

	(void)state;
	assert_inclusive(&g, EVENT_BY_CLASS, (const uint64_t[]){7, 6});
}

static void names_of_functions_tell_their_class(void **state)
{
	static const char *const cases[][2] = {
		{"main", ""},
		{"f(a::b)", ""},
		{"list::sum(int) const", "list"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)",
		 "std::vector<int, std::allocator<int> >"},
		{"void std::sort<a::b*>(a::b*, a::b*)", "std"},
		{"(anonymous namespace)::thing::go()", "(anonymous namespace)::thing"},
		{"ns::cls::operator()(int)", "ns::cls"},
		{"ns::operator<<(std::ostream&, ns::x const&)", "ns"},
		{"ns::f()::{lambda(int)#1}::operator()(int) const", "ns"},
		{"my_operator::run()", "my_operator"},
		{"(below main)", ""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text name = {0};

		name_class(cases[i][0], &name);
		assert_string_equal(text_get(&name), cases[i][1]);
		text_release(&name);
	}
}

static void a_user_may_leave_out_arguments_and_classes(void **state)
{
	(void)state;
	assert_true(name_is_meant("list::sum(int)", "list::sum(int)"));
	assert_true(name_is_meant("list::sum(int)", "list::sum"));
	assert_true(name_is_meant("list::sum(int)", "sum"));
	assert_false(name_is_meant("list::checksum(int)", "sum"));
	assert_false(name_is_meant("list::sum(int)", "list"));
	assert_true(name_is_meant("(below main)", "(below main)"));
	assert_true(name_is_meant("cls::operator()(int)", "operator()"));
	assert_true(name_is_meant("(anonymous namespace)::deep::sum(long*)", "sum"));
	assert_true(name_is_meant("ns::(anonymous namespace)::sum(long*)",
				  "ns::(anonymous namespace)::sum"));
	assert_true(name_is_meant("main::{lambda(int)#2}::operator()(int) const", "operator()"));
	assert_true(name_is_meant("void each<void (*)(int)>(void (*)(int))",
				  "void each<void (*)(int)>"));
	assert_true(name_is_meant("cls::operator new(unsigned long)", "operator new"));
	assert_true(name_is_meant("runtime.(*mspan).base", "runtime.(*mspan).base"));
	assert_false(name_is_meant("runtime.(*mspan).base", "runtime."));
	assert_false(name_is_meant("f", ""));
}

static void a_plain_name_is_as_in_the_source(void **state)
{
	static const char *const cases[][2] = {
		{"double total<std::vector<int> >(std::vector<int> const&)", "total"},
		{"fold<geo::vec<float, 4>*, main()::<lambda(auto:1&)> >", "fold"},
		{"std::vector<int, std::allocator<int> >::push_back(int&&)",
		 "std::vector::push_back"},
		{"geo::tables[abi:cxx11]", "geo::tables"},
		{"ns::name[abi:cxx11](int)", "ns::name"},
		{"auto main::$_0::operator()<geo::vec<float, 4> >(geo::vec<float, 4>&) const",
		 "main::$_0::operator()"},
		{"std::ostream& std::operator<< <char>(std::ostream&, char const*)",
		 "std::operator<<"},
		{"bool operator< <int>(box<int> const&, box<int> const&)", "operator<"},
		{"box<int>::operator->() const", "box::operator->"},
		{"box<int>::operator std::string() const", "box::operator std::string"},
		{"decltype(auto) call<f>(int)", "call"},
		{"decltype ((x)+(y)) ns::add<int>(int, int)", "ns::add"},
		{"ns::f<int>(int) const::{lambda(int)#1}::operator()(int) const",
		 "ns::f::{lambda(int)#1}::operator()"},
		{"to_chars<long>(char*, long)::digits", "to_chars::digits"},
		{"(anonymous namespace)::deep<int>::sum(long*)",
		 "(anonymous namespace)::deep::sum"},
		{"work(int) [clone .constprop.0]", "work"},
		{"runtime.(*mspan).base", "runtime.(*mspan).base"},
		{"<T as alloc::vec::from_elem>::from_elem",
		 "<T as alloc::vec::from_elem>::from_elem"},
		{"hot::main::{{closure}}", "hot::main::{{closure}}"},
		{"[libc.so.6+0x1234]", "[libc.so.6+0x1234]"},
		{"(below main)", "(below main)"},
		{"less<(ns::kind)3, (&ns::operator<)>::run(", "less"},
		{"f<<<", "f"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text name = {0};

		name_plain(cases[i][0], &name);
		assert_string_equal(text_get(&name), cases[i][1]);
		text_release(&name);
	}
}

static void parallel_regions_are_of_their_function(void **state)
{
	(void)state;
	assert_true(name_is_meant("sweep._omp_fn.0", "sweep"));
	assert_true(name_is_meant("sweep._omp_fn.0", "sweep._omp_fn.0"));
	assert_true(name_is_meant("mod::sweep._omp_fn.1", "mod::sweep"));
	assert_true(name_is_meant("mod::sweep._omp_fn.1", "sweep"));
	assert_false(name_is_meant("sweep._omp_fn.0", "sweep._omp_fn.1"));
	assert_false(name_is_meant("sweep._omp_fn.0", "weep"));
	assert_false(name_is_meant("._omp_fn.0", ""));
}

static void a_user_may_leave_out_arguments_of_templates(void **state)
{
	(void)state;
	assert_true(name_is_meant("double total<std::vector<int> >(int)", "total"));
	assert_true(name_is_meant("std::vector<int>::push_back(int&&)", "vector::push_back"));
	assert_true(name_is_meant("geo::tables[abi:cxx11]", "tables"));
	assert_false(name_is_meant("double subtotal<int>(int)", "total"));
	assert_false(name_is_meant("std::vector<total>::push_back(int&&)", "total"));
	assert_false(name_is_meant("box<int>::sum(int)", ""));
}

static struct call_tree grow(const struct graph *g, struct event_profile *p, struct calls *c,
			     const char *name, bool is_up)
{
	static const struct event_columns columns = {.items = {0}, .count = 1};
	struct call_tree t;
	size_t *rows, count;

	*p = open_graph(g);
	assert_int_equal(calls_init(c, p, &columns, NULL), 0);
	assert_int_equal(calls_find(c, name, &rows, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(call_tree_init(&t, c, rows[0], is_up, 5, 0, NULL), 0);
	free(rows);
	return t;
}

/* main calls a (cost 10 + 30) and b (10 + 60), which call work once and twice. */
static const char *const work_names[] = {"main", "a", "b", "work", "io", NULL};
static const uint64_t work_costs[] = {0, 10, 10, 60, 30};
static const struct graph work = {work_names, work_costs, NULL,
				  (const struct edge[]){
					  {1, 2, 1, 40, STORE_ARC_CALL},
					  {1, 3, 1, 70, STORE_ARC_CALL},
					  {2, 4, 1, 30, STORE_ARC_CALL},
					  {3, 4, 2, 60, STORE_ARC_CALL},
					  {4, 5, 9, 30, STORE_ARC_CALL},
					  {0},
				  }};

static void long_chains_share_the_cost_of_what_they_call(void **state)
{
	/* work's 90 have 30 of io: by a third through a, by two thirds through b. */
	static const struct {
		const char *name;
		unsigned depth;
		double cost, calls;
		bool is_estimate;
	} expected[] = {
		{"main", 0, 110, 0, false}, {"b", 1, 70, 1, false}, {"work", 2, 60, 2, false},
		{"io", 3, 20, 6, true},	    {"a", 1, 40, 1, false}, {"work", 2, 30, 1, false},
		{"io", 3, 10, 3, true},
	};
	struct event_profile p;
	struct call_tree t;
	struct calls c;
	size_t i;

	(void)state;
	t = grow(&work, &p, &c, "main", false);
	assert_int_equal(t.count, sizeof(expected) / sizeof(expected[0]));
	for (i = 0; i < t.count; i++) {
		assert_string_equal(c.functions.items[t.items[i].row].name, expected[i].name);
		assert_int_equal(t.items[i].depth, expected[i].depth);
		assert_true(t.items[i].cost > expected[i].cost - 1e-6 &&
			    t.items[i].cost < expected[i].cost + 1e-6);
		assert_true(t.items[i].calls > expected[i].calls - 1e-6 &&
			    t.items[i].calls < expected[i].calls + 1e-6);
		assert_int_equal(t.items[i].is_estimate, expected[i].is_estimate);
	}
	call_tree_release(&t);
	calls_release(&c);
	events_close(&p);
}

static void callers_share_what_a_function_costs(void **state)
{
	struct event_profile p;
	struct call_tree t;
	struct calls c;

	(void)state;
	t = grow(&work, &p, &c, "io", true);
	/* io 30; work 30; b 20 of it, main 20; a 10, main 10. */
	assert_int_equal(t.count, 6);
	assert_true(t.items[1].cost == 30 && !t.items[1].is_estimate);
	assert_true(t.items[2].cost > 19.99 && t.items[2].cost < 20.01);
	assert_true(t.items[2].is_estimate && t.items[3].is_estimate);
	assert_int_equal(t.items[3].depth, 3);
	assert_true(t.items[4].cost > 9.99 && t.items[4].cost < 10.01);
	call_tree_release(&t);
	calls_release(&c);
	events_close(&p);
}

static void contexts_make_chains_exact(void **state)
{
	/* The same, with work and io apart for a and b; io costs 25 and 5. */
	static const char *const names[] = {"main", "a", "b", "work", "work", "io", "io", NULL};
	static const uint64_t costs[] = {0, 10, 10, 5, 55, 25, 5};
	static const int64_t callers[] = {-1, 1, 1, 2, 3, 4, 5};
	const struct graph g = {names, costs, callers,
				(const struct edge[]){
					{1, 2, 1, 40, STORE_ARC_CALL},
					{1, 3, 1, 70, STORE_ARC_CALL},
					{2, 4, 1, 30, STORE_ARC_CALL},
					{3, 5, 2, 60, STORE_ARC_CALL},
					{4, 6, 1, 25, STORE_ARC_CALL},
					{5, 7, 8, 5, STORE_ARC_CALL},
					{0},
				}};
	struct event_profile p;
	struct call_tree t;
	struct calls c;
	size_t i;

	(void)state;
	t = grow(&g, &p, &c, "main", false);
	assert_int_equal(t.count, 7);
	for (i = 0; i < t.count; i++)
		assert_false(t.items[i].is_estimate);
	assert_true(t.items[3].cost == 5 && t.items[3].calls == 8);
	assert_true(t.items[6].cost == 25);
	call_tree_release(&t);
	calls_release(&c);
	events_close(&p);
}

static void parts_of_a_function_do_not_call_each_other(void **state)
{
	/*
	 * main(1) calls f, 9 times; f's first part (10) goes to its second one (20) 4 times, which
	 * calls leaf(30) from the same line, which is not known.
	 */
	static const char *const names[] = {"main", "f", "f", "leaf", NULL};
	static const uint64_t costs[] = {1, 10, 20, 30};
	const struct graph g = {names, costs, NULL,
				(const struct edge[]){
					{1, 2, 9, 60, STORE_ARC_CALL},
					{2, 3, 4, 50, STORE_ARC_JUMP},
					{3, 4, 4, 30, STORE_ARC_CALL},
					{0},
				}};
	static const struct {
		const char *function;
		bool is_up;
		const char *chain[3];
		double costs[3], calls[3];
	} trees[] = {
		{"main", false, {"main", "f", "leaf"}, {61, 60, 30}, {0, 9, 4}},
		{"f", false, {"f", "leaf"}, {60, 30}, {9, 4}},
		{"f", true, {"f", "main"}, {60, 60}, {9, 9}},
		{"leaf", true, {"leaf", "f", "main"}, {30, 30, 30}, {4, 4, 9}},
	};
	struct event_profile p;
	struct call_pair *pairs;
	struct call_tree t;
	struct calls c;
	size_t count, i, k;

	(void)state;
	assert_inclusive(&g, EVENT_BY_FUNCTION, (const uint64_t[]){61, 60, 30});
	assert_inclusive(&g, EVENT_BY_LINE, (const uint64_t[]){61, 60, 30});
	for (i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		t = grow(&g, &p, &c, trees[i].function, trees[i].is_up);
		for (k = 0; k < t.count; k++) {
			assert_true(k < 3 && trees[i].chain[k] != NULL);
			assert_string_equal(c.functions.items[t.items[k].row].name,
					    trees[i].chain[k]);
			assert_true(fabs(t.items[k].cost - trees[i].costs[k]) < 1e-6);
			assert_true(fabs(t.items[k].calls - trees[i].calls[k]) < 1e-6);
		}
		assert_true(k == 3 || trees[i].chain[k] == NULL);
		call_tree_release(&t);
		if (i == 0) {
			assert_int_equal(calls_pairs(&c, &pairs, &count, NULL), 0);
			assert_int_equal(count, 2);
			assert_true(pairs[0].cost == 60 && pairs[1].cost == 30);
			free(pairs);
		}
		calls_release(&c);
		events_close(&p);
	}
}

static void a_tree_ends_where_a_function_comes_again(void **state)
{
	static const char *const names[] = {"main", "f", "g", NULL};
	static const uint64_t costs[] = {1, 10, 20};
	const struct graph g = {names, costs, NULL,
				(const struct edge[]){
					{1, 2, 1, 30, STORE_ARC_CALL},
					{2, 3, 5, 30, STORE_ARC_CALL},
					{3, 2, 4, 0, STORE_ARC_RECURSIVE},
					{0},
				}};
	struct event_profile p;
	struct call_tree t;
	struct calls c;

	(void)state;
	t = grow(&g, &p, &c, "main", false);
	assert_int_equal(t.count, 4);
	assert_true(t.items[3].is_recursive);
	call_tree_release(&t);
	calls_release(&c);
	events_close(&p);
}

static void components_are_those_of_a_small_graph(void **state)
{
	/* 0 -> 1 -> 2 -> 0, 2 -> 3 -> 4 -> 3, 5 alone. */
	static const struct graph_edge edges[] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 3}};
	uint32_t of[6];

	(void)state;
	assert_int_equal(graph_components(6, edges, 6, of), 3);
	assert_int_equal(of[0], of[1]);
	assert_int_equal(of[0], of[2]);
	assert_int_equal(of[3], of[4]);
	assert_int_not_equal(of[0], of[3]);
	assert_int_not_equal(of[5], of[0]);
	assert_int_not_equal(of[5], of[3]);
}

static void a_long_chain_takes_no_stack(void **state)
{
	enum { LONG = 300000 };
	struct graph_edge *edges = malloc(LONG * sizeof(*edges));
	uint32_t *of = malloc(LONG * sizeof(*of));
	uint32_t i;

	(void)state;
	assert_true(edges != NULL && of != NULL);
	for (i = 0; i < LONG; i++)
		edges[i] = (struct graph_edge){i, (i + 1) % LONG};
	assert_int_equal(graph_components(LONG, edges, LONG - 1, of), LONG);
	assert_int_equal(graph_components(LONG, edges, LONG, of), 1);
	free(edges);
	free(of);
}

static void arrows_are_drawn_beside_each_other(void **state)
{
	struct jump_arrow arrows[] = {{.from = 3, .to = 0}, {.from = 1, .to = 2}};
	static const char *const rows[] = {"/-> ", "|/- ", "|\\> ", "\\-- "};
	struct text out = {0};
	unsigned lanes = jump_arrows_place(arrows, 2);
	size_t i;

	(void)state;
	assert_int_equal(lanes, 2);
	for (i = 0; i < 4; i++) {
		out.count = 0;
		jump_arrows_put(arrows, 2, lanes, i, false, &out);
		assert_string_equal(text_get(&out), rows[i]);
	}
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_circle_of_calls_is_counted_once),
		cmocka_unit_test(a_function_that_calls_itself_is_counted_once),
		cmocka_unit_test(a_class_has_what_is_called_from_outside_of_it),
		cmocka_unit_test(what_nothing_calls_was_called_from_outside),
		cmocka_unit_test(names_of_functions_tell_their_class),
		cmocka_unit_test(a_user_may_leave_out_arguments_and_classes),
		cmocka_unit_test(a_plain_name_is_as_in_the_source),
		cmocka_unit_test(parallel_regions_are_of_their_function),
		cmocka_unit_test(a_user_may_leave_out_arguments_of_templates),
		cmocka_unit_test(long_chains_share_the_cost_of_what_they_call),
		cmocka_unit_test(callers_share_what_a_function_costs),
		cmocka_unit_test(contexts_make_chains_exact),
		cmocka_unit_test(parts_of_a_function_do_not_call_each_other),
		cmocka_unit_test(a_tree_ends_where_a_function_comes_again),
		cmocka_unit_test(components_are_those_of_a_small_graph),
		cmocka_unit_test(a_long_chain_takes_no_stack),
		cmocka_unit_test(arrows_are_drawn_beside_each_other),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
