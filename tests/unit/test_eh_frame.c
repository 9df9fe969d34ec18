/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: this program's own, whose rules lead up its stack as the compiler's
 * unwinder does. And damaged information, which may give no rule, or a wrong one, but no fault.
 */
#define _GNU_SOURCE
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include <cmocka.h>

#include "draw.h"
#include "engine/core/state.h"
#include "engine/unwind/eh_frame.h"

#define ROUNDS 60000u

/* Reads come from `copy` where it stands for [copied, copied + copy_bytes), else from memory. */
static uint8_t *copy;
static uint64_t copied, copy_bytes;
static uint64_t mapped_low, mapped_high;
static struct frame_table made; /* by eh_frame_index, in memory of its own */

long engine_copy(void *to, const void *from, size_t n)
{
	uint64_t at = (uint64_t)(uintptr_t)from;

	if (copy && at >= copied && at - copied <= copy_bytes && n <= copy_bytes - (at - copied)) {
		memcpy(to, copy + (at - copied), n);
		return 0;
	}
	if (made.bytes && at >= made.address && at - made.address < made.bytes) {
		memcpy(to, from, n);
		return 0;
	}
	if (copy || at < mapped_low || at > mapped_high || n > mapped_high - at)
		return -1;
	memcpy(to, from, n);
	return 0;
}

long engine_peek(uint64_t *to, const void *from)
{
	return engine_copy(to, from, sizeof *to);
}

static struct frame_table own; /* .eh_frame_hdr of this program */
static uint64_t code_low, code_high;

static int find_own(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_GNU_EH_FRAME)
			own = (struct frame_table){at, ph->p_memsz, at};
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X)) {
			code_low = at;
			code_high = at + ph->p_memsz;
		}
		if (ph->p_type == PT_LOAD && !(ph->p_flags & (PF_X | PF_W)) && ph->p_offset) {
			mapped_low = at;
			mapped_high = at + ph->p_memsz;
		}
	}
	return 1; /* the program itself comes first */
}

/* ---- Up the stack ---- */

struct path {
	uint64_t pc[64];
	uint32_t count;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
	struct path *p = arg;

