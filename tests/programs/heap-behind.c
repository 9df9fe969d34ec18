/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap of a program linked to a fixed address lies behind its image and below 4 GB, as Lisps
 * that save their heap rely on. It grows and shrinks, and the kernel says where it is.
 */
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

#define MOST_AWAY (2ul << 30) /* the kernel chooses at random: up to 1 GB */
#define GROWTH	  (64l << 20)

extern char end;

/* The number of field n of /proc/self/stat, from 1. */
static uint64_t stat_field(unsigned n)
{
	static char text[4096];
	FILE *f = fopen("/proc/self/stat", "r");
	char *p;

	NEED(f && fgets(text, sizeof text, f));
	fclose(f);
	p = strrchr(text, ')') + 1;
	for (unsigned i = 3; i < n; i++)
		p = strchr(p + 1, ' ');
	return strtoull(p, 0, 10);
}

int main(void)
{
	const uint64_t begins = stat_field(47); /* this makes stdio allocate, too */
	char *heap = sbrk(0), *more;

	CHECK(heap >= &end && (uint64_t)(heap - &end) < MOST_AWAY);
	CHECK((uint64_t)heap < 1ull << 32);
	CHECK(begins >= (uint64_t)&end && begins <= (uint64_t)heap);
	more = sbrk(GROWTH);
	NEED(more == heap);
	memset(more, 1, GROWTH);
	CHECK(more[GROWTH - 1] == 1);
	CHECK(sbrk(-GROWTH) == heap + GROWTH);
	CHECK(sbrk(0) == heap);
	CHECK(sbrk(4096) == heap && *heap == 0);
	return check_end();
}
