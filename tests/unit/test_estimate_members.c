/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of fields, from types with known members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "estimate/fields/members.h"

/*
 * 1: struct node {struct node *next; int grid[2][3]; struct {char a, b;} pair[2]; unsigned x : 4,
 *    y : 12;} of 40 bytes, with 2 of padding at the end
 * 2: a header with an open end: struct text {long length; char bytes[];}
 * 3: double
 * 4: a derived type of Fortran: real(8) :: v(0:1,3)
 * 5: struct value {long kind; union {double d; long n; void *p; float f;} u;}
 */
static struct store_layout layouts[] = {{1, "struct node", 40},
					{2, "struct text", 8},
					{3, "double", 8},
					{4, "type(m::body)", 48},
					{5, "struct value", 16}};
static struct store_member members[] = {
	{1, 0, 0, 0, 8, 0, "next", "struct node *"},
	{1, 1, 0, 8, 24, 6, "grid", "int[2][3]"},
	{1, 2, 0, 32, 4, 2, "pair", "struct {...}[2]"},
	{1, 3, 1, 0, 1, 0, "a", "char"},
	{1, 4, 1, 1, 1, 0, "b", "char"},
	{1, 5, 0, 36, 1, 0, "x", "unsigned int"},
	{1, 6, 0, 36, 2, 0, "y", "unsigned int"},
	{2, 0, 0, 0, 8, 0, "length", "long"},
	{2, 1, 0, 8, 0, 0, "bytes", "char[]"},
	{4, 0, 0, 0, 48, 6, "v", "real(kind=8)(0:1,3)"},
	{5, 0, 0, 0, 8, 0, "kind", "long", STORE_FORM_INTEGER},
	{5, 1, 0, 8, 8, 0, "u", "union {...}"},
	{5, 2, 1, 0, 8, 0, "d", "double", STORE_FORM_FLOAT},
	{5, 3, 1, 0, 8, 0, "n", "long", STORE_FORM_INTEGER},
	{5, 4, 1, 0, 8, 0, "p", "void *", STORE_FORM_INTEGER},
	{5, 5, 1, 0, 4, 0, "f", "float", STORE_FORM_FLOAT},
};
static const struct profile profile = {
	.layouts = layouts, .layout_count = 5, .members = members, .member_count = 16};

static const struct members_of nodes = {.layout = 1, .smallest = 400, .largest = 4000};

static void is_named(const struct members_of *of, struct members_place place, const char *name,
		     const char *type)
{
	struct text text = {0};
	const char *found = members_name(&profile, of, &place, &text);

	assert_string_equal(text_get(&text), name);
	if (type == NULL)
		assert_null(found);
	else
		assert_string_equal(found, type);
	text_release(&text);
}

static void a_step_of_whole_elements_is_one_field(void **state)
{
	(void)state;
	is_named(&nodes, (struct members_place){80, 800, 40, 0}, "node.next", "struct node *");
	is_named(&nodes, (struct members_place){40, 40, 0, 8}, "node.next", "struct node *");
	/* 8 + 4 * 4: the second row's second number. */
	is_named(&nodes, (struct members_place){24, 504, 80, 0}, "node.grid[1][1]", "int[2][3]");
	is_named(&nodes, (struct members_place){35, 75, 40, 0}, "node.pair[1].b", "char");
}

static void several_fields_are_told_as_such(void **state)
{
	(void)state;
	is_named(&nodes, (struct members_place){0, 36, 4, 0}, "node.next..y", NULL);
	is_named(&nodes, (struct members_place){0, 76, 4, 0}, "[several fields]", "struct node");
	is_named(&nodes, (struct members_place){0, 0, 0, 16}, "node.next..grid", NULL);
	is_named(&nodes, (struct members_place){8, 28, 4, 0}, "node.grid[]", "int[2][3]");
	/* Two bit-fields share the byte; the one behind it has a single owner. */
	is_named(&nodes, (struct members_place){36, 36, 0, 1}, "node.x..y", NULL);
	is_named(&nodes, (struct members_place){37, 37, 0, 1}, "node.y", "unsigned int");
	is_named(&nodes, (struct members_place){38, 38, 0, 1}, "node.+38", NULL);
}

