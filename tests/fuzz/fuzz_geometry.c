/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds damaged text to the readers of cache geometries and of traces. An accepted geometry must be
 * possible to simulate, and to write and read again. A trace must be simulated, or fail with an
 * error. Build with sanitizers.
 *
 *   fuzz_geometry [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/simulation/geometry_text.h"
#include "collector/simulation/sim_heap.h"
#include "collector/simulation/trace.h"

#define MOST_LINES ((uint64_t)1 << 14) /* larger caches are not simulated */

static const char *const seeds[] = {
	"L1d = 32K,8,64,plru,write-through,no-allocate,next-line # the first",
	"L1i=16K,full,32,fifo",
	"L1=8K,2,128,srrip,stride",
	"L2=256K,16,64,random:7,inclusive",
	"L3=48K,3,64,exclusive",
	"LL=1M,16,64,lru,neither,write-back,allocate,no-prefetch",
	"L4=none",
	"DTLB=64,4,4K",
	"TLB=16,full,2M",
	"ITLB=8,2,4096",
	"STLB=512,8,4K",
	"machine = zen4",
	"machine=host",
	"line-use",
	"write-backs",
	"no-instructions",
};

static const char *const traces[] = {
	"I  04001090,3",
	" L 1ffeffe9a8,8",
	" S 1FFEFFE9A8,512",
	" M 0,1",
	"==1== lackey",
	"0 7fff0010",
	"1 0x10 more",
	"2 400a",
	"# none",
	"",
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A line of the table, sometimes with a few characters of it changed, put in or left out. */
static void damage(char line[128], const char *const *table, size_t count)
{
	static const char letters[] = "=,#:KMG 0123456789xfLDI\n-\x80";
	size_t length;

	snprintf(line, 128, "%s", table[random_next() % count]);
	for (uint64_t n = random_next() % 4; n-- > 1;) {
		length = strlen(line);
		switch (length > 0 && length < 120 ? random_next() % 3 : 3) {
		case 0:
			line[random_next() % length] =
				letters[random_next() % (COUNT(letters) - 1)];
			break;
		case 1:
			memmove(line + 1, line, length + 1);
			line[0] = letters[random_next() % (COUNT(letters) - 1)];
			break;
		case 2:
			line[random_next() % length] = '\0';
			break;
		default:
			break;
		}
	}
}

static int fail(const char *what, const char *detail)
{
	fprintf(stderr, "fuzz_geometry: %s: %s\n", what, detail);
	return -1;
}

/* ---- Geometries ---- */

static int check_again(const struct sim_geometry *g)
{
	struct geometry_row rows[GEOMETRY_ROWS];
	struct geometry_plan p = {0};
	struct sim_geometry again;
	size_t count = geometry_rows(g, rows);
	struct err err;

	for (size_t i = 0; i < count; i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s%s%s", rows[i].name,
			 rows[i].value[0] != '\0' ? "=" : "", rows[i].value);
		if (geometry_add(&p, line, &err) != 0)
			return fail("what was written is refused", err.text);
	}
	if (geometry_build(&p, &again, &err) != 0)
		return fail("what was written cannot be", err.text);
	return again.level_count == g->level_count ? 0 : fail("levels", "got lost");
}

static bool is_small(const struct sim_geometry *g)
{
	for (unsigned i = 0; i < g->level_count; i++)
		if (g->levels[i].size_bytes / g->levels[i].line_bytes > MOST_LINES)
			return false;
	return (g->code.size_bytes == 0 || g->code.size_bytes / g->code.line_bytes <= MOST_LINES) &&
	       g->code_tlb.entries <= MOST_LINES && g->data_tlb.entries <= MOST_LINES &&
	       g->second_tlb.entries <= MOST_LINES;
}

/* Some accesses anywhere, the lowest and the highest addresses among them. */
static int simulate(const struct sim_geometry *g)
{
	static struct sim_hierarchy h;
	uint64_t events[SIM_MAX_EVENTS] = {0};

	if (sim_hierarchy_init(&h, g, true, &sim_heap) != 0)
		return fail("memory", "none");
	for (unsigned i = 0; i < 300; i++) {
		uint64_t address = random_next() >> (random_next() % 64);
		uint32_t bytes = 1 + (uint32_t)random_next() % 600;
		enum sim_access kind = (enum sim_access)(random_next() % 4);

		if (address > UINT64_MAX - 8192)
			address = UINT64_MAX - 8192;
		h.core.tag = h.core.stride_tag = (uint32_t)random_next() % 4;
		if (kind == SIM_FETCH)
			sim_core_fetch(&h.core, address, bytes, events);
		else
			sim_core_data(&h.core, address, bytes, kind, events);
	}
	sim_hierarchy_finish(&h);
	sim_hierarchy_release(&h);
	return 0;
}

static int fuzz_geometry(uint64_t *good)
{
	struct geometry_plan p = {0};
	struct err err = {""};
	struct sim_geometry g;
	char line[128];

	for (uint64_t n = 1 + random_next() % 6; n-- > 0;) {
		damage(line, seeds, COUNT(seeds));
		if (geometry_add(&p, line, &err) != 0 && err.text[0] == '\0')
			return fail("a line is refused without a word", line);
		err.text[0] = '\0';
	}
	if (geometry_build(&p, &g, &err) != 0)
		return err.text[0] != '\0' ? 0 : fail("refused", "without a word");
	++*good;
	if (check_again(&g) != 0)
		return -1;
	return is_small(&g) ? simulate(&g) : 0;
}

/* ---- Traces ---- */

static int fuzz_trace(uint64_t *good)
{
	static struct sim_hierarchy h;
	struct sim_geometry g = {
		.code = {1024, 2, 64}, .levels = {{1024, 2, 64}}, .level_count = 1};
	uint64_t events[SIM_MAX_EVENTS] = {0};
	char text[2048], line[128];
	size_t used = 0, begin = random_next() % 2 * 5;
	struct err err = {""};
	FILE *f;
	int status;

	for (uint64_t n = 1 + random_next() % 12; n-- > 0;) {
		damage(line, traces + begin, 5);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n", line);
	}
	f = fmemopen(text, used, "r");
	if (f == NULL || sim_hierarchy_init(&h, &g, true, &sim_heap) != 0)
		return fail("memory", "none");
	status = trace_simulate(f, "trace", (enum trace_format)(random_next() % TRACE_FORMATS), &h,
				events, &err);
	fclose(f);
	sim_hierarchy_release(&h);
	*good += status == 0;
	return status == 0 || strncmp(err.text, "trace", 5) == 0 ? 0 : fail("trace", err.text);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000, geometries = 0, good = 0;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 88172645463325252u;
	for (uint64_t i = 0; i < rounds; i++)
		if (fuzz_geometry(&geometries) != 0 || fuzz_trace(&good) != 0)
			return 1;
	printf("%" PRIu64 " rounds: %" PRIu64 " geometries and %" PRIu64 " traces were good\n",
	       rounds, geometries, good);
	return geometries > 0 && good > 0 ? 0 : 1;
}
