/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that run the same new code at the same time. There are 20,000 small functions, each with
 * its own combination of loads, stores, modifies and other instructions: more than the engine's
 * table holds. So it drops all its code while other threads look theirs up. Meanwhile each thread
 * writes, runs and unmaps code of its own. Every call is checked.
 *
 *   newcode [rounds [threads]]
 */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MOST	  9 /* loads, stores and changes: each fewer than these */
#define FILLERS	  28
#define FUNCTIONS (MOST * MOST * MOST * FILLERS)
#define ROOM	  160 /* bytes for each */
#define THREADS	  8

struct data {
	uint64_t add, stored, changed;
};

typedef uint64_t function(struct data *, uint64_t odd);

static unsigned char *code;
static int rounds = 1;
static pthread_barrier_t together;

static unsigned char *repeat(unsigned char *to, const char *bytes, size_t n, int times)
{
	for (; times > 0; times--, to += n)
		memcpy(to, bytes, n);
	return to;
}

static int loads(int n)
{
	return n % MOST;
}

static int stores(int n)
{
	return n / MOST % MOST;
}

static int changes(int n)
{
	return n / MOST / MOST % MOST;
}

/* The sum of so many data->add, and one more if `odd` is. */
static void compile(unsigned char *to, int n)
{
	to = repeat(to, "\x31\xc0", 2, 1);		    /* xor %eax, %eax */
	to = repeat(to, "\x48\x03\x07", 3, loads(n));	    /* add (%rdi), %rax */
	to = repeat(to, "\x48\x89\x47\x08", 4, stores(n));  /* mov %rax, 8(%rdi) */
	to = repeat(to, "\x48\xff\x47\x10", 4, changes(n)); /* incq 16(%rdi) */
	to = repeat(to, "\x90", 1, n / MOST / MOST / MOST); /* nop */
	to = repeat(to, "\x40\xf6\xc6\x01\x74\x03", 6, 1);  /* test $1, %sil; jz */
	to = repeat(to, "\x48\xff\xc0", 3, 1);		    /* inc %rax */
	repeat(to, "\xc3", 1, 1);
}

static void check_call(unsigned char *at, int n, struct data *d, uint64_t odd)
{
	const uint64_t sum = (uint64_t)loads(n) * d->add, changed = d->changed;

	d->stored = 1;
	if (((function *)(void *)at)(d, odd) != sum + (odd & 1) ||
	    d->changed != changed + (uint64_t)changes(n) || d->stored != (stores(n) ? sum : 1))
		CHECK(!"a function does what it says");
}

static void run_own(int n, struct data *d)
{
	unsigned char *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(own != MAP_FAILED);
	for (int i = 0; i < 2; i++) {
		compile(own, n + i);
		check_call(own, n + i, d, (uint64_t)i);
	}
	munmap(own, 4096);
}

/*
 * Code is looked up where a system call ends. What it leads to then runs for a while without
 * another look; so it is here that a thread would run on in code that was dropped, when other code
 * stands there already.
 */
static void compute(uint64_t seed)
{
	uint64_t a = seed | 1, b = a, result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_getppid) : "rcx", "r11", "memory");
	for (int i = 0; i < 1000; i++) {
		check_random(&a);
		__asm__ volatile("" : "+r"(b)); /* not the same variable */
		check_random(&b);
	}
	CHECK(a == b && (pid_t)result == getppid());
}

static void *run(void *seed)
{
	static const int strides[THREADS] = {5003, 7919, 10007, 12553, 15013, 16411, 1301, 2503};
	struct data d = {.add = (uint64_t)(uintptr_t)seed};
	const int stride = strides[d.add % THREADS];
	uint64_t random = d.add;

	for (int round = 0; round < rounds; round++) {
		pthread_barrier_wait(&together);
		for (int i = 0; i < FUNCTIONS; i++) {
			const uint64_t r = check_random(&random);
			/*
			 * Anywhere, and now and then where the others are. The strides are primes:
			 * no function is left out.
			 */
			const int n = (r & 7) ? i * stride % FUNCTIONS : i;

			check_call(code + (size_t)n * ROOM, n, &d, r >> 6);
			if (i % 8 == 0)
				compute(r);
			if (i % 1024 == 0)
				run_own((int)(r >> 33) % (FUNCTIONS - 1), &d);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int threads = argc > 2 ? atoi(argv[2]) : 4;
	pthread_t thread[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	NEED(threads > 0 && threads <= THREADS);
	code = mmap(NULL, (size_t)FUNCTIONS * ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(code != MAP_FAILED);
	for (int n = 0; n < FUNCTIONS; n++)
		compile(code + (size_t)n * ROOM, n);
	NEED(mprotect(code, (size_t)FUNCTIONS * ROOM, PROT_READ | PROT_EXEC) == 0);
	pthread_barrier_init(&together, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++)
		NEED(pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)(i + THREADS)) == 0);
	run((void *)THREADS); /* alone its counts do not depend on time */
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	return check_end();
}