static void a_block_with_an_open_end_is_one_element(void **state)
{
	const struct members_of text = {.layout = 2, .smallest = 16, .largest = 4096};

	(void)state;
	is_named(&text, (struct members_place){0, 0, 0, 0}, "text.length", "long");
	is_named(&text, (struct members_place){8, 4000, 8, 0}, "text.bytes", "char[]");
}

static void a_header_before_other_data_is_one_element(void **state)
{
	const struct members_of header = {.layout = 1, .smallest = 50, .largest = 1000};

	(void)state;
	is_named(&header, (struct members_place){0, 0, 0, 0}, "node.next", "struct node *");
	is_named(&header, (struct members_place){80, 80, 0, 0}, "node.+80", NULL);
}

static struct members_place place_at(uint64_t offset, uint64_t width, uint64_t form)
{
	return (struct members_place){.low = offset, .high = offset, .width = width, .form = form};
}

static void an_access_chooses_the_member_of_a_union(void **state)
{
	const struct members_of values = {.layout = 5, .smallest = 1600, .largest = 1600};

	(void)state;
	is_named(&values, place_at(24, 8, STORE_FORM_FLOAT), "value.u.d", "double");
	is_named(&values, place_at(24, 4, STORE_FORM_FLOAT), "value.u.f", "float");
	/* Two are integers of eight bytes, and all may be meant if nothing is known. */
	is_named(&values, place_at(24, 8, STORE_FORM_INTEGER), "value.u", "union {...}");
	is_named(&values, place_at(24, 0, STORE_FORM_UNKNOWN), "value.u", "union {...}");
	is_named(&values, place_at(16, 8, STORE_FORM_INTEGER), "value.kind", "long");
}

static void places_tell_what_a_step_does_not(void **state)
{
	/* The second numbers of both rows in several nodes; and with a pair. */
	const uint64_t same[] = {12, 24, 52, 64, 104}, mixed[] = {12, 24, 32, 64};
	struct members_place place = {.low = 12, .high = 104, .step = 4, .places = same};

	(void)state;
	place.place_count = 5;
	is_named(&nodes, place, "node.grid[][1]", "int[2][3]");
	place.places = mixed;
	place.place_count = 4;
	is_named(&nodes, place, "[several fields]", "struct node");
}

static void scalars_have_a_type_only(void **state)
{
	const struct members_of array = {.layout = 3, .smallest = 800, .largest = 800};

	(void)state;
	is_named(&array, (struct members_place){0, 792, 8, 0}, "", "double");
}

static void fortran_has_its_own_indices(void **state)
{
	const struct members_of bodies = {.layout = 4, .smallest = 480, .largest = 480};

	(void)state;
	/* The first index is the fastest, from 0: number 3 is (1,2). */
	is_named(&bodies, (struct members_place){24, 456, 48, 0}, "body%v(1,2)",
		 "real(kind=8)(0:1,3)");
}

static void without_a_type_there_are_offsets(void **state)
{
	const struct members_of known = {.element_size = 48, .smallest = 480, .largest = 480};
	const struct members_of unknown = {.smallest = 4800, .largest = 4800};

	(void)state;
	is_named(&known, (struct members_place){56, 440, 96, 0}, "+8", NULL);
	is_named(&unknown, (struct members_place){56, 440, 96, 0}, "+56", NULL);
	is_named(&unknown, (struct members_place){16, 16, 0, 0}, "+16", NULL);
	/* A stream over lines has such steps, whatever the elements are. */
	is_named(&unknown, (struct members_place){0, 640, 64, 0}, "", NULL);
	is_named(&unknown, (struct members_place){0, 640, 16, 0}, "", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_of_whole_elements_is_one_field),
		cmocka_unit_test(several_fields_are_told_as_such),
		cmocka_unit_test(a_block_with_an_open_end_is_one_element),
		cmocka_unit_test(a_header_before_other_data_is_one_element),
		cmocka_unit_test(an_access_chooses_the_member_of_a_union),
		cmocka_unit_test(places_tell_what_a_step_does_not),
		cmocka_unit_test(scalars_have_a_type_only),
		cmocka_unit_test(fortran_has_its_own_indices),
		cmocka_unit_test(without_a_type_there_are_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
