/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of functions: the class or namespace in a C++ name, and which one a user means. */
#include <ctype.h>
#include <string.h>

#include "report/event_rows.h"

#define ANONYMOUS "(anonymous namespace)"

static bool begins_with(const char *at, const char *word)
{
	return strncmp(at, word, strlen(word)) == 0;
}

/* "operator" as a word of its own: what follows may hold any bracket. */
static bool is_operator(const char *name, const char *at)
{
	static const char word[] = "operator";

	return begins_with(at, word) && !isalnum((unsigned char)at[sizeof(word) - 1]) &&
	       at[sizeof(word) - 1] != '_' &&
	       (at == name || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'));
}

/*
 * In "ret ns::cls<T>::function<U>(args) const": where the qualified name begins, and the last "::"
 * of it. Brackets inside are jumped over. Returns false when there is none.
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
			*begin = at + 1; /* what was before is the type of the result */
			*end = NULL;
		} else if (depth == 0 && begins_with(at, "::"))
			*end = at++;
		at++;
	}
	return *end != NULL;
}

void event_class_name(const char *function, struct text *out)
{
	const char *begin, *end;

	if (find_qualifier(function, &begin, &end))
		text_add_bytes(out, begin, (size_t)(end - begin));
}

/* Behind the word "operator" and the signs after it, which may be brackets. */
static const char *past_operator(const char *at)
{
	at += strlen("operator");
	if (begins_with(at, "()"))
		return at + 2;
	while (*at != '\0' && *at != '(')
		at++;
	return at;
}

size_t event_bare_length(const char *function)
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

bool event_is_meant(const char *function, const char *name)
{
	size_t length = strlen(name), bare = event_bare_length(function);

	if (strcmp(function, name) == 0)
		return true;
	if (bare < length || strncmp(function + bare - length, name, length) != 0)
		return false;
	return bare == length ||
	       (bare >= length + 2 && strncmp(function + bare - length - 2, "::", 2) == 0);
}
