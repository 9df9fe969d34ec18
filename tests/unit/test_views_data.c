/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of data structures, with a synthetic profile. */
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
#include <jansson.h>

#include "answer/curves.h"
#include "answer/objects.h"
#include "estimate/allocators.h"
#include "estimate/data.h"
#include "estimate/subset.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"
#include "views/answer_print.h"
#include "views/views.h"

#define PATH	   "dwell.db"
#define WINDOWS	   50
#define PER_WINDOW 210
#define LENGTH	   100000
#define SIZE	   (64u << 10)

static const struct display plain = {.width = 0, .color = false, .unicode = true};

/* Locations from 1 on: an allocator's frames, and who called it. */
static const struct {
	int64_t module;
	size_t count;
	struct store_frame frames[2];
} places[] = {
	{1, 1, {{"make_tree", "/src/tree.c", 42}}},
	{1, 1, {{"main", "/src/main.c", 7}}},
	{2, 1, {{"operator new(unsigned long)", NULL, 0}}},
	{1,
	 2,
	 {{"std::vector<int>::push_back(int const&)", "/usr/stl_vector.h", 99},
	  {"fill(int)", "/src/fill.cc", 13}}},
	{1, 1, {{"make_tree", "/src/tree.c", 50}}},
};

static const int64_t tree_path[] = {1, 2}, new_path[] = {3, 4, 2}, other_path[] = {5, 2},
		     deep_path[] = {1, 5, 2};

static const struct store_site sites[] = {
	{1, 0, "malloc", NULL, tree_path, 2, 8, 1000, 48000, 500, 24000, 30000, 32, 64},
	{2, 0, "new", NULL, new_path, 3, 1, 10, 8192, 1, 4096, 4096, 16, 4096},
	{3, 0, "malloc", NULL, other_path, 2, 0, 5, 500, 5, 500, 500, 100, 100},
	{4, 0, "stack", NULL, NULL, 0, 8192, 1, 8192, 1, 8192, 8192, 8192, 8192},
	{5, 0, "mmap", NULL, other_path, 2, 0, 1, 65536, 1, 65536, 65536, 65536, 65536},
	{6, 0, "malloc", NULL, deep_path, 3, 8, 7, 700, 7, 700, 700, 100, 100},
	{7, 0, "region", "the grid", NULL, 0, 0, 1, 800, 1, 800, 800, 800, 800},
};

/* One in the other: a section and, in it, a variable. */
static const struct store_variable variables[] = {
	{1, 0, 0x10000, 0x20000, ".bss of app", NULL, NULL, 0, 0, "/bin/app"},
	{2, 0, 0x11000, 0x12000, "list::head", "struct node *[512]", "/src/list.c", 3, 8,
	 "/bin/app"},
	{3, 0, 0x30000, 0x30008, "app::total", "long", "/src/app.cc", 4, 0, "/bin/app"},
	/* Where a thread had its own once: what is touched there now is something else. */
	{4, 0, 0x9000, 0x9008, "calls", "int[2]", "/src/app.cc", 5, 4, "/bin/app", 1},
	{5, 0, 0x50000, 0x50008, "calls", "int[2]", "/src/app.cc", 5, 4, "/bin/app", 1},
};

/* What the k-th access of each seven touches: (address, site), and how far it is reused. */
static const struct {
	uint64_t address;
	int64_t site;
	uint64_t distance;
	const char *row;
} touches[] = {
	{0x7000, 1, 50000, "malloc in make_tree (tree.c:42)"},
	{0x8000, 2, 40, "new in fill(int) (fill.cc:13)"},
	{0x11ff8, 0, 3000, "list::head"},
	{0x12000, 0, 20, ".bss of app"},
	{0x9000, 4, 5, "[stack]"},
	{0x30000, 5, 10, "app::total"}, /* a file that the loader mapped: its variable says more */
	{0x50000, 0, 8, "[unknown]"},
};

#define TOUCHES (sizeof(touches) / sizeof(touches[0]))

