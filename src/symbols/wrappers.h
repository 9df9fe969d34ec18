/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libraries wrap around a value: "unique_ptr<T>" holds a tuple that holds a pointer. */
#ifndef DWELL_SYMBOLS_WRAPPERS_H
#define DWELL_SYMBOLS_WRAPPERS_H

#include "symbols/private.h"

/*
 * Go from a type to the only value that it holds, if that has no name of its own for users. False:
 * the type is no wrapper.
 */
bool wrappers_enter(struct symbols_variables *v, Dwarf_Die *type);

/*
 * Containers of the GNU C++ library keep their values in a buffer of bytes, whose type has the
 * value's type as its argument. Go from the buffer to the value. False: it is no buffer.
 */
bool wrappers_enter_buffer(Dwarf_Die *type);

#endif
