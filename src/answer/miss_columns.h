/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of misses and references that a simulation has counted, for any row that has them: a
 * column's number is the offset in the row of what it shows.
 */
#ifndef DWELL_ANSWER_MISS_COLUMNS_H
#define DWELL_ANSWER_MISS_COLUMNS_H

#include <stddef.h>

#include "answer/rows.h"

/* Getters of a `struct counted_misses`: counts, and shares of the misses. */
void miss_all(const void *row, struct value *v);
void miss_low(const void *row, struct value *v);
void miss_high(const void *row, struct value *v);
void miss_cold(const void *row, struct value *v);
void miss_by_self(const void *row, struct value *v);
void miss_by_others(const void *row, struct value *v);
void miss_conflicts(const void *row, struct value *v);
void miss_capacity(const void *row, struct value *v);
void miss_cold_share(const void *row, struct value *v);
void miss_others_share(const void *row, struct value *v);
void miss_conflict_share(const void *row, struct value *v);

/* Getters of a `struct references_count`, and of its `struct model_ratio`. */
void references_value(const void *row, struct value *v);
void references_low(const void *row, struct value *v);
void references_high(const void *row, struct value *v);
void references_ratio_value(const void *row, struct value *v);
void references_interval(const void *row, struct value *v);

#define MISS_LEVEL_NAMES(level)                                                                \
	level##_MISSES, level##_LOW, level##_HIGH, level##_COLD, level##_SELF, level##_OTHERS, \
		level##_CONFLICTS, level##_CAPACITY, level##_COLD_SHARE, level##_OTHERS_SHARE, \
		level##_CONFLICT_SHARE

enum miss_column { MISS_LEVEL_NAMES(L1), MISS_LEVEL_NAMES(LL), MISS_COLUMNS };

#define MISS_LEVEL(level, at)                                                               \
	[level##_MISSES] = {#level " MISSES", #level "_misses", UNIT_COUNT,                 \
			    miss_all,	      .number = (at),	.adds_up = true},           \
	[level##_LOW] = {"LOW", #level "_low", UNIT_COUNT, miss_low, .number = (at)},       \
	[level##_HIGH] = {"HIGH", #level "_high", UNIT_COUNT, miss_high, .number = (at)},   \
	[level##_COLD] = {NULL,	     #level "_cold", UNIT_COUNT,                            \
			  miss_cold, .number = (at), .adds_up = true},                      \
	[level##_SELF] = {NULL,		#level "_by_self", UNIT_COUNT,                      \
			  miss_by_self, .number = (at),	   .adds_up = true},                \
	[level##_OTHERS] = {NULL,	    #level "_by_others", UNIT_COUNT,                \
			    miss_by_others, .number = (at),	 .adds_up = true},          \
	[level##_CONFLICTS] = {NULL,	       #level "_conflict", UNIT_COUNT,              \
			       miss_conflicts, .number = (at),	   .adds_up = true},        \
	[level##_CAPACITY] = {NULL,	     #level "_capacity", UNIT_COUNT,                \
			      miss_capacity, .number = (at),	 .adds_up = true},          \
	[level##_COLD_SHARE] = {"COLD", NULL, UNIT_SHARE, miss_cold_share, .number = (at)}, \
	[level##_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, miss_others_share,         \
				  .number = (at)},                                          \
	[level##_CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, miss_conflict_share,      \
				    .number = (at)}

/* The columns of a row type by enum miss_column; members for the first and for the last level. */
#define MISS_TABLE(type, first, last)                                                       \
	{                                                                                   \
		MISS_LEVEL(L1, offsetof(type, first)), MISS_LEVEL(LL, offsetof(type, last)) \
	}

/* Those of a table that files of counts have: always; with bounds; for profiles of --conflicts. */
#define MISS_COUNTS_SHOWN(t)                                                                       \
	{&(t)[L1_MISSES]}, {&(t)[L1_COLD]}, {&(t)[L1_SELF]}, {&(t)[L1_OTHERS]}, {&(t)[LL_MISSES]}, \
		{&(t)[LL_COLD]}, {&(t)[LL_SELF]},                                                  \
	{                                                                                          \
		&(t)[LL_OTHERS]                                                                    \
	}
#define MISS_BOUNDS_SHOWN(t, need)                                \
	{&(t)[L1_LOW], .needs = (need), .in = IN_FILES},          \
		{&(t)[L1_HIGH], .needs = (need), .in = IN_FILES}, \
		{&(t)[LL_LOW], .needs = (need), .in = IN_FILES},  \
	{                                                         \
		&(t)[LL_HIGH], .needs = (need), .in = IN_FILES    \
	}
#define MISS_CONFLICTS_SHOWN(t)                                \
	{&(t)[L1_CONFLICTS], .needs = ROWS_CONFLICTS},         \
		{&(t)[L1_CAPACITY], .needs = ROWS_CONFLICTS},  \
		{&(t)[LL_CONFLICTS], .needs = ROWS_CONFLICTS}, \
	{                                                      \
		&(t)[LL_CAPACITY], .needs = ROWS_CONFLICTS     \
	}

enum reference_column {
	REFERENCES,
	REFERENCES_LOW,
	REFERENCES_HIGH,
	RATIO,
	INTERVAL,
	REFERENCE_COLUMNS
};

/* The columns of a row type by enum reference_column; members for their count and ratio. */
#define REFERENCE_TABLE(type, count, ratio)                                                 \
	{                                                                                   \
		[REFERENCES] = {"REFERENCES", "references", UNIT_COUNT, references_value,   \
				.number = offsetof(type, count)},                           \
		[REFERENCES_LOW] = {NULL, "references_low", UNIT_COUNT, references_low,     \
				    .number = offsetof(type, count)},                       \
		[REFERENCES_HIGH] = {NULL, "references_high", UNIT_COUNT, references_high,  \
				     .number = offsetof(type, count)},                      \
		[RATIO] = {"L1 RATIO", "L1_miss_ratio", UNIT_RATIO, references_ratio_value, \
			   .number = offsetof(type, ratio)},                                \
		[INTERVAL] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, references_interval,    \
			      .number = offsetof(type, ratio)},                             \
	}

#define REFERENCE_COUNTS(t) \
	&(t)[REFERENCES], &(t)[REFERENCES_LOW], &(t)[REFERENCES_HIGH], &(t)[RATIO]

#endif
