/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of instruction forms: one per key, with a few encodings of each.
 * A key says mnemonic, encoding and operand kinds, as in
 * "vaddps.ev1:58.zmm.k.zmm.mem512.bc.z".
 */
#ifndef DIFFTEST_FORMS_H
#define DIFFTEST_FORMS_H

#include <Zydis/Zydis.h>
#include <stdint.h>

#include "difftest/encode.h"

#define FORM_KEY_BYTES	  160
#define INSTRUCTION_BYTES 15

struct encoding {
	uint8_t bytes[INSTRUCTION_BYTES];
	uint8_t length;
	uint8_t address; /* enum encode_address */
};

struct form {
	char *key;
	struct encoding *encodings;
	uint32_t count;
	uint32_t room;
	ZydisMnemonic mnemonic;
	uint8_t per_address[ADDRESS_KINDS];
	uint8_t unstable;	  /* only run: the result differs from run to run */
	const char *excluded;	  /* why it is not run, or 0 */
	struct skeleton skeleton; /* of the first encoding */
};

/* How many encodings of a form are kept. */
struct form_quota {
	uint32_t registers; /* without a memory operand in modrm */
	uint32_t memory;    /* for each way of addressing */
};

struct form_table {
	struct form *forms;
	uint32_t count;
	uint32_t room;
	uint32_t *slots; /* hash of the key -> number of the form + 1 */
	uint32_t slot_count;
	struct form_quota quota;
};

void forms_init(struct form_table *t, struct form_quota quota);
void forms_release(struct form_table *t);

/* One decoded candidate. */
struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
};

/*
 * Take the candidate into its form, unless that has its quota or these very
 * bytes. Returns 0, or -1 with errno when memory is short.
 */
int forms_add(struct form_table *t, const struct skeleton *s, enum encode_address address,
	      const uint8_t *bytes, const struct decoded *d);

/* Bring the forms into the order of their keys; forms_add may not follow. */
void forms_sort(struct form_table *t);

/* Write the key of a candidate; for every candidate the same, however often it is met. */
void forms_key(const struct skeleton *s, const struct decoded *d, char key[FORM_KEY_BYTES]);

#endif
