/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects encodings under their form keys. */
#include "difftest/forms.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "difftest/exclude.h"
#include "difftest/rng.h"

static const char *const class_names[] = {
	[ENCODE_LEGACY] = "leg",
	[ENCODE_VEX] = "vex",
	[ENCODE_XOP] = "xop",
	[ENCODE_EVEX] = "ev",
};

struct text {
	char *at;
	size_t room;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n = 0;

	va_start(args, format);
	n = vsnprintf(t->at, t->room, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->room)
		n = t->room ? (int)t->room - 1 : 0;
	t->at += n;
	t->room -= (size_t)n;
}

static int is_high_byte(ZydisRegister r)
{
	return r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH;
}

static const char *register_kind(ZydisRegister r)
{
	static const struct {
		ZydisRegisterClass class;
		const char *name;
	} kinds[] = {
		{ZYDIS_REGCLASS_GPR8, "r8"},	 {ZYDIS_REGCLASS_GPR16, "r16"},
		{ZYDIS_REGCLASS_GPR32, "r32"},	 {ZYDIS_REGCLASS_GPR64, "r64"},
		{ZYDIS_REGCLASS_X87, "st"},	 {ZYDIS_REGCLASS_MMX, "mm"},
		{ZYDIS_REGCLASS_XMM, "xmm"},	 {ZYDIS_REGCLASS_YMM, "ymm"},
		{ZYDIS_REGCLASS_ZMM, "zmm"},	 {ZYDIS_REGCLASS_TMM, "tmm"},
		{ZYDIS_REGCLASS_SEGMENT, "seg"}, {ZYDIS_REGCLASS_CONTROL, "cr"},
		{ZYDIS_REGCLASS_DEBUG, "dr"},	 {ZYDIS_REGCLASS_MASK, "k"},
		{ZYDIS_REGCLASS_BOUND, "bnd"},
	};

	if (is_high_byte(r))
		return "r8h";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].class == ZydisRegisterGetClass(r))
			return kinds[i].name;
	return "reg";
}

static void add_operand(struct text *t, const ZydisDecodedOperand *op)
{
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		/* Registers that the opcode fixes are forms of their own: cl, al, dx. */
		if (op->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT)
			add(t, ".%s", ZydisRegisterGetString(op->reg.value));
		else
			add(t, ".%s", register_kind(op->reg.value));
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (op->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			add(t, ".address");
		else if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
			add(t, ".v%smem%u", register_kind(op->mem.index), op->element_size);
		else
			add(t, ".mem%u", op->size);
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		add(t, ".%s%u", op->imm.is_relative ? "rel" : "imm", op->size);
		break;
	default:
		add(t, ".far");
		break;
	}
}

static void add_prefixes(struct text *t, const struct skeleton *s)
{
	if (s->class != ENCODE_LEGACY)
		return;
	if (s->prefix & PREFIX_LOCK)
		add(t, ".lock");
	if (s->prefix & PREFIX_66)
		add(t, ".66");
	if (s->prefix & PREFIX_F2)
		add(t, ".f2");
	if (s->prefix & PREFIX_F3)
		add(t, ".f3");
}

void forms_key(const struct skeleton *s, const struct decoded *d, char key[FORM_KEY_BYTES])
{
	struct text t = {.at = key, .room = FORM_KEY_BYTES};
	const ZydisDecodedInstruction *insn = &d->insn;

	add(&t, "%s.%s%u:%02X", ZydisMnemonicGetString(insn->mnemonic), class_names[s->class],
	    s->map, s->opcode);
	for (unsigned int i = 0; i < insn->operand_count_visible; i++)
		add_operand(&t, &d->ops[i]);
	add_prefixes(&t, s);
	if (s->w)
		add(&t, ".w");
	if (insn->avx.broadcast.mode && !insn->avx.broadcast.is_static)
		add(&t, ".bc");
	if (insn->avx.has_sae)
		add(&t, ".sae%d", (int)insn->avx.rounding.mode);
	/* Without a mask the decoder shows k0. */
	if (insn->avx.mask.reg > ZYDIS_REGISTER_K0)
		add(&t, insn->avx.mask.mode >= ZYDIS_MASK_MODE_ZEROING ? ".z" : ".m");
}