static const struct query random_at_size = {.policy = QUERY_RANDOM, .size_bytes = SIZE};
static const struct query lru_at_size = {.policy = QUERY_LRU, .size_bytes = SIZE};

static void put_locations(struct store *s)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct store_location l = {
			.id = (int64_t)i + 1, .pc = i, .module_id = places[i].module};

		assert_int_equal(store_put_location(s, &l, NULL), 0);
		assert_int_equal(store_put_frames(s, l.id, places[i].frames, places[i].count, NULL),
				 0);
	}
}

/* A touch of what the sample touches. */
static struct store_far far_of(const struct store_sample *x)
{
	return (struct store_far){
		.window = x->window, .position = x->position, .end = x->begin, .begin = x->begin};
}

/* All touches of the tree are far; one of ten is a first touch. */
static void put_samples(struct store *s, uint32_t window)
{
	for (uint32_t k = 0; k < PER_WINDOW; k++) {
		const uint64_t address = touches[k % TOUCHES].address;
		const struct store_access a = {1, address, 8, 1, 0, touches[k % TOUCHES].site, 0};
		struct store_sample x = {.window = window,
					 .position = 1000000ull * window + LENGTH / PER_WINDOW * k,
					 .distance = touches[k % TOUCHES].distance,
					 .line = address & ~63ull,
					 .begin = a,
					 .end = a};

		if (x.distance >= STORE_FAR) {
			x.status = 1;
			x.end = (struct store_access){.location = STORE_NONE};
			put_far_reuse(s, far_of(&x), k % 70 == 0 ? 0 : x.distance,
				      LENGTH / PER_WINDOW);
		}
		assert_int_equal(store_put_sample(s, &x, NULL), 0);
	}
}

