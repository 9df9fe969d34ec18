/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that wait for memory, each for one known reason: waits NAME. first_screens.py says which
 * function and which data a first screen should name. No function is inlined that should be named.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "waits.h"

/* ---- One field of large records ---- */

struct particle {
	double mass, position[3], speed[3], charge, spare[8];
};

static particle *particles;

APART static double sum_masses(size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += particles[i].mass;
	return sum;
}

static double one_field(void)
{
	const size_t count = 400000;

	particles = make<particle>(count);
	return repeat(250, [&] { return sum_masses(count); });
}

/* ---- A hash table of long keys ---- */

struct entry {
	entry *next;
	char *key;
	int value;
};

static entry *buckets[1 << 16];

static unsigned hash_of(const char *key)
{
	unsigned hash = 5381;

	while (*key != '\0')
		hash = hash * 33 + (unsigned char)*key++;
	return hash & 0xffff;
}

APART static entry *find_key(const char *key)
{
	entry *e = buckets[hash_of(key)];

	while (e != NULL && strcmp(e->key, key) != 0)
		e = e->next;
	return e;
}

APART static char *make_key(unsigned number)
{
	char *key = (char *)malloc(80);

	snprintf(key, 80, "/a/folder/with/a/long/name/and/another/one/below/it/file-%08u", number);
	return key;
}

static double long_keys(void)
{
	const size_t count = 200000;
	double sum = 0;
	char key[80];

	for (size_t i = 0; i < count; i++) {
		entry *e = (entry *)malloc(sizeof(*e));
		unsigned at;

		e->key = make_key((unsigned)i);
		e->value = (int)i;
		at = hash_of(e->key);
		e->next = buckets[at];
		buckets[at] = e;
	}
	for (int i = 0; i < 700000; i++) {
		snprintf(key, 80, "/a/folder/with/a/long/name/and/another/one/below/it/file-%08u",
			 (unsigned)(draw() % count));
		sum += find_key(key)->value;
	}
	return sum;
}

/* ---- A list in random order ---- */

struct node {
	node *next;
	long value, spare[6];
};

static node *list_nodes;

APART static long walk_list(const node *n)
{
	long sum = 0;

	for (; n != NULL; n = n->next)
		sum += n->value;
	return sum;
}

static double linked_list(void)
{
	const size_t count = 300000;
	const std::vector<uint32_t> order = shuffled(count);

	list_nodes = (node *)malloc(count * sizeof(node));
	for (size_t i = 0; i < count; i++) {
		list_nodes[order[i]].value = (long)i;
		list_nodes[order[i]].next = i + 1 < count ? &list_nodes[order[i + 1]] : NULL;
	}
	return repeat(25, [&] { return walk_list(&list_nodes[order[0]]); });
}

/* ---- A search tree ---- */

struct branch {
	branch *left, *right;
	uint64_t key, value;
};

APART static branch *plant(uint64_t key)
{
	branch *b = (branch *)calloc(1, sizeof(*b));

	b->key = b->value = key;
	return b;
}

static branch *root;

APART static const branch *look_up(uint64_t key)
{
	const branch *b = root;

	while (b != NULL && b->key != key)
		b = key < b->key ? b->left : b->right;
	return b;
}

static double search_tree(void)
{
	std::vector<uint64_t> keys(250000);
	double sum = 0;

	for (uint64_t &key : keys) {
		branch **at = &root;

		key = draw();
		while (*at != NULL)
			at = key < (*at)->key ? &(*at)->left : &(*at)->right;
		*at = plant(key);
	}
	for (int i = 0; i < 1200000; i++)
		sum += (double)look_up(keys[draw() % keys.size()])->value;
	return sum;
}

/* ---- std::map, std::unordered_map ---- */

static std::map<uint64_t, uint64_t> ordered;

APART static uint64_t count_in_map(uint64_t key)
{
	return ordered.find(key)->second;
}

static double standard_map(void)
{
	double sum = 0;

	for (uint64_t i = 0; i < 300000; i++)
		ordered[i * 0x9e3779b97f4a7c15u] = i;
	for (int i = 0; i < 1000000; i++)
		sum += (double)count_in_map(draw() % 300000 * 0x9e3779b97f4a7c15u);
	return sum;
}

static std::unordered_map<uint64_t, uint64_t> hashed;

APART static uint64_t count_in_hash(uint64_t key)
{
	return hashed.find(key)->second;
}

static double standard_hash(void)
{
	double sum = 0;

	for (uint64_t i = 0; i < 1000000; i++)
		hashed[i * 0x9e3779b97f4a7c15u] = i;
	for (int i = 0; i < 5000000; i++)
		sum += (double)count_in_hash(draw() % 1000000 * 0x9e3779b97f4a7c15u);
	return sum;
}

/* ---- Matrices in the wrong order ---- */

static double matrix[3000][3001];

