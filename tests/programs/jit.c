/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small just-in-time compiler: thousands of functions that call each other are written, run,
 * discarded and written again at the same addresses. There is more code than any code cache can
 * hold easily.
 */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

#define FUNCTIONS 4000
#define ROOM	  512 /* bytes for each */

struct code {
	unsigned char *at;
};

static void bytes(struct code *c, const char *s, size_t n)
{
	memcpy(c->at, s, n);
	c->at += n;
}

static void imm32(struct code *c, uint32_t v)
{
	memcpy(c->at, &v, 4);
	c->at += 4;
}

/*
 * f(x): random adds, xors and rotates of x, with branches over some of them;
 * then a tail jump to the function before. `model` computes the same in C.
 */
static void compile(unsigned char *base, int n, uint64_t seed)
{
	struct code c = {base + (size_t)n * ROOM};
	int steps = 4 + (int)(check_random(&seed) % 16);

	bytes(&c, "\x48\x89\xf8", 3); /* mov %rdi, %rax */
	for (int i = 0; i < steps; i++) {
		uint32_t v = (uint32_t)check_random(&seed) & 0x7fffffff;

		switch (v % 4) {
		case 0:
			bytes(&c, "\x48\x05", 2), imm32(&c, v);
			break; /* add $v, %rax */
		case 1:
			bytes(&c, "\x48\x35", 2), imm32(&c, v);
			break; /* xor $v, %rax */
		case 2:
			bytes(&c, "\x48\xc1\xc0\x05", 4);
			break; /* rol $5, %rax */
		case 3:
			bytes(&c, "\xa8\x01\x74\x06\x48\x2d", 6),
				imm32(&c, v); /* test $1,%al; jz; sub */
		}
	}
	bytes(&c, "\x48\x89\xc7", 3); /* mov %rax, %rdi */
	if (n % 16 == 0) {
		bytes(&c, "\xc3", 1);
	} else {
		bytes(&c, "\xe9", 1); /* jmp to function n - 1 */
		imm32(&c, (uint32_t)(base + (size_t)(n - 1) * ROOM - (c.at + 4)));
	}
}

static uint64_t model(int n, uint64_t seed, uint64_t x)
{
	int steps = 4 + (int)(check_random(&seed) % 16);

	(void)n;
	for (int i = 0; i < steps; i++) {
		uint32_t v = (uint32_t)check_random(&seed) & 0x7fffffff;

		switch (v % 4) {
		case 0:
			x += v;
			break;
		case 1:
			x ^= v;
			break;
		case 2:
			x = x << 5 | x >> 59;
			break;
		case 3:
			if (x & 1)
				x -= v;
		}
	}
	return x;
}

int main(void)
{
	unsigned char *base =
		mmap(NULL, (size_t)FUNCTIONS * ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;

	NEED(base != MAP_FAILED);
	for (uint64_t round = 1; round <= 6; round++) {
		for (int n = 0; n < FUNCTIONS; n++)
			compile(base, n, round * 1000003 + (uint64_t)n);
		for (int n = 0; n < FUNCTIONS; n++) {
			uint64_t x = (uint64_t)n * 0x9e3779b97f4a7c15u, want = x;
			uint64_t got =
				((uint64_t(*)(uint64_t))(void *)(base + (size_t)n * ROOM))(x);

			for (int k = n;; k--) {
				want = model(k, round * 1000003 + (uint64_t)k, want);
				if (k % 16 == 0)
					break;
			}
			CHECK_EQ(got, want);
			sum += got;
		}
		STEP("round %d", (int)round);
	}
	STEP("sum %016llx", (unsigned long long)sum);
	return check_end();
}
