/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that do not wait for memory: calm NAME. A first screen should not raise an alarm. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static double blocked_product(void)
{
	const size_t n = 384, b = 32;
	std::vector<float> x(n * n, 1), y(n * n, 2), z(n * n);

	for (int round = 0; round < 6; round++)
		for (size_t i = 0; i < n; i += b)
			for (size_t k = 0; k < n; k += b)
				for (size_t j = 0; j < n; j += b)
					for (size_t p = i; p < i + b; p++)
						for (size_t q = k; q < k + b; q++)
							for (size_t r = j; r < j + b; r++)
								z[p * n + r] +=
									x[p * n + q] * y[q * n + r];
	return z[5];
}

static double checksum(void)
{
	std::vector<uint8_t> bytes(1 << 14);
	uint32_t crc = ~0u, table[256];

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (int round = 0; round < 12000; round++)
		for (uint8_t &byte : bytes)
			crc = crc >> 8 ^ table[(crc ^ byte) & 0xff];
	return crc;
}

struct body {
	double x, y, z, vx, vy, vz;
};

static double bodies(void)
{
	std::vector<body> all(300);

	for (size_t i = 0; i < all.size(); i++)
		all[i] = {double(i % 7), double(i % 11), double(i % 13), 0, 0, 0};
	for (int step = 0; step < 600; step++) {
		for (body &a : all)
			for (const body &b : all) {
				const double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
				const double d = dx * dx + dy * dy + dz * dz + .01;
				const double f = 1e-5 / (d * std::sqrt(d));

				a.vx += dx * f;
				a.vy += dy * f;
				a.vz += dz * f;
			}
		for (body &a : all)
			a.x += a.vx, a.y += a.vy, a.z += a.vz;
	}
	return all[3].x;
}

static int place(int n, int row, unsigned columns, unsigned left, unsigned right)
{
	int found = 0;

	if (row == n)
		return 1;
	for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free != 0;
	     free &= free - 1) {
		const unsigned bit = free & -free;

		found += place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return found;
}

static double queens(void)
{
	return place(13, 0, 0, 0, 0);
}

static double small_sorts(void)
{
	std::vector<uint32_t> values(2048);
	uint32_t x = 1;
	double sum = 0;

	for (int round = 0; round < 5000; round++) {
		for (uint32_t &value : values)
			value = x = x * 1664525 + 1013904223;
		std::sort(values.begin(), values.end());
		sum += values[1000];
	}
	return sum;
}

/* A large block is filled once; then all is computed in little memory. */
static double filled_once(void)
{
	const size_t bytes = 24 << 20;
	char *block = (char *)malloc(bytes);
	double x = 0.3, sum;
	double seen[512] = {0};

	memset(block, 1, bytes);
	for (int i = 0; i < 60000000; i++) {
		x = 3.9 * x * (1 - x);
		seen[(size_t)(x * 511)] += x;
	}
	sum = seen[100] + block[bytes / 2];
	free(block);
	return sum;
}

static double formatted(void)
{
	size_t length = 0;

	for (int i = 0; i < 1500000; i++) {
		char line[96];

		length += (size_t)snprintf(line, sizeof(line), "%d: %s = %g", i, "value", i * .5);
	}
	return (double)length;
}

static double edit_distance(void)
{
	const std::string a(1500, 'a'), b(1400, 'b');
	std::vector<int> before(b.size() + 1), now(b.size() + 1);
	double sum = 0;

	for (int round = 0; round < 60; round++) {
		for (size_t i = 0; i < a.size(); i++) {
			now[0] = (int)i + 1;
			for (size_t j = 0; j < b.size(); j++)
				now[j + 1] = std::min({before[j] + (a[i] != b[j]),
						       before[j + 1] + 1, now[j] + 1});
			std::swap(before, now);
		}
		sum += before[5];
	}
	return sum;
}

static const struct {
	const char *name;
	double (*run)(void);
} all[] = {
	{"blocked", blocked_product}, {"checksum", checksum},	    {"bodies", bodies},
	{"queens", queens},	      {"small-sorts", small_sorts}, {"filled-once", filled_once},
	{"formatted", formatted},     {"distance", edit_distance},
};

int main(int argc, char **argv)
{
	for (const auto &one : all)
		if (argc > 1 && strcmp(argv[1], one.name) == 0) {
			printf("%g\n", one.run());
			return 0;
		}
	fprintf(stderr, "calm NAME\n");
	return 2;
}