APART static double sum_columns(void)
{
	double sum = 0;

	for (size_t c = 0; c < 3001; c++)
		for (size_t r = 0; r < 3000; r++)
			sum += matrix[r][c];
	return sum;
}

static double columns(void)
{
	memset(matrix, 1, sizeof(matrix));
	return repeat(20, sum_columns);
}

APART static void multiply(const std::vector<double> &a, const std::vector<double> &b,
			   std::vector<double> &c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
}

static double product(void)
{
	const size_t n = 1000;
	std::vector<double> a(n * n, 1), b(n * n, 2), c(n * n);

	multiply(a, b, c, n);
	return c[n];
}

/* ---- Records in shuffled order, beside many cheap loads ---- */

struct record {
	uint64_t key, rest[7];
};

static record *records;
static uint64_t small_table[64];

APART static uint64_t read_shuffled(const std::vector<uint32_t> &order)
{
	uint64_t sum = 0;

	for (uint32_t at : order) {
		sum += records[at].key;
		for (size_t i = 0; i < 200; i++)
			sum += *(volatile uint64_t *)&small_table[(at + i) % 64];
	}
	return sum;
}

static double shuffled_records(void)
{
	const size_t count = 1000000;
	const std::vector<uint32_t> order = shuffled(count);

	records = make<record>(count);
	for (size_t i = 0; i < count; i++)
		records[i].key = i;
	return repeat(4, [&] { return read_shuffled(order); });
}

/* ---- A join without an index ---- */

struct order_line {
	uint32_t customer, amount, spare[6];
};

APART static uint64_t join(const std::vector<uint32_t> &customers, const order_line *lines,
			   size_t count)
{
	uint64_t sum = 0;

	for (uint32_t customer : customers)
		for (size_t i = 0; i < count; i++)
			if (lines[i].customer == customer)
				sum += lines[i].amount;
	return sum;
}

static double join_without_index(void)
{
	const size_t count = 400000;
	order_line *lines = make<order_line>(count);
	std::vector<uint32_t> customers(1500);

	for (size_t i = 0; i < count; i++)
		lines[i] = {(uint32_t)(draw() % 100000), (uint32_t)i, {}};
	for (uint32_t &customer : customers)
		customer = (uint32_t)(draw() % 100000);
	return (double)join(customers, lines, count);
}

/* ---- Sorting by a comparison function ---- */

static int compare_records(const void *x, const void *y)
{
	const record *a = *(const record *const *)x, *b = *(const record *const *)y;

	return (a->key > b->key) - (a->key < b->key);
}

static double sort_pointers(void)
{
	const size_t count = 800000;
	std::vector<record *> pointers(count);

	records = make<record>(count);
	for (size_t i = 0; i < count; i++) {
		records[i].key = draw();
		pointers[i] = &records[i];
	}
	qsort(pointers.data(), count, sizeof(pointers[0]), compare_records);
	return (double)pointers[count / 2]->key;
}

/* ---- Strings ---- */

static std::vector<std::string> words;

APART static size_t count_letters(const std::vector<uint32_t> &order)
{
	size_t found = 0;

	for (uint32_t at : order)
		found += words[at].find('q') != std::string::npos;
	return found;
}

static double strings(void)
{
	const size_t count = 400000;
	const std::vector<uint32_t> order = shuffled(count);

	for (size_t i = 0; i < count; i++)
		words.push_back("a word of more than fifteen letters " + std::to_string(i));
	return repeat(15, [&] { return count_letters(order); });
}

/* ---- Gathers, counters, searches ---- */

APART static double multiply_sparse(const std::vector<uint32_t> &index, const double *x)
{
	double sum = 0;

	for (uint32_t at : index)
		sum += x[at] * 0.5;
	return sum;
}

static double sparse(void)
{
	const size_t count = 4000000;
	double *x = make<double>(count);
	std::vector<uint32_t> index(1500000);

	for (uint32_t &at : index)
		at = (uint32_t)(draw() % count);
	return repeat(80, [&] { return multiply_sparse(index, x); });
}

static uint32_t counters[8 << 20];

APART static void count_values(size_t count)
{
	for (size_t i = 0; i < count; i++)
		counters[draw() % (8 << 20)]++;
}

static double histogram(void)
{
	count_values(40000000);
	return counters[4711];
}

APART static size_t search_sorted(const uint64_t *keys, size_t count, uint64_t key)
{
	size_t low = 0;

	while (count > 1) {
		const size_t half = count / 2;

		low = keys[low + half] <= key ? low + half : low;
		count -= half;
	}
	return low;
}

static double binary_search(void)
{
	const size_t count = 4000000;
	uint64_t *keys = (uint64_t *)malloc(count * sizeof(*keys));
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = i * 7;
	for (int i = 0; i < 2000000; i++)
		sum += (double)search_sorted(keys, count, draw() % (7 * count));
	return sum;
}

/* ---- A graph ---- */

