/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The class or namespace in the name of a C++ function. */
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