	if (p->count < 64)
		p->pc[p->count++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

struct place {
	uint64_t pc, rsp, rbp;
};

static bool up(struct place *p)
{
	struct frame_rule r;
	uint64_t cfa;

	if (!eh_frame_find(&own, p->pc - 1, &r))
		return false;
	cfa = (r.base == FRAME_RSP ? p->rsp : p->rbp) + (uint64_t)(int64_t)r.offset;
	if (r.base == FRAME_AT_RBP)
		cfa = *(uint64_t *)(uintptr_t)cfa;
	if (r.rbp == RBP_SAVED)
		p->rbp = *(uint64_t *)(uintptr_t)(cfa + (uint64_t)(int64_t)r.rbp_offset);
	else if (r.rbp == RBP_AT_RBP)
		p->rbp = *(uint64_t *)(uintptr_t)(p->rbp + (uint64_t)(int64_t)r.rbp_offset);
	p->rsp = cfa;
	p->pc = *(uint64_t *)(uintptr_t)(cfa - 8);
	return true;
}

/* Both walks begin here; the first frames, up to this function's, are the other walk's own. */
static __attribute__((noinline)) void compare_walks(void)
{
	struct path p = {.count = 0};
	struct place here;
	uint32_t i = 0, same = 0;

	__asm__ volatile("lea 1f(%%rip), %0; 1: mov %%rsp, %1; mov %%rbp, %2"
			 : "=&r"(here.pc), "=&r"(here.rsp), "=&r"(here.rbp));
	_Unwind_Backtrace(add_frame, &p);
	assert_true(up(&here));
	while (i < p.count && p.pc[i] != here.pc)
		i++;
	for (; i < p.count && p.pc[i] == here.pc && here.pc >= code_low && here.pc < code_high;
	     i++) {
		same++;
		if (!up(&here))
			break;
	}
	assert_true(same >= 4); /* up to the test, which the library calls */
}

static volatile int sink;

/* Frames of several kinds: with a frame pointer, with arrays of unknown size, aligned. */
static __attribute__((noinline)) void with_array(int n)
{
	volatile char *room = __builtin_alloca((size_t)n);

	room[0] = 1;
	compare_walks();
	sink += room[0];
}

static __attribute__((noinline)) void aligned(int n)
{
	volatile char wide[64] __attribute__((aligned(64)));

	wide[0] = 1;
	with_array(n);
	sink += wide[0];
}

#ifdef __clang__ /* which has the pointer as the build says; the test needs none of the two */
#define WITH_FRAME_POINTER
#else
#define WITH_FRAME_POINTER __attribute__((optimize("no-omit-frame-pointer")))
#endif

static WITH_FRAME_POINTER __attribute__((noinline)) void with_pointer(int n)
{
	aligned(n);
	sink++;
}

static void test_walks_are_those_of_the_other_unwinder(void **state)
{
	(void)state;
	for (int n = 1; n < 300; n += 37)
		with_pointer(n);
}

static void test_code_without_description_has_no_rule(void **state)
{
	struct frame_table none = {0};
	struct frame_rule r;

	(void)state;
	assert_false(eh_frame_find(&own, 16, &r));
	assert_int_equal(r.base, FRAME_END);
	assert_false(eh_frame_find(&none, code_low, &r));
}

/* The table made of .eh_frame gives what the linker's table gives. */
static void test_a_table_can_be_made(void **state)
{
	struct frame_rule a, b;
	int32_t to_frames;
	uint64_t frames, found = 0;

	(void)state;
	memcpy(&to_frames, (void *)(uintptr_t)(own.address + 4), 4);
	frames = own.address + 4 + (uint64_t)(int64_t)to_frames;
	assert_true(eh_frame_index(frames, mapped_high - frames, &made));
	for (uint64_t pc = code_low; pc < code_high; pc++) {
		bool is = eh_frame_find(&own, pc, &a);

		assert_int_equal(eh_frame_find(&made, pc, &b), is);
		if (!is)
			continue;
		assert_int_equal(a.base, b.base);
		assert_int_equal(a.offset, b.offset);
		assert_int_equal(a.rbp, b.rbp);
		assert_int_equal(a.rbp_offset, b.rbp_offset);
		found++;
	}
	assert_true(found > 1000);
}

/* Two functions as the table has them: a place in the middle of one is in that one. */
static void test_the_range_of_code_is_its_function(void **state)
{
	const uint64_t functions[] = {(uint64_t)(uintptr_t)compare_walks,
				      (uint64_t)(uintptr_t)with_array};
	struct frame_range r;

	for (unsigned i = 0; i < 2; i++) {
		assert_true(eh_frame_range(&own, functions[i], &r));
		assert_true(r.described);
		assert_int_equal(r.start, functions[i]);
		assert_true(r.end > r.start + 8 && r.end < r.start + 4096);
		assert_true(eh_frame_range(&own, r.end - 1, &r));
		assert_int_equal(r.start, functions[i]);
	}
	/* Before the first and behind the last there is nothing. */
	assert_true(eh_frame_range(&own, code_low - 4096, &r));
	assert_false(r.described);
	assert_true(r.start <= code_low - 4096 && r.end > code_low - 4096 && r.end < code_high);
	assert_true(eh_frame_range(&own, code_high + 4096, &r));
	assert_false(r.described);
	assert_int_equal(r.end, UINT64_MAX);
	assert_false(eh_frame_range(&(struct frame_table){0}, code_low, &r));
}

/* Over what lies between variables, too, where sanitizers allow nobody. */
__attribute__((no_sanitize("address"))) static void copy_image(uint8_t *to, const uint8_t *from,
							       size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = from[i];
}

static void test_damage_does_no_harm(void **state)
{
	uint64_t rules = 0;

	(void)state;
	copied = mapped_low;
	copy_bytes = mapped_high - mapped_low;
	copy = malloc(copy_bytes);
	for (uint32_t n = 0; n < ROUNDS; n++) {
		struct frame_table t = own;
		struct frame_rule r;
		uint64_t from = own.address - copied;

		if (n % 8 == 0)
			copy_image(copy, (const uint8_t *)(uintptr_t)copied, copy_bytes);
		for (int k = 0; k < 20; k++) /* in the table or what it points to */
			copy[from + draw() % (copy_bytes - from)] = (uint8_t)draw();
		if (n % 16 == 3)
			t.bytes = draw();
		uint64_t pc = code_low + draw() % (code_high - code_low);
		struct frame_range range;

		rules += eh_frame_find(&t, pc, &r);
		if (eh_frame_range(&t, pc, &range))
			assert_true(range.start <= pc && pc < range.end);
		if (n % 500 == 0)
			eh_frame_index(copied + from, copy_bytes - from, &made);
	}
	free(copy);
	copy = NULL;
	assert_true(rules > ROUNDS / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks_are_those_of_the_other_unwinder),
		cmocka_unit_test(test_code_without_description_has_no_rule),
		cmocka_unit_test(test_a_table_can_be_made),
		cmocka_unit_test(test_the_range_of_code_is_its_function),
		cmocka_unit_test(test_damage_does_no_harm),
	};

	dl_iterate_phdr(find_own, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
