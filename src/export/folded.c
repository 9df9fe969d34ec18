/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, for flamegraph.pl and similar tools. */
#include "answer/figures.h"
#include "export/formats.h"

/* Add the functions, outermost first. The recursion is as deep as the program's calls. */
static void add_stack(const struct export_data *d, const struct stacks *s, size_t at,
		      struct text *out)
{
	size_t depth = 1, skip;

	for (size_t i = at; s->items[i].parent != STACKS_NONE; i = s->items[i].parent)
		depth++;
	while (depth-- > 0) {
		size_t i = at;

		for (skip = 0; skip < depth; skip++)
			i = s->items[i].parent;
		folded_name(out, d->nodes[s->items[i].node].function);
		if (depth > 0)
			text_add(out, ";");
	}
}

int export_folded(struct export_job *j, struct err *err)
{
	const struct stacks *s = &j->stacks;
	struct text *out = &j->out;
	struct stacks_rounding rounding = {0};

	for (size_t i = 0; i < s->count; i++) {
		double value = stacks_round(&rounding, stacks_value(s, &s->items[i], 0));

		if (value <= 0)
			continue;
		add_stack(&j->data, s, i, out);
		text_addf(out, " %.0f\n", value);
	}
	return out->failed ? err_set(err, "not enough memory for the stacks") : 0;
}
