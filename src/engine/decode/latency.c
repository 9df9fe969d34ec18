/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency classes: two tables, by the decoder's category, and by the beginning of the name where
 * one category has instructions of several classes.
 */
#include "engine/decode/latency.h"

#include <stdbool.h>

#include "engine/decode/registers.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct {
	ZydisInstructionCategory category;
	enum latency_class class;
} by_category[] = {
	{ZYDIS_CATEGORY_ADOX_ADCX, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_BINARY, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_BITBYTE, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_BMI1, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_BMI2, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_TBM, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_CMOV, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_FLAGOP, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_LOGICAL, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_LZCNT, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_ROTATE, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_SETCC, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_SHIFT, LATENCY_INTEGER},
	{ZYDIS_CATEGORY_CALL, LATENCY_BRANCH},
	{ZYDIS_CATEGORY_COND_BR, LATENCY_BRANCH},
	{ZYDIS_CATEGORY_RET, LATENCY_BRANCH},
	{ZYDIS_CATEGORY_UNCOND_BR, LATENCY_BRANCH},
	{ZYDIS_CATEGORY_NOP, LATENCY_NONE},
	{ZYDIS_CATEGORY_WIDENOP, LATENCY_NONE},
	{ZYDIS_CATEGORY_PREFETCH, LATENCY_NONE},
	{ZYDIS_CATEGORY_PREFETCHWT1, LATENCY_NONE},
	{ZYDIS_CATEGORY_PUSH, LATENCY_STORE},
	{ZYDIS_CATEGORY_POP, LATENCY_LOAD},
	{ZYDIS_CATEGORY_GATHER, LATENCY_LOAD},
	{ZYDIS_CATEGORY_AVX2GATHER, LATENCY_LOAD},
	{ZYDIS_CATEGORY_SCATTER, LATENCY_STORE},
	{ZYDIS_CATEGORY_STRINGOP, LATENCY_STRING},
	{ZYDIS_CATEGORY_IOSTRINGOP, LATENCY_STRING},
	{ZYDIS_CATEGORY_AVX, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_AVX2, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_AVX512, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_BLEND, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_KMASK, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_LOGICAL_FP, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_MMX, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_SSE, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_XOP, LATENCY_VECTOR},
	{ZYDIS_CATEGORY_BROADCAST, LATENCY_SHUFFLE},
	{ZYDIS_CATEGORY_COMPRESS, LATENCY_SHUFFLE},
	{ZYDIS_CATEGORY_EXPAND, LATENCY_SHUFFLE},
	{ZYDIS_CATEGORY_IFMA, LATENCY_VECTOR_MULTIPLY},
	{ZYDIS_CATEGORY_FMA4, LATENCY_FP_FUSED},
	{ZYDIS_CATEGORY_VFMA, LATENCY_FP_FUSED},
	{ZYDIS_CATEGORY_CONVERT, LATENCY_CONVERT},
	{ZYDIS_CATEGORY_FCMOV, LATENCY_FP_ADD},
};

