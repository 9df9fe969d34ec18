/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the Callgrind format, version 1 (Valgrind's documentation specifies it). Callgrind,
 * Cachegrind before 3.21 and other profilers write it, and KCachegrind reads it.
 *
 * Callgrind names the levels of a recursive function 'f', "f'2", ...: these become one function.
 * The inclusive cost of calls of f within f is part of the outermost call, as in store/events.h.
 * Names with a chain of callers (--separate-callers) become contexts.
 */
#ifndef DWELL_IMPORT_CALLGRIND_H
#define DWELL_IMPORT_CALLGRIND_H

#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "store/store.h"

/*
 * Put all parts of the file into the empty profile `s`. `name` is the file's name in messages.
 * `notes` gets a line for each possible fault of the file that does not prevent reading. Returns 0,
 * or -1 with *err, which names the line. The caller finishes and closes the store.
 */
int callgrind_import(FILE *in, const char *name, struct store *s, struct text *notes,
		     struct err *err);

#endif
