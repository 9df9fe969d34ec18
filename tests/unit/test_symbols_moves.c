/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading moves of registers; the bytes are those of an assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/moves.h"

#define READ(move, ...)                                                               \
	do {                                                                          \
		static const unsigned char bytes[] = {__VA_ARGS__};                   \
		assert_true(moves_read(bytes, sizeof(bytes), 0x1000, move));          \
		assert_int_equal((move)->length, sizeof(bytes));                      \
		assert_false(moves_read(bytes, sizeof(bytes) - 1, 0x1000, &cut_off)); \
	} while (0)

static struct move cut_off;

static void copies_name_both_registers(void **state)
{
	struct move m;

	(void)state;
	READ(&m, 0x48, 0x89, 0xc3); /* mov %rax,%rbx */
	assert_int_equal(m.kind, MOVE_COPY);
	assert_true(m.from == MOVES_RAX && m.to == 3 && m.has_to);
	READ(&m, 0x49, 0x89, 0xc5); /* mov %rax,%r13 */
	assert_true(m.kind == MOVE_COPY && m.from == MOVES_RAX && m.to == 13);
	READ(&m, 0x4c, 0x8b, 0xe0); /* mov %rax,%r12, in its other form */
	assert_true(m.kind == MOVE_COPY && m.from == MOVES_RAX && m.to == 12);
	/* Half of a pointer is none. */
	READ(&m, 0x89, 0xc3); /* mov %eax,%ebx */
	assert_true(m.kind == MOVE_OTHER && m.has_to && m.to == 3);
}

static void stores_and_loads_have_an_address(void **state)
{
	struct move m;

	(void)state;
	READ(&m, 0x48, 0x89, 0x45, 0xe8); /* mov %rax,-0x18(%rbp) */
	assert_int_equal(m.kind, MOVE_STORE);
	assert_true(m.base == MOVES_RBP && m.displacement == -0x18 && m.from == MOVES_RAX);
	READ(&m, 0x48, 0x89, 0x87, 0x20, 0x01, 0x00, 0x00); /* mov %rax,0x120(%rdi) */
	assert_true(m.kind == MOVE_STORE && m.base == MOVES_RDI && m.displacement == 0x120);
	READ(&m, 0x48, 0x89, 0x05, 0x10, 0x00, 0x00, 0x00); /* mov %rax,0x10(%rip) */
	assert_true(m.kind == MOVE_STORE && m.base == MOVES_RIP && m.displacement == 0x1017);
	READ(&m, 0x48, 0x89, 0x44, 0x24, 0x08); /* mov %rax,0x8(%rsp) */
	assert_true(m.kind == MOVE_STORE && m.base == 4 && m.displacement == 8);
	READ(&m, 0x48, 0x8b, 0x55, 0xf8); /* mov -0x8(%rbp),%rdx */
	assert_true(m.kind == MOVE_LOAD && m.base == MOVES_RBP && m.displacement == -8 &&
		    m.to == 2);
	/* With an index the address is unknown. */
	READ(&m, 0x48, 0x89, 0x04, 0xdf); /* mov %rax,(%rdi,%rbx,8) */
	assert_int_equal(m.kind, MOVE_OTHER);
	/* An address from an immediate operand's end. */
	READ(&m, 0xc7, 0x05, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00); /* movl $7,(%rip) */
	assert_true(m.kind == MOVE_OTHER && !m.has_to && m.displacement == 0x100a);
}

static void jumps_and_calls_have_a_target(void **state)
{
	struct move m;

	(void)state;
	READ(&m, 0xe8, 0xfb, 0xff, 0xff, 0xff); /* call itself */
	assert_true(m.kind == MOVE_CALL && m.target == 0x1000);
	READ(&m, 0xeb, 0xfe); /* jmp itself */
	assert_true(m.kind == MOVE_JUMP && m.target == 0x1000);
	READ(&m, 0x75, 0x02); /* jne: there the value is not 0 */
	assert_true(m.kind == MOVE_JUMP_SET && m.target == 0x1004);
	READ(&m, 0x0f, 0x84, 0x00, 0x01, 0x00, 0x00); /* je: here the value is not 0 */
	assert_int_equal(m.kind, MOVE_OTHER);
}

static void what_changes_a_register_says_so(void **state)
{
	struct move m;

	(void)state;
	READ(&m, 0x48, 0x8d, 0x05, 0xf4, 0x25, 0x00, 0x00); /* lea 0x25f4(%rip),%rax */
	assert_true(m.kind == MOVE_OTHER && m.has_to && m.to == MOVES_RAX);
	READ(&m, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f); /* movabs $...,%rax */
	assert_true(m.has_to && m.to == MOVES_RAX);
	READ(&m, 0x48, 0x85, 0xc0); /* test %rax,%rax */
	assert_true(m.kind == MOVE_OTHER && !m.has_to);
	READ(&m, 0x0f, 0x11, 0x43, 0x18); /* movups %xmm0,0x18(%rbx) */
	assert_true(m.kind == MOVE_OTHER && !m.has_to);
	READ(&m, 0x66, 0x0f, 0xef, 0xc0); /* pxor %xmm0,%xmm0 */
	assert_true(m.kind == MOVE_OTHER && !m.has_to);
}

static void ends_of_functions_and_writes_say_so(void **state)
{
	struct move m;

	(void)state;
	READ(&m, 0xc3); /* ret */
	assert_true(m.kind == MOVE_RETURN);
	READ(&m, 0x41, 0x5c); /* pop %r12 */
	assert_true(m.kind == MOVE_OTHER && m.has_to && m.to == 12);
	READ(&m, 0xc9); /* leave */
	assert_true(m.has_to && m.to == MOVES_RBP);
	READ(&m, 0x48, 0x0f, 0xaf, 0xc7); /* imul %rdi,%rax */
	assert_true(m.has_to && m.to == MOVES_RAX && !m.writes);
	READ(&m, 0xc7, 0x43, 0x08, 1, 0, 0, 0); /* movl $1,8(%rbx) */
	assert_true(m.writes && m.base == 3 && m.displacement == 8);
	READ(&m, 0x0f, 0x11, 0x43, 0x18); /* movups %xmm0,0x18(%rbx) */
	assert_true(m.writes && m.base == 3);
	READ(&m, 0x0f, 0x10, 0x43, 0x18); /* movups 0x18(%rbx),%xmm0 */
	assert_false(m.writes);
	READ(&m, 0x83, 0x3b, 0); /* cmpl $0,(%rbx) */
	assert_false(m.writes);
	READ(&m, 0x83, 0x03, 1); /* addl $1,(%rbx) */
	assert_true(m.writes && m.base == 3);
}

static void others_are_not_read(void **state)
{
	static const unsigned char ud2[] = {0x0f, 0x0b}, syscall[] = {0x0f, 0x05},
				   vector[] = {0x62, 0xf1, 0x7d, 0x48, 0x6f, 0x00};
	struct move m;

	(void)state;
	assert_false(moves_read(ud2, sizeof(ud2), 0, &m));
	assert_false(moves_read(syscall, sizeof(syscall), 0, &m));
	assert_false(moves_read(vector, sizeof(vector), 0, &m));
	assert_false(moves_read(ud2, 0, 0, &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_name_both_registers),
		cmocka_unit_test(stores_and_loads_have_an_address),
		cmocka_unit_test(jumps_and_calls_have_a_target),
		cmocka_unit_test(what_changes_a_register_says_so),
		cmocka_unit_test(ends_of_functions_and_writes_say_so),
		cmocka_unit_test(others_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
