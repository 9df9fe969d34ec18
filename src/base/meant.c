/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses between symbols; see meant.h. */
#include "base/meant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

#define MOST_SHARE   0.66 /* a symbol with this share of the cost is chosen */
#define SYMBOLS_TOLD 4

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The name of the function's symbol, or NULL if it is not meant. */
static const char *symbol_name(const struct meant *m, const char *function)
{
	if (name_is_meant(function, m->asked))
		return m->asked;
	return name_is_variant(function, m->asked) ? function : NULL;
}

bool meant_has(const struct meant *m, const char *function, const char *module)
{
	const char *name = symbol_name(m, function);

	if (name == NULL || !m->is_one)
		return name != NULL;
	return is_same_text(name, m->symbols[0].name) && is_same_text(module, m->symbols[0].module);
}

void meant_add(struct meant *m, const char *function, const char *module, double cost)
{
	const char *name = symbol_name(m, function);
	size_t i;

	if (name == NULL)
		return;
	for (i = 0; i < m->count; i++)
		if (is_same_text(m->symbols[i].name, name) &&
		    is_same_text(m->symbols[i].module, module))
			break;
	if (i == MEANT_SYMBOLS)
		return;
	if (i == m->count)
		m->symbols[m->count++] = (struct meant_symbol){name, module, 0};
	m->symbols[i].cost += cost;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct meant_symbol *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* List the symbols that were not chosen and have a cost; or all, if none was chosen. */
static void list_symbols(const struct meant *m, const char *what, double all, struct text *t)
{
	size_t count = m->count < SYMBOLS_TOLD ? m->count : SYMBOLS_TOLD;

	for (size_t i = 0; i < count; i++) {
		const struct meant_symbol *s = &m->symbols[i];

		text_addf(t, "%s%s", i > 0 ? ", " : "", s->name);
		if (s->module != NULL)
			text_addf(t, " of %s", path_basename(s->module));
		if (m->count > 1 && all > 0)
			text_addf(t, " (%.1f %% of their %s)", 100 * s->cost / all, what);
	}
	if (count < m->count)
		text_add(t, ", ...");
}

void meant_choose(struct meant *m, const char *what)
{
	struct text t = {0};
	double all = 0;

	if (m->count == 0 || (m->count == 1 && m->symbols[0].name == m->asked))
		return;
	qsort(m->symbols, m->count, sizeof(m->symbols[0]), compare_symbols);
	for (size_t i = 0; i < m->count; i++)
		all += m->symbols[i].cost;
	m->is_one = all > 0 && m->symbols[0].cost >= MOST_SHARE * all;
	if (m->count == 1)
		text_addf(&t, "'%s' is ", m->asked);
	else
		text_addf(&t, "'%s' is %zu functions, %s: ", m->asked, m->count,
			  m->is_one ? "the first is shown" : "all are shown");
	list_symbols(m, what, all, &t);
	snprintf(m->note, sizeof(m->note), "%.*s\n", MEANT_NOTE_BYTES - 2, text_get(&t));
	text_release(&t);
}
