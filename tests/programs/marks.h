/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The marks of include/dwell.h, in C and in C++: they change neither registers nor flags nor
 * memory, and with DWELL_DISABLE they are nothing. Between DWELL_START and DWELL_STOP only kernel()
 * runs.
 */
#include "check.h"
#include "dwell.h"

#define ITEMS	 16384
#define ROUNDS	 40
#define ACCESSES 60000

static uint32_t named[ITEMS], other[ITEMS];
static int evaluated;

__attribute__((noinline, noclone)) static uint64_t before(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += other[(i * 7) % ITEMS]++;
	return sum;
}

__attribute__((noinline, noclone)) static uint64_t kernel(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += named[(i * 9) % ITEMS]++;
	return sum;
}

__attribute__((unused)) static const char *name(void)
{
	evaluated++;
	return "the named table";
}

/* Registers and flags on both sides of a mark. */
static void check_state(void)
{
	uint64_t a = 1, b = 2, c = 3, flags, after;

	__asm__ volatile("cmp $5, %%al; pushf; pop %0" : "=r"(flags) : "a"(5) : "cc", "memory");
	__asm__ volatile("mov $11, %%r8; mov $12, %%r9; mov $13, %%rax; cmp $13, %%rax\n"
			 ".byte 0x0f, 0x1f, 0x80, 0x02, 0x44, 0x57, 0x4c\n"
			 "pushf; pop %3; mov %%rax, %0; mov %%r8, %1; mov %%r9, %2"
			 : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(after)
			 :
			 : "rax", "r8", "r9", "cc", "memory");
	CHECK_EQ(a, 13);
	CHECK_EQ(b, 11);
	CHECK_EQ(c, 12);
	CHECK_EQ(after & 0x8d5, flags & 0x8d5);
}

int main(void)
{
	uint64_t sum = 0;

	check_state();
	DWELL_NAME(named, sizeof(named), name());
#ifdef DWELL_DISABLE
	CHECK_EQ(evaluated, 0);
#else
	CHECK_EQ(evaluated, 1);
#endif
	for (int i = 0; i < ROUNDS; i++) {
		sum += before(ACCESSES);
		DWELL_START();
		sum += kernel(ACCESSES);
		DWELL_STOP();
	}
	sum += before(ACCESSES);
	DWELL_UNNAME(named, sizeof(named));
	DWELL_NAME(0, 0, "nothing");
	DWELL_NAME(named, 8, (const char *)8); /* a name that cannot be read is no name */
	STEP("%llu", (unsigned long long)sum);
	return check_end();
}
