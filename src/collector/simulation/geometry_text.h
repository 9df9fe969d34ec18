/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache geometries as text. A cache, on the command line or in a file:
 *
 *   NAME=SIZE,WAYS,LINE[,WORD...]  L1d=32K,8,64,plru,write-through
 *   NAME=ENTRIES,WAYS,PAGE         DTLB=64,4,4K
 *   NAME=none
 *
 * NAME is L1i, L1d (or I1, D1), L1 for both, L2, L3, L4, LL, ITLB, DTLB, TLB for both, STLB for the
 * second level. WAYS is a number or `full`. A file has one on each line, or `machine = NAME`,
 * `line-use`, `line-use = 1/64`, `line-use = all`, `write-backs`, `no-instructions`. A comment
 * begins with #.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_GEOMETRY_TEXT_H
#define DWELL_COLLECTOR_SIMULATION_GEOMETRY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "sim/base/geometry.h"

enum geometry_cache {
	GEOMETRY_L1I,
	GEOMETRY_L1, /* data, or unified */
	GEOMETRY_L2,
	GEOMETRY_L3,
	GEOMETRY_L4,
	GEOMETRY_LL,
	GEOMETRY_CACHES,
};

enum geometry_tlb {
	GEOMETRY_ITLB,
	GEOMETRY_DTLB, /* data, or unified */
	GEOMETRY_STLB,
	GEOMETRY_TLBS,
};

/* The user's choices so far. All zero: none. */
struct geometry_plan {
	char machine[32]; /* provides the caches that are not given; "": none */
	struct sim_cache_geometry caches[GEOMETRY_CACHES];
	struct sim_tlb_geometry tlbs[GEOMETRY_TLBS];
	bool has_cache[GEOMETRY_CACHES]; /* given, even as none */
	bool has_tlb[GEOMETRY_TLBS];
	bool is_unified, is_tlb_unified;
	bool line_use, write_backs, no_instructions;
	uint32_t line_share; /* see struct sim_geometry */
};

/* Add "NAME=...", or a line of a file. The last text for a cache counts. */
int geometry_add(struct geometry_plan *p, const char *text, struct err *err);

/* Parse "all" or "1/N", the lines whose use is counted. */
int geometry_line_share(const char *text, uint32_t *share, struct err *err);

/* Set the machine: one of the table, or `host`. */
int geometry_set_machine(struct geometry_plan *p, const char *name, struct err *err);

/* Read a file. Errors name the file and line. */
int geometry_read_file(struct geometry_plan *p, const char *path, struct err *err);

/*
 * Build the chosen geometry. Without a machine, the host's caches fill in a missing first level,
 * and a missing last level if no lower level is given. Impossible geometries are refused. Returns
 * 0, or -1 with the reason.
 */
int geometry_build(const struct geometry_plan *p, struct sim_geometry *g, struct err *err);

/*
 * A geometry as rows, name = value, for geometry_add. A missing L1i or last level has a row, too,
 * as a missing row would mean this machine's.
 */
struct geometry_row {
	char name[16];	/* "L1d", "line-use" */
	char value[96]; /* "32K,8,64,lru", "none"; "" after a flag */
};

#define GEOMETRY_ROWS (SIM_MAX_LEVELS + 1 + 3 + 3)

/* Returns the number of rows, at most GEOMETRY_ROWS. */
size_t geometry_rows(const struct sim_geometry *g, struct geometry_row rows[GEOMETRY_ROWS]);

#endif
