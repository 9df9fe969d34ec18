/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector memory forms: AVX2 and AVX-512 gathers and scatters with masks, masked loads and stores
 * with masked-off lanes on an unmapped page, broadcasts, compress and expand; x87 with fxsave and
 * xsave. Features that the CPU lacks are left out.
 */
#include "check.h"
#include <cpuid.h>
#include <immintrin.h>
#include <math.h>
#include <sys/mman.h>

static int32_t table[1024];
static double doubles[256];

__attribute__((target("avx2"))) static void check_avx2(void)
{
	int32_t out[8];
	double d[4];

	for (int i = 0; i < 500; i++) {
		__m256i index = _mm256_setr_epi32(i, i + 9, 3, 1000 - i, i * 2, 7, 511, i ^ 5);
		__m256i mask = _mm256_setr_epi32(-1, 0, -1, -1, i & 1 ? -1 : 0, 0, -1, -1);
		__m256i got =
			_mm256_mask_i32gather_epi32(_mm256_set1_epi32(-7), table, index, mask, 4);

		_mm256_storeu_si256((__m256i *)out, got);
		CHECK(out[0] == table[i] && out[1] == -7 && out[2] == table[3] &&
		      out[3] == table[1000 - i]);
		CHECK(out[4] == (i & 1 ? table[i * 2] : -7) && out[5] == -7 &&
		      out[7] == table[i ^ 5]);
		__m128i small = _mm_setr_epi32(i & 255, 0, 200, 100);

		_mm256_storeu_pd(d, _mm256_i32gather_pd(doubles, small, 8));
		CHECK(d[0] == doubles[i & 255] && d[1] == doubles[0] && d[2] == doubles[200]);
		_mm256_maskstore_epi32(out, mask, _mm256_set1_epi32(i));
		CHECK(out[0] == i && out[1] == -7 && out[6] == i);
	}
	STEP("avx2 gathers");
}

/* The last bytes before an unmapped page. */
static char *edge_of_page(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED && munmap(p + 4096, 4096) == 0);
	memset(p, 0x5a, 4096);
	return p + 4096;
}

__attribute__((target("avx2"))) static void check_avx2_edge(char *edge)
{
	int32_t *last = (int32_t *)edge - 3, out[8];
	__m256i three = _mm256_setr_epi32(-1, -1, -1, 0, 0, 0, 0, 0);

	_mm256_storeu_si256((__m256i *)out, _mm256_maskload_epi32(last, three));
	CHECK(out[2] == 0x5a5a5a5a && out[3] == 0);
	_mm256_maskstore_epi32(last, three, _mm256_set1_epi32(77));
	CHECK(last[0] == 77 && last[2] == 77);
}

__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))) static void check_avx512(char *edge)
{
	int32_t out[16], spread[1024];
	int64_t wide[8];

	for (int i = 0; i < 500; i++) {
		__m512i index = _mm512_add_epi32(_mm512_set1_epi32(i),
						 _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24,
								   27, 30, 33, 36, 39, 42, 45));
		__mmask16 m = (__mmask16)(i * 2654435761u >> 8);
		__m512i got =
			_mm512_mask_i32gather_epi32(_mm512_set1_epi32(-1), m, index, table, 4);

		_mm512_storeu_si512(out, got);
		for (int k = 0; k < 16; k++)
			CHECK(out[k] == (m >> k & 1 ? table[i + 3 * k] : -1));
		memset(spread, 0, sizeof(spread));
		_mm512_mask_i32scatter_epi32(spread, m, index, got, 4);
		for (int k = 0; k < 16; k++)
			CHECK(spread[i + 3 * k] == (m >> k & 1 ? table[i + 3 * k] : 0));
		/* compress packs the chosen lanes; expand puts them back */
		memset(out, 0, sizeof(out));
		_mm512_mask_compressstoreu_epi32(out, m, got);
		for (int k = 0, n = 0; k < 16; k++)
			if (m >> k & 1)
				CHECK(out[n++] == table[i + 3 * k]);
		__m512i back = _mm512_maskz_expandloadu_epi32(m, out);

		CHECK(_mm512_mask_cmpneq_epi32_mask(m, back, got) == 0);
		__m512i q = _mm512_i32gather_epi64(_mm512_castsi512_si256(index), table, 4);

		_mm512_storeu_si512(wide, q);
		CHECK(memcmp(&wide[2], &table[i + 6], 8) == 0);
	}
	int32_t *last = (int32_t *)edge - 5;
	__m512i got = _mm512_maskz_loadu_epi32(0x1f, last);

	_mm512_mask_storeu_epi32(last, 0x1f, _mm512_add_epi32(got, _mm512_set1_epi32(1)));
	CHECK(last[0] == 0x5a5a5a5b && last[4] != 0x5a5a5a5a);
	_mm512_mask_storeu_epi8(edge - 7, 0x7f, _mm512_set1_epi8(3));
	CHECK(edge[-1] == 3 && edge[-7] == 3 && edge[-8] != 3);
	_mm512_storeu_si512(out,
			    _mm512_add_epi32(_mm512_set1_epi32(1),
					     _mm512_broadcastd_epi32(_mm_cvtsi32_si128(table[9]))));
	CHECK(out[15] == table[9] + 1);
	asm volatile("vpaddd %1%{1to16%}, %%zmm29, %%zmm29\n\tvpsubd %%zmm29, %%zmm29, %%zmm30\n\t"
		     "vpaddd %1%{1to16%}, %%zmm30, %%zmm31\n\tvmovdqu32 %%zmm31, %0"
		     : "=m"(*(char(*)[64])out)
		     : "m"(table[11])
		     : "xmm29", "xmm30", "xmm31");
	CHECK(out[0] == table[11] && out[15] == table[11]);
	STEP("avx512 masks, gathers, scatters");
}

