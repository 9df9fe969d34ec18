/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers, memory with content, and rounds. */
#ifndef DWELL_TESTS_ANSWERS_WAITS_H
#define DWELL_TESTS_ANSWERS_WAITS_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#define APART __attribute__((noinline))

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Memory with content: pages of zeros that were never written would share one page. */
template <typename T> APART static T *make(size_t count)
{
	T *items = (T *)malloc(count * sizeof(T));

	memset((void *)items, 1, count * sizeof(T));
	return items;
}

/* The rounds of a loop, which compilers must not take for one. */
template <typename F> static double repeat(int rounds, F round)
{
	double sum = 0;

	for (int i = 0; i < rounds; i++) {
		sum += (double)round();
		asm volatile("" ::: "memory");
	}
	return sum;
}

/* 0 to count - 1 in random order. */
static std::vector<uint32_t> shuffled(size_t count)
{
	std::vector<uint32_t> order(count);

	std::iota(order.begin(), order.end(), 0u);
	for (size_t i = count - 1; i > 0; i--)
		std::swap(order[i], order[draw() % (i + 1)]);
	return order;
}

#endif
