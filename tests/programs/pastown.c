/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A broken program: it unmaps, protects, drops and moves ranges far beyond its own mappings.
 * Natively nothing is there, and the calls fail.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "check.h"

#define PAGE	4096ul
#define LOW	0x10000ul	 /* from here on nothing is mapped in a PIE, */
#define LOW_END 0x400000000000ul /* up to here */
#define FAR	(1ul << 30)
#define LARGE	(64ul << 20)

#define FAILS(call, error)                 \
	do {                               \
		errno = 0;                 \
		CHECK((long)(call) == -1); \
		CHECK_EQ(errno, error);    \
	} while (0)

static const int droppers[] = {MADV_DONTNEED, MADV_FREE, MADV_WILLNEED, MADV_DONTFORK};

static void *at(unsigned long address)
{
	return (void *)address;
}

/* Is there a page, and can it be written to? */
static int is_there(const unsigned char *page)
{
	unsigned char unused;

	return mincore((void *)(uintptr_t)page, PAGE, &unused) == 0;
}

static void in_nothing(unsigned long start, unsigned long bytes)
{
	unsigned char *to = at(0x300000000000ul);

	for (size_t i = 0; i < sizeof(droppers) / sizeof(droppers[0]); i++)
		FAILS(madvise(at(start), bytes, droppers[i]), ENOMEM);
	FAILS(madvise(at(start), bytes, 9999), EINVAL);
	FAILS(madvise(at(start + 1), bytes, MADV_DONTNEED), EINVAL);
	FAILS(mprotect(at(start), bytes, PROT_NONE), ENOMEM);
	FAILS(mprotect(at(start), bytes, PROT_READ | PROT_WRITE), ENOMEM);
	FAILS(mprotect(at(start), bytes, 0x100), EINVAL);
	FAILS(mremap(at(start), bytes, PAGE, 0), EFAULT);
	FAILS(mremap(at(start), PAGE, 2 * PAGE, MREMAP_MAYMOVE), EFAULT);
	FAILS(mremap(at(start), PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to), EFAULT);
	FAILS(mremap(at(start), PAGE, PAGE, 0x100), EINVAL);
	FAILS(mlock(at(start + 1), PAGE), ENOMEM);
	FAILS(munlock(at(start), bytes), ENOMEM);
	FAILS(msync(at(start), bytes, MS_ASYNC), ENOMEM);
	FAILS(msync(at(start), bytes, 0x100), EINVAL);
	for (unsigned long page = start; page < start + 64 * PAGE; page += PAGE)
		CHECK(!is_there(at(page)));
	FAILS(mincore(at(start + 1), bytes, at(0)), EINVAL);
	CHECK_EQ(munmap(at(start), bytes), 0);
	FAILS(munmap(at(start + 1), bytes), EINVAL);
}

/* Only the last page of the range is the program's. So large a mapping lies below all others. */
static void past_the_beginning(void)
{
	unsigned char *p =
		mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *below = p - FAR;

	NEED(p != MAP_FAILED);
	memset(p, 7, 3 * PAGE);
	FAILS(madvise(below, (size_t)(p + PAGE - below), MADV_DONTNEED), ENOMEM);
	CHECK_EQ(p[0], 0);
	CHECK_EQ(p[PAGE], 7);
	FAILS(mprotect(below, (size_t)(p + PAGE - below), PROT_NONE), ENOMEM);
	p[0] = 8;
	CHECK_EQ(munmap(below, (size_t)(p + PAGE - below)), 0);
	CHECK(!is_there(p));
	CHECK_EQ(p[PAGE], 7);
	munmap(p, LARGE);
}

/* From a page at a low address up. */
static void past_the_end(void)
{
	unsigned char *p = mmap(at(0x6d000000), 2 * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	NEED(p == at(0x6d000000));
	memset(p, 7, 2 * PAGE);
	FAILS(madvise(p + PAGE, FAR, MADV_DONTNEED), ENOMEM);
	CHECK_EQ(p[0], 7);
	CHECK_EQ(p[PAGE], 0);
	FAILS(mremap(p, FAR, FAR + PAGE, 0), EFAULT);
	CHECK(mremap(p, FAR, 2 * PAGE, 0) == p);
	CHECK(mremap(p, FAR, FAR, MREMAP_MAYMOVE) == p);
	CHECK(is_there(p) && is_there(p + PAGE));
	FAILS(mprotect(p, FAR, PROT_READ | PROT_EXEC), ENOMEM);
	/* Up to the end of its mapping it has been protected: reads of a pipe fail there. */
	int ends[2];

	NEED(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
	FAILS(read(ends[0], p, 1), EFAULT);
	CHECK(mremap(p, FAR, PAGE, 0) == p);
	CHECK(is_there(p) && !is_there(p + PAGE));
	CHECK_EQ(munmap(p + PAGE, FAR), 0);
	CHECK(is_there(p) && !is_there(p + PAGE));
	CHECK_EQ(munmap(p, PAGE), 0);
}

int main(void)
{
	past_the_end();
	STEP("past the end");
	past_the_beginning();
	STEP("past the beginning");
	in_nothing(0x6e000000, PAGE);
	in_nothing(0x6e000000, 0x2000000);
	in_nothing(LOW, LOW_END - LOW);
	STEP("where nothing is");
	return check_end();
}
