/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks all encodings and fills the table of forms. */
#ifndef DIFFTEST_ENUMERATE_H
#define DIFFTEST_ENUMERATE_H

#include "difftest/forms.h"
#include "difftest/rng.h"

/*
 * Every map, opcode, prefix, W, L and way of addressing is tried; registers
 * and immediates are drawn with `seed`. Returns 0, or -1 with errno.
 */
int enumerate_forms(struct form_table *t, uint64_t seed);

/* Decode with the decoder that judges all candidates; 0 if it is an instruction. */
int enumerate_decode(const uint8_t *bytes, uint32_t length, struct decoded *d);

/* Draw all that a skeleton leaves open. */
void enumerate_pick(struct rng *r, struct picks *p);

#endif