/* x87: a stack of values, its control word, and their way through fxsave and xsave. */
static void check_x87(void)
{
	static char area[4096] __attribute__((aligned(64)));
	long double sum = 0, x;
	uint16_t control, down, status;
	int32_t integer;

	for (int i = 1; i < 3000; i++)
		sum += sinl(i) / i;
	STEP("x87 sum %.15Lf", sum);
	asm volatile("fldpi\n\tfld1\n\tfaddp\n\tfldl2e\n\tfxch\n\tfsubp\n\tfstpt %0" : "=m"(x));
	CHECK(fabsl(x - (3.14159265358979323846L + 1 - 1.44269504088896340736L)) < 1e-15L ||
	      fabsl(x + (3.14159265358979323846L + 1 - 1.44269504088896340736L)) < 1e-15L);
	asm volatile("fnstcw %0" : "=m"(control));
	down = (uint16_t)((control & ~0xc00) | 0x400);
	asm volatile("fldcw %1\n\tfldl %2\n\tfistpl %0\n\tfldcw %3"
		     : "=m"(integer)
		     : "m"(down), "m"((double){-2.5}), "m"(control));
	CHECK(integer == -3);
	asm volatile(
		"fld1\n\tfldpi\n\tfxsave (%1)\n\tfninit\n\tfxrstor (%1)\n\tfstpt %0\n\tfstp %%st(0)"
		: "=m"(x)
		: "r"(area)
		: "memory");
	CHECK(x == 3.14159265358979323851L);
	asm volatile("fninit\n\tfld1\n\tfldz\n\tfcomip %%st(1), %%st\n\tfnstsw %0\n\tfstp %%st(0)"
		     : "=m"(status)
		     :
		     : "cc");
	CHECK((status >> 11 & 7) == 7);
	asm volatile("fbld %1\n\tfbstp %0"
		     : "=m"(*(char(*)[10])(area + 2048))
		     : "m"(*(char(*)[10])(area + 3000)));
	CHECK(memcmp(area + 2048, area + 3000, 10) == 0);
}

static void check_xsave(void)
{
	static char area[16384] __attribute__((aligned(64)));
	uint64_t out[2] = {0, 0};
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1))
		return;
	asm volatile("mov $0x1234567, %%eax\n\tmovd %%eax, %%xmm7\n\tmov $7, %%eax\n\txor %%edx, "
		     "%%edx\n\t"
		     "xsave (%1)\n\tpxor %%xmm7, %%xmm7\n\tmov $7, %%eax\n\txrstor (%1)\n\tmovdqu "
		     "%%xmm7, %0"
		     : "=m"(out)
		     : "r"(area)
		     : "eax", "edx", "xmm7", "memory");
	CHECK(out[0] == 0x1234567 && out[1] == 0);
	CHECK(*(uint64_t *)(area + 512) & 2);
	__get_cpuid_count(13, 1, &a, &b, &c, &d);
	if (!(a & 2))
		return;
	memset(area, 0, sizeof(area));
	asm volatile("mov $99, %%eax\n\tmovd %%eax, %%xmm3\n\tmov $7, %%eax\n\txor %%edx, %%edx\n\t"
		     "xsavec (%1)\n\tpxor %%xmm3, %%xmm3\n\tmov $7, %%eax\n\txrstor (%1)\n\tmovdqu "
		     "%%xmm3, %0"
		     : "=m"(out)
		     : "r"(area)
		     : "eax", "edx", "xmm3", "memory");
	CHECK_EQ(out[0], 99);
}

int main(void)
{
	char *edge = edge_of_page();

	for (int i = 0; i < 1024; i++)
		table[i] = i * 1000003;
	for (int i = 0; i < 256; i++)
		doubles[i] = i * 0.25;
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		check_avx2(), check_avx2_edge(edge);
	memset(edge - 4096, 0x5a, 4096);
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
		check_avx512(edge);
	check_x87();
	check_xsave();
	return check_end();
}
