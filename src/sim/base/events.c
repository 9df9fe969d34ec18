/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of events, and the events of a geometry. */
#include "sim/base/events.h"

struct name {
	const char *name, *description;
};

static const struct name counted[] = {
	{"Ir", "instructions executed"}, {"Dr", "loads of data"}, {"Dw", "stores of data"}};

/* By row: levels 1 to 4, then the last of several levels. */
static const struct name misses[][3] = {
	{{"I1mr", "fetches that missed in the first level"},
	 {"D1mr", "loads that missed in the first level"},
	 {"D1mw", "stores that missed in the first level"}},
	{{"I2mr", "fetches that missed in the second level"},
	 {"D2mr", "loads that missed in the second level"},
	 {"D2mw", "stores that missed in the second level"}},
	{{"I3mr", "fetches that missed in the third level"},
	 {"D3mr", "loads that missed in the third level"},
	 {"D3mw", "stores that missed in the third level"}},
	{{"I4mr", "fetches that missed in the fourth level"},
	 {"D4mr", "loads that missed in the fourth level"},
	 {"D4mw", "stores that missed in the fourth level"}},
	{{"ILmr", "fetches that missed in the last level"},
	 {"DLmr", "loads that missed in the last level"},
	 {"DLmw", "stores that missed in the last level"}},
};

static const struct name tlb_misses[][3] = {
	{{"ITmr", "fetches that missed in the first TLB"},
	 {"DTmr", "loads that missed in the first TLB"},
	 {"DTmw", "stores that missed in the first TLB"}},
	{{"ITmr2", "fetches that missed in the second TLB"},
	 {"DTmr2", "loads that missed in the second TLB"},
	 {"DTmw2", "stores that missed in the second TLB"}},
};

static const struct name write_backs[] = {
	{"D1wb", "dirty lines that the first level of data gave up"},
	{"L2wb", "dirty lines that the second level gave up or let pass"},
	{"L3wb", "dirty lines that the third level gave up or let pass"},
	{"L4wb", "dirty lines that the fourth level gave up or let pass"},
	{"LLwb", "dirty lines that the last level gave up or let pass: writes to memory"},
};

static const struct name line_use_variance[] = {
	{"AcVar1", "variance of AcCost1, which is an estimate"},
	{"SpVar1", "variance of SpLoss1, which is an estimate"},
	{"AcVar2", "variance of AcCost2, which is an estimate"},
	{"SpVar2", "variance of SpLoss2, which is an estimate"},
};

static const struct name line_use[] = {
	{"AcCost1", "1000 / uses of a line, summed over lines brought into the first level"},
	{"SpLoss1", "bytes brought into the first level that nobody touched"},
	{"AcCost2", "1000 / uses of a line, summed over lines brought into the last level"},
	{"SpLoss2", "bytes brought into the last level that nobody touched"},
};

/* The row after the levels is for code. */
static const struct name prefetches[][2] = {
	{{"D1pf", "lines prefetched into the first level of data"},
	 {"D1pu", "lines prefetched into the first level of data and used"}},
	{{"L2pf", "lines prefetched into the second level"},
	 {"L2pu", "lines prefetched into the second level and used"}},
	{{"L3pf", "lines prefetched into the third level"},
	 {"L3pu", "lines prefetched into the third level and used"}},
	{{"L4pf", "lines prefetched into the fourth level"},
	 {"L4pu", "lines prefetched into the fourth level and used"}},
	{{"LLpf", "lines prefetched into the last level"},
	 {"LLpu", "lines prefetched into the last level and used"}},
	{{"I1pf", "lines prefetched into the first level of instructions"},
	 {"I1pu", "lines prefetched into the first level of instructions and used"}},
};

/* As the rows of misses; ABOVE begins with level 2. */
#define UNKNOWN(letter, level)                                                               \
	{                                                                                    \
		{"I" letter "ur", "fetches that missed in an empty place of " level},        \
			{"D" letter "ur", "loads that missed in an empty place of " level},  \
			{"D" letter "uw", "stores that missed in an empty place of " level}, \
	}
#define ABOVE(letter, level)                                                                       \
	{                                                                                          \
		{"I" letter "ar", "other misses in " level " of fetches unknown above it"},        \
			{"D" letter "ar", "other misses in " level " of loads unknown above it"},  \
			{"D" letter "aw", "other misses in " level " of stores unknown above it"}, \
	}

