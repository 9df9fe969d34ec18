/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting, memory and messages for in-target code; see util.h. */
#include "engine/core/util.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>

#include "channel/sys.h"
#include "engine/core/addresses.h"
#include "engine/core/limits.h"
#include "engine/core/program_limits.h"
#include "engine/core/state.h"

#define LARGE_BYTES (4ul << 20) /* from here on large pages are used */

uint8_t util_no_tsc;
static uint64_t held_bytes; /* atomic */

uint64_t now_ns(void)
{
	struct timespec ts;

	sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void futex_wait(uint32_t *word, uint32_t value)
{
	sys4(SYS_futex, word, FUTEX_WAIT, value, 0);
}

void futex_wait_ns(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	sys4(SYS_futex, word, FUTEX_WAIT, value, &t);
}

void futex_wake_all(uint32_t *word)
{
	sys3(SYS_futex, word, FUTEX_WAKE, 0x7fffffff);
}

/*
 * The kernel places the program's next mapping by the existing ones. In a simulation the program's
 * addresses must not depend on when the engine needs memory, which depends on time. So the engine
 * takes its pages from one pool, reserved at the start. Pages given back are not reused.
 */
#define POOL_BYTES (64ull << 30)
#define LEAST_POOL (16ull << 20)
#define POOL_PART  8u /* of the available address space */

static uint64_t pool, pool_bytes, pool_used;

void pages_reserve(void)
{
	uint64_t bytes = limits_share(POOL_BYTES, LEAST_POOL, POOL_PART);
	/*
	 * away from the program: the kernel puts the next mappings right below it, and JIT
	 * compilers look for room near their own code
	 */
	long p = sys6(SYS_mmap, addresses_of_reserve(bytes), bytes, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	pool = sys_failed(p) ? 0 : (uint64_t)p; /* then memory comes from anywhere */
	pool_bytes = bytes;
}

static bool is_in_pool(uint64_t address)
{
	return pool && address - pool < pool_bytes;
}

/* Take bytes from the pool, aligned for large pages if they fill one; 0: the pool is full. */
static uint64_t take_of_pool(uint64_t bytes)
{
	uint64_t unit = bytes >= LARGE_BYTES ? LARGE_BYTES : PAGE, at, next;
	uint64_t used = __atomic_load_n(&pool_used, __ATOMIC_RELAXED);

	do {
		at = round_up(pool + used, unit);
		next = at + round_up(bytes, PAGE) - pool;
		if (!pool || bytes > pool_bytes || next > pool_bytes)
			return 0;
	} while (!__atomic_compare_exchange_n(&pool_used, &used, next, 0, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return at;
}

static uint32_t maps;

void engine_has_mapped(void)
{
	__atomic_fetch_add(&maps, 1, __ATOMIC_SEQ_CST);
}

uint32_t engine_maps(void)
{
	return __atomic_load_n(&maps, __ATOMIC_SEQ_CST);
}

long pages_map(uint64_t at, uint64_t bytes, int prot, int flags, int fd)
{
	long p = sys6(SYS_mmap, at, bytes, prot, MAP_PRIVATE | flags, fd, 0);

	if (p == -ENOMEM && program_limits_make_room(bytes))
		p = sys6(SYS_mmap, at, bytes, prot, MAP_PRIVATE | flags, fd, 0);
	if (!sys_failed(p) && !is_in_pool((uint64_t)p))
		engine_has_mapped();
	return p;
}

static long map_memory(uint64_t at, uint64_t bytes, int flags)
{
	return pages_map(at, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1);
}

void *pages_get(uint64_t bytes)
{
	uint64_t at = take_of_pool(bytes);
	long p = map_memory(at, bytes, at ? MAP_FIXED : 0);

	if (sys_failed(p))
		return 0;
	if (bytes >= LARGE_BYTES)
		sys3(SYS_madvise, p, bytes, MADV_HUGEPAGE);
	__atomic_fetch_add(&held_bytes, bytes, __ATOMIC_RELAXED);
	return (void *)p;
}

void pages_put(void *p, uint64_t bytes)
{
	if (is_in_pool((uint64_t)(uintptr_t)p))
		sys6(SYS_mmap, p, bytes, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	else
		sys2(SYS_munmap, p, bytes);
	__atomic_fetch_sub(&held_bytes, bytes, __ATOMIC_RELAXED);
}

uint64_t util_engine_bytes(void)
{
	return __atomic_load_n(&held_bytes, __ATOMIC_RELAXED);
}

/* Reserves of so many bytes lie away from the program: else its mappings would lie elsewhere. */
#define LARGE (16ull << 20)

int grow_init_whole(struct grow *g, uint64_t reserve_bytes)
{
	/* A small one may be made in mid-run: away from the program, too, if there is a pool. */
	uint64_t in_pool = reserve_bytes < LARGE_BYTES ? take_of_pool(reserve_bytes) : 0;
	uint64_t at = reserve_bytes >= LARGE ? addresses_of_reserve(reserve_bytes) : in_pool;
	long p = map_memory(at, reserve_bytes, MAP_NORESERVE | (in_pool ? MAP_FIXED : 0));

	if (sys_failed(p))
		return -1;
	*g = (struct grow){.base = (uint8_t *)p, .reserved = reserve_bytes};
	return 0;
}

#define LEAST_RESERVE (2ul << 20)
#define RESERVE_PART  128u /* of the available address space; about ten tables reserve one */

int grow_init(struct grow *g, uint64_t reserve_bytes)
{
	uint64_t bytes = limits_share(reserve_bytes, LEAST_RESERVE, RESERVE_PART);

	for (; grow_init_whole(g, bytes) != 0; bytes /= 2)
		if (bytes < 2 * LEAST_RESERVE)
			return -1;
	return 0;
}

#define SMALL_PART (2ul << 20)

void grow_in_large_pages(const struct grow *g)
{
	if (g->reserved > SMALL_PART)
		sys3(SYS_madvise, g->base + SMALL_PART, g->reserved - SMALL_PART, MADV_HUGEPAGE);
}

void *grow_take(struct grow *g, uint64_t bytes)
{
	void *p = g->base + g->used;

	bytes = round_up(bytes, 8);
	if (g->reserved - g->used < bytes)
		return 0;
	g->used += bytes;
	__atomic_fetch_add(&held_bytes, bytes, __ATOMIC_RELAXED);
	return p;
}

void grow_give_back(struct grow *g, uint64_t bytes)
{
	g->used -= bytes;
	__atomic_fetch_sub(&held_bytes, bytes, __ATOMIC_RELAXED);
}

struct line {
	char text[512];
	size_t n;
};

static void add_char(struct line *l, char c)
{
	if (l->n < sizeof l->text - 1)
		l->text[l->n++] = c;
}

static void add_number(struct line *l, uint64_t v, unsigned base)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (n)
		add_char(l, digits[--n]);
}

static void add_format(struct line *l, const char *f, va_list ap)
{
	for (; *f; f++) {
		if (*f != '%') {
			add_char(l, *f);
			continue;
		}
		while (*++f == 'l')
			;
		if (*f == 's') {
			for (const char *s = va_arg(ap, const char *); *s; s++)
				add_char(l, *s);
		} else if (*f == 'd') {
			int64_t v = va_arg(ap, int64_t);

			if (v < 0)
				add_char(l, '-');
			add_number(l, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
		} else if (*f == 'u') {
			add_number(l, va_arg(ap, uint64_t), 10);
		} else if (*f == 'x') {
			add_number(l, va_arg(ap, uint64_t), 16);
		} else {
			add_char(l, *f);
		}
	}
}

void text_make(char *text, uint32_t room, const char *format, ...)
{
	struct line l = {.n = 0};
	va_list ap;

	va_start(ap, format);
	add_format(&l, format, ap);
	va_end(ap);
	l.n = l.n < room ? l.n : room - 1;
	memcpy(text, l.text, l.n);
	text[l.n] = 0;
}

void say(const char *format, ...)
{
	struct line l = {.n = 0};
	va_list ap;

	for (const char *s = "dwell: "; *s; s++)
		add_char(&l, *s);
	va_start(ap, format);
	add_format(&l, format, ap);
	va_end(ap);
	add_char(&l, '\n');
	sys3(SYS_write, 2, l.text, l.n);
}

void engine_end_by(int signal)
{
	/* Unblock and restore it by hand: no libc here. */
	struct {
		uint64_t handler, flags, restorer, mask;
	} dfl = {0};
	uint64_t none = 0;

	sys4(SYS_rt_sigaction, signal, &dfl, 0, 8);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
	sys3(SYS_tgkill, sys0(SYS_getpid), sys0(SYS_gettid), signal);
	for (;;)
		sys1(SYS_exit_group, 128 + signal);
}

uint32_t *util_failed;

void util_note_failure(void)
{
	if (util_failed)
		__atomic_fetch_or(util_failed, CHANNEL_ENGINE_FAILED, __ATOMIC_RELAXED);
}

void engine_panic(const char *what, uint64_t detail)
{
	util_note_failure();
	say("the engine cannot go on: %s (%lu)", what, detail);
	engine_end_by(SIGABRT);
}
