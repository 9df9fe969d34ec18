/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the Callgrind format, version 1 (Valgrind's documentation specifies it): what
 * Callgrind, Cachegrind before 3.21 and other profilers write, and KCachegrind reads.
 *
 * Functions that Callgrind names 'f', "f'2", ... by how deep they recurse become one; what calls of
 * f from within f cost inclusively is part of the outermost call, as in store/events.h. Names with
 * the chain of callers (--separate-callers) become contexts.
 */
#ifndef DWELL_IMPORT_CALLGRIND_H
#define DWELL_IMPORT_CALLGRIND_H

#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "store/store.h"

/*
 * Put all parts of the file into the empty profile `s`. `name` is the file's in sentences. `notes`
 * gets a line for each thing that may be wrong with the file but does not keep it from being read.
 * Returns 0, or -1 with a sentence that names the line. The caller finishes and closes the store.
 */
int callgrind_import(FILE *in, const char *name, struct store *s, struct text *notes,
		     struct err *err);

#endif