static const struct name unknown[][3] = {
	UNKNOWN("1", "the first level"), UNKNOWN("2", "the second level"),
	UNKNOWN("3", "the third level"), UNKNOWN("4", "the fourth level"),
	UNKNOWN("L", "the last level"),
};

static const struct name above[][3] = {
	ABOVE("2", "the second level"),
	ABOVE("3", "the third level"),
	ABOVE("4", "the fourth level"),
	ABOVE("L", "the last level"),
};

static void add(struct sim_events *e, unsigned id, const struct name *n)
{
	e->items[e->count] = (struct sim_event){(enum sim_event_id)id, n->name, n->description};
	e->index[id] = (uint8_t)e->count;
	e->count++;
}

/* The row of names for a level. */
static unsigned name_of(const struct sim_geometry *g, unsigned level)
{
	return level > 0 && level + 1 == g->level_count ? SIM_MAX_LEVELS - 1 : level;
}

static void add_tlbs(const struct sim_geometry *g, struct sim_events *e)
{
	bool has[] = {g->code_tlb.entries > 0 || g->data_tlb.entries > 0,
		      g->second_tlb.entries > 0};
	bool has_fetches = g->code_tlb.entries > 0 || g->is_tlb_unified;

	for (unsigned row = 0; row < 2; row++) {
		if (!has[row])
			continue;
		if (has_fetches)
			add(e, SIM_TLB_MISSES + 3 * row, &tlb_misses[row][0]);
		for (unsigned k = 1; k < 3 && g->data_tlb.entries > 0; k++)
			add(e, SIM_TLB_MISSES + 3 * row + k, &tlb_misses[row][k]);
	}
}

static void add_prefetches(const struct sim_geometry *g, struct sim_events *e)
{
	for (unsigned k = 0; k < 2 && g->code.prefetcher != SIM_PREFETCH_NONE; k++)
		add(e, SIM_PREFETCHES + 2 * SIM_MAX_LEVELS + k, &prefetches[SIM_MAX_LEVELS][k]);
	for (unsigned level = 0; level < g->level_count; level++)
		for (unsigned k = 0; k < 2 && g->levels[level].prefetcher != SIM_PREFETCH_NONE; k++)
			add(e, SIM_PREFETCHES + 2 * level + k, &prefetches[name_of(g, level)][k]);
}

/* Is the k-th event of a level's three counted: fetches, loads, stores? */
static bool has_kind(const struct sim_geometry *g, unsigned k)
{
	return k > 0 || g->is_unified || g->code.size_bytes > 0;
}

static void add_unknown(const struct sim_geometry *g, struct sim_events *e)
{
	for (unsigned level = 0; level < g->level_count; level++)
		for (unsigned k = 0; k < 3; k++)
			if (has_kind(g, k))
				add(e, SIM_UNKNOWN + 3 * level + k, &unknown[name_of(g, level)][k]);
	for (unsigned level = 1; level < g->level_count; level++)
		for (unsigned k = 0; k < 3; k++)
			if (has_kind(g, k))
				add(e, SIM_ABOVE + 3 * (level - 1) + k,
				    &above[name_of(g, level) - 1][k]);
}

void sim_events_of(const struct sim_geometry *g, struct sim_events *e)
{
	*e = (struct sim_events){0};
	for (unsigned id = 0; id < SIM_EVENT_IDS; id++)
		e->index[id] = SIM_NO_EVENT;
	for (unsigned id = SIM_IR; id <= SIM_DW; id++)
		add(e, id, &counted[id]);
	for (unsigned level = 0; level < g->level_count; level++)
		for (unsigned k = 0; k < 3; k++)
			if (has_kind(g, k))
				add(e, SIM_MISSES + 3 * level + k, &misses[name_of(g, level)][k]);
	for (unsigned level = 0; level < g->level_count && g->write_backs; level++)
		add(e, SIM_WRITE_BACKS + level, &write_backs[name_of(g, level)]);
	for (unsigned k = 0; k < (g->level_count > 1 ? 4u : 2u) && g->line_use; k++)
		add(e, SIM_LINE_USE + k, &line_use[k]);
	for (unsigned k = 0; k < (g->level_count > 1 ? 4u : 2u) && g->line_use && g->line_share;
	     k++)
		add(e, SIM_LINE_USE + 4 + k, &line_use_variance[k]);
	add_tlbs(g, e);
	add_prefetches(g, e);
	if (g->is_sampled)
		add_unknown(g, e);
}
