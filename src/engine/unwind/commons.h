/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of Fortran's COMMON blocks. A block is one symbol; only debug information has its
 * members, which are variables and data structures of their own.
 */
#ifndef DWELL_ENGINE_UNWIND_COMMONS_H
#define DWELL_ENGINE_UNWIND_COMMONS_H

#include "engine/unwind/code_symbols.h"

/*
 * Divide the symbols that are COMMON blocks, as gfortran and flang name them, where members begin:
 * at each address in them that is the place of a variable in .debug_info. Nothing happens to files
 * without Fortran, or with compressed debug information.
 */
void commons_divide(struct code_symbols *s, const struct code_file *f);

#endif
