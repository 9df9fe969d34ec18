/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One program for every way to link it: dynamic, static, static-PIE, non-PIE.
 * Constructors, thread-local data, relocated tables, libc's own dispatch by
 * CPU, stdio, qsort calling back, exit handlers.
 */
#include "check.h"
#include <ctype.h>
#include <math.h>

static __thread int tls_initialised = 42;
static __thread char tls_zero[100];
static int constructed;

__attribute__((constructor)) static void construct(void)
{
	constructed++;
}

static void at_end(void)
{
	puts("exit handler");
}

__attribute__((destructor)) static void destruct(void)
{
	puts("destructor");
}

static int add(int a, int b)
{
	return a + b;
}
static int sub(int a, int b)
{
	return a - b;
}
static int mul(int a, int b)
{
	return a * b;
}

/* Pointers in data: need relocating in a PIE. */
static int (*const operations[])(int, int) = {add, sub, mul};
static const char *const names[] = {"add", "sub", "mul"};

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int classify(int c)
{
	switch (c) {
	case 0:
		return 10;
	case 1:
		return 21;
	case 2:
		return 32;
	case 3:
		return 43;
	case 4:
		return 54;
	case 5:
		return 65;
	case 6:
		return 76;
	default:
		return -1;
	}
}

int main(int argc, char **argv)
{
	int values[1000];
	uint64_t seed = 88172645463325252ull;
	char text[256], *copy;
	double sum = 0;

	NEED(argc >= 1 && argv[argc] == NULL);
	CHECK(constructed == 1);
	CHECK(tls_initialised == 42 && tls_zero[99] == 0);
	tls_initialised++;
	CHECK(tls_initialised == 43);
	for (int i = 0; i < 3; i++)
		STEP("%s %d", names[i], operations[i](7, 5));
	for (int i = 0; i < 1000; i++)
		values[i] = (int)(check_random(&seed) % 100000);
	qsort(values, 1000, sizeof(int), by_value);
	for (int i = 1; i < 1000; i++)
		CHECK(values[i - 1] <= values[i]);
	for (int i = -1; i < 8; i++)
		sum += classify(i);
	CHECK(sum == 10 + 21 + 32 + 43 + 54 + 65 + 76 - 2);
	for (int i = 1; i < 500; i++)
		sum += sqrt(i) * sin(i) / exp(i % 10);
	STEP("sum %.9f", sum);
	memset(text, 'x', sizeof(text));
	snprintf(text, sizeof(text), "%s %ld %#llx %.17g", "text", -5l, 0xfeedfacecafebeefull, 0.1);
	copy = strdup(text);
	NEED(copy);
	CHECK(strcmp(copy, "text -5 0xfeedfacecafebeef 0.10000000000000001") == 0);
	CHECK(strlen(copy) == 46 && memchr(copy, 'f', 46) != NULL && strchr(copy, 'Z') == NULL);
	CHECK(toupper('q') == 'Q');
	free(copy);
	for (int i = 0; i < 20000; i++) {
		char *p = malloc((size_t)(check_random(&seed) % 2000 + 1));

		NEED(p);
		*p = 1;
		free(p);
	}
	CHECK(getenv("PATH") != NULL);
	atexit(at_end);
	return check_end();
}
