/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions: the class or namespace in a C++ name, and which function a user means. */
#include <ctype.h>
#include <string.h>

#include "base/names.h"

#define ANONYMOUS "(anonymous namespace)"

static bool begins_with(const char *at, const char *word)
{
	return strncmp(at, word, strlen(word)) == 0;
}

/* Tell whether the word "operator" is at `at`: any brackets may follow it. */
static bool is_operator(const char *name, const char *at)
{
	static const char word[] = "operator";

	return begins_with(at, word) && !isalnum((unsigned char)at[sizeof(word) - 1]) &&
	       at[sizeof(word) - 1] != '_' &&
	       (at == name || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'));
}

/*
 * In "ret ns::cls<T>::function<U>(args) const", find the beginning of the qualified name, and its
 * last "::", outside of brackets. Returns false if there is none.
 */
static bool find_qualifier(const char *name, const char **begin, const char **end)
{
	int depth = 0;
	const char *at = name;

	*begin = name;
	*end = NULL;
	while (*at != '\0') {
		if (depth == 0 && is_operator(name, at))
			break;
		if (depth == 0 && begins_with(at, ANONYMOUS)) {
			at += strlen(ANONYMOUS);
			continue;
		}
		if (*at == '(' && depth == 0 && at > name)
			break;
		if (strchr("<({[", *at) != NULL)
			depth++;
		else if (strchr(">)}]", *at) != NULL)
			depth -= depth > 0;
		else if (depth == 0 && *at == ' ') {
			*begin = at + 1; /* the text before it is the result type */
			*end = NULL;
		} else if (depth == 0 && begins_with(at, "::"))
			*end = at++;
		at++;
	}
	return *end != NULL;
}

void name_class(const char *function, struct text *out)
{
	const char *begin, *end;

	if (find_qualifier(function, &begin, &end))
		text_add_bytes(out, begin, (size_t)(end - begin));
}

/* Returns the text after "operator" and its signs, which may be brackets. */
static const char *past_operator(const char *at)
{
	at += strlen("operator");
	if (begins_with(at, "()"))
		return at + 2;
	while (*at != '\0' && *at != '(')
		at++;
	return at;
}

/*
 * The length of the name without arguments, "(int, char)". Not arguments: "(below main)",
 * "(anonymous namespace)", "{lambda(int)#1}", "operator()", and "(*type)" in Go.
 */
static size_t bare_length(const char *function)
{
	const char *at = function;
	int depth = 0;

	while (*at != '\0') {
		if (depth == 0 && is_operator(function, at)) {
			at = past_operator(at);
			continue;
		}
		if (depth == 0 && *at == '(' && at > function && at[-1] != ' ' && at[-1] != '.' &&
		    !begins_with(at, ANONYMOUS))
			break;
		if (strchr("<({[", *at) != NULL)
			depth++;
		else if (strchr(">)}]", *at) != NULL)
			depth -= depth > 0;
		at++;
	}
	return (size_t)(at - function);
}

/* ---- Plain names ---- */

/*
 * Returns the text after the closing bracket of the one at `at`, or the end. The '>' of "->" closes
 * none.
 */
static const char *past_bracket(const char *at)
{
	int depth = 0;

	for (; *at != '\0'; at++) {
		if (strchr("<({[", *at) != NULL)
			depth++;
		else if (strchr(")}]", *at) != NULL || (*at == '>' && at[-1] != '-'))
			depth--;
		if (depth == 0)
			return at + 1;
	}
	return at;
}

/* Add "operator" and its signs. Returns the text after them, and after template arguments. */
static const char *add_operator(struct text *out, const char *at)
{
	const char *signs = at + strlen("operator"), *end = past_operator(at);
	size_t count = strspn(signs, "+-*/%^&|~!=<>,[]");

	if (count > 0 && signs + count < end)
		end = signs + count;
	text_add_bytes(out, at, (size_t)(end - at));
	if (count > 0 && begins_with(end, " <"))
		end++;
	return *end == '<' ? past_bracket(end) : end;
}

/*
 * Add or skip the bracket at `at`. It belongs to the name after nothing or "::", as in "(anonymous
 * namespace)", "<lambda(int)>", "{lambda(int)#1}". Returns the text after it; NULL if it begins the
 * arguments, and the name ends.
 */
static const char *add_bracket(struct text *out, size_t from, const char *at)
{
	const char *end = past_bracket(at), *next = end;
	bool begins = out->count == from || text_get(out)[out->count - 1] == ':';

	if (begins || *at == '{' || (*at == '[' && !begins_with(at, "[abi:"))) {
		text_add_bytes(out, at, (size_t)(end - at));
		return end;
	}
	if (*at != '(' || strcmp(text_get(out) + from, "decltype") == 0)
		return end;
	if (at[-1] == '.') { /* "(*type)" in Go */
		text_add_bytes(out, at, (size_t)(end - at));
		return end;
	}
	/*
	 * The arguments of an enclosing function: "main()::{lambda()#1}", "cls::f(int)
	 * const::table"
	 */
	if (begins_with(next, " const"))
		next += strlen(" const");
	return begins_with(next, "::") ? next : NULL;
}

void name_plain(const char *function, struct text *out)
{
	const char *at = function;
	size_t from = out->count;

	while (at != NULL && *at != '\0' && !out->failed) {
		if (is_operator(function, at)) {
			at = add_operator(out, at);
		} else if (strchr("<({[", *at) != NULL) {
			at = add_bracket(out, from, at);
		} else if (*at == ' ') { /* the text before it is the result type */
			if (out->count > from)
				out->items[out->count = from] = '\0';
			at++;
		} else {
			text_add_bytes(out, at++, 1);
		}
	}
}

/* Tell whether the name ends in `asked`, as a whole or after "::". */
static bool is_end(const char *name, size_t length, const char *asked, size_t wanted)
{
	if (length < wanted || strncmp(name + length - wanted, asked, wanted) != 0)
		return false;
	return length == wanted ||
	       (length >= wanted + 2 && strncmp(name + length - wanted - 2, "::", 2) == 0);
}

/*
 * The length including a parallel region, which GCC separates from its function: "sweep._omp_fn.0".
 */
static size_t whole_length(const char *function, size_t length)
{
	const char *region = strstr(function, "._omp_");

	return region != NULL && (size_t)(region - function) < length ? (size_t)(region - function)
								      : length;
}

bool name_is_meant(const char *function, const char *name)
{
	size_t length = strlen(name), bare = bare_length(function);
	struct text plain = {0};
	bool is_meant;

	if (strcmp(function, name) == 0 || is_end(function, bare, name, length))
		return true;
	if (length > 0 && is_end(function, whole_length(function, bare), name, length))
		return true;
	if (length == 0 || strpbrk(function, "<[(") == NULL)
		return false;
	name_plain(function, &plain);
	is_meant = is_end(text_get(&plain), plain.count, name, length);
	text_release(&plain);
	return is_meant;
}

/* ---- Variants of a library's function ---- */

static size_t skip_prefixes(const char *function)
{
	/* glibc: hidden aliases, internal names, stdio. In the order of "__GI___libc_malloc". */
	static const char *const prefixes[] = {"__GI_", "__", "_", "libc_", "IO_"};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);

		if (strncmp(function + at, prefixes[i], length) == 0)
			at += length;
	}
	return at;
}

