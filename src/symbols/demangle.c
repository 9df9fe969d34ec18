/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the linker as in the source, by the rules of each language. */
#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/private.h"

/*
 * A procedure of a Fortran module, as gfortran names it: "__plate_MOD_spread" is plate::spread.
 * Names are in lower case, so _MOD_ is never part of one.
 */
static const char *demangle_fortran(struct arena *a, const char *name)
{
	static const char mark[] = "_MOD_";
	const char *end = strstr(name, mark);
	size_t bytes = strlen(name) + 1;
	char *plain;

	if (end == NULL || end < name + 3 || strncmp(name, "__", 2) != 0 ||
	    (plain = arena_alloc(a, bytes)) == NULL)
		return NULL;
	snprintf(plain, bytes, "%.*s::%s", (int)(end - name) - 2, name + 2, end + strlen(mark));
	return plain;
}

/* The value of two hexadecimal digits, in lower case; or -1. */
static int two_digits(const char *digits)
{
	static const char all[] = "0123456789abcdef";
	const char *high = digits[0] != '\0' ? strchr(all, digits[0]) : NULL;
	const char *low = high != NULL && digits[1] != '\0' ? strchr(all, digits[1]) : NULL;

	return low != NULL ? (int)(high - all) * 16 + (int)(low - all) : -1;
}

/* The length without a number at the end: "fib" of "fib_81". */
static size_t without_number(const char *name)
{
	size_t length = strlen(name), end = length;

	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	return end > 1 && end < length && name[end - 1] == '_' ? end - 1 : length;
}

/*
 * Of OCaml: "camlStdlib__List__map_81" is Stdlib.List.map; since 5.1 "camlStdlib__List.map_81". The
 * number tells values of one name apart; "$5e" is a character.
 */
static const char *demangle_ocaml(struct arena *a, const char *name)
{
	struct text plain = {0};
	const char *kept, *end;

	if (strncmp(name, "caml", 4) != 0 || !isupper((unsigned char)name[4]))
		return NULL;
	end = name + without_number(name);
	for (const char *at = name + 4; at < end; at++) {
		if (at[0] == '_' && at[1] == '_' && at + 2 < end) {
			text_add(&plain, ".");
			at++;
		} else if (at[0] == '$' && two_digits(at + 1) > 0) {
			text_addf(&plain, "%c", two_digits(at + 1));
			at += 2;
		} else {
			text_add_bytes(&plain, at, 1);
		}
	}
	kept = strchr(text_get(&plain), '.') != NULL ? arena_strdup(a, text_get(&plain)) : NULL;
	text_release(&plain);
	return kept;
}

static const char *keep(struct arena *a, char *plain)
{
	const char *kept = plain != NULL ? arena_strdup(a, plain) : NULL;

	free(plain);
	return kept;
}

static const char *demangle_d(struct arena *a, const char *name)
{
	return strncmp(name, "_D", 2) == 0 ? keep(a, dlang_demangle(name, DMGL_PARAMS)) : NULL;
}

/* The main program of Ada. Other names of Ada do not tell their language. */
static const char *demangle_main_of_ada(struct arena *a, const char *name)
{
	return strncmp(name, "_ada_", 5) == 0 ? symbols_demangle_ada(a, name) : NULL;
}

const char *symbols_demangle_ada(struct arena *a, const char *name)
{
	const char *plain = keep(a, ada_demangle(name, 0));

	return plain != NULL && plain[0] != '<' ? plain : NULL; /* "<name>": it is none */
}

/* C++, and Rust. */
static const char *demangle_others(struct arena *a, const char *name)
{
	return keep(a, cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO));
}

const char *symbols_demangle(struct arena *a, const char *name)
{
	static const char *(*const rules[])(struct arena *, const char *) = {
		demangle_fortran, demangle_others, demangle_d, demangle_ocaml, demangle_main_of_ada,
	};
	const char *plain = NULL;

	for (size_t i = 0; plain == NULL && i < sizeof(rules) / sizeof(rules[0]); i++)
		plain = rules[i](a, name);
	return plain != NULL ? plain : arena_strdup(a, name);
}

const char *symbols_demangle_variable(struct arena *a, const char *name)
{
	/* What thread_local! of Rust calls the variable, in functions inside a constant. */
	static const char *const made[] = {"::__RUST_STD_INTERNAL_VAL", "::__getit::VAL",
					   "::{{closure}}::VAL"};
	static const char *const inside[] = {"::{{constant}}", "::{{closure}}", "::__getit"};
	const char *plain = symbols_demangle(a, name);
	const size_t length = plain != NULL ? strlen(plain) : 0;

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		const size_t tail = strlen(made[i]);
		size_t end = length;

		if (length <= tail || strcmp(plain + length - tail, made[i]) != 0)
			continue;
		for (size_t k = 0; k < sizeof(inside) / sizeof(inside[0]); k++) {
			const char *at = strstr(plain, inside[k]);

			if (at != NULL && (size_t)(at - plain) < end)
				end = (size_t)(at - plain);
		}
		return arena_strndup(a, plain, end < length ? end : length - tail);
	}
	return plain;
}