static int make_profile(void **state)
{
	struct store_process process = {.cause = "start",
					.parent_id = STORE_NONE,
					.exe = "/bin/app",
					.command = "app",
					.state = "exited",
					.accesses = WINDOWS * 1000000ull,
					.footprint_pages = 1000};
	const struct store_module modules[] = {
		{1, 0, "/bin/app", NULL, 0x1000, 0x2000, 0, 0, UINT64_MAX},
		{2, 0, "/lib/libstdc++.so.6.0.30", NULL, 0x5000, 0x6000, 0, 0, UINT64_MAX}};
	struct store *s;

	if (scratch_enter(state) != 0)
		return -1;
	s = create_profile(PATH);
	assert_int_equal(store_put_meta_int(s, "line_bytes", 64, NULL), 0);
	set_far_lines(&process, WINDOWS * PER_WINDOW / 70, LENGTH / PER_WINDOW);
	assert_int_equal(store_put_process(s, &process, NULL), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(store_put_module(s, &modules[i], NULL), 0);
	put_locations(s);
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
		assert_int_equal(store_put_site(s, &sites[i], NULL), 0);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		assert_int_equal(store_put_variable(s, &variables[i], NULL), 0);
	for (uint32_t w = 0; w < WINDOWS; w++) {
		struct store_window window = {0,	  w,   1000000ull * w, LENGTH, 1000000,
					      PER_WINDOW, 1000};

		set_far(&window, LENGTH / TOUCHES);
		assert_int_equal(store_put_window(s, &window, NULL), 0);
		put_samples(s, w);
	}
	finish_profile(s);
	return 0;
}

static void load(struct profile *p, struct data *d, enum data_by by)
{
	struct err err;

	if (profile_open(p, PATH, STORE_NONE, &err) != 0 ||
	    data_init(d, p, &random_at_size, by, &err) != 0)
		fail_msg("%s", err.text);
}

static void unload(struct profile *p, struct data *d)
{
	data_release(d);
	profile_close(p);
}

static const struct data_row *row_named(const struct data *d, const char *name)
{
	for (size_t i = 0; i < d->count; i++)
		if (strcmp(d->rows[i].name, name) == 0)
			return &d->rows[i];
	fail_msg("no row is called '%s'", name);
	return NULL;
}

static void each_access_belongs_to_the_data_it_touches(void **state)
{
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	assert_int_equal(d.count, TOUCHES);
	for (size_t i = 0; i < TOUCHES; i++) {
		const struct data_row *r = row_named(&d, touches[i].row);

		assert_int_equal(r->cost.samples, WINDOWS * PER_WINDOW / TOUCHES);
	}
	assert_int_equal(p.end_count, WINDOWS * PER_WINDOW);
	for (size_t i = 0; i < p.end_count; i++) {
		size_t k = 0;

		while (touches[k].address != p.ends[i].access->address)
			k++;
		assert_string_equal(d.rows[d.row_of[i]].name, touches[k].row);
	}
	unload(&p, &d);
}

static void the_rows_add_up_to_the_miss_ratio(void **state)
{
	struct hot_cost sum = {0};
	struct model_ratio r;
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	for (size_t i = 0; i < d.count; i++) {
		hot_add(&sum, &d.rows[i].cost);
		assert_true(d.rows[i].ratio.known);
		assert_true(d.rows[i].ratio.low <= hot_miss_ratio(&d.rows[i].cost) + 1e-9);
		assert_true(d.rows[i].ratio.high >= hot_miss_ratio(&d.rows[i].cost) - 1e-9);
	}
	profile_solve(&p, &random_at_size, &r);
	assert_true(fabs(sum.accesses - 1) < 1e-9);
	assert_true(fabs(sum.misses + sum.cold - r.ratio) < 1e-9);
	/* First touches are the tree's, which also has the longest reuses. */
	assert_string_equal(d.rows[0].name, touches[0].row);
	assert_true(d.rows[0].cost.cold > 0);
	assert_true(fabs(d.rows[0].cost.cold - d.total.cold) < 1e-12);
	unload(&p, &d);
}

static void a_row_says_what_the_blocks_or_the_variable_are(void **state)
{
	const struct data_row *r;
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	r = row_named(&d, "malloc in make_tree (tree.c:42)");
	assert_int_equal(r->kind, DATA_HEAP);
	/*
	 * Sites 1 and 6 are the same line, called from elsewhere; no sample touched a block of 6.
	 */
	assert_int_equal(r->sites, 2);
	assert_int_equal(r->blocks, 1000 + 7);
	assert_int_equal(r->bytes, 30000 + 700);
	assert_int_equal(r->allocated_bytes, 48000 + 700);
	assert_int_equal(r->live_blocks, 500 + 7);
	assert_int_equal(r->live_bytes, 24000 + 700);
	assert_int_equal(r->smallest, 32);
	assert_int_equal(r->largest, 100);
	assert_int_equal(r->element_size, 8);
	/* Told elements of a byte, or one that is the block: that is no array's. */
	assert_int_equal(row_named(&d, "new in fill(int) (fill.cc:13)")->element_size, 0);
	assert_int_equal(row_named(&d, "[stack]")->element_size, 0);
	r = row_named(&d, "list::head");
	assert_int_equal(r->kind, DATA_VARIABLE);
	assert_string_equal(r->type, "struct node *[512]");
	assert_int_equal(r->bytes, 4096);
	assert_int_equal(r->element_size, 8);
	assert_int_equal(row_named(&d, ".bss of app")->kind, DATA_SECTION);
	assert_int_equal(row_named(&d, "[stack]")->kind, DATA_STACK);
	unload(&p, &d);
}

static void blocks_are_put_together_by_function_line_or_path(void **state)
{
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_FUNCTION);
	assert_int_equal(row_named(&d, "malloc in make_tree (tree.c)")->line, 0);
	unload(&p, &d);
	load(&p, &d, DATA_BY_PATH);
	row_named(&d, "malloc in make_tree (tree.c:42) < main (main.c:7)");
	unload(&p, &d);
}

