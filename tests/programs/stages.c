/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three functions one after another, each of which walks its own table for as many million accesses
 * as the argument says (1): for tests of where sampling begins and ends. The middle one is static,
 * and calls a fourth one repeatedly. "loop N" runs all of them for N rounds, with a line each.
 * "until FILE" repeats them until the file exists, however fast the machine is.
 */
#include "check.h"
#include <unistd.h>

#define ITEMS	(1u << 15)
#define MILLION 1000000u

static uint32_t table[4][ITEMS];

__attribute__((noinline, noclone)) uint64_t first(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += table[0][(i * 7) % ITEMS]++;
	return sum;
}

__attribute__((noinline, noclone)) static uint64_t helper(uint64_t i)
{
	return table[3][(i * 5) % ITEMS]++;
}

__attribute__((noinline, noclone)) static uint64_t middle(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += table[1][(i * 9) % ITEMS]++ + (i % 64 ? 0 : helper(i));
	return sum;
}

__attribute__((noinline, noclone)) uint64_t last(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += table[2][(i * 11) % ITEMS]++;
	return sum;
}

static int run_until(const char *path)
{
	uint64_t sum = 0;

	do
		sum += first(MILLION) + middle(MILLION) + last(MILLION);
	while (access(path, F_OK) != 0);
	STEP("%d", sum != 0);
	return check_end();
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "until") == 0)
		return run_until(argv[2]);

	int is_loop = argc > 2 && strcmp(argv[1], "loop") == 0;
	uint64_t n = argc > 1 && !is_loop ? strtoul(argv[1], NULL, 10) * MILLION : MILLION;
	uint64_t rounds = is_loop ? strtoul(argv[2], NULL, 10) : 1;

	for (uint64_t i = 0; i < rounds; i++)
		STEP("%llu", (unsigned long long)(first(n) + middle(n) + last(n)));
	return check_end();
}
