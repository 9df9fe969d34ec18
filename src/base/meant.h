/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which function a user means by an ambiguous name: functions in several modules may have it, or it
 * has variants in a library ("strcmp" for "__strcmp_evex"). All functions of a module with exactly
 * that name are one symbol; each variant is another one.
 */
#ifndef DWELL_BASE_MEANT_H
#define DWELL_BASE_MEANT_H

#include <stdbool.h>
#include <stddef.h>

#define MEANT_SYMBOLS	 16 /* beyond this many, the others cost little, or all are taken */
#define MEANT_NOTE_BYTES 400

struct meant {
	const char *asked; /* owned by the caller, like all texts */
	struct meant_symbol {
		const char *name, *module; /* NULL: in no module */
		double cost;
	} symbols[MEANT_SYMBOLS];
	size_t count;
	bool is_one;		     /* the first symbol is chosen; else all are */
	char note[MEANT_NOTE_BYTES]; /* a line about the choice; may be "" */
};

/* Tell whether the function is meant: by any symbol, or by the chosen one. */
bool meant_has(const struct meant *m, const char *function, const char *module);

/* Add the cost of a function, if it is meant. */
void meant_add(struct meant *m, const char *function, const char *module, double cost);

/*
 * Choose the symbol with most of the total cost, if there is one, and set the note. `what` names
 * the cost: "misses".
 */
void meant_choose(struct meant *m, const char *what);

#endif
