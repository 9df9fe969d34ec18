// SPDX-License-Identifier: GPL-2.0-or-later
// Containers of the C++ library, each with blocks of its own.
#include <cstdio>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

static std::map<int, int> tree;
static std::unordered_map<int, std::string> table;

__attribute__((noinline)) static long walk(const std::list<long> &numbers)
{
	long sum = 0;

	for (long n : numbers)
		sum += n;
	return sum;
}

__attribute__((noinline)) static void fill(std::vector<double> &values)
{
	for (int i = 0; i < 300; i++)
		values.push_back(i * 0.5);
}

int main()
{
	std::list<long> numbers;
	std::vector<double> values;
	double total = 0;

	fill(values);
	for (int i = 0; i < 150; i++) {
		tree[i * 7919 % 101] += i;
		numbers.push_front(i);
		if (i % 3 == 0)
			numbers.pop_back();
		if (i < 60)
			table[i * 31 % 64] = std::string(static_cast<size_t>(i) + 3, 'x');
	}
	for (const auto &[key, value] : tree)
		total += key * value;
	for (const auto &[key, value] : table)
		total += key + value[1];
	for (double v : values)
		total += v;
	printf("%.1f\n", total + static_cast<double>(walk(numbers)));
}