static void a_name_finds_rows_and_an_unknown_one_what_is_near(void **state)
{
	static const struct {
		const char *name, *row;
	} good[] = {{"head", "list::head"},
		    {"list::head", "list::head"},
		    {"make_tree", "malloc in make_tree (tree.c:42)"},
		    {"tree.c:42", "malloc in make_tree (tree.c:42)"},
		    {"stack", "[stack]"},
		    {"app.cc:4", "app::total"}};
	bool marks[TOUCHES];
	struct profile p;
	struct data d;
	struct err err;

	load(&p, &d, DATA_BY_LINE);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(data_find(&d, good[i].name, marks, &err), 1);
		assert_true(marks[row_named(&d, good[i].row) - d.rows]);
	}
	assert_int_equal(data_find(&d, "ead", marks, &err), 0);
	assert_int_equal(data_find(&d, "list::haed", marks, &err), 0);
	assert_non_null(strstr(err.text, "near it: list::head"));
	assert_int_equal(data_find(&d, "zzzzzzzzzzzz", marks, &err), 0);
	assert_non_null(strstr(err.text, "dwell objects"));
	unload(&p, &d);
}

static void known_wrappers_are_looked_through(void **state)
{
	static const char *const wrappers[] = {"xmalloc",
					       "operator new(unsigned long)",
					       "operator new[](unsigned long)",
					       "g_malloc0",
					       "PyMem_Malloc",
					       "xmalloc(unsigned long)",
					       "<alloc::alloc::Global>::alloc_impl_runtime",
					       "PyObject_Malloc",
					       "void std::vector<int, a<b> >::f<int>(int&&)",
					       "std::string::reserve(unsigned long)"};
	static const char *const others[] = {"make_tree", "xmalloc_stats", "main",
					     "std::vector<int> make<int>(int)",
					     "my::operator_news(int)"};

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		assert_true(allocator_is_wrapper(wrappers[i], NULL, "/bin/app"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(allocator_is_wrapper(others[i], "/src/main.c", "/bin/app"));
	assert_true(allocator_is_wrapper("getdelim", NULL, "/usr/lib/libc.so.6"));
	assert_false(allocator_is_wrapper("getdelim", NULL, NULL));
	/* Of Rust's library the file tells; a trait of its may be a program's own code. */
	assert_true(allocator_is_wrapper(
		"<T as alloc::vec::spec_from_elem::SpecFromElem>::from_elem",
		"/rustc/5980/library/alloc/src/vec/spec_from_elem.rs", "/bin/app"));
	assert_false(allocator_is_wrapper("<hot::node as core::clone::Clone>::clone", "/src/hot.rs",
					  "/bin/app"));
}

static void ask(struct answer *a, const struct data *d, const bool *marks, size_t most)
{
	*a = (struct answer){0};
	assert_int_equal(objects_of_samples(a, d, marks, most, NULL), 0);
}

static void put_text(const struct data *d, const bool *marks, size_t most, struct text *out)
{
	struct answer a;

	ask(&a, d, marks, most);
	assert_int_equal(answer_text(&a, most, &plain, out, NULL), 0);
	answer_release(&a);
}

static void it_is_shown_as_text_csv_and_json(void **state)
{
	bool marks[TOUCHES];
	struct text out = {0};
	json_t *root, *first;
	struct profile p;
	struct answer a;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	put_text(&d, NULL, 3, &out);
	assert_non_null(strstr(text_get(&out), "malloc in make_tree (tree.c:42)"));
	assert_non_null(strstr(text_get(&out), "... and 4 more\n"));
	text_release(&out);
	data_find(&d, "make_tree", marks, NULL);
	put_text(&d, marks, 3, &out);
	assert_non_null(strstr(text_get(&out), "      main  /src/main.c:7\n"));
	assert_null(strstr(text_get(&out), "list::head"));
	text_release(&out);
	ask(&a, &d, NULL, 0);
	answer_csv(&a, 0, &out);
	assert_non_null(strstr(text_get(&out),
			       "\nlist::head,variable,struct node *[512],/src/list.c,"
			       "3,,/bin/app,,"));
	text_release(&out);
	assert_int_equal(answer_json(&a, 0, &out, NULL), 0);
	answer_release(&a);
	root = json_loads(text_get(&out), 0, NULL);
	assert_int_equal(json_array_size(json_object_get(root, "objects")), TOUCHES);
	first = json_array_get(json_object_get(root, "objects"), 0);
	assert_int_equal(json_array_size(json_object_get(first, "path")), 2);
	assert_int_equal(json_integer_value(json_object_get(first, "blocks")), 1007);
	json_decref(root);
	text_release(&out);
	unload(&p, &d);
}

static void a_range_of_sizes_that_look_alike_is_one_size(void **state)
{
	struct text out = {0};
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	for (size_t i = 0; i < d.count; i++) {
		if (strcmp(d.rows[i].name, "[stack]") == 0) {
			d.rows[i].smallest = (8 << 20) + 4096;
			d.rows[i].largest = (8 << 20) + 8192;
		}
	}
	put_text(&d, NULL, TOUCHES, &out);
	assert_non_null(strstr(text_get(&out), " 8.0M "));
	assert_null(strstr(text_get(&out), "8.0M-8.0M"));
	text_release(&out);
	unload(&p, &d);
}

static void solve_subset(const struct profile *p, enum subset_kind kind, const char *name,
			 const struct query *q, struct curve *c)
{
	struct subset s;
	struct err err;

	assert_int_equal(curve_compute(p, q, 4096, 4u << 20, 1, c, &err), 0);
	if (subset_find(&s, p, kind, name, &err) != 0 || subset_solve(&s, p, c, &err) != 0)
		fail_msg("%s", err.text);
	subset_release(&s);
}

static void a_data_structure_has_the_ratio_of_its_row(void **state)
{
	const struct data_row *r;
	struct profile p;
	struct data d;
	struct curve c;

	load(&p, &d, DATA_BY_LINE);
	r = row_named(&d, "list::head");
	solve_subset(&p, SUBSET_OBJECT, "head", &random_at_size, &c);
	assert_int_equal(c.count, 11);
	assert_int_equal(c.samples, r->cost.samples);
	assert_int_equal(c.points[4].size_bytes, SIZE);
	assert_true(fabs(c.points[4].ratio.ratio - r->ratio.ratio) < 1e-12);
	assert_true(fabs(c.points[4].ratio.low - r->ratio.low) < 1e-12);
	assert_true(fabs(c.points[4].ratio.high - r->ratio.high) < 1e-12);
	curve_release(&c);
	unload(&p, &d);
}

/* All accesses are of location 1, make_tree: its curve is that of the process. */
static void code_that_is_all_has_the_curve_of_all(void **state)
{
	static const struct {
		enum subset_kind kind;
		const char *name;
	} alls[] = {{SUBSET_FUNCTION, "make_tree"}, {SUBSET_LINE, "tree.c:42"}};
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	for (int policy = MODEL_RANDOM; policy <= MODEL_LRU; policy++) {
		for (size_t k = 0; k < 2; k++) {
			const struct query q = {.policy = (enum query_policy)policy};
			struct curve c;

			solve_subset(&p, alls[k].kind, alls[k].name, &q, &c);
			for (size_t i = 0; i < c.count; i++) {
				const struct query at = query_at(&q, c.points[i].size_bytes);
				struct model_ratio r;

				profile_solve(&p, &at, &r);
				assert_true(fabs(c.points[i].ratio.ratio - r.ratio) < 1e-9);
				assert_true(c.points[i].ratio.low <= r.ratio + 1e-9);
				assert_true(c.points[i].ratio.high >= r.ratio - 1e-9);
			}
			curve_release(&c);
		}
	}
	unload(&p, &d);
}

/* Reuses of the tree are 50000 accesses apart, those of "new" 40: 1000 lines hold one of them. */
static void with_lru_near_data_hits_and_far_data_misses(void **state)
{
	struct profile p;
	struct data d;
	struct curve c;

	load(&p, &d, DATA_BY_LINE);
	solve_subset(&p, SUBSET_OBJECT, "make_tree", &lru_at_size, &c);
	assert_true(c.points[4].ratio.ratio > 0.99);
	curve_release(&c);
	solve_subset(&p, SUBSET_OBJECT, "fill.cc:13", &lru_at_size, &c);
	assert_true(c.points[4].ratio.ratio < 0.01);
	curve_release(&c);
	unload(&p, &d);
}

static void parts_that_are_not_there_are_said(void **state)
{
	static const struct {
		enum subset_kind kind;
		const char *name, *says;
	} bad[] = {{SUBSET_FUNCTION, "make_three", "near it: make_tree"},
		   {SUBSET_FUNCTION, "xyzzy-plugh", "alone lists"},
		   {SUBSET_OBJECT, "list::tail", "near it: list::head"},
		   {SUBSET_LINE, "tree.c", "no FILE:LINE"},
		   {SUBSET_LINE, "tree.c:0", "no FILE:LINE"},
		   {SUBSET_LINE, "tree.c:7", "nearest line that has some is 42"},
		   {SUBSET_LINE, "three.c:42", "near it: tree.c"}};
	struct profile p;
	struct data d;

	load(&p, &d, DATA_BY_LINE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct subset s;
		struct err err;

		assert_int_equal(subset_find(&s, &p, bad[i].kind, bad[i].name, &err), -1);
		if (strstr(err.text, bad[i].says) == NULL)
			fail_msg("'%s' is not in: %s", bad[i].says, err.text);
	}
	unload(&p, &d);
}

static void several_curves_share_a_plot_and_a_table(void **state)
{
	struct text out = {0};
	struct answer a = {0};
	struct curve c[2];
	struct profile p;
	struct data d;
	json_t *root;

	load(&p, &d, DATA_BY_LINE);
	solve_subset(&p, SUBSET_OBJECT, "make_tree", &random_at_size, &c[0]);
	solve_subset(&p, SUBSET_OBJECT, "head", &random_at_size, &c[1]);
	c[0].label = strdup("object make_tree");
	c[1].label = strdup("object head");
	assert_int_equal(curve_plot(c, 2, &plain, &out, NULL), 0);
	assert_non_null(strchr(text_get(&out), 'A'));
	assert_non_null(strstr(text_get(&out), "object head\n"));
	text_release(&out);
	assert_int_equal(curves_shown(&a, c, 2, NULL), 0);
	answer_csv(&a, 0, &out);
	assert_non_null(strstr(text_get(&out), "\nobject head,4096,"));
	text_release(&out);
	assert_int_equal(answer_json(&a, 0, &out, NULL), 0);
	answer_release(&a);
	root = json_loads(text_get(&out), 0, NULL);
	assert_int_equal(json_array_size(json_object_get(root, "curves")), 2);
	json_decref(root);
	text_release(&out);
	curve_release(&c[0]);
	curve_release(&c[1]);
	unload(&p, &d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_access_belongs_to_the_data_it_touches),
		cmocka_unit_test(the_rows_add_up_to_the_miss_ratio),
		cmocka_unit_test(a_row_says_what_the_blocks_or_the_variable_are),
		cmocka_unit_test(blocks_are_put_together_by_function_line_or_path),
		cmocka_unit_test(a_name_finds_rows_and_an_unknown_one_what_is_near),
		cmocka_unit_test(known_wrappers_are_looked_through),
		cmocka_unit_test(it_is_shown_as_text_csv_and_json),
		cmocka_unit_test(a_range_of_sizes_that_look_alike_is_one_size),
		cmocka_unit_test(a_data_structure_has_the_ratio_of_its_row),
		cmocka_unit_test(code_that_is_all_has_the_curve_of_all),
		cmocka_unit_test(with_lru_near_data_hits_and_far_data_misses),
		cmocka_unit_test(parts_that_are_not_there_are_said),
		cmocka_unit_test(several_curves_share_a_plot_and_a_table),
	};

	return cmocka_run_group_tests(tests, make_profile, scratch_leave);
}
