/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks, memory and messages for in-target code. No libc. */
#ifndef DWELL_ENGINE_CORE_UTIL_H
#define DWELL_ENGINE_CORE_UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h> /* memcpy and kin: ours, in glue.S */

/* A futex lock; 0 is unlocked. Never held while target code runs. */
void lock_take(uint32_t *lock);
void lock_drop(uint32_t *lock);
void futex_wait(uint32_t *word, uint32_t value);
/* For so long at most. */
void futex_wait_ns(uint32_t *word, uint32_t value, uint64_t ns);
void futex_wake_all(uint32_t *word);

/*
 * Pages for the engine itself, zeroed, or NULL. Counted in util_engine_bytes
 * so that a profile can tell the engine's memory from the target's.
 */
void *pages_get(uint64_t bytes);
/*
 * As mmap, private, at offset 0. A limit that the program has set for itself does not count what
 * the engine maps with it.
 */
long pages_map(uint64_t at, uint64_t bytes, int prot, int flags, int fd);
void pages_put(void *p, uint64_t bytes);
/* Take them from one place, so that the program's mappings do not depend on when there are more. */
void pages_reserve(void);
uint64_t util_engine_bytes(void);

/* A region of reserved address space that is used from the bottom up and never moves. */
struct grow {
	uint8_t *base;
	uint64_t used, reserved;
};
/* It may be smaller, where the process has too little address space: see grow_take. */
int grow_init(struct grow *g, uint64_t reserve_bytes);
/* All of it or nothing: for tables that are indexed. */
int grow_init_whole(struct grow *g, uint64_t reserve_bytes);
/* From the third megabyte on in large pages: for tables that are read here and there. */
void grow_in_large_pages(const struct grow *g);
/* The next `bytes`, zeroed, aligned to 8; NULL when the reserve is used up. */
void *grow_take(struct grow *g, uint64_t bytes);
/* The last `bytes` are not used any more. Whoever takes them again finds what is there now. */
void grow_give_back(struct grow *g, uint64_t bytes);

/* One line on stderr, "dwell: ..." with %s %d %u %x (64-bit) only. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where an end of the engine's own making is noted, for the collector; NULL: nobody listens. */
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

/* The target forbade reading the time stamp counter, for itself and so for us. */
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

/* A number for n words, different ones for different words but by chance. */
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
