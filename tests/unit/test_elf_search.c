/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by their names, as users write them and as symbol tables have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/elf_search.h"
#include "engine/util.h"

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
		cmocka_unit_test(names_of_fortran_are_those_of_the_source),
		cmocka_unit_test(functions_of_a_file_are_found),
		cmocka_unit_test(procedures_of_fortran_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
