/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which function a user means by a name that stands for several: functions of one name in several
 * modules, or variants of a library's ("strcmp" for "__strcmp_evex"). All functions of a module
 * with exactly that name are one symbol; each variant is another one.
 */
#ifndef DWELL_BASE_MEANT_H
#define DWELL_BASE_MEANT_H

#include <stdbool.h>
#include <stddef.h>

#define MEANT_SYMBOLS	 16 /* of more, the others cost little, or all are taken */
#define MEANT_NOTE_BYTES 400

struct meant {
	const char *asked; /* the caller's, as all texts */
	struct meant_symbol {
		const char *name, *module; /* NULL: of no module */
		double cost;
	} symbols[MEANT_SYMBOLS];
	size_t count;
	bool is_one;		     /* the first symbol is chosen, else all */
	char note[MEANT_NOTE_BYTES]; /* what was chosen, in a line; "": nothing to say */
};

/* Whether the function is meant: by any symbol, or by the chosen one. */
bool meant_has(const struct meant *m, const char *function, const char *module);

/* Add the cost of a function that is meant; others are left out. */
void meant_add(struct meant *m, const char *function, const char *module, double cost);

/*
 * Choose the symbol with most of the total cost, if there is one, and write the note. `what` names
 * the cost: "misses".
 */
void meant_choose(struct meant *m, const char *what);

#endif
