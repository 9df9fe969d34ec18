/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ten programs before and after a change that gains time: pairs NAME before|after. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>

#include "waits.h"

/* ---- The order of what is read ---- */

struct record {
	uint64_t key, rest[7];
};

APART static uint64_t read_records(const record *records, const std::vector<uint32_t> &order)
{
	uint64_t sum = 0;

	for (uint32_t at : order)
		sum += records[at].key;
	return sum;
}

static double record_order(bool is_after)
{
	std::vector<uint32_t> order = shuffled(600000);
	record *records = make<record>(order.size());

	if (is_after)
		std::sort(order.begin(), order.end());
	return repeat(20, [&] { return read_records(records, order); });
}

struct node {
	node *next;
	long value, spare[6];
};

APART static long walk_list(const node *n)
{
	long sum = 0;

	for (; n != NULL; n = n->next)
		sum += n->value;
	return sum;
}

static double list_order(bool is_after)
{
	std::vector<uint32_t> order = shuffled(300000);
	node *nodes = make<node>(order.size());

	if (is_after)
		std::sort(order.begin(), order.end());
	for (size_t i = 0; i < order.size(); i++)
		nodes[order[i]].next = i + 1 < order.size() ? &nodes[order[i + 1]] : NULL;
	return repeat(20, [&] { return walk_list(&nodes[order[0]]); });
}

static double matrix[2000][2003];

APART static double sum_matrix(bool by_rows)
{
	double sum = 0;

	for (size_t i = 0; i < 2000; i++)
		for (size_t j = 0; j < 2000; j++)
			sum += by_rows ? matrix[i][j] : matrix[j][i];
	return sum;
}

static double columns(bool is_after)
{
	memset(matrix, 1, sizeof(matrix));
	return repeat(40, [&] { return sum_matrix(is_after); });
}

/* ---- The layout of what is read ---- */

struct particle {
	double mass, others[15];
};

APART static double sum_fields(const particle *all, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += all[i].mass;
	return sum;
}

APART static double sum_array(const double *all, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += all[i];
	return sum;
}

static double one_field(bool is_after)
{
	const size_t count = 400000;
	particle *all = make<particle>(count);
	double *masses = make<double>(count);

	return repeat(150,
		      [&] { return is_after ? sum_array(masses, count) : sum_fields(all, count); });
}

/* Indices of 64 bits, or of 16 that hold as much. */
template <typename T> APART static uint64_t count_up(T *counters, size_t count)
{
	for (size_t i = 0; i < 12000000; i++)
		counters[draw() % count]++;
	return counters[17];
}

static double narrow(bool is_after)
{
	const size_t count = 1 << 20;

	if (is_after)
		return (double)count_up(make<uint8_t>(count), count);
	return (double)count_up(make<uint64_t>(count), count);
}

/* ---- Another data structure, with other work ---- */

static double tree_or_array(bool is_after)
{
	std::map<uint64_t, uint64_t> tree;
	std::vector<std::pair<uint64_t, uint64_t>> sorted;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 200000; i++)
		sorted.push_back({i * 7919 % 1000003, i});
	std::sort(sorted.begin(), sorted.end());
	if (!is_after)
		for (const auto &one : sorted)
			tree[one.first * 0x9e3779b97f4a7c15u] = one.second;
	for (int i = 0; i < 1500000; i++) {
		const uint64_t key = sorted[draw() % sorted.size()].first;

		if (is_after)
			sum += std::lower_bound(sorted.begin(), sorted.end(),
						std::make_pair(key, (uint64_t)0))
				       ->second;
		else
			sum += tree.find(key * 0x9e3779b97f4a7c15u)->second;
	}
	return (double)sum;
}

static double strings_or_numbers(bool is_after)
{
	std::unordered_map<std::string, uint32_t> by_name;
	std::vector<std::string> names;
	std::vector<uint32_t> values;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < 200000; i++) {
		names.push_back("a name of more than fifteen letters " + std::to_string(i));
		values.push_back(i);
		by_name[names.back()] = i;
	}
	for (int i = 0; i < 1500000; i++) {
		const size_t at = draw() % names.size();

		sum += is_after ? values[at] : by_name.find(names[at])->second;
	}
	return (double)sum;
}

static double join(bool is_after)
{
	std::vector<std::pair<uint32_t, uint32_t>> lines;
	std::unordered_map<uint32_t, uint32_t> index;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < 300000; i++)
		lines.push_back({(uint32_t)(draw() % 100000000), i});
	for (const auto &line : lines)
		index[line.first] = line.second;
	for (size_t i = 0; i < 400; i++) {
		const uint32_t key = lines[draw() % lines.size()].first;

		if (is_after)
			sum += index.find(key)->second;
		else
			for (const auto &line : lines)
				sum += line.first == key ? line.second : 0;
	}
	return (double)sum;
}

/* ---- In an order that fits ---- */

APART static void multiply(const double *a, const double *b, double *c, size_t n,
			   bool is_transposed)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * (is_transposed ? b[j * n + k] : b[k * n + j]);
			c[i * n + j] = sum;
		}
}

static double product(bool is_after)
{
	const size_t n = 700;
	double *a = make<double>(n * n), *b = make<double>(n * n), *c = make<double>(n * n);

	multiply(a, b, c, n, is_after);
	return c[5];
}

APART static uint64_t sum_twice(const uint64_t *items, size_t count, size_t piece)
{
	uint64_t sum = 0, most = 0;

	for (size_t from = 0; from < count; from += piece) {
		for (int pass = 0; pass < 8; pass++)
			for (size_t i = from; i < from + piece; i += 8)
				sum += items[i] >> pass;
		most = std::max(most, sum);
	}
	return most;
}

static double fused(bool is_after)
{
	const size_t count = 1 << 21;
	uint64_t *items = make<uint64_t>(count);

	return repeat(12, [&] { return sum_twice(items, count, is_after ? 1 << 11 : count); });
}

static const struct {
	const char *name;
	double (*run)(bool is_after);
} all[] = {
	{"records", record_order},
	{"list", list_order},
	{"columns", columns},
	{"one-field", one_field},
	{"narrow", narrow},
	{"tree", tree_or_array},
	{"strings", strings_or_numbers},
	{"join", join},
	{"product", product},
	{"fused", fused},
};

int main(int argc, char **argv)
{
	for (const auto &one : all)
		if (argc == 3 && strcmp(argv[1], one.name) == 0) {
			printf("%g\n", one.run(strcmp(argv[2], "after") == 0));
			return 0;
		}
	fprintf(stderr, "pairs NAME before|after\n");
	return 2;
}
