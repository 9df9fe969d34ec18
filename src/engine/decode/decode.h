/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The properties of one instruction that the translator needs. */
#ifndef DWELL_ENGINE_DECODE_DECODE_H
#define DWELL_ENGINE_DECODE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"

enum insn_kind {
	INSN_PLAIN = 0, /* copied, at most its displacement changed */
	INSN_JCC,	/* conditional near branch; `condition` */
	INSN_JMP,	/* direct */
	INSN_JMP_INTO,	/* direct, with its target next in the block */
	INSN_CALL,	/* direct */
	INSN_JMP_IND,
	INSN_CALL_IND,
	INSN_RET,
	INSN_LOOP, /* loop, loope, loopne, jrcxz, jecxz */
	INSN_XBEGIN,
	INSN_SYSCALL,
	INSN_REP,      /* string instruction with a REP prefix */
	INSN_ELEMENTS, /* gather or scatter */
	INSN_RDGSBASE, /* the target's %gs base is 0 */
	INSN_TRAP,     /* always faults or traps: ends the block */
	INSN_MARK,     /* a mark of the program: see marks.h */
	INSN_UNSUPPORTED,
};

struct mem_op {
	uint8_t kind;  /* enum access_kind */
	uint8_t base;  /* enum reg, NOREG, or RIP_BASE */
	uint8_t index; /* enum reg or NOREG */
	uint8_t scale;
	bool fs;       /* relative to %fs */
	bool narrow;   /* 32-bit address arithmetic */
	uint16_t size; /* bytes; of one element for INSN_ELEMENTS */
	int64_t disp;  /* of rip-relative: the absolute address */
};

/* Carry, parity, auxiliary, zero, sign, overflow: a bit each. */
#define INSN_FLAGS 63u

#define RIP_BASE    32
#define MAX_MEM_OPS 3

struct insn {
	uint64_t pc;
	uint64_t target; /* of direct branches */
	uint8_t bytes[15];
	uint8_t length;
	uint8_t kind;	   /* enum insn_kind */
	uint8_t condition; /* low 4 bits of the jcc opcode */
	uint8_t mem_count;
	bool rip_relative;    /* has a rip-relative operand, lea included */
	bool writes_high : 1; /* may write to vector registers 29 and 30 */
	bool touches_31 : 1;  /* names xmm31/ymm31/zmm31 or saves/loads all vector state */
	bool touches_13 : 1;  /* names vector register 13, 14 or 15, or all, as below */
	bool touches_15 : 1;  /* names xmm15 or ymm15, or saves, loads or clears all vector state */
	bool full_15 : 1;     /* and its upper half */
	bool state_15 : 1;    /* that for all registers: upper halves need not be in use */
	bool clears_15 : 1;   /* writes xmm15 and clears the upper half */
	bool clears_upper : 1; /* vzeroupper */
	bool shows_x87 : 1;    /* stores the address of the last x87 instruction */
	bool writes_memory : 1;
	bool gs_prefix;	    /* a %gs override, to be dropped */
	uint8_t disp_at;    /* offset of the displacement when rip_relative */
	uint8_t modrm_at;   /* offset of the modrm byte, 0 when none */
	bool sets_flags;    /* may change status flags: a branch behind it may fuse with it */
	uint16_t gprs;	    /* general registers it names or implies, a bit each */
	bool entry;	    /* the translator's: a branch of the same block leads here */
	bool loops;	    /* and: a branch of this kind, from here or behind */
	uint16_t pop_bytes; /* of ret imm16 */
	uint16_t elements;  /* of INSN_ELEMENTS */
	uint8_t loads, stores, modifies; /* accesses as counted; 0 for REP and ELEMENTS */
	uint16_t opcode;		 /* the decoder's mnemonic number */
	struct mem_op mem[MAX_MEM_OPS];
	uint8_t vector_index; /* of INSN_ELEMENTS: number of the index register */
	uint8_t mask_reg;     /* opmask register, or 255: vector_mask holds the mask */
	uint8_t vector_mask;
	bool vector_index_64;
	uint8_t flags_read;    /* status flags whose values it may need: INSN_FLAGS */
	uint8_t flags_written; /* status flags that it always overwrites */
	uint16_t gprs_written; /* general registers that it may change, a bit each */
};

/* Called once, at start-up. Returns 0 or -1. */
int decode_init(void);

/* As decode_insn, for an instruction like one that was decoded before; false for others. */
bool decode_known(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);

/*
 * Decode the instruction at pc. `code` holds `room` readable bytes of it (15, or fewer at the end
 * of what is mapped). Returns 0, or -1 when the bytes are no instruction or run out, or
 * DECODE_TOO_LONG when 15 are not enough. The caller holds the translate lock and has the target's
 * vector state saved and %fs on a block with a readable canary.
 */
#define DECODE_TOO_LONG (-2)
int decode_insn(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);

#endif
