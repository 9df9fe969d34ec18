/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A matrix of rows that calloc makes, and records that lie across lines. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS	24
#define COLUMNS 50

struct __attribute__((packed)) record {
	char tag;
	long number;
	union {
		float real;
		int whole;
	} value;
};

static double *matrix[ROWS];
static struct record records[200];

static double by_columns(void)
{
	double sum = 0;

	for (int j = 0; j < COLUMNS; j++)
		for (int i = 0; i < ROWS; i++)
			sum += matrix[i][j];
	return sum;
}

static long over_lines(void)
{
	long sum = 0;

	for (int i = 0; i < 200; i++)
		sum += records[i * 37 % 200].number +
		       (i % 2 ? (long)records[i].value.real : records[i].value.whole);
	return sum;
}

int main(void)
{
	for (int i = 0; i < ROWS; i++)
		matrix[i] = calloc(COLUMNS, sizeof(double));
	for (int i = 0; i < 200; i++)
		records[i] = (struct record){(char)i, i, {.whole = i}};
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			matrix[i][j] += i + j;
	printf("%.0f %ld\n", by_columns(), over_lines());
	return 0;
}
