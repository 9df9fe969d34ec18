/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers that interrupt threads: ticks around a system call that may sleep. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "channel/sys.h"
#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"

#define LONG_NS 1000000000000

/* What the file wants of the engine. */
struct engine engine;

void lock_take(uint32_t *lock)
{
	*lock = 1;
}

void lock_drop(uint32_t *lock)
{
	*lock = 0;
}

void poll_call(struct thread *t)
{
	t->called = 1;
}

static struct process process;
static struct thread *us, other;

/* We are one of two threads, whose ticks a mask keeps in the kernel: they stay on their way. */
static int set_up(void **state)
{
	const uint64_t tick = TICK_BIT;

	(void)state;
	us = mmap(NULL, sizeof(*us), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(us != MAP_FAILED);
	us->process = other.process = &process;
	us->tid = (uint32_t)sys0(SYS_gettid);
	us->next_thread = &other;
	us->variant = VARIANT_COUNT;
	engine.threads = us;
	assert_int_equal(sys4(SYS_rt_sigprocmask, SIG_BLOCK, &tick, 0, 8), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ticker_end(us);
	munmap(us, sizeof(*us));
	return 0;
}

static int64_t ns_left(void)
{
	struct itimerspec left;

	assert_int_equal(sys2(SYS_timer_gettime, us->timer, &left), 0);
	return left.it_value.tv_sec * 1000000000 + left.it_value.tv_nsec;
}

/* Takes it, if the kernel still gives it. */
static bool take_pending_tick(void)
{
	const struct timespec at_once = {0};
	const uint64_t tick = TICK_BIT;

	return sys4(SYS_rt_sigtimedwait, &tick, 0, &at_once, 8) == TICK_SIGNAL;
}

/* Linux 6.13 and later throw a tick away that had not arrived when its timer was stopped. */
static void a_tick_on_its_way_to_a_system_call_is_made_up_for(void **state)
{
	enum ticker_hold how;

	(void)state;
	assert_int_equal(ticker_arm(us, 1), 0);
	while (ns_left() != 0)
		;
	how = ticker_hold(us);
	assert_int_equal(how, TICKS_STOPPED);
	ticker_let_go(us, how);
	assert_true(us->tick_due || ns_left() != 0 || take_pending_tick());
}

static void a_timer_goes_on_where_it_was_stopped(void **state)
{
	enum ticker_hold how;

	(void)state;
	assert_int_equal(ticker_arm(us, LONG_NS), 0);
	how = ticker_hold(us);
	assert_int_equal(how, TICKS_STOPPED);
	assert_int_equal(ns_left(), 0);
	ticker_let_go(us, how);
	assert_true(ns_left() > LONG_NS / 2 && ns_left() <= LONG_NS);
	assert_false(us->tick_due);
}

static void a_thread_inside_a_window_is_not_called(void **state)
{
	enum ticker_hold how;

	(void)state;
	assert_int_equal(ticker_arm(us, 1), 0);
	while (ns_left() != 0)
		;
	us->variant = VARIANT_STREAM; /* the window's end will call it */
	how = ticker_hold(us);
	ticker_let_go(us, how);
	assert_false(us->tick_due);
}

static void a_thread_alone_keeps_its_timer_and_blocks_it(void **state)
{
	(void)state;
	us->next_thread = NULL;
	assert_int_equal(ticker_arm(us, LONG_NS), 0);
	assert_int_equal(ticker_hold(us), TICKS_BLOCKED);
	assert_true(ns_left() != 0);
	assert_false(us->tick_due);
}

/* A file system outside the kernel, a driver, or merged pages: each may end a call for a signal. */
static void calls_that_a_tick_might_end(void **state)
{
	const long none[6] = {0}, anonymous[6] = {0, 0, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0};
	const long file[6] = {0, 0, 0, MAP_PRIVATE, 3, 0}, drop[6] = {0, 0, MADV_DONTNEED};
	const long unmerge[6] = {0, 0, MADV_UNMERGEABLE}, lock[6] = {3, F_SETLKW};
	const long flags[6] = {3, F_GETFL}, to_end[6] = {3, 0, SEEK_END}, to[6] = {3, 0, SEEK_SET};

	(void)state;
	assert_true(ticker_could_interrupt(SYS_mremap, none));
	assert_true(ticker_could_interrupt(SYS_mmap, file));
	assert_true(ticker_could_interrupt(SYS_madvise, unmerge));
	assert_true(ticker_could_interrupt(SYS_newfstatat, none));
	assert_true(ticker_could_interrupt(SYS_getdents64, none));
	assert_true(ticker_could_interrupt(SYS_lseek, to_end));
	assert_true(ticker_could_interrupt(SYS_fcntl, lock));
	assert_true(ticker_could_interrupt(100000, none));
	assert_false(ticker_could_interrupt(SYS_mmap, anonymous));
	assert_false(ticker_could_interrupt(SYS_madvise, drop));
	assert_false(ticker_could_interrupt(SYS_fcntl, flags));
	assert_false(ticker_could_interrupt(SYS_lseek, to));
	assert_false(ticker_could_interrupt(SYS_getpid, none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tick_on_its_way_to_a_system_call_is_made_up_for,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_timer_goes_on_where_it_was_stopped, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_thread_inside_a_window_is_not_called, set_up,
						tear_down),
		cmocka_unit_test(calls_that_a_tick_might_end),
		cmocka_unit_test_setup_teardown(a_thread_alone_keeps_its_timer_and_blocks_it,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
