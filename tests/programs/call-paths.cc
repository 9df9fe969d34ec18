// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of all kinds, for whoever wants to know who called: a table is read at random, a large part of
// it or a small one, and on each path as often as the table below main says. Afterwards the reads of
// one path are a known part of all reads, and those from leave_* must not seem to come from what was left.
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <thread>

#define NOINLINE __attribute__((noinline, noclone))

extern uint64_t table[1 << 20]; // not static: or it is known to be zero
uint64_t table[1 << 20];
static const uint64_t LARGE = (1 << 20) - 1, SMALL = 255;

// The function with the accesses. The state is in a register, so that nothing else is read.
extern "C" NOINLINE uint64_t read_table(uint64_t x, uint64_t mask, uint64_t n)
{
	uint64_t sum = 0;

	while (n--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		sum += table[x >> 33 & mask];
	}
	return sum + x;
}

#define AFTER(call)                                                                                \
	uint64_t result = call;                                                                    \
	__asm__ volatile("" : "+r"(result)); /* no tail call */                                    \
	return result

extern "C" {
NOINLINE uint64_t from_large(uint64_t x)
{
	AFTER(read_table(x, LARGE, 200));
}

NOINLINE uint64_t from_small(uint64_t x)
{
	AFTER(read_table(x, SMALL, 600));
}

NOINLINE uint64_t from_deep(uint64_t x, int depth)
{
	AFTER(depth ? from_deep(x, depth - 1) : read_table(x, SMALL, 200));
}

NOINLINE uint64_t from_pointer(uint64_t x, uint64_t (*volatile *call)(uint64_t, uint64_t, uint64_t))
{
	AFTER((*call)(x, SMALL, 200));
}

// It jumps: the caller is from_tail's.
__attribute__((noinline, noclone, optimize("optimize-sibling-calls"))) uint64_t tail(uint64_t x)
{
	return read_table(x, SMALL, 200);
}

NOINLINE uint64_t from_tail(uint64_t x)
{
	AFTER(tail(x));
}

static jmp_buf back;
static volatile int levels = 5;

NOINLINE void jump(int depth)
{
	if (depth == 0)
		longjmp(back, 1);
	if (depth > 0)
		jump(depth - 1);
	__asm__ volatile("");
}

NOINLINE uint64_t leave_jump(uint64_t x)
{
	if (setjmp(back) == 0)
		jump(levels);
	AFTER(read_table(x, SMALL, 200));
}

NOINLINE void throw_up(int depth)
{
	if (depth == 0)
		throw 1;
	if (depth > 0)
		throw_up(depth - 1);
	__asm__ volatile("");
}

NOINLINE uint64_t leave_throw(uint64_t x)
{
	try {
		throw_up(levels);
	} catch (int) {
	}
	AFTER(read_table(x, SMALL, 200));
}

static volatile uint64_t handled;

NOINLINE void from_handler(int)
{
	handled = handled + read_table(handled, SMALL, 200);
}

NOINLINE uint64_t leave_handler(uint64_t x)
{
	raise(SIGUSR1);
	AFTER(read_table(x, SMALL, 200));
}

NOINLINE uint64_t from_thread(uint64_t x)
{
	AFTER(read_table(x, SMALL, 200));
}
}

static uint64_t (*volatile pointer)(uint64_t, uint64_t, uint64_t) = read_table;

static void repeat_in_thread(uint64_t rounds, uint64_t *sum)
{
	for (uint64_t i = 0; i < rounds; i++)
		*sum += from_thread(i);
}

int main()
{
	const uint64_t rounds = 2000;
	uint64_t sum = 0, sums[2] = {0, 0};

	signal(SIGUSR1, from_handler);
	for (uint64_t i = 0; i < rounds; i++) {
		sum += from_large(i) + from_small(i) + from_deep(i, 30);
		sum += from_pointer(i, &pointer) + from_tail(i);
		sum += leave_jump(i) + leave_handler(i);
		if (i % 10 == 0)
			sum += leave_throw(i);
	}
	std::thread one(repeat_in_thread, rounds, &sums[0]), two(repeat_in_thread, rounds, &sums[1]);

	one.join();
	two.join();
	puts(sum + sums[0] + sums[1] + handled ? "all checks held" : "nothing was read");
	return 0;
}
