/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of call frame information: reading their bytes, and executing them up to a
 * place in the code. For eh_frame.c, which finds them, and cfi.c only.
 */
#ifndef DWELL_ENGINE_UNWIND_CFI_H
#define DWELL_ENGINE_UNWIND_CFI_H

#include "engine/unwind/eh_frame.h"

#define CFI_ROOM 2048u /* bytes read of a description: programs are shorter */

/* Bytes of a description; `bad` after a read beyond its end. */
struct cfi_reader {
	const uint8_t *p, *end;
	uint64_t address; /* of p[0] in the target when reading began */
	const uint8_t *start;
	bool bad;
};

/* The part that several descriptions of code share (CIE). */
struct cfi_common {
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t pointer_encoding;
	bool has_augmentation;
	bool is_signal;
	uint8_t bytes[CFI_ROOM];
	struct cfi_reader program;
};

/* Read numbers of 1 to 8 bytes, or of variable length. Beyond the end: 0, and r->bad is set. */
uint64_t cfi_bytes(struct cfi_reader *r, uint32_t n);
uint64_t cfi_uleb(struct cfi_reader *r);
int64_t cfi_sleb(struct cfi_reader *r);
void cfi_skip(struct cfi_reader *r, uint64_t n);
/* Read a pointer in one of the usual encodings: absolute or pc-relative. */
uint64_t cfi_pointer(struct cfi_reader *r, uint8_t encoding);

/*
 * The rule at pc in code that begins at start: executes the program of c, then `program` as far as
 * pc. False: there is no rule, or struct frame_rule cannot express it.
 */
bool cfi_rule(const struct cfi_common *c, const struct cfi_reader *program, uint64_t start,
	      uint64_t pc, struct frame_rule *rule);

#endif
