/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by name, as users write them and as symbol tables have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/elf_search.h"
#include "engine/core/mangled.h"
#include "engine/core/util.h"

/* The engine's memory, in a program that has a libc. */
void *pages_get(uint64_t bytes)
{
	return calloc(1, bytes);
}

void pages_put(void *p, uint64_t bytes)
{
	(void)bytes;
	free(p);
}

static void a_name_means_itself_and_what_compilers_make_of_it(void **state)
{
	(void)state;
	assert_true(elf_name_means("deflate", "deflate"));
	assert_true(elf_name_means("deflate", "deflate.constprop.0"));
	assert_true(elf_name_means("deflate", "deflate.isra.12"));
	assert_true(elf_name_means("memcpy", "memcpy@@GLIBC_2.14"));
	assert_false(elf_name_means("deflate", "deflate_fast"));
	assert_false(elf_name_means("deflate", "deflat"));
	/* Pieces of a function are entered from its middle. */
	assert_false(elf_name_means("deflate", "deflate.cold"));
	assert_false(elf_name_means("deflate", "deflate.part.0"));
	assert_false(elf_name_means("deflate", ""));
}

static void names_of_cxx_have_no_arguments(void **state)
{
	(void)state;
	assert_true(elf_name_means("f", "_Z1fi"));
	assert_true(elf_name_means("f", "_ZL1fv"));
	assert_true(elf_name_means("f", "_Z1fIiEvT_"));
	assert_true(elf_name_means("f", "_ZN12_GLOBAL__N_11fEv"));
	assert_true(elf_name_means("a::b::f", "_ZN1a1b1fEl"));
	assert_true(elf_name_means("a::f", "_ZNK1a1fEv"));
	assert_true(elf_name_means("a::f", "_ZN1a1fIiEEvv"));
	assert_false(elf_name_means("f", "_Z2fgi"));
	assert_false(elf_name_means("f", "_ZN1a1fEv"));
	assert_false(elf_name_means("a::f", "_ZN1a1f1gEv"));
	assert_false(elf_name_means("a::f", "_ZN1a1gEv"));
	assert_false(elf_name_means("f", "_Z"));
	assert_false(elf_name_means("f", "_Z99999999999999999999f"));
}

/* As `c++filt` reads them. */
static void template_arguments_are_passed_over(void **state)
{
	(void)state;
	assert_true(elf_name_means("grid::total", "_ZN4gridIdE5totalEi"));
	assert_true(elf_name_means("grid::total", "_ZN4gridIiE5totalEi"));
	/* grid<a::pair<int, 16u>, std::vector<long>>::total */
	assert_true(elf_name_means("grid::total",
				   "_ZN4gridIN1a4pairIiLj16EEESt6vectorIlSaIlEEE5totalEi"));
	/*
	 * grid<(a::kind)12, int [16], T::type>::total: values and sizes that are no lengths of
	 * names
	 */
	assert_true(
		elf_name_means("grid::total", "_ZN4gridILN1a4kindE12EA16_iNT0_4typeEE5totalEi"));
	assert_true(elf_name_means("std::vector::push_back", "_ZNSt6vectorIiSaIiEE9push_backEOi"));
	assert_true(elf_name_means("std::sort", "_ZSt4sortIPiEvT_S1_"));
	assert_true(elf_name_means("(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEv"));
	assert_true(elf_name_means("a::b::b", "_ZN1a1bC2Ei"));
	assert_true(elf_name_means("a::b::~b", "_ZN1a1bD0Ev"));
	assert_true(elf_name_means("grid::grid", "_ZN4gridIdEC1Ei"));
	assert_false(elf_name_means("grid::total", "_ZN4gridIdE6totalsEi"));
	assert_false(elf_name_means("grid::total", "_ZN4gridId5totalEi"));
	assert_false(elf_name_means("grid::total", "_ZN4gridI5totalEi"));
	assert_false(elf_name_means("grid::total", "_ZN4gridIdE"));
	assert_false(elf_name_means("grid::total", "_ZN4gridI99999d"));
	assert_false(elf_name_means("sort", "_ZSt4sortIPiEvT_S1_"));
	assert_false(elf_name_means("b::c", "_ZN1bC1Ei"));
	assert_false(elf_name_means("a::b::~b", "_ZN1a1bC2Ei"));
}

static void names_of_rust_have_a_hash(void **state)
{
	(void)state;
	assert_true(elf_name_means("app::work", "_ZN3app4work17h0123456789abcdefE"));
	assert_false(elf_name_means("app::work", "_ZN3app4work17h0123456789abcdeE"));
	assert_false(elf_name_means("app::work", "_ZN3app4work4part17h0123456789abcdefE"));
}

static void check_plain(const char *name, const char *expected)
{
	char plain[64];

	mangled_plain(name, plain, sizeof plain);
	assert_string_equal(plain, expected);
}

