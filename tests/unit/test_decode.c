/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What decode_registers says, exactly, for instructions of each kind. That it leaves out nothing is
 * the test difftest-registers; here is what it must not add. Bytes are from an assembler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/decode/decode.h"
#include "engine/decode/registers.h"

struct engine engine; /* the decoder asks it for the maker of the processor */

enum { CF = 1, PF = 2, AF = 4, ZF = 8, SF = 16, OF = 32, DF = REGISTERS_DIRECTION_FLAG };

#define R(n) (1u << (n))

static const struct expected {
	const char *text;
	const char *bytes;
	uint32_t length;
	struct insn_registers r;
} table[] = {
	{"add rax, rbx",
	 "\x48\x01\xd8",
	 3,
	 {.gprs_read = R(RAX) | R(RBX),
	  .gprs_written = R(RAX),
	  .flags_written = 63,
	  .latency = LATENCY_INTEGER}},
	{"adc ecx, 1",
	 "\x83\xd1\x01",
	 3,
	 {.gprs_read = R(RCX),
	  .gprs_written = R(RCX),
	  .flags_read = CF,
	  .flags_written = 63,
	  .latency = LATENCY_INTEGER}},
	{"inc edx",
	 "\xff\xc2",
	 2,
	 {.gprs_read = R(RDX),
	  .gprs_written = R(RDX),
	  .flags_written = 63 & ~CF,
	  .latency = LATENCY_INTEGER}},
	{"xor eax, eax",
	 "\x31\xc0",
	 2,
	 {.gprs_written = R(RAX), .flags_written = 63, .latency = LATENCY_INTEGER}},
	{"sbb eax, eax: one flag decides",
	 "\x19\xc0",
	 2,
	 {.gprs_written = R(RAX),
	  .flags_read = CF,
	  .flags_written = 63,
	  .latency = LATENCY_INTEGER}},
	{"mov al, 1: the rest of rax stays",
	 "\xb0\x01",
	 2,
	 {.gprs_read = R(RAX), .gprs_written = R(RAX), .latency = LATENCY_MOVE}},
	{"mov eax, 1", "\xb8\x01\0\0\0", 5, {.gprs_written = R(RAX), .latency = LATENCY_MOVE}},
	{"mov rax, [rbx + 4 * rcx]",
	 "\x48\x8b\x04\x8b",
	 4,
	 {.gprs_read = R(RBX) | R(RCX), .gprs_written = R(RAX), .latency = LATENCY_LOAD}},
	{"mov [rbx], rax",
	 "\x48\x89\x03",
	 3,
	 {.gprs_read = R(RBX) | R(RAX), .latency = LATENCY_STORE}},
	{"lea rax, [rbx + rcx]",
	 "\x48\x8d\x04\x0b",
	 4,
	 {.gprs_read = R(RBX) | R(RCX), .gprs_written = R(RAX), .latency = LATENCY_INTEGER}},
	{"shl eax, cl: by 0 it leaves the flags",
	 "\xd3\xe0",
	 2,
	 {.gprs_read = R(RAX) | R(RCX),
	  .gprs_written = R(RAX),
	  .flags_read = 63,
	  .flags_written = 63,
	  .latency = LATENCY_INTEGER}},
	{"imul eax, ebx",
	 "\x0f\xaf\xc3",
	 3,
	 {.gprs_read = R(RAX) | R(RBX),
	  .gprs_written = R(RAX),
	  .flags_written = 63,
	  .latency = LATENCY_MULTIPLY}},
	{"div rcx",
	 "\x48\xf7\xf1",
	 3,
	 {.gprs_read = R(RAX) | R(RDX) | R(RCX),
	  .gprs_written = R(RAX) | R(RDX),
	  .flags_written = 63,
	  .latency = LATENCY_DIVIDE}},
	{"jne", "\x75\x00", 2, {.flags_read = ZF, .latency = LATENCY_BRANCH}},
	{"push rbx",
	 "\x53",
	 1,
	 {.gprs_read = R(RSP) | R(RBX), .gprs_written = R(RSP), .latency = LATENCY_STORE}},
	{"pop rbx",
	 "\x5b",
	 1,
	 {.gprs_read = R(RSP), .gprs_written = R(RSP) | R(RBX), .latency = LATENCY_LOAD}},
	{"lock xadd [rdi], eax",
	 "\xf0\x0f\xc1\x07",
	 4,
	 {.gprs_read = R(RDI) | R(RAX),
	  .gprs_written = R(RAX),
	  .flags_written = 63,
	  .latency = LATENCY_ATOMIC}},
	{"scasb",
	 "\xae",
	 1,
	 {.gprs_read = R(RDI) | R(RAX),
	  .gprs_written = R(RDI),
	  .flags_read = DF,
	  .flags_written = 63,
	  .latency = LATENCY_STRING}},
	{"xchg r8, rax, which looks like pause",
	 "\xf3\x49\x90",
	 3,
	 {.gprs_read = R(RAX) | R(8), .gprs_written = R(RAX) | R(8), .latency = LATENCY_OTHER}},
	{"addsd xmm0, xmm1",
	 "\xf2\x0f\x58\xc1",
	 4,
	 {.vectors_read = R(0) | R(1),
	  .vectors_written = R(0),
	  .keeps_upper = true,
	  .latency = LATENCY_FP_ADD}},
	{"movaps xmm0, xmm1",
	 "\x0f\x28\xc1",
	 3,
	 {.vectors_read = R(1),
	  .vectors_written = R(0),
	  .keeps_upper = true,
	  .latency = LATENCY_MOVE}},
	{"pxor xmm3, xmm3",
	 "\x66\x0f\xef\xdb",
	 4,
	 {.vectors_written = R(3), .keeps_upper = true, .latency = LATENCY_VECTOR}},
	{"vmulps ymm2, ymm0, ymm1",
	 "\xc5\xfc\x59\xd1",
	 4,
	 {.vectors_read = R(0) | R(1), .vectors_written = R(2), .latency = LATENCY_FP_MULTIPLY}},
	{"vfmadd231pd ymm0, ymm1, ymm2",
	 "\xc4\xe2\xf5\xb8\xc2",
	 5,
	 {.vectors_read = R(0) | R(1) | R(2),
	  .vectors_written = R(0),
	  .latency = LATENCY_FP_FUSED}},
	{"vsqrtpd ymm0, ymm1",
	 "\xc5\xfd\x51\xc1",
	 4,
	 {.vectors_read = R(1), .vectors_written = R(0), .latency = LATENCY_FP_DIVIDE}},
	{"vaddpd zmm0{k1}, zmm1, zmm2",
	 "\x62\xf1\xf5\x49\x58\xc2",
	 6,
	 {.vectors_read = R(0) | R(1) | R(2),
	  .vectors_written = R(0),
	  .masks_read = R(1),
	  .latency = LATENCY_FP_ADD}},
	{"vaddpd zmm0{k1}{z}, zmm1, zmm2",
	 "\x62\xf1\xf5\xc9\x58\xc2",
	 6,
	 {.vectors_read = R(1) | R(2),
	  .vectors_written = R(0),
	  .masks_read = R(1),
	  .latency = LATENCY_FP_ADD}},
	{"vpmulld ymm0, ymm1, ymm2",
	 "\xc4\xe2\x75\x40\xc2",
	 5,
	 {.vectors_read = R(1) | R(2),
	  .vectors_written = R(0),
	  .latency = LATENCY_VECTOR_MULTIPLY}},
	{"cvtsi2sd xmm0, eax: the upper half stays",
	 "\xf2\x0f\x2a\xc0",
	 4,
	 {.gprs_read = R(RAX),
	  .vectors_read = R(0),
	  .vectors_written = R(0),
	  .keeps_upper = true,
	  .latency = LATENCY_CONVERT}},
	{"movd eax, xmm0",
	 "\x66\x0f\x7e\xc0",
	 4,
	 {.gprs_written = R(RAX), .vectors_read = R(0), .latency = LATENCY_CONVERT}},
	{"vpshufb ymm0, ymm1, ymm2",
	 "\xc4\xe2\x75\x00\xc2",
	 5,
	 {.vectors_read = R(1) | R(2), .vectors_written = R(0), .latency = LATENCY_SHUFFLE}},
	{"fmul st(0), st(1)", "\xd8\xc9", 2, {.x87 = true, .latency = LATENCY_FP_MULTIPLY}},
	{"nop", "\x90", 1, {.latency = LATENCY_NONE}},
};

