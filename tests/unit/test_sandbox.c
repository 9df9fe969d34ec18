/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters of system calls, evaluated by hand: the result must be the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <linux/audit.h>
#include <string.h>
#include <sys/syscall.h>

#include "engine/run/syscalls/sandbox.h"

#define COUNT(a)    (uint32_t)(sizeof(a) / sizeof(a[0]))
#define NR	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RET(v)	    BPF_STMT(BPF_RET | BPF_K, v)
#define IF(v, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, v, t, f)

static uint32_t verdict(const struct sock_filter *f, uint32_t n, int nr, uint64_t arg)
{
	struct seccomp_data d = {.nr = nr, .arch = AUDIT_ARCH_X86_64, .args = {arg, arg + 1}};

	return sandbox_verdict(f, n, &d);
}

static void a_number_is_looked_up(void **state)
{
	static const struct sock_filter f[] = {NR, IF(SYS_read, 1, 0), RET(SECCOMP_RET_ERRNO | 5),
					       RET(SECCOMP_RET_ALLOW)};

	(void)state;
	assert_int_equal(verdict(f, COUNT(f), SYS_read, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(f, COUNT(f), SYS_write, 0), SECCOMP_RET_ERRNO | 5);
}

/*
 * The second argument's low half lies at 24: (7 + 1) * 3 - 4 is 20, 20 >> 2 is 5, 5 ^ 1 is 4; kept
 * in word 15.
 */
static void words_are_computed_with(void **state)
{
	static const struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 24),
					       BPF_STMT(BPF_LDX | BPF_IMM, 3),
					       BPF_STMT(BPF_ALU | BPF_MUL | BPF_X, 0),
					       BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 4),
					       BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2),
					       BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 1),
					       BPF_STMT(BPF_ST, 15),
					       BPF_STMT(BPF_LD | BPF_IMM, 9),
					       BPF_STMT(BPF_LD | BPF_MEM, 15),
					       BPF_STMT(BPF_RET | BPF_A, 0)};

	(void)state;
	assert_int_equal(verdict(f, COUNT(f), 0, 7), 4);
}

static void what_is_no_filter_kills(void **state)
{
	static const struct sock_filter past[] = {NR, BPF_STMT(BPF_JMP | BPF_JA, 0xfffffff0u),
						  RET(0)};
	static const struct sock_filter divides[] = {NR, BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0),
						     RET(SECCOMP_RET_ALLOW)};
	static const struct sock_filter outside[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64),
						     RET(SECCOMP_RET_ALLOW)};

	(void)state;
	assert_int_equal(verdict(past, COUNT(past), 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(verdict(divides, COUNT(divides), 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(verdict(outside, COUNT(outside), 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(verdict(outside, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
}

static void lists_of_what_is_forbidden_leave_room(void **state)
{
	static const struct sock_filter most[] = {
		NR, IF(SYS_ptrace, 0, 1), RET(SECCOMP_RET_KILL_PROCESS), RET(SECCOMP_RET_ALLOW)};
	static const struct sock_filter memory[] = {
		NR, IF(SYS_mprotect, 0, 1), RET(SECCOMP_RET_ERRNO | 1), RET(SECCOMP_RET_ALLOW)};
	static const struct sock_filter timers[] = {NR, IF(SYS_timer_settime, 0, 1),
						    RET(SECCOMP_RET_ERRNO | 1),
						    RET(SECCOMP_RET_ALLOW)};
	static const struct sock_filter asks[] = {RET(SECCOMP_RET_USER_NOTIF)},
					logs[] = {RET(SECCOMP_RET_LOG)};

	(void)state;
	assert_true(sandbox_lets_by(most, COUNT(most)));
	assert_true(sandbox_lets_by(logs, COUNT(logs)));
	assert_false(sandbox_lets_by(memory, COUNT(memory)));
	assert_false(sandbox_lets_by(asks, COUNT(asks)));
	assert_true(sandbox_lets_by(timers, COUNT(timers)));
	assert_true(sandbox_lets_rests_by(most, COUNT(most)));
	assert_false(sandbox_lets_rests_by(timers, COUNT(timers)));
}

/* Any bytes end with a verdict, and touch nothing beside their own. */
static void nonsense_ends(void **state)
{
	uint64_t random = 88172645463325252u;
	struct sock_filter f[64];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(f); i += 8) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			memcpy((char *)f + i, &random, 8);
			f[i / 8].code &= 0xff;
			if (random >> 60 < 12)
				f[i / 8].k &= 0x3f;
		}
		verdict(f, COUNT(f), round, random);
		sandbox_lets_by(f, COUNT(f));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_looked_up),
		cmocka_unit_test(words_are_computed_with),
		cmocka_unit_test(what_is_no_filter_kills),
		cmocka_unit_test(lists_of_what_is_forbidden_leave_room),
		cmocka_unit_test(nonsense_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