static void a_plain_name_has_no_arguments(void **state)
{
	char little[5];

	(void)state;
	check_plain("deflate", "deflate");
	check_plain("grid<double>::total(int)", "grid::total");
	check_plain("a::grid<b::pair<int, long> >::total<3>(std::vector<int> const&) const",
		    "a::grid::total");
	check_plain("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	check_plain("a::operator<(a::b, a::b)", "a::operator<(a::b, a::b)");
	check_plain("", "");
	check_plain("<", "");
	mangled_plain("deflate", little, sizeof little);
	assert_string_equal(little, "defl");
}

/* With sanitizers: nobody reads beyond the end of one. */
static void any_symbol_is_survived(void **state)
{
	static const char letters[] = "NIEXJFLSTADUKZtlR_0129abgrid";
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		size_t n = 3 + i % 29;
		char *symbol = malloc(n + 10);

		assert_non_null(symbol);
		strcpy(symbol, i % 2 ? "_ZN4gridI" : "_ZN1aI");
		for (size_t k = strlen(symbol); k <= n + 9; k++) {
			seed = seed * 1664525 + 1013904223;
			symbol[k] = k < n + 9 ? letters[(seed >> 16) % (sizeof(letters) - 1)] : 0;
		}
		elf_name_means("grid::total", symbol);
		elf_name_means("a::b", symbol);
		free(symbol);
	}
}

static void names_of_fortran_are_those_of_the_source(void **state)
{
	(void)state;
	assert_true(elf_name_means_fortran("sweep", "sweep_"));
	assert_true(elf_name_means_fortran("sweep", "sweep_@@V1"));
	assert_true(elf_name_means_fortran("plate::spread", "__plate_MOD_spread"));
	assert_true(elf_name_means_fortran("inner", "inner.0"));
	assert_false(elf_name_means_fortran("sweep", "sweep__"));
	assert_false(elf_name_means_fortran("sweep", "sweep"));
	assert_false(elf_name_means_fortran("sweep", "sweeper_"));
	assert_false(elf_name_means_fortran("inner", "inner.cold"));
	assert_false(elf_name_means_fortran("inner", "inner."));
	assert_false(elf_name_means_fortran("plate::spread", "__plate_MOD_spreads"));
	assert_false(elf_name_means_fortran("plate::spread", "__plates_MOD_spread"));
	assert_false(elf_name_means_fortran("plate::spread", "__plate"));
	assert_false(elf_name_means_fortran("plate::spread", "_ZN5plate6spreadEv"));
	assert_false(elf_name_means_fortran("", "_"));
}

/* As gfortran names procedures; and a function that C has as well, which then is the one. */
void wander_(void);
void __plate_MOD_spread(void);
void both(void);
void both_(void);

void wander_(void)
{
}

void __plate_MOD_spread(void)
{
}

void both(void)
{
}

void both_(void)
{
}

struct hits {
	unsigned count;
	uint64_t last;
};

static void count_hit(void *context, uint64_t file_offset)
{
	struct hits *h = context;

	h->count++;
	h->last = file_offset;
}

static void functions_of_a_file_are_found(void **state)
{
	struct hits h = {0};

	(void)state;
	elf_search("/proc/self/exe", "functions_of_a_file_are_found", count_hit, &h);
	assert_int_equal(h.count, 1);
	assert_true(h.last > 0);
	h = (struct hits){0};
	elf_search("/proc/self/exe", "no_such_function", count_hit, &h);
	elf_search("/no/such/file", "main", count_hit, &h);
	elf_search("/etc/passwd", "main", count_hit, &h);
	elf_search("/dev/null", "main", count_hit, &h);
	elf_search("/", "main", count_hit, &h);
	assert_int_equal(h.count, 0);
}

static void procedures_of_fortran_are_found(void **state)
{
	struct hits h = {0}, c = {0};

	(void)state;
	elf_search("/proc/self/exe", "wander", count_hit, &h);
	assert_int_equal(h.count, 1);
	elf_search("/proc/self/exe", "plate::spread", count_hit, &h);
	assert_int_equal(h.count, 2);
	h = (struct hits){0};
	elf_search("/proc/self/exe", "both", count_hit, &h);
	assert_int_equal(h.count, 1);
	elf_search("/proc/self/exe", "both_", count_hit, &c);
	assert_true(c.last != h.last);
	c = (struct hits){0};
	elf_search_c("/proc/self/exe", "wander", count_hit, &c);
	assert_int_equal(c.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_means_itself_and_what_compilers_make_of_it),
		cmocka_unit_test(names_of_cxx_have_no_arguments),
		cmocka_unit_test(template_arguments_are_passed_over),
		cmocka_unit_test(names_of_rust_have_a_hash),
		cmocka_unit_test(a_plain_name_has_no_arguments),
		cmocka_unit_test(any_symbol_is_survived),
		cmocka_unit_test(names_of_fortran_are_those_of_the_source),
		cmocka_unit_test(functions_of_a_file_are_found),
		cmocka_unit_test(procedures_of_fortran_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
