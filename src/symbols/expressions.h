/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF's expressions for the place of a variable that does not move. */
#ifndef DWELL_SYMBOLS_EXPRESSIONS_H
#define DWELL_SYMBOLS_EXPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of an expression: DW_OP_addr with the address, and with DW_OP_plus_uconst. */
enum { ADDRESS_BYTES = 8, SHORTEST = 1 + ADDRESS_BYTES, LONGEST = SHORTEST + 1 + 9 };
/*
 * For a thread-local variable: DW_OP_const8u, the offset in each thread's copy, and an operation
 * that marks it as such; and with DW_OP_plus_uconst, as members of Fortran's COMMON blocks.
 */
enum { LOCAL_BYTES = 1 + ADDRESS_BYTES + 1, LONGEST_LOCAL = LOCAL_BYTES + 1 + 9 };

/* Read an expression of at least SHORTEST bytes, which begins with DW_OP_addr. */
bool symbols_read_address(const unsigned char *at, size_t bytes, uint64_t *address);
/* Read one of a thread-local variable, whose address begins at SYMBOLS_LOCALS. */
bool symbols_read_local(const unsigned char *at, size_t bytes, uint64_t *address);

#endif
