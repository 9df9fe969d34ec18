/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting, memory and messages for in-target code. No libc. */
#ifndef DWELL_ENGINE_CORE_UTIL_H
#define DWELL_ENGINE_CORE_UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h> /* memcpy and the like are in glue.S */

void futex_wait(uint32_t *word, uint32_t value);
/* Waits for `ns` nanoseconds at most. */
void futex_wait_ns(uint32_t *word, uint32_t value, uint64_t ns);
void futex_wake_all(uint32_t *word);

/*
 * Pages for the engine itself, zeroed, or NULL. Counted in util_engine_bytes
 * so that a profile can tell the engine's memory from the target's.
 */
void *pages_get(uint64_t bytes);
/*
 * As mmap, private, at offset 0. Limits that the program sets for itself don't count these
 * mappings.
 */
long pages_map(uint64_t at, uint64_t bytes, int prot, int flags, int fd);
/*
 * The engine has mapped memory outside of its pool, by other means than these functions; how often
 * it has done so by any.
 */
void engine_has_mapped(void);
uint32_t engine_maps(void);
void pages_put(void *p, uint64_t bytes);
/* Take the engine's pages from one reserve, so that the program's addresses are reproducible. */
void pages_reserve(void);
uint64_t util_engine_bytes(void);

/* Reserved address space, used from the bottom up, that never moves. */
struct grow {
	uint8_t *base;
	uint64_t used, reserved;
};
/* Reserve address space, less if the process has too little: see grow_take. Returns 0 or -1. */
int grow_init(struct grow *g, uint64_t reserve_bytes);
/* The same, all of it or nothing: for tables that are indexed. Returns 0 or -1. */
int grow_init_whole(struct grow *g, uint64_t reserve_bytes);
/* Use large pages from the third megabyte on: for tables with scattered reads. */
void grow_in_large_pages(const struct grow *g);
/* The next `bytes`, zeroed, aligned to 8; NULL when the reserve is used up. */
void *grow_take(struct grow *g, uint64_t bytes);
/* Give back the last `bytes`. grow_take then returns them with their old contents, not zeroed. */
void grow_give_back(struct grow *g, uint64_t bytes);

/* One line on stderr, "dwell: ..." with %s %d %u %x (64-bit) only. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same into a text of less than `room` bytes, which is cut if it is longer. */
void text_make(char *text, uint32_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tells the collector that the engine itself ended the run; NULL without a collector. */
extern uint32_t *util_failed;
void util_note_failure(void);
/* End the process by a signal's default action. */
__attribute__((noreturn)) void engine_end_by(int signal);
/* The engine itself is broken: say so and end the process by SIGABRT. */
__attribute__((noreturn)) void engine_panic(const char *what, uint64_t detail);
#define engine_assert(cond)                                                                 \
	do {                                                                                \
		if (!(cond))                                                                \
			engine_panic("assertion failed: " #cond " in " __FILE__, __LINE__); \
	} while (0)

/* The monotonic clock, by a system call. */
uint64_t now_ns(void);

/* The target has forbidden reads of the time stamp counter, which binds the engine, too. */
extern uint8_t util_no_tsc;

static inline uint64_t cycles(void)
{
	uint32_t lo, hi;

	if (util_no_tsc)
		return 0;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

static inline uint64_t round_up(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) & ~(unit - 1);
}

/* A hash of n words. */
static inline uint64_t hash_words(uint64_t seed, const uint64_t *words, uint32_t n)
{
	uint64_t h = seed;

	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	h *= 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

#endif
