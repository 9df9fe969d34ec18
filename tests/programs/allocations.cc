// SPDX-License-Identifier: GPL-2.0-or-later
// Memory in all the ways that it can be had: each function below gets a known
// number of blocks and bytes, so that tests/cli/sites.py can compare the
// profile's numbers with these. The checks here are on what the blocks hold.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define PLACE extern "C" __attribute__((noinline, noclone))

static int failures;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	failures++;
	std::printf("FAIL %s\n", what);
}

/* The compiler may leave out neither the block nor what is written to it. */
template <typename T> static T *used(T *p, size_t bytes)
{
	if (p)
		std::memset((void *)p, 0x5a, bytes);
	__asm__ volatile("" : "+r"(p) : : "memory");
	return p;
}

static bool holds(const void *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (((const unsigned char *)p)[i] != 0x5a)
			return false;
	return true;
}

/* 100 blocks of 24 bytes, of which 40 stay. */
PLACE void by_malloc()
{
	void *p[100];

	for (void *&q : p)
		q = used(std::malloc(24), 24);
	for (int i = 0; i < 60; i++)
		std::free(p[i]);
}

/* 50 blocks of 3 x 16 bytes, none stays. */
PLACE void by_calloc()
{
	for (int i = 0; i < 50; i++) {
		char *p = (char *)std::calloc(3, 16);

		check(p && p[0] == 0 && p[47] == 0, "calloc gives zeroes");
		std::free(used(p, 48));
	}
}

/* 1000, 2000, ..., 20000 bytes, one after another of the same block; the last is given back. */
PLACE void by_realloc()
{
	void *volatile none = nullptr; /* else the first call may become one of malloc */
	void *p = none;

	for (size_t n = 1000; n <= 20000; n += 1000) {
		p = std::realloc(p, n);
		check(n == 1000 || holds(p, n - 1000), "realloc keeps what is there");
		used(p, n);
	}
	p = std::realloc(p, 0);
	check(p == nullptr, "realloc to nothing frees");
}

/* A realloc that cannot be done leaves the block of 64 bytes where it is; 1 stays. */
PLACE void by_failed_realloc()
{
	volatile size_t too_much = (size_t)1 << 62;
	void *p = used(std::malloc(64), 64);

	check(std::realloc(p, too_much) == nullptr && holds(p, 64), "realloc fails");
}

/* 4 blocks of 5 x 8 bytes and then of 10 x 8. */
PLACE void by_reallocarray()
{
	for (int i = 0; i < 4; i++) {
		void *p = used(reallocarray(nullptr, 5, 8), 40);

		std::free(used(reallocarray(p, 10, 8), 80));
	}
}

/* 10 of 192, aligned to 64, all stay. */
PLACE void by_aligned_alloc()
{
	for (int i = 0; i < 10; i++)
		check((uintptr_t)used(aligned_alloc(64, 192), 192) % 64 == 0, "aligned_alloc");
}

/* 10 of 100, of which 3 stay; and one with an alignment that is refused. */
PLACE void by_posix_memalign()
{
	void *p[10];

	for (void *&q : p)
		check(posix_memalign(&q, 256, 100) == 0 && used(q, 100), "posix_memalign");
	check(posix_memalign(&p[9], 3, 100) != 0, "posix_memalign refuses");
	for (int i = 0; i < 7; i++)
		std::free(p[i]);
}

struct alignas(64) wide {
	char bytes[128];
};

static volatile int throws = 1;

struct thrower {
	char bytes[40];
	thrower()
	{
		used(bytes, sizeof(bytes));
		if (throws)
			throw 1;
	}
};

/* 20 of 40 bytes that come and go as their constructors throw. */
PLACE void by_throwing_new()
{
	int caught = 0;

	for (int i = 0; i < 20; i++)
		try {
			delete new thrower;
		} catch (int) {
			caught++;
		}
	check(caught == 20, "constructors throw");
}

/* 7 of 8 bytes, of which 2 stay, and 3 of 128 by the aligned form, freed. */
PLACE void by_new()
{
	long *p[7];

	for (long *&q : p)
		q = used(new long, 8);
	for (int i = 0; i < 5; i++)
		delete p[i];
	for (int i = 0; i < 3; i++) {
		wide *w = used(new wide, sizeof(wide));

		check((uintptr_t)w % 64 == 0, "aligned new");
		delete w;
	}
}

/* 6 of 400 bytes, freed, 1 of 256 aligned, freed, 2 of 50 that stay. */
PLACE void by_new_array()
{
	for (int i = 0; i < 6; i++)
		delete[] used(new int[100], 400);
	delete[] used(new wide[2], 256);
	for (int i = 0; i < 2; i++)
		used(new (std::nothrow) char[50], 50);
}