static void registers_are_these_and_no_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct expected *e = &table[i];
		struct insn_registers r;

		assert_int_equal(decode_registers((const uint8_t *)e->bytes, e->length, &r),
				 e->length);
		if (memcmp(&r, &e->r, sizeof(r)) != 0)
			fail_msg("%s: gprs %x %x vectors %x %x masks %x %x flags %x %x x87 %d "
				 "upper %d latency %d",
				 e->text, r.gprs_read, r.gprs_written, r.vectors_read,
				 r.vectors_written, r.masks_read, r.masks_written, r.flags_read,
				 r.flags_written, r.x87, r.keeps_upper, r.latency);
	}
}

static void bytes_that_are_none_have_no_length(void **state)
{
	struct insn_registers r;

	(void)state;
	assert_int_equal(decode_registers((const uint8_t *)"\x48\x8b", 2, &r), 0);
	assert_int_equal(decode_registers((const uint8_t *)"\x06", 1, &r), 0);
}

/* Code of the filter variant keeps addresses while their registers are not written. */
static void the_translator_knows_what_strings_move(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t length, gprs;
	} cases[] = {
		{"\xae", 1, R(RDI)},
		{"\xa6", 1, R(RSI) | R(RDI)},
		{"\x48\xa7", 2, R(RSI) | R(RDI)},
		{"\xa4", 1, R(RSI) | R(RDI)},
		{"\xac", 1, R(RSI) | R(RAX)},
		{"\xf3\x49\x90", 3, R(RAX) | R(8)},
		{"\xf3\x90", 2, 0},
	};

	(void)state;
	assert_int_equal(decode_init(), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t code[15] = {0};
		struct insn in;

		memcpy(code, cases[i].bytes, cases[i].length);
		assert_int_equal(decode_insn(&in, 0x1000, code, sizeof(code)), 0);
		assert_int_equal(in.length, cases[i].length);
		assert_int_equal(in.gprs_written, cases[i].gprs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_these_and_no_others),
		cmocka_unit_test(bytes_that_are_none_have_no_length),
		cmocka_unit_test(the_translator_knows_what_strings_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
