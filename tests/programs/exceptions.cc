// SPDX-License-Identifier: GPL-2.0-or-later
// C++ exceptions: through many frames, with destructors, rethrown, nested, in
// threads, out of callbacks of C code, std::exception_ptr over threads.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int failures;
static thread_local int alive;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	failures++;
	std::printf("FAIL %s\n", what);
}

struct counted {
	counted() { alive++; }
	~counted() { alive--; }
};

__attribute__((noinline)) static int dive(int n, int kind)
{
	counted here;

	if (n > 0)
		return dive(n - 1, kind) + 1;
	switch (kind) {
	case 0: throw 42;
	case 1: throw std::runtime_error("text");
	case 2: throw std::string("string");
	default: return 0;
	}
}

static int handle(int kind)
{
	try {
		return dive(200, kind);
	} catch (int n) {
		return n;
	} catch (const std::exception &e) {
		return e.what()[0];
	} catch (...) {
		return -1;
	}
}

static void rethrow()
{
	try {
		try {
			dive(10, 1);
		} catch (...) {
			counted c;
			throw;
		}
		check(false, "rethrown");
	} catch (const std::runtime_error &e) {
		check(std::string(e.what()) == "text", "text kept");
	}
}

static int compare(const void *, const void *)
{
	throw 7;
}

static void through_c()
{
	int v[4] = {4, 3, 2, 1};

	try {
		std::qsort(v, 4, sizeof(int), compare);
		check(false, "out of qsort");
	} catch (int n) {
		check(n == 7, "value out of qsort");
	}
}

static void in_threads()
{
	std::vector<std::thread> threads;
	std::vector<std::exception_ptr> caught(6);

	for (int t = 0; t < 6; t++)
		threads.emplace_back([t, &caught] {
			for (int i = 0; i < 40; i++)
				check(handle(0) == 42 && handle(1) == 't' && alive == 0, "in a thread");
			try {
				dive(t, 1);
			} catch (...) {
				caught[t] = std::current_exception();
			}
		});
	for (auto &t : threads)
		t.join();
	for (auto &e : caught)
		try {
			std::rethrow_exception(e);
		} catch (const std::runtime_error &r) {
			check(r.what()[3] == 't', "over threads");
		}
}

int main()
{
	for (int i = 0; i < 150; i++) {
		check(handle(0) == 42, "int");
		check(handle(1) == 't', "runtime_error");
		check(handle(2) == -1, "string");
		check(handle(3) == 200, "no exception");
		check(alive == 0, "destructors");
	}
	std::puts("through 200 frames");
	rethrow();
	through_c();
	in_threads();
	std::puts("in threads");
	try {
		// More than any machine has: bad_alloc or bad_array_new_length
		volatile std::size_t huge = std::size_t(1) << 62;
		std::unique_ptr<char[]> p(new char[huge]);
		check(false, "huge allocation");
	} catch (const std::bad_alloc &) {
		std::puts("bad_alloc");
	}
	std::puts(failures ? "some checks failed" : "all checks held");
	return failures != 0;
}