/* Names of instructions of general registers; then of x87, vectors and masks, without their v. */
struct name_rule {
	const char *begin;
	enum latency_class class;
};
static const struct name_rule integer_names[] = {
	{"imul", LATENCY_MULTIPLY},  {"mul", LATENCY_MULTIPLY},	  {"idiv", LATENCY_DIVIDE},
	{"div", LATENCY_DIVIDE},     {"popcnt", LATENCY_INTEGER}, {"tzcnt", LATENCY_INTEGER},
	{"crc32", LATENCY_MULTIPLY}, {"pdep", LATENCY_MULTIPLY},  {"pext", LATENCY_MULTIPLY},
	{"lea", LATENCY_INTEGER},    {"bswap", LATENCY_INTEGER},  {"xchg", LATENCY_INTEGER},
	{"movsx", LATENCY_INTEGER},  {"movzx", LATENCY_INTEGER},  {"cmpxchg", LATENCY_INTEGER},
	{"xadd", LATENCY_INTEGER},   {"cbw", LATENCY_INTEGER},	  {"cwd", LATENCY_INTEGER},
	{"cdq", LATENCY_INTEGER},    {"cqo", LATENCY_INTEGER},	  {"leave", LATENCY_LOAD},
	{"enter", LATENCY_STORE},
};
static const struct name_rule other_names[] = {
	/* x87 */
	{"fmul", LATENCY_FP_MULTIPLY},
	{"fimul", LATENCY_FP_MULTIPLY},
	{"fdiv", LATENCY_FP_DIVIDE},
	{"fidiv", LATENCY_FP_DIVIDE},
	{"fsqrt", LATENCY_FP_DIVIDE},
	{"fadd", LATENCY_FP_ADD},
	{"fiadd", LATENCY_FP_ADD},
	{"fsub", LATENCY_FP_ADD},
	{"fisub", LATENCY_FP_ADD},
	{"fcom", LATENCY_FP_ADD},
	{"ficom", LATENCY_FP_ADD},
	{"fucom", LATENCY_FP_ADD},
	{"ftst", LATENCY_FP_ADD},
	{"fabs", LATENCY_MOVE},
	{"fchs", LATENCY_MOVE},
	{"fxch", LATENCY_MOVE},
	{"fld", LATENCY_MOVE},
	{"fild", LATENCY_CONVERT},
	{"fist", LATENCY_CONVERT},
	{"fst", LATENCY_MOVE},
	/* vectors of floating point */
	{"fm", LATENCY_FP_FUSED},
	{"fnm", LATENCY_FP_FUSED},
	{"add", LATENCY_FP_ADD},
	{"sub", LATENCY_FP_ADD},
	{"hadd", LATENCY_FP_ADD},
	{"hsub", LATENCY_FP_ADD},
	{"min", LATENCY_FP_ADD},
	{"max", LATENCY_FP_ADD},
	{"cmp", LATENCY_FP_ADD},
	{"comi", LATENCY_FP_ADD},
	{"ucomi", LATENCY_FP_ADD},
	{"round", LATENCY_FP_ADD},
	{"rndscale", LATENCY_FP_ADD},
	{"mul", LATENCY_FP_MULTIPLY},
	{"dpp", LATENCY_FP_MULTIPLY},
	{"rcp", LATENCY_FP_MULTIPLY},
	{"rsqrt", LATENCY_FP_MULTIPLY},
	{"div", LATENCY_FP_DIVIDE},
	{"sqrt", LATENCY_FP_DIVIDE},
	{"cvt", LATENCY_CONVERT},
	{"movmsk", LATENCY_CONVERT},
	{"pmovmsk", LATENCY_CONVERT},
	{"kmov", LATENCY_CONVERT},
	/* of integers */
	{"pmul", LATENCY_VECTOR_MULTIPLY},
	{"pmadd", LATENCY_VECTOR_MULTIPLY},
	{"pdp", LATENCY_VECTOR_MULTIPLY},
	{"pack", LATENCY_SHUFFLE},
	{"palign", LATENCY_SHUFFLE},
	{"align", LATENCY_SHUFFLE},
	{"perm", LATENCY_SHUFFLE},
	{"pshuf", LATENCY_SHUFFLE},
	{"punpck", LATENCY_SHUFFLE},
	{"shuf", LATENCY_SHUFFLE},
	{"unpck", LATENCY_SHUFFLE},
	{"insert", LATENCY_SHUFFLE},
	{"extract", LATENCY_SHUFFLE},
	{"pmovsx", LATENCY_SHUFFLE},
	{"pmovzx", LATENCY_SHUFFLE},
	{"broadcast", LATENCY_SHUFFLE},
	{"pbroadcast", LATENCY_SHUFFLE},
	{"pinsr", LATENCY_CONVERT},
	{"pextr", LATENCY_CONVERT},
};