/* Calls the operators themselves, as containers do: 5 of 33 bytes. */
PLACE void by_operator()
{
	for (int i = 0; i < 3; i++)
		::operator delete(used(::operator new(33), 33), (size_t)33);
	::operator delete(used(::operator new(33, std::nothrow), 33), std::nothrow);
	::operator delete(used(::operator new(33, std::align_val_t(32)), 33), std::align_val_t(32));
}

PLACE void after_failures()
{
	for (int i = 0; i < 9; i++)
		used(std::malloc(77), 77);
}

static std::jmp_buf out;

static void jump_out()
{
	std::longjmp(out, 1);
}

/* Calls of new that end in an exception and in longjmp: no block. Then 2 x 9 of 77 bytes stay. */
PLACE void by_failed_new()
{
	volatile size_t too_much = (size_t)1 << 62;

	try {
		used((char *)::operator new(too_much), 1);
		check(false, "new fails");
	} catch (const std::bad_alloc &) {
	}
	after_failures();
	std::set_new_handler(jump_out);
	if (setjmp(out) == 0)
		used((char *)::operator new(too_much), 1);
	std::set_new_handler(nullptr);
	after_failures();
}

/* 2000 of 48 bytes in each of 4 threads, which another thread frees. */
PLACE void by_thread(std::vector<void *> *blocks)
{
	for (int i = 0; i < 2000; i++)
		blocks->push_back(used(std::malloc(48), 48));
}

static void threads()
{
	std::vector<std::thread> t;
	std::vector<void *> blocks[4];

	for (auto &b : blocks) {
		b.reserve(2000);
		t.emplace_back(by_thread, &b);
	}
	for (auto &x : t)
		x.join();
	for (auto &b : blocks)
		for (void *p : b) {
			check(holds(p, 48), "blocks of threads");
			std::free(p);
		}
}

/* 3 mappings of 16 pages: one stays, one goes, one loses 4 pages in the middle. */
PLACE void by_mmap()
{
	const size_t bytes = 16 * 4096;
	char *p[3];

	for (char *&q : p)
		q = used((char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			 bytes);
	munmap(p[1], bytes);
	munmap(p[2] + 4096, 4 * 4096);
	check(holds(p[2] + 5 * 4096, 11 * 4096), "a mapping with a hole");
}

/* 4 pages that become 64, perhaps elsewhere: two blocks, of which the second stays. */
PLACE void by_mremap()
{
	char *p = (char *)mmap(nullptr, 4 * 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p = (char *)mremap(used(p, 4 * 4096), 4 * 4096, 64 * 4096, MREMAP_MAYMOVE);
	check(p != MAP_FAILED && holds(p, 4 * 4096), "what was mapped moves");
}

/* 8192 bytes of the heap, by itself. */
PLACE void by_sbrk()
{
	check(used(sbrk(8192), 8192) != (void *)-1, "sbrk");
}

/* 12 of 30 bytes from an allocator that is loaded now, of which 5 stay, and unloaded then. */
PLACE void by_plugin()
{
#ifdef PLUGIN
	void *p[12], *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	void *(*allocate)(size_t) = (void *(*)(size_t))(library ? dlsym(library, "malloc") : nullptr);
	void (*give_back)(void *) = (void (*)(void *))(library ? dlsym(library, "free") : nullptr);

	check(allocate && give_back && allocate != std::malloc, "an allocator is loaded");
	if (!allocate || !give_back)
		return;
	for (void *&q : p)
		q = used(allocate(30), 30);
	for (int i = 0; i < 7; i++)
		give_back(p[i]);
	dlclose(library);
#endif
}

/* Deeper than a path is long: the 16 nearest frames are kept. */
PLACE void *by_recursion(int depth)
{
	void *p = depth ? by_recursion(depth - 1) : used(std::malloc(5), 5);

	__asm__ volatile("" : "+r"(p));
	return p;
}

/* In a child: 11 of 21 bytes, and it frees a block of its parent's. */
PLACE void by_child(void *inherited)
{
	check(holds(inherited, 512), "what the parent had");
	std::free(inherited);
	for (int i = 0; i < 11; i++)
		used(std::malloc(21), 21);
}

PLACE void *for_child()
{
	return used(std::malloc(512), 512);
}

static void fork_once()
{
	void *p = for_child();
	int status = 0;
	pid_t child;

	std::fflush(stdout);
	child = fork();
	if (child == 0) {
		by_child(p);
		std::_Exit(failures != 0);
	}
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child");
	check(holds(p, 512), "what the child freed is its own copy");
}

int main()
{
	by_malloc();
	by_calloc();
	by_realloc();
	by_failed_realloc();
	by_reallocarray();
	by_aligned_alloc();
	by_posix_memalign();
	by_throwing_new();
	by_new();
	by_new_array();
	by_operator();
	by_failed_new();
	threads();
	by_mmap();
	by_mremap();
	by_sbrk();
	by_plugin();
	for (int i = 0; i < 8; i++)
		std::free(by_recursion(30));
	fork_once();
	std::printf("%s\n", failures ? "checks failed" : "all checks held");
	return failures != 0;
}
