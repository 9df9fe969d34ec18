/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the linker, as compilers of several languages made them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/private.h"

static void each_language_has_its_rules(void **state)
{
	static const char *const names[][2] = {
		{"_D5names6gatherFiZi", "names.gather(int)"},	   /* D */
		{"_D5names5tableG65536i", "names.table"},	   /* D, of data */
		{"camlProg__fib_81", "Prog.fib"},		   /* OCaml */
		{"camlStdlib__List__map_1021", "Stdlib.List.map"}, /* OCaml */
		{"camlStdlib__List.map_1021", "Stdlib.List.map"},  /* OCaml 5.1 */
		{"camlStdlib__$5e_136", "Stdlib.^"},		   /* OCaml, an operator */
		{"camlProg__entry", "Prog.entry"},		   /* OCaml, without a number */
		{"_ada_main_ada", "main_ada"},			   /* Ada */
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo"},	   /* Rust v0 */
		{"_ZN3geo4areaEi", "geo::area(int)"},		   /* C++ */
		{"__plate_MOD_spread", "plate::spread"},	   /* Fortran */
		{"caml_alloc_small", "caml_alloc_small"},	   /* C: the names stay */
		{"camlCase", "camlCase"},
		{"_Dynamic", "_Dynamic"},
		{"geo__area", "geo__area"},
	};
	struct arena a = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(symbols_demangle(&a, names[i][0]), names[i][1]);
	arena_release(&a);
}

static void names_of_ada_need_their_language(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_string_equal(symbols_demangle_ada(&a, "geo__area"), "geo.area");
	assert_string_equal(symbols_demangle_ada(&a, "geo__Oadd"), "geo.\"+\"");
	assert_null(symbols_demangle_ada(&a, "Not_Lower_Case"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language_has_its_rules),
		cmocka_unit_test(names_of_ada_need_their_language),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
