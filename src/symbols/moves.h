/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the value in a register goes: a reader of the few x86-64 instructions that compilers put
 * behind a call that returns a pointer. Pure: bytes in, a move out.
 */
#ifndef DWELL_SYMBOLS_MOVES_H
#define DWELL_SYMBOLS_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by their number in instructions. */
enum { MOVES_RAX = 0, MOVES_RBP = 5, MOVES_RDI = 7, MOVES_REGISTERS = 16 };
#define MOVES_RIP 16 /* as a base: `displacement` is an address */

enum move_kind {
	MOVE_OTHER,    /* changes `to`, if `has_to` */
	MOVE_COPY,     /* register `from` to register `to` */
	MOVE_STORE,    /* register `from` to memory at base + displacement */
	MOVE_LOAD,     /* memory to register `to` */
	MOVE_CALL,     /* of the code at `target` */
	MOVE_JUMP,     /* to `target` */
	MOVE_JUMP_SET, /* to `target`, if the tested value is not 0 */
	MOVE_RETURN,
};

struct move {
	enum move_kind kind;
	unsigned length; /* bytes */
	unsigned from, to, base;
	bool has_to;
	bool has_index; /* stores register `from` to a place that is not told */
	bool writes;	/* memory at `base` and a distance */
	int64_t displacement;
	uint64_t target;
};

/*
 * Read the instruction at the address, from at most `count` bytes. Returns false if it is none of
 * those that are known, or has another form of address.
 */
bool moves_read(const unsigned char *bytes, size_t count, uint64_t address, struct move *out);

#endif
