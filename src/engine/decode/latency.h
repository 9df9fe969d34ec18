/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latency class of a decoded instruction, for registers.c. */
#ifndef DWELL_ENGINE_DECODE_LATENCY_H
#define DWELL_ENGINE_DECODE_LATENCY_H

#include <Zydis/Zydis.h>
#include <stdint.h>

/* Returns an enum latency_class. */
uint8_t latency_of(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op);

#endif
