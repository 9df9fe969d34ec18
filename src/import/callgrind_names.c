/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names in a file of the Callgrind format: compressed, with recursion, with callers. */
#include <string.h>

#include "import/callgrind_private.h"

#define QUOTE		'\''
#define MAX_CONTEXT	100 /* callers kept */
#define MAX_NAME_NUMBER UINT32_MAX

void names_release(struct names *n)
{
	size_t i;

	for (i = 0; i < NAME_KINDS; i++)
		map_release(&n->by_number[i]);
}

/* Read "(123)". Returns the text after it, or NULL. */
static const char *read_number(const char *text, uint64_t *number)
{
	uint64_t n = 0;

	if (*text != '(' || text[1] < '0' || text[1] > '9')
		return NULL;
	for (text++; *text >= '0' && *text <= '9'; text++) {
		n = n * 10 + (uint64_t)(*text - '0');
		if (n > MAX_NAME_NUMBER)
			return NULL;
	}
	*number = n;
	return *text == ')' ? text + 1 : NULL;
}

static int keep(struct sink *sink, enum name_kind kind, const char *text, size_t *name,
		struct err *err)
{
	if (kind != NAME_FUNCTION && (*text == '\0' || strcmp(text, "???") == 0)) {
		*name = SINK_UNKNOWN;
		return 0;
	}
	if (*text == '\0')
		text = "???";
	*name = strings_find(&sink->strings, text, strlen(text));
	return *name == TUPLES_FULL || *name >= UINT32_MAX - 1 ? err_set(err, "out of memory") : 0;
}

int names_read(struct names *n, struct sink *sink, enum name_kind kind, const char *text,
	       size_t *name, struct err *err)
{
	uint64_t number, known;
	const char *rest = read_number(text, &number);

	if (rest == NULL)
		return keep(sink, kind, text, name, err);
	rest += strspn(rest, " \t");
	if (*rest == '\0') {
		if (!map_get(&n->by_number[kind], number, &known))
			return err_set(err, "the name (%u) was not given before", (unsigned)number);
		*name = (size_t)known;
		return 0;
	}
	if (keep(sink, kind, rest, name, err) != 0)
		return -1;
	/* The map cannot store the largest number. */
	return map_set(&n->by_number[kind], number, *name) == 0 ? 0 : err_set(err, "out of memory");
}

/* Split "f'2'main'start" into "f", whether it is recursive, and "main'start" (NULL: nothing). */
static size_t cut(const char *name, bool *is_recursive, const char **rest)
{
	const char *quote = strchr(name, QUOTE), *next;
	size_t digits;

	*is_recursive = false;
	*rest = NULL;
	if (quote == NULL || quote == name)
		return strlen(name);
	next = quote + 1;
	digits = strspn(next, "0123456789");
	/* A caller's name may be just an address. */
	if (digits > 0 && (next[digits] == '\0' || next[digits] == QUOTE)) {
		*is_recursive = true;
		next = next[digits] == QUOTE ? next + digits + 1 : NULL;
	}
	if (next != NULL && *next != '\0')
		*rest = next;
	return (size_t)(quote - name);
}

/* The nodes of the named callers, outermost first; only the innermost one has a node below it. */
static int find_callers(struct sink *sink, const char *names, int64_t *node, struct err *err)
{
	const char *starts[MAX_CONTEXT];
	size_t count = 0, length;
	bool is_recursive;

	while (names != NULL && count < MAX_CONTEXT) {
		starts[count++] = names;
		cut(names, &is_recursive, &names);
	}
	*node = STORE_NONE;
	while (count-- > 0) {
		struct sink_function f = {
			.file = SINK_UNKNOWN, .object = SINK_UNKNOWN, .caller = *node};

		length = cut(starts[count], &is_recursive, &names);
		f.name = strings_find(&sink->strings, starts[count], length);
		if (f.name == TUPLES_FULL)
			return err_set(err, "out of memory");
		if (sink_node(sink, &f, node, err) != 0)
			return -1;
	}
	return 0;
}

int names_node(struct names *n, struct sink *sink, const struct sink_function *f, int64_t *node,
	       size_t *name, bool *is_recursive, struct err *err)
{
	struct sink_function own = *f;
	const char *text = sink->strings.items[f->name].text, *callers = NULL;
	size_t length = strlen(text);

	*is_recursive = false;
	if (n->has_contexts)
		length = cut(text, is_recursive, &callers);
	if (text[length] != '\0') {
		own.name = strings_find(&sink->strings, text, length);
		if (own.name == TUPLES_FULL)
			return err_set(err, "out of memory");
	}
	*name = own.name;
	if (find_callers(sink, callers, &own.caller, err) != 0)
		return -1;
	return sink_node(sink, &own, node, err);
}

const char *callgrind_describe(const char *event)
{
	static const struct {
		const char *name, *description;
	} known[] = {
		{"Ir", "instructions"},
		{"Dr", "reads of data"},
		{"Dw", "writes of data"},
		{"I1mr", "fetches of instructions that miss L1"},
		{"D1mr", "reads of data that miss L1"},
		{"D1mw", "writes of data that miss L1"},
		{"ILmr", "fetches of instructions that miss the last level"},
		{"DLmr", "reads of data that miss the last level"},
		{"DLmw", "writes of data that miss the last level"},
		{"I2mr", "fetches of instructions that miss L2"},
		{"D2mr", "reads of data that miss L2"},
		{"D2mw", "writes of data that miss L2"},
		{"Bc", "conditional branches"},
		{"Bcm", "conditional branches foretold wrongly"},
		{"Bi", "indirect branches"},
		{"Bim", "indirect branches foretold wrongly"},
		{"Ge", "global bus events"},
		{"AcCost1", "unused part of lines of L1, as accesses"},
		{"SpLoss1", "bytes of lines of L1 that were never used"},
		{"AcCost2", "unused part of lines of the last level, as accesses"},
		{"SpLoss2", "bytes of lines of the last level that were never used"},
		{"sysCount", "system calls"},
		{"sysTime", "time in system calls"},
		{"sysCpuTime", "CPU time in system calls"},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, event) == 0)
			return known[i].description;
	}
	return NULL;
}
