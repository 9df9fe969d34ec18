/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache geometries as people write them. A cache, on the command line or in a file:
 *
 * 	NAME=SIZE,WAYS,LINE[,WORD...]	L1d=32K,8,64,plru,write-through
 * 	NAME=ENTRIES,WAYS,PAGE		DTLB=64,4,4K
 * 	NAME=none
 *
 * NAME is L1i, L1d (or I1, D1), L1 for both, L2, L3, L4, LL, ITLB, DTLB, TLB for both, STLB for the
 * second. WAYS is a number or `full`. A file has one on each line, or `machine = NAME`, `line-use`,
 * `write-backs`, `no-instructions`; from # on a line is a comment.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_GEOMETRY_TEXT_H
#define DWELL_COLLECTOR_SIMULATION_GEOMETRY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "sim/base/geometry.h"

enum geometry_cache {
	GEOMETRY_L1I,
	GEOMETRY_L1, /* of data, or of both */
	GEOMETRY_L2,
	GEOMETRY_L3,
	GEOMETRY_L4,
	GEOMETRY_LL,
	GEOMETRY_CACHES,
};

enum geometry_tlb {
	GEOMETRY_ITLB,
	GEOMETRY_DTLB, /* or of both */
	GEOMETRY_STLB,
	GEOMETRY_TLBS,
};

/* What was asked for so far. All zero: nothing. */
struct geometry_plan {
	char machine[32]; /* its caches replace those not given; "": none */
	struct sim_cache_geometry caches[GEOMETRY_CACHES];
	struct sim_tlb_geometry tlbs[GEOMETRY_TLBS];
	bool has_cache[GEOMETRY_CACHES]; /* given, if only as none */
	bool has_tlb[GEOMETRY_TLBS];
	bool is_unified, is_tlb_unified;
	bool line_use, write_backs, no_instructions;
};

/* Take in one "NAME=...", or a line of a file. A later word on the same cache counts. */
int geometry_add(struct geometry_plan *p, const char *text, struct err *err);

/* A machine of the table, or `host`. */
int geometry_set_machine(struct geometry_plan *p, const char *name, struct err *err);

/* Read a file. Errors carry its name and line. */
int geometry_read_file(struct geometry_plan *p, const char *path, struct err *err);

/*
 * The geometry that was asked for. Without a machine, a first level that is not given is the
 * host's, and so is the last if nothing below the first is given; a geometry that cannot be is
 * refused. Returns 0, or -1 with the reason.
 */
int geometry_build(const struct geometry_plan *p, struct sim_geometry *g, struct err *err);

/* The names of all machines with commas between them, for help. */
void geometry_machine_names(char *text, size_t room);

/*
 * A geometry in rows that geometry_add takes in again, name = value. A first level of instructions,
 * or a last level, that is not there is one of them, since what is not given would be this
 * machine's.
 */
struct geometry_row {
	char name[16];	/* "L1d", "line-use" */
	char value[96]; /* "32K,8,64,lru", "none"; "" after a flag */
};

#define GEOMETRY_ROWS (SIM_MAX_LEVELS + 1 + 3 + 2)

/* Returns how many rows there are, at most GEOMETRY_ROWS. */
size_t geometry_rows(const struct sim_geometry *g, struct geometry_row rows[GEOMETRY_ROWS]);

#endif
