/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gather and a scatter whose elements are on two pages. With the argument "fault" the second page
 * is closed before each, so that it faults part way: some elements are done and their masks are
 * clear, and the instruction is repeated for the others. Features that the CPU lacks are left out.
 */
#include "check.h"
#include <cpuid.h>
#include <immintrin.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE   4096
#define ROUNDS 100

static char *pages;
static volatile int faults;

static void open_page(int signal)
{
	(void)signal;
	faults++;
	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

/* Lanes 1, 3, 4, 6 are asked for; 4 and 6 lie on the second page. */
__attribute__((target("avx2"), noinline)) static void gather(void)
{
	const int32_t *edge = (const int32_t *)(pages + PAGE);
	__m256i index = _mm256_setr_epi32(-40, -30, -20, -10, 0, 10, 20, 30);
	__m256i mask = _mm256_setr_epi32(0, -1, 0, -1, -1, 0, -1, 0);
	int32_t out[8];

	_mm256_storeu_si256((__m256i *)out, _mm256_mask_i32gather_epi32(_mm256_set1_epi32(-7), edge,
									index, mask, 4));
	CHECK(out[0] == -7 && out[1] == edge[-30] && out[3] == edge[-10] && out[4] == edge[0] &&
	      out[6] == edge[20] && out[7] == -7);
}

__attribute__((target("avx512f"), noinline)) static void scatter(int round)
{
	int32_t *edge = (int32_t *)(pages + PAGE);
	__m512i index = _mm512_setr_epi32(-80, -70, -60, -50, -40, -30, -20, -10, 0, 10, 20, 30, 40,
					  50, 60, 70);

	_mm512_mask_i32scatter_epi32(edge, 0x0f30, index, _mm512_set1_epi32(round), 4);
	CHECK(edge[-40] == round && edge[-30] == round && edge[0] == round && edge[30] == round);
}

static void close_page(int how)
{
	CHECK(mprotect(pages + PAGE, PAGE, how) == 0);
}

int main(int argc, char **argv)
{
	const int how = argc > 1 ? PROT_NONE : PROT_READ | PROT_WRITE;
	int calls = 0;

	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(pages != MAP_FAILED);
	for (int i = 0; i < 2 * PAGE / 4; i++)
		((int32_t *)pages)[i] = i * 3;
	signal(SIGSEGV, open_page);
	for (int i = 0; i < ROUNDS; i++) {
		if (__builtin_cpu_supports("avx2")) {
			close_page(how);
			gather();
			calls++;
		}
		if (__builtin_cpu_supports("avx512f")) {
			close_page(how);
			scatter(i);
			calls++;
		}
	}
	CHECK_EQ(faults, argc > 1 ? calls : 0);
	(void)argv;
	return check_end();
}
