/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mangled names of C++ and Rust; see mangled.h. Parses only as much of the grammar as is needed to
 * skip template arguments.
 */
#include "engine/core/mangled.h"

#define ANONYMOUS "(anonymous namespace)"
#define RUST_HASH 16u /* hexadecimal digits, behind "17h" */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool mangled_skip(const char **s, const char *prefix)
{
	const char *p = *s;

	while (*prefix)
		if (*p++ != *prefix++)
			return false;
	*s = p;
	return true;
}

uint32_t mangled_part_length(const char *name)
{
	uint32_t n = 0;

	while (name[n] && !(name[n] == ':' && name[n + 1] == ':'))
		n++;
	return n;
}

static bool has_operator(const char *name)
{
	for (; *name; name++) {
		const char *s = name;

		if (mangled_skip(&s, "operator"))
			return true;
	}
	return false;
}

void mangled_plain(const char *name, char *to, uint32_t room)
{
	const bool whole = has_operator(name);
	uint32_t n = 0, depth = 0;

	for (; *name && n + 1 < room; name++) {
		const char *s = name;

		if (whole) {
			to[n++] = *name;
		} else if (*name == '<') {
			depth++;
		} else if (*name == '>' && depth) {
			depth--;
		} else if (!depth && *name == '(' && !mangled_skip(&s, ANONYMOUS)) {
			break;
		} else if (!depth && *name == '(') {
			for (const char *p = ANONYMOUS; *p && n + 1 < room; p++)
				to[n++] = *p;
			name = s - 1;
		} else if (!depth) {
			to[n++] = *name;
		}
	}
	to[n] = 0;
}

/* Skips a name with its length in front. False: the symbol ends before the name. */
static bool skip_source_name(const char **s)
{
	uint32_t n = 0;

	while (is_digit(**s) && n < 1u << 20)
		n = n * 10 + (uint32_t)(*(*s)++ - '0');
	for (; n; n--)
		if (!*(*s)++)
			return false;
	return true;
}

/* Skips "S_", "S0_" or "St": a reference to an earlier name, or to the standard library. */
static void skip_substitution(const char **s)
{
	const char *p = *s + 1;

	if (*p >= 'a' && *p <= 'z') {
		p++;
	} else {
		while (is_digit(*p) || (*p >= 'A' && *p <= 'Z'))
			p++;
		p += *p == '_';
	}
	*s = p;
}

static bool skip_nest(const char **s);

/* Skips a literal such as "Lj16E": the type, then a value. */
static bool skip_literal(const char **s)
{
	++*s;
	if (**s == 'N') {
		if (!skip_nest(s))
			return false;
	} else if (is_digit(**s)) {
		if (!skip_source_name(s))
			return false;
	} else if (**s == 'S') {
		skip_substitution(s);
	} else if (**s) {
		++*s;
	}
	while (**s && **s != 'E')
		++*s;
	return *(*s)++ == 'E';
}

/* Skips "T_", "T0_" or "A16_": the number is no length. */
static void skip_numbered(const char **s)
{
	const char *p = *s + 1;

	while (is_digit(*p))
		p++;
	*s = p + (*p == '_');
}

/* Skips from an opening letter to its closing "E". */
static bool skip_nest(const char **s)
{
	uint32_t depth = 0;

	do {
		const char c = **s;

		if (!c)
			return false;
		if (is_digit(c)) {
			if (!skip_source_name(s))
				return false;
		} else if (c == 'L') {
			if (!skip_literal(s))
				return false;
		} else if (c == 'S') {
			skip_substitution(s);
		} else if (c == 'T' || c == 'A') {
			skip_numbered(s);
		} else if ((c == 'D' || c == 'U') && (*s)[1]) {
			const char next = (*s)[1];

			depth += c == 'D' ? next == 't' || next == 'T' : next == 'l';
			*s += 2;
		} else {
			depth += c == 'I' || c == 'N' || c == 'X' || c == 'J' || c == 'F';
			depth -= c == 'E';
			++*s;
		}
	} while (depth);
	return true;
}

/* Skips a part of the user's name in its mangled form. */
static bool skip_part(const char **s, const char *part, uint32_t length)
{
	const char *anonymous = part, *own = part;
	uint32_t n = 0;

	if (length == sizeof ANONYMOUS - 1 && mangled_skip(&anonymous, ANONYMOUS)) {
		own = "_GLOBAL__N_1";
		length = 12;
	}
	while (is_digit(**s) && n <= length)
		n = n * 10 + (uint32_t)(*(*s)++ - '0');
	if (n != length || !length)
		return false;
	for (uint32_t i = 0; i < length; i++)
		if (*(*s)++ != own[i])
			return false;
	return true;
}

/*
 * Skips a constructor or destructor, "class::class" or "class::~class"; `last` is the part before.
 */
static bool skip_special(const char **s, const char *last, uint32_t length, const char *part)
{
	const bool destroys = *part == '~';

	part += destroys;
	for (uint32_t i = 0; i < length; i++)
		if (part[i] != last[i])
			return false;
	if (part[length] || **s != (destroys ? 'D' : 'C') || !is_digit((*s)[1]))
		return false;
	*s += 2;
	return true;
}

/* Does the nested name end here, with arguments, template arguments, or Rust's hash behind it? */
static bool ends_nested(const char *s)
{
	uint32_t n = 0;

	if (*s == 'E' || *s == 'I' || *s == 'B')
		return true;
	if (!mangled_skip(&s, "17h"))
		return false;
	while (is_digit(s[n]) || (s[n] >= 'a' && s[n] <= 'f'))
		n++;
	return n == RUST_HASH && s[n] == 'E';
}

static bool skip_parts(const char **s, const char *name)
{
	const char *last = 0;
	uint32_t last_length = 0;

	for (;;) {
		uint32_t n = mangled_part_length(name);
		const char *at = *s;

		if (!skip_part(s, name, n)) {
			*s = at;
			if (name[n] || !last || !skip_special(s, last, last_length, name))
				return false;
		}
		if (!name[n])
			return true;
		if (**s == 'I' && !skip_nest(s))
			return false;
		last = name;
		last_length = n;
		name += n + 2;
	}
}

bool mangled_means(const char *plain, const char *symbol)
{
	const char *s = symbol, *standard = plain;
	bool nested = plain[mangled_part_length(plain)] != 0;

	if (!mangled_skip(&s, "_Z"))
		return false;
	if (nested && mangled_skip(&s, "N"))
		mangled_skip(&s, "K");
	else if (nested && *s != 'S')
		return false;
	else if (!nested && !mangled_skip(&s, "N12_GLOBAL__N_1"))
		mangled_skip(&s, "L");
	/* "St" is std, and then is no part; a function directly in std is not nested */
	if (nested && mangled_skip(&standard, "std::") && mangled_skip(&s, "St")) {
		plain = standard;
		nested = symbol[2] == 'N';
	} else if (nested && symbol[2] != 'N') {
		return false;
	}
	return skip_parts(&s, plain) && (!nested || ends_nested(s));
}
