// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of C++ in all the places where they may stand, each touched often enough to be sampled.
#include <cstdio>
#include <utility>
#include <vector>

namespace app
{
template <class T> struct box {
	T items[100];
	static long count[512];
};
template <class T> long box<T>::count[512];

struct point {
	inline static int table[3000];
	enum kind { ROUND, SQUARE };
	kind is;
};

box<int> boxes[2000];
std::vector<std::pair<int, float>> pairs[500];
point points[3000];

namespace
{
long hidden[4000];
}
} // namespace app

static long next(long x)
{
	static int last[1000];
	long sum = x;

	for (int &i : last)
		sum += i++;
	return sum;
}

int main()
{
	long sum = 0;

	for (int round = 0; round < 300; round++) {
		for (auto &b : app::boxes)
			for (int i = 0; i < 100; i += 8)
				sum += b.items[i];
		for (auto &p : app::pairs)
			sum += (long)p.size();
		for (auto &p : app::points)
			sum += p.is;
		for (auto &i : app::hidden)
			sum += i++;
		for (auto &i : app::point::table)
			sum += i++;
		for (auto &i : app::box<int>::count)
			sum += i++;
		sum += next(round);
	}
	std::printf("%ld\n", sum);
	return 0;
}
