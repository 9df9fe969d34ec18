/* SPDX-License-Identifier: GPL-2.0-or-later */
/* General registers that an instruction changes and Zydis does not name. */
#ifndef DWELL_ENGINE_DECODE_UNSAID_H
#define DWELL_ENGINE_DECODE_UNSAID_H

#include <Zydis/Zydis.h>
#include <stdint.h>

/* A bit for each. They are read, too. */
static inline uint16_t unsaid_gprs(const ZydisDecodedInstruction *z)
{
	const uint16_t rax = 1, rsi = 1 << 6, rdi = 1 << 7, r8 = 1 << 8;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_CMPSB:
	case ZYDIS_MNEMONIC_CMPSW:
	case ZYDIS_MNEMONIC_CMPSQ:
		return rsi | rdi;
	case ZYDIS_MNEMONIC_CMPSD: /* of vectors, too */
		return z->meta.category == ZYDIS_CATEGORY_STRINGOP ? rsi | rdi : 0;
	case ZYDIS_MNEMONIC_SCASB:
	case ZYDIS_MNEMONIC_SCASW:
	case ZYDIS_MNEMONIC_SCASD:
	case ZYDIS_MNEMONIC_SCASQ:
		return rdi;
	case ZYDIS_MNEMONIC_PAUSE: /* with REX.B it is an exchange, whatever is before it */
		return z->raw.rex.B ? rax | r8 : 0;
	default:
		return 0;
	}
}

#endif
