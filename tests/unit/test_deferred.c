/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which segments of a block add to the counters, and which counts are deferred after each. */
#include "engine/codecache/code_options.h"
#include "engine/codecache/poll.h"
#include "engine/translate/job.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct code_options code_options = {.defers = true};
static struct job job;
static struct block block, other;
static uint32_t differences;
static bool crowded;
static const struct code_variant counts = {.defers = true}, streams;

struct block *cache_find(uint64_t pc, enum code_variant_id variant)
{
	return variant == VARIANT_COUNT && pc == other.pc ? &other : 0;
}

bool insn_ends_block(const struct insn *in)
{
	return in->kind == INSN_JMP || in->kind == INSN_RET;
}

bool insn_is_call(const struct insn *in)
{
	return in->kind == INSN_CALL;
}

bool poll_is_crowded(void)
{
	return crowded;
}

void job_count_difference(struct job *j, struct deferred here, struct deferred there)
{
	(void)j;
	(void)here;
	(void)there;
	differences++;
}

#define PC 0x1000u

/* Instructions of four bytes, the block's first at PC. Each is a segment with one load. */
static void begin(const uint8_t *kinds, uint32_t n)
{
	block = (struct block){.pc = PC};
	other = (struct block){.pc = 0x9000, .deferred = {1, 1, 0, 5}};
	job = (struct job){
		.variant_id = VARIANT_COUNT, .variant = &counts, .block = &block, .insns = n};
	differences = 0;
	crowded = false;
	for (uint32_t i = 0; i < n; i++)
		job.in[i] =
			(struct insn){.pc = PC + 4 * i, .length = 4, .kind = kinds[i], .loads = 1};
	job_defer_block(&job, (struct deferred){0});
}

/* The segment in[i]; is it `left` instructions and loads that are deferred behind it? */
static void segment(uint32_t i, bool adds, int left)
{
	job.first = i;
	job.end = i + 1;
	job.after[0] = (struct tally){1, 1, 0, 1};
	job_defer_segment(&job);
	assert_int_equal(job.adds, adds);
	assert_int_equal(job.left.instructions, left);
	assert_int_equal(job.left.loads, left);
	assert_int_equal(job.left.stores, 0);
	job_defer_behind(&job);
}

static void a_branch_forward_leaves_it_to_both_sides(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_JCC, INSN_JCC, INSN_RET}, 3);
	job.in[0].target = 0x2000;
	job.in[1].target = 0x3000;
	segment(0, false, 1);
	segment(1, false, 2);
	segment(2, true, 0);
	assert_int_equal(differences, 0);
}

static void branches_to_one_place_defer_the_same(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_JCC, INSN_JCC, INSN_RET}, 3);
	job.in[0].target = job.in[1].target = 0x2000;
	segment(0, false, 1);
	segment(1, true, 1);
	segment(2, true, 0);
}

static void a_branch_to_known_code_defers_what_is_deferred_there(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_JCC, INSN_RET}, 2);
	job.in[0].target = other.pc;
	other.deferred = (struct deferred){3, 3, 0, 3};
	segment(0, true, 3);
}

static void a_branch_back_adds_whatever_is_deferred(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_PLAIN, INSN_JCC}, 2);
	job.in[1].target = PC;
	block.deferred = job.deferred = (struct deferred){0};
	segment(0, false, 1);
	segment(1, true, 0);
	/* Even if that is nothing: adding is what stops a thread. */
	begin((const uint8_t[]){INSN_JCC}, 1);
	job.in[0].target = PC - 16;
	job.deferred = (struct deferred){-1, -1, 0, -1};
	segment(0, true, 0);
}

static void where_the_block_joins_itself_the_difference_is_added(void **state)
{
	(void)state;
	/*
	 * The first branch skips the second, which leaves more; the third instruction is an entry.
	 */
	begin((const uint8_t[]){INSN_JCC, INSN_JCC, INSN_RET}, 3);
	job.in[0].target = job.in[2].pc;
	job.in[1].target = 0x2000;
	job.in[2].entry = true;
	segment(0, false, 1);
	segment(1, false, 2);
	assert_int_equal(differences, 1);
	assert_int_equal(job.deferred.instructions, 1);
	/* Where a plain segment comes before the entry it adds itself. */
	begin((const uint8_t[]){INSN_JCC, INSN_PLAIN, INSN_RET}, 3);
	job.in[0].target = job.in[2].pc;
	job.in[2].entry = true;
	segment(0, false, 1);
	segment(1, true, 1);
	assert_int_equal(differences, 0);
}

static void a_call_is_counted_before_it(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_PLAIN, INSN_CALL, INSN_JCC, INSN_CALL}, 4);
	job.in[2].target = 0x2000;
	segment(0, true, -1);
	segment(1, false, 0);
	/* Nothing is deferred where it returns to. */
	assert_int_equal(job.deferred.instructions, 0);
	segment(2, false, 1);
	segment(3, true, 0);
}

static void no_more_is_deferred_than_fits(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_PLAIN, INSN_PLAIN, INSN_PLAIN}, 3);
	job.deferred = (struct deferred){126, 126, 0, 126};
	segment(0, false, 127);
	segment(1, true, 0);
}

static void nothing_is_left_where_there_are_many_tallies(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_JCC, INSN_CALL, INSN_JCC, INSN_RET}, 4);
	job.in[0].target = 0x2000;
	job.in[2].target = other.pc;
	crowded = true;
	for (uint32_t i = 0; i < 4; i++)
		segment(i, true, 0);
	assert_int_equal(differences, 0);
}

static void other_variants_defer_nothing(void **state)
{
	(void)state;
	begin((const uint8_t[]){INSN_JCC, INSN_RET}, 2);
	job.variant_id = VARIANT_STREAM;
	job.variant = &streams;
	job.in[0].target = 0x2000;
	segment(0, true, 0);
	segment(1, true, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_forward_leaves_it_to_both_sides),
		cmocka_unit_test(branches_to_one_place_defer_the_same),
		cmocka_unit_test(a_branch_to_known_code_defers_what_is_deferred_there),
		cmocka_unit_test(a_branch_back_adds_whatever_is_deferred),
		cmocka_unit_test(where_the_block_joins_itself_the_difference_is_added),
		cmocka_unit_test(a_call_is_counted_before_it),
		cmocka_unit_test(no_more_is_deferred_than_fits),
		cmocka_unit_test(nothing_is_left_where_there_are_many_tallies),
		cmocka_unit_test(other_variants_defer_nothing),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