struct graph {
	std::vector<uint32_t> first, edges;
	std::vector<int> distance;
};

APART static int search_breadth(graph &g, uint32_t from)
{
	std::vector<uint32_t> queue{from};

	std::fill(g.distance.begin(), g.distance.end(), -1);
	g.distance[from] = 0;
	for (size_t i = 0; i < queue.size(); i++)
		for (uint32_t e = g.first[queue[i]]; e < g.first[queue[i] + 1]; e++)
			if (g.distance[g.edges[e]] < 0) {
				g.distance[g.edges[e]] = g.distance[queue[i]] + 1;
				queue.push_back(g.edges[e]);
			}
	return g.distance[queue.back()];
}

static double breadth_first(void)
{
	const uint32_t count = 500000, degree = 8;
	graph g;
	double sum = 0;

	g.distance.resize(count);
	for (uint32_t i = 0; i <= count; i++)
		g.first.push_back(i * degree);
	for (uint32_t i = 0; i < count * degree; i++)
		g.edges.push_back((uint32_t)(draw() % count));
	for (uint32_t i = 0; i < 6; i++)
		sum += search_breadth(g, i);
	return sum;
}

/* ---- Objects behind pointers ---- */

struct shape {
	virtual ~shape() = default;
	virtual double area(void) const = 0;
	double size[7] = {1};
};

struct square : shape {
	APART double area(void) const override
	{
		return size[0] * size[0];
	}
};

APART static double sum_areas(const std::vector<std::unique_ptr<shape>> &shapes)
{
	double sum = 0;

	for (const auto &s : shapes)
		sum += s->area();
	return sum;
}

static double shapes(void)
{
	std::vector<std::unique_ptr<shape>> all;

	for (size_t i = 0; i < 400000; i++)
		all.push_back(std::make_unique<square>());
	for (size_t i = all.size() - 1; i > 0; i--)
		std::swap(all[i], all[draw() % (i + 1)]);
	return repeat(60, [&] { return sum_areas(all); });
}

/* ---- A cache that forgets what was used least recently ---- */

struct recent {
	std::list<std::pair<uint32_t, uint64_t>> items;
	std::unordered_map<uint32_t, decltype(items)::iterator> index;
};

APART static uint64_t use_recent(recent &r, uint32_t key)
{
	auto found = r.index.find(key);

	if (found != r.index.end()) {
		r.items.splice(r.items.begin(), r.items, found->second);
		return found->second->second;
	}
	r.items.emplace_front(key, key);
	r.index[key] = r.items.begin();
	if (r.items.size() > 200000) {
		r.index.erase(r.items.back().first);
		r.items.pop_back();
	}
	return 0;
}

static double recently_used(void)
{
	recent r;
	double sum = 0;

	for (int i = 0; i < 3000000; i++)
		sum += (double)use_recent(r, (uint32_t)(draw() % 220000));
	return sum;
}

/* ---- Memory that is touched once ---- */

APART static long touch_lines(char *memory, size_t bytes)
{
	long sum = 0;

	for (size_t i = 0; i < bytes; i += 64)
		sum += memory[i]++;
	return sum;
}

static double fresh(void)
{
	const size_t bytes = 448 << 20;

	return (double)touch_lines((char *)malloc(bytes), bytes);
}

/* ---- Planes of a grid in the wrong order ---- */

static float grid[160][160][160], smooth[160][160][160];

APART static void smooth_grid(void)
{
	for (size_t x = 1; x < 159; x++)
		for (size_t y = 1; y < 159; y++)
			for (size_t z = 1; z < 159; z++)
				smooth[z][y][x] = grid[z - 1][y][x] + grid[z + 1][y][x] +
						  grid[z][y - 1][x] + grid[z][y + 1][x];
}

static double stencil(void)
{
	std::fill(&grid[0][0][0], &grid[0][0][0] + 160 * 160 * 160, 1.f);
	return repeat(12, [] {
		smooth_grid();
		return smooth[80][80][80];
	});
}

static const struct {
	const char *name;
	double (*run)(void);
} all[] = {
	{"one-field", one_field},     {"long-keys", long_keys}, {"list", linked_list},
	{"tree", search_tree},	      {"map", standard_map},	{"hash", standard_hash},
	{"columns", columns},	      {"product", product},	{"shuffled", shuffled_records},
	{"join", join_without_index}, {"sort", sort_pointers},	{"strings", strings},
	{"sparse", sparse},	      {"histogram", histogram}, {"search", binary_search},
	{"graph", breadth_first},     {"shapes", shapes},	{"recent", recently_used},
	{"stencil", stencil},	      {"fresh", fresh},
};

int main(int argc, char **argv)
{
	for (const auto &one : all)
		if (argc > 1 && strcmp(argv[1], one.name) == 0) {
			printf("%g\n", one.run());
			return 0;
		}
	fprintf(stderr, "waits NAME\n");
	return 2;
}