/* The length without suffixes such as "_evex" or "_avx512_unaligned_erms". */
static size_t cut_suffixes(const char *name, size_t length)
{
	static const char *const suffixes[] = {
		"_sse2",  "_sse3", "_ssse3",   "_sse4",		 "_sse4_1",  "_sse4_2",	   "_sse42",
		"_avx",	  "_avx2", "_avx512",  "_evex",		 "_evex512", "_erms",	   "_rtm",
		"_movbe", "_slow", "_vex",     "_fma",		 "_fma4",    "_unaligned", "_bsf",
		"_back",  "_c",	   "_generic", "_no_vzeroupper",
	};
	const size_t count = sizeof(suffixes) / sizeof(suffixes[0]);

	for (size_t i = 0; i < count; i++) {
		size_t cut = strlen(suffixes[i]);

		if (length > cut && memcmp(name + length - cut, suffixes[i], cut) == 0) {
			length -= cut;
			i = (size_t)-1; /* start again: other suffixes may precede it */
		}
	}
	return length;
}

bool name_is_variant(const char *function, const char *name)
{
	size_t asked = strlen(name), at = skip_prefixes(function);
	size_t length = strlen(function) - at;

	if (at == 0 && length == asked)
		return false;
	if (length < asked || memcmp(function + at, name, asked) != 0)
		return false;
	return cut_suffixes(function + at, length) == asked;
}
