/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Self-checks of target programs. A failed check is printed with its place, and the program
 * continues. check_end() turns the number of failures into the exit status. Threads may check; the
 * number is atomic.
 */
#ifndef DWELL_TESTS_CHECK_H
#define DWELL_TESTS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_failures;

#define CHECK(condition) check_that(!!(condition), #condition, __FILE__, __LINE__)
#define CHECK_EQ(a, b)	 check_equal((uint64_t)(a), (uint64_t)(b), #a " == " #b, __LINE__)
/* For what every later check needs. */
#define NEED(condition)                                                          \
	do {                                                                     \
		if (!(condition)) {                                              \
			printf("FAIL line %d: need %s\n", __LINE__, #condition); \
			fflush(stdout);                                          \
			_exit(99);                                               \
		}                                                                \
	} while (0)

static inline void check_that(int ok, const char *what, const char *file, int line)
{
	(void)file;
	if (ok)
		return;
	__atomic_fetch_add(&check_failures, 1, __ATOMIC_SEQ_CST);
	printf("FAIL line %d: %s\n", line, what);
	fflush(stdout);
}

static inline void check_equal(uint64_t a, uint64_t b, const char *what, int line)
{
	if (a == b)
		return;
	__atomic_fetch_add(&check_failures, 1, __ATOMIC_SEQ_CST);
	printf("FAIL line %d: %s: 0x%llx, 0x%llx\n", line, what, (unsigned long long)a,
	       (unsigned long long)b);
	fflush(stdout);
}

/* A step that is done, for whoever reads the output; flushed, as a crash may follow. */
#define STEP(...)                    \
	do {                         \
		printf(__VA_ARGS__); \
		putchar('\n');       \
		fflush(stdout);      \
	} while (0)

/* The exit status of the program: 0 when every check held. */
static inline int check_end(void)
{
	int n = __atomic_load_n(&check_failures, __ATOMIC_SEQ_CST);

	printf(n ? "%d checks failed\n" : "all checks held\n", n);
	fflush(stdout);
	return n ? 1 : 0;
}

/* A little generator of its own, so that every machine and libc sees the same numbers. */
static inline uint64_t check_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
