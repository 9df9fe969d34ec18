/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions to toggle collection: called repeatedly, by themselves, by each other, from two
 * threads, and left by return, by longjmp and by exceptions, caught near and far. None of them ever
 * calls `outside`.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <pthread.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile long sum;
static jmp_buf back;

extern "C" {

NOINLINE void inside(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

NOINLINE void outside(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

NOINLINE void plain(void)
{
	inside(100);
}

NOINLINE int again(int n)
{
	inside(10);
	return n > 0 ? again(n - 1) + 1 : 0;
}

NOINLINE void part(void)
{
	inside(20);
}

/* Two functions, one within the other. */
NOINLINE void whole(void)
{
	inside(50);
	part();
	inside(50);
}

NOINLINE void jumps(void)
{
	inside(30);
	longjmp(back, 1);
}

NOINLINE void throws(int n)
{
	inside(40);
	if (n)
		throw n;
}

/* The exception is caught before it is left. */
NOINLINE void catches(int n)
{
	try {
		throws(n);
	} catch (int) {
		inside(60);
	}
}

NOINLINE void handler(int)
{
	inside(5);
}

NOINLINE void raises(void)
{
	inside(10);
	raise(SIGUSR1);
	inside(10);
}

} /* extern "C" */

struct cleanup {
	~cleanup() { outside(5); }
};

/* The exception passes on its way: the destructor runs outside. */
NOINLINE static void passes(int n)
{
	cleanup c;

	throws(n);
	outside(1);
}

NOINLINE static void *run(void *)
{
	for (int i = 0; i < 20; i++) {
		outside(100);
		plain();
		again(9);
		whole();
	}
	return nullptr;
}

int main()
{
	pthread_t t;

	run(nullptr);
	for (int i = 0; i < 20; i++) {
		if (setjmp(back) == 0)
			jumps();
		outside(10);
		catches(1);
		try {
			passes(i + 1);
		} catch (int) {
			outside(10);
		}
	}
	signal(SIGUSR1, handler);
	raises();
	outside(1000);
	if (pthread_create(&t, nullptr, run, nullptr) != 0 || pthread_join(t, nullptr) != 0)
		return 1;
	printf("%ld\n", sum);
	return 0;
}