void forms_init(struct form_table *t, struct form_quota quota)
{
	memset(t, 0, sizeof(*t));
	t->quota = quota;
}

void forms_release(struct form_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		free(t->forms[i].key);
		free(t->forms[i].encodings);
	}
	free(t->forms);
	free(t->slots);
}

static uint32_t *find_slot(struct form_table *t, const char *key)
{
	uint32_t at = (uint32_t)rng_hash_text(key) & (t->slot_count - 1);

	while (t->slots[at] && strcmp(t->forms[t->slots[at] - 1].key, key) != 0)
		at = (at + 1) & (t->slot_count - 1);
	return &t->slots[at];
}

static int grow(struct form_table *t)
{
	uint32_t room = t->room ? t->room * 2 : 4096;
	struct form *forms = realloc(t->forms, room * sizeof(*forms));
	uint32_t *slots = calloc(room * 2, sizeof(*slots));

	if (forms)
		t->forms = forms;
	if (!forms || !slots) {
		free(slots);
		return -1;
	}
	free(t->slots);
	t->slots = slots;
	t->room = room;
	t->slot_count = room * 2;
	for (uint32_t i = 0; i < t->count; i++)
		*find_slot(t, t->forms[i].key) = i + 1;
	return 0;
}

static struct form *form_for(struct form_table *t, const char *key, const struct decoded *d,
			     const struct skeleton *s)
{
	uint32_t *slot = 0;
	struct form *f = 0;

	if (t->count == t->room && grow(t))
		return 0;
	slot = find_slot(t, key);
	if (*slot)
		return &t->forms[*slot - 1];
	f = &t->forms[t->count];
	memset(f, 0, sizeof(*f));
	f->key = strdup(key);
	if (!f->key)
		return 0;
	f->mnemonic = d->insn.mnemonic;
	f->skeleton = *s;
	f->excluded = exclude_reason(d);
	f->unstable = (uint8_t)exclude_is_unstable(d);
	*slot = ++t->count;
	return f;
}

static int has_bytes(const struct form *f, const uint8_t *bytes, uint8_t length)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->encodings[i].length == length &&
		    memcmp(f->encodings[i].bytes, bytes, length) == 0)
			return 1;
	return 0;
}

int forms_add(struct form_table *t, const struct skeleton *s, enum encode_address address,
	      const uint8_t *bytes, const struct decoded *d)
{
	char key[FORM_KEY_BYTES];
	struct form *f = 0;
	struct encoding *e = 0;

	forms_key(s, d, key);
	f = form_for(t, key, d, s);
	if (!f)
		return -1;
	if (f->per_address[address] >=
	    (address == ADDRESS_REGISTER ? t->quota.registers : t->quota.memory))
		return 0;
	if (has_bytes(f, bytes, d->insn.length))
		return 0;
	if (f->count == f->room) {
		uint32_t room = f->room ? f->room * 2 : 4;

		e = realloc(f->encodings, room * sizeof(*e));
		if (!e)
			return -1;
		f->encodings = e;
		f->room = room;
	}
	e = &f->encodings[f->count++];
	memcpy(e->bytes, bytes, INSTRUCTION_BYTES);
	e->length = d->insn.length;
	e->address = (uint8_t)address;
	f->per_address[address]++;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct form *)a)->key, ((const struct form *)b)->key);
}

void forms_sort(struct form_table *t)
{
	qsort(t->forms, t->count, sizeof(*t->forms), by_key);
	free(t->slots);
	t->slots = 0;
	t->slot_count = 0;
}
