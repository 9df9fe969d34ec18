/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * String instructions: every width, both directions, a count of zero, compares and scans that end
 * early, and the registers afterwards.
 */
#include "check.h"

struct end {
	uint64_t rsi, rdi, rcx, flags;
};

/* Offsets of what the instruction leaves; `down` sets the direction flag. */
#define STRING(name, insn)                                                                        \
	static struct end name(void *si, void *di, uint64_t n, uint64_t a, int down)              \
	{                                                                                         \
		uint64_t f;                                                                       \
		if (down)                                                                         \
			asm volatile(                                                             \
				"std\n\tcmp %%rax, %%rax\n\t" insn "\n\tpushfq\n\tpopq %4\n\tcld" \
				: "+S"(si), "+D"(di), "+c"(n), "+a"(a), "=r"(f)::"memory", "cc"); \
		else                                                                              \
			asm volatile("cmp %%rax, %%rax\n\t" insn "\n\tpushfq\n\tpopq %4"          \
				     : "+S"(si), "+D"(di), "+c"(n), "+a"(a), "=r"(f)::"memory",   \
				       "cc");                                                     \
		last_rax = a;                                                                     \
		return (struct end){(uint64_t)si, (uint64_t)di, n, f};                            \
	}

static uint64_t last_rax;

STRING(movs_b, "rep movsb")
STRING(movs_w, "rep movsw")
STRING(movs_l, "rep movsl")
STRING(movs_q, "rep movsq")
STRING(stos_b, "rep stosb")
STRING(stos_w, "rep stosw")
STRING(stos_l, "rep stosl")
STRING(stos_q, "rep stosq")
STRING(lods_b, "rep lodsb")
STRING(lods_q, "rep lodsq")
STRING(cmpse_b, "repe cmpsb")
STRING(cmpse_w, "repe cmpsw")
STRING(cmpse_l, "repe cmpsl")
STRING(cmpsne_q, "repne cmpsq")
STRING(cmpsne_b, "repne cmpsb")
STRING(scasne_b, "repne scasb")
STRING(scasne_w, "repne scasw")
STRING(scase_l, "repe scasl")
STRING(scasne_q, "repne scasq")
STRING(one_movsb, "movsb")
STRING(one_stosq, "stosq")
STRING(one_lodsw, "lodsw")
STRING(one_cmpsl, "cmpsl")
STRING(one_scasb, "scasb")
STRING(addr32_stosb, "addr32 rep stosb")

typedef struct end string_fn(void *, void *, uint64_t, uint64_t, int);

static uint8_t src[4096], dst[4096], want[4096];

static void fill(void)
{
	for (int i = 0; i < 4096; i++) {
		src[i] = (uint8_t)(i * 7 + 3);
		dst[i] = want[i] = (uint8_t)(i * 13 + 1);
	}
}

static void check_moves(string_fn *fn, unsigned width)
{
	static const unsigned counts[] = {0, 1, 2, 3, 7, 64, 100, 255};

	for (unsigned down = 0; down < 2; down++)
		for (unsigned k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			unsigned n = counts[k], bytes = n * width;
			unsigned at = down ? 1800 + bytes - width : 1800,
				 step = down ? -bytes : bytes;

			fill();
			memcpy(want + 1800, src + 1800, bytes);
			struct end e = fn(src + at, dst + at, n, 5, (int)down);

			CHECK(memcmp(dst, want, 4096) == 0);
			CHECK_EQ(e.rcx, 0);
			CHECK_EQ(e.rsi, src + at + (int)step);
			CHECK_EQ(e.rdi, dst + at + (int)step);
			CHECK_EQ(last_rax, 5);
		}
}

static void check_stores(string_fn *fn, unsigned width)
{
	uint64_t value = 0x1122334455667788;

	for (int down = 0; down < 2; down++)
		for (unsigned n = 0; n < 200; n += 37) {
			unsigned at = down && n ? 1000 + (n - 1) * width : 1000;

			fill();
			for (unsigned i = 0; i < n; i++)
				memcpy(want + 1000 + i * width, &value, width);
			struct end e = fn(src, dst + at, n, value, down);

			CHECK(memcmp(dst, want, 4096) == 0);
			CHECK_EQ(e.rdi, dst + at + (int)(n * width) * (down ? -1 : 1));
			CHECK_EQ(e.rsi, src);
			CHECK_EQ(e.rcx, 0);
		}
}

static int is_zero(struct end e)
{
	return e.flags >> 6 & 1;
}

