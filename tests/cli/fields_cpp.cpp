// SPDX-License-Identifier: GPL-2.0-or-later
// Data structures of C++ with known fields, for fields.py: see fields.c.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <vector>

#define NOINLINE __attribute__((noinline))

static const int COUNT = 20000, ROUNDS = 4;

namespace geometry
{
struct Base {
	long id = 7;
	virtual ~Base() = default;
};

template <class T> struct Cell : Base {
	T value = 1;
	T more[10] = {};
};

struct Plain {
	int a;
	unsigned low : 4, high : 12;
	double d[8];
};
} // namespace geometry

using geometry::Cell;
using geometry::Plain;

struct Gate {
	Gate *out;
	char pad[100];
	int level;
};

struct Circuit {
	int count;
	Gate *gates;
};

long sink;

// A wrapper: its caller says what the memory is for.
static NOINLINE void *allocate_or_die(size_t bytes)
{
	void *p = malloc(bytes);

	if (p == nullptr)
		abort();
	return p;
}

static NOINLINE std::vector<Cell<double> *> make_cells()
{
	std::vector<Cell<double> *> cells;

	for (int i = 0; i < COUNT; i++)
		cells.push_back(new Cell<double>);
	return cells;
}

static NOINLINE void add_ids(const std::vector<Cell<double> *> &cells)
{
	for (const Cell<double> *c : cells)
		sink += c->id;
}

static NOINLINE void add_more(const std::vector<Cell<double> *> &cells)
{
	for (const Cell<double> *c : cells)
		sink += (long)c->more[8];
}

static NOINLINE void add_doubles(const std::vector<Plain> &v)
{
	for (const Plain &p : v)
		sink += (long)p.d[2];
}

static NOINLINE void add_list(const std::list<Plain> &l)
{
	for (const Plain &p : l)
		sink += (long)p.d[7];
}

static NOINLINE void add_map(const std::map<long, Plain> &m)
{
	for (const auto &p : m)
		sink += (long)p.second.d[7];
}

static NOINLINE void fill(Circuit *c)
{
	c->gates = (Gate *)allocate_or_die(COUNT * sizeof(Gate));
	c->count = COUNT;
	for (int i = 0; i < COUNT; i++)
		c->gates[i].level = i;
}

static NOINLINE void add_levels(const Circuit *c)
{
	for (int i = 0; i < c->count; i++)
		sink += c->gates[i].level;
}

int main()
{
	std::vector<Plain> v(COUNT);
	std::list<Plain> l(COUNT);
	std::map<long, Plain> m;
	std::vector<Cell<double> *> cells = make_cells();
	Circuit c;

	fill(&c);
	for (long i = 0; i < COUNT; i++)
		m[i * 7919 % COUNT];
	for (int i = 0; i < ROUNDS; i++) {
		add_ids(cells);
		add_more(cells);
		add_doubles(v);
		add_list(l);
		add_map(m);
		add_levels(&c);
	}
	printf("%ld\n", sink);
	return 0;
}
