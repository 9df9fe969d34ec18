/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of results.c by language. */
#ifndef DWELL_SYMBOLS_RESULTS_H
#define DWELL_SYMBOLS_RESULTS_H

#include "symbols/frame.h"

/* go_types.c: the type that the instruction, a call in Go, allocates. */
bool results_is_go(const struct frame *s);
bool results_look_at_go(const struct frame *s, uint64_t call, struct symbols_variables *v,
			Dwarf_Die *type);

#endif