static bool begins_with(const char *name, const char *begin)
{
	while (*begin && *name == *begin) {
		name++;
		begin++;
	}
	return !*begin;
}

static uint8_t class_in(const struct name_rule *rules, uint32_t count, const char *name,
			uint8_t otherwise)
{
	for (uint32_t i = 0; i < count; i++)
		if (begins_with(name, rules[i].begin))
			return rules[i].class;
	return otherwise;
}

/* Names a register of this kind. */
static bool names_general(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	for (int i = 0; i < z->operand_count_visible; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ZydisRegisterGetClass(op[i].reg.value) >= ZYDIS_REGCLASS_GPR8 &&
		    ZydisRegisterGetClass(op[i].reg.value) <= ZYDIS_REGCLASS_GPR64)
			return true;
	return false;
}

/* Names a register of x87, MMX, vectors or masks, or is of x87. */
static bool names_other(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	for (int i = 0; i < z->operand_count_visible; i++) {
		const ZydisRegisterClass c = op[i].type == ZYDIS_OPERAND_TYPE_REGISTER
						     ? ZydisRegisterGetClass(op[i].reg.value)
						     : ZYDIS_REGCLASS_INVALID;

		if ((c >= ZYDIS_REGCLASS_X87 && c <= ZYDIS_REGCLASS_ZMM) ||
		    c == ZYDIS_REGCLASS_MASK)
			return true;
	}
	return z->meta.isa_ext == ZYDIS_ISA_EXT_X87;
}

/* The actions on memory that visible operands have. */
static uint32_t memory_actions(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	uint32_t actions = 0;

	for (int i = 0; i < z->operand_count_visible; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			actions |= op[i].actions;
	return actions;
}

/* Moves data, and changes none of it. */
static bool is_move(const char *name)
{
	return begins_with(name, "mov") || begins_with(name, "lddqu") ||
	       begins_with(name, "maskmov");
}

static uint8_t move_class(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op,
			  const char *name)
{
	const uint32_t memory = memory_actions(z, op);

	if (memory & ZYDIS_OPERAND_ACTION_MASK_WRITE || begins_with(name, "maskmovq") ||
	    begins_with(name, "maskmovdqu"))
		return LATENCY_STORE;
	if (memory)
		return LATENCY_LOAD;
	if (names_general(z, op) && names_other(z, op))
		return LATENCY_CONVERT;
	if (begins_with(name, "movsx") || begins_with(name, "movzx"))
		return LATENCY_INTEGER;
	if (begins_with(name, "movhl") || begins_with(name, "movlh") ||
	    begins_with(name, "movddup") || begins_with(name, "movshdup") ||
	    begins_with(name, "movsldup"))
		return LATENCY_SHUFFLE;
	return LATENCY_MOVE;
}

uint8_t latency_of(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	const char *name = ZydisMnemonicGetString(z->mnemonic);
	const bool is_vex = z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY && name[0] == 'v';
	uint8_t class = LATENCY_OTHER;

	if (z->attributes & ZYDIS_ATTRIB_HAS_LOCK)
		return LATENCY_ATOMIC;
	name += is_vex;
	for (uint32_t i = 0; i < COUNT(by_category); i++)
		if (by_category[i].category == z->meta.category)
			class = by_category[i].class;
	if (class == LATENCY_BRANCH || class == LATENCY_STRING || class == LATENCY_NONE)
		return class;
	if (is_move(name))
		return move_class(z, op, name);
	if (names_other(z, op))
		class = class_in(other_names, COUNT(other_names), name,
				 class == LATENCY_INTEGER ? LATENCY_VECTOR : class);
	else
		class = class_in(integer_names, COUNT(integer_names), name, class);
	/* what loads or stores and only copies */
	if (class == LATENCY_MOVE && memory_actions(z, op))
		return move_class(z, op, name);
	return class;
}