static void check_compares(void)
{
	struct end e;

	fill();
	memcpy(dst, src, 4096);
	dst[50] ^= 1;
	e = cmpse_b(src, dst, 100, 0, 0);
	CHECK(e.rcx == 49 && e.rsi == (uint64_t)(src + 51) && e.rdi == (uint64_t)(dst + 51) &&
	      !is_zero(e));
	e = cmpse_b(src, dst, 50, 0, 0);
	CHECK(e.rcx == 0 && e.rsi == (uint64_t)(src + 50) && is_zero(e));
	e = cmpse_b(src, dst, 0, 0, 0);
	CHECK(e.rcx == 0 && e.rsi == (uint64_t)src && is_zero(e));
	e = cmpse_w(src, dst, 100, 0, 0);
	CHECK(e.rcx == 74 && e.rdi == (uint64_t)(dst + 52));
	e = cmpse_l(src + 100, dst + 100, 100, 0, 1);
	CHECK(e.rcx == 100 - 14 && e.rsi == (uint64_t)(src + 44) && !is_zero(e));
	memset(dst, 0xee, 4096);
	memcpy(dst + 80, src + 80, 8);
	e = cmpsne_q(src, dst, 100, 0, 0);
	CHECK(e.rcx == 89 && e.rsi == (uint64_t)(src + 88) && is_zero(e));
	memset(src, 0, 256), memset(dst, 1, 256);
	e = cmpsne_b(src, dst, 200, 0, 0);
	CHECK(e.rcx == 0 && e.rdi == (uint64_t)(dst + 200) && !is_zero(e));
	STEP("compares end where they should");
}

static void check_scans(void)
{
	struct end e;
	uint64_t q = 0x0807060504030201;

	memset(dst, 0, 4096);
	dst[77] = 9;
	e = scasne_b(src, dst, 1000, 9, 0);
	CHECK(e.rcx == 922 && e.rdi == (uint64_t)(dst + 78) && is_zero(e) &&
	      e.rsi == (uint64_t)src);
	e = scasne_b(src, dst, 77, 9, 0);
	CHECK(e.rcx == 0 && !is_zero(e));
	e = scasne_b(src, dst + 200, 1000, 9, 1);
	CHECK(e.rcx == 1000 - 124 && e.rdi == (uint64_t)(dst + 76));
	e = scase_l(src, dst, 1000, 0, 0);
	CHECK(e.rcx == 980 && e.rdi == (uint64_t)(dst + 80) && !is_zero(e));
	e = scasne_w(src, dst, 1000, 0x900, 0);
	CHECK(e.rcx == 961 && is_zero(e));
	memcpy(dst + 800, &q, 8);
	e = scasne_q(src, dst, 512, q, 0);
	CHECK(e.rcx == 411 && e.rdi == (uint64_t)(dst + 808));
	e = scasne_q(src, dst, 0, q, 0);
	CHECK(e.rcx == 0 && e.rdi == (uint64_t)dst && is_zero(e));
	STEP("scans end where they should");
}

static void check_single(void)
{
	struct end e;

	fill();
	e = one_movsb(src + 5, dst + 9, 77, 0, 0);
	CHECK(dst[9] == src[5] && e.rcx == 77 && e.rsi == (uint64_t)(src + 6));
	e = one_stosq(src, dst + 16, 3, 0x4142434445464748, 1);
	CHECK(memcmp(dst + 16, "HGFEDCBA", 8) == 0 && e.rdi == (uint64_t)(dst + 8) && e.rcx == 3);
	e = one_lodsw(src + 10, dst, 1, 0xffff0000, 0);
	CHECK_EQ(last_rax, 0xffff0000 | src[10] | src[11] << 8);
	CHECK(e.rsi == (uint64_t)(src + 12));
	e = one_cmpsl(src, src, 1, 0, 0);
	CHECK(is_zero(e) && e.rdi == (uint64_t)(src + 4));
	e = one_scasb(src, src + 30, 1, src[30], 1);
	CHECK(is_zero(e) && e.rdi == (uint64_t)(src + 29));
	e = lods_b(src, dst, 20, 0x1200, 0);
	CHECK(last_rax == (0x1200u | src[19]) && e.rsi == (uint64_t)(src + 20));
	e = lods_q(src + 64, dst, 3, 0, 1);
	CHECK(memcmp(&last_rax, src + 48, 8) == 0);
	/* addr32: counts in ecx; the upper half of rcx is not looked at. A count of 0 only,
	 * as the buffer is above 4 GB; rcx may keep or lose its upper half with ecx = 0. */
	e = addr32_stosb(src, dst, 1ull << 32, 1, 0);
	CHECK((uint32_t)e.rcx == 0);
	/* An overlapping move repeats its first byte. */
	memset(dst, 0, 64);
	dst[0] = 0xab;
	movs_b(dst, dst + 1, 40, 0, 0);
	CHECK(dst[40] == 0xab && dst[41] == 0);
}

int main(void)
{
	check_moves(movs_b, 1), check_moves(movs_w, 2), check_moves(movs_l, 4),
		check_moves(movs_q, 8);
	check_stores(stos_b, 1), check_stores(stos_w, 2), check_stores(stos_l, 4),
		check_stores(stos_q, 8);
	STEP("moves and stores");
	check_compares();
	check_scans();
	check_single();
	return check_end();
}
