/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All options of all commands: their numbers, in the order of help, and the variables for their
 * values. The table is in option_table.c; a command lists the rows that it takes (commands.h).
 */
#ifndef DWELL_CLI_OPTIONS_H
#define DWELL_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/commands/simulate_curve.h"
#include "cli/geometry_options.h"
#include "cli/view_format.h"
#include "collector/collector.h"
#include "estimate/curve.h"
#include "estimate/spatial.h"
#include "estimate/subset.h"
#include "options/option.h"
#include "profile/profile.h"
#include "query/query.h"

#define DEFAULT_PROFILE	    "dwell.db"
#define OPTIONS_MOST	    12 /* files or processes in repeated options */
#define OPTIONS_CONDITIONS  64
#define OPTIONS_ENVIRONMENT "DWELL_OPTIONS"

enum option_id {
	OPTION_NONE,
	/* Files */
	OPTION_INPUT,
	OPTION_OUTPUT,
	OPTION_TO,
	OPTION_FORMAT,
	OPTION_FOLDED,
	OPTION_FORCE,
	OPTION_PARTS,
	/* Which run */
	OPTION_PID,
	OPTION_INTERVAL,
	OPTION_ONCE,
	OPTION_SHOW,
	/* Which accesses */
	OPTION_PROCESS_ID,
	OPTION_THREAD_ID,
	OPTION_FUNCTION,
	OPTION_OBJECT,
	OPTION_LINE_AT,
	OPTION_FOCUS,
	OPTION_IGNORE,
	/* In which caches */
	OPTION_CACHE_SIZE,
	OPTION_SIZES,
	OPTION_POINTS,
	OPTION_POLICY,
	OPTION_WAYS,
	OPTION_LINE_BYTES,
	OPTION_LINES,
	OPTION_BASE,
	OPTION_CACHES,
	/* Rows */
	OPTION_BY,
	OPTION_SITES_BY,
	OPTION_FIELDS,
	OPTION_EVENT,
	OPTION_SORT,
	OPTION_INCLUSIVE,
	OPTION_THRESHOLD,
	OPTION_ROWS,
	OPTION_ALL,
	OPTION_SOURCES,
	OPTION_ASM,
	OPTION_TREE,
	OPTION_DEPTH,
	OPTION_FAIL_IF,
	/* Sampling */
	OPTION_PERIOD,
	OPTION_DUTY,
	OPTION_OVERHEAD,
	OPTION_WINDOWS,
	OPTION_SEED,
	OPTION_ONE_LINE,
	OPTION_MODE,
	OPTION_PATHS,
	OPTION_NO_OBJECTS,
	OPTION_ALLOCATOR,
	/* When */
	OPTION_DELAY,
	OPTION_DURATION,
	OPTION_START_AT,
	OPTION_STOP_AT,
	OPTION_WAIT,
	OPTION_TOGGLE,
	/* What to simulate */
	OPTION_CURVE,
	OPTION_TRACE,
	OPTION_TRACE_FORMAT,
	OPTION_CACHE,
	OPTION_MACHINE,
	OPTION_CONFIG,
	OPTION_ALSO,
	OPTION_LINE_USE,
	OPTION_WRITE_BACKS,
	OPTION_NO_INSTRUCTIONS,
	OPTION_NO_FILTER,
	OPTION_PLAN,
	OPTION_SAMPLE,
	OPTION_SETS,
	/* Calls */
	OPTION_CONTEXT,
	OPTION_SEPARATE_THREADS,
	OPTION_JUMPS,
	OPTION_WHOSE,
	OPTION_REFERENCES,
	OPTION_CONFLICTS,
	OPTION_NO_CALL_GRAPH,
	/* Other */
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_NO_PAGER,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_COUNT_OF_ALL,
};

/* A part of the accesses, by name. */
struct option_part {
	enum subset_kind kind;
	const char *name;
};

/* The parsed command line. Texts are borrowed from argv and the environment. */
struct options {
	struct option_state state;
	struct query query;

	const char *input; /* the last one, or DEFAULT_PROFILE */
	const char *inputs[OPTIONS_MOST];
	size_t input_count; /* 0: no file is named */
	const char *word;   /* the word besides the profile, such as a function; or NULL */
	const char *output; /* NULL: not given, and no default */
	int format;	    /* enum view_format */
	int to;		    /* index of the export format; -1: not given */
	bool fields;	    /* rows of data by field */
	bool folded, parts, is_forced, is_quiet, is_verbose, no_pager, wants_help, wants_version;

	uint64_t pid; /* 0: not given */
	uint64_t interval_ns;
	bool once;
	int show; /* enum top_view */

	int64_t processes[OPTIONS_MOST]; /* all of them; the query has the last one */
	size_t process_count;
	struct option_part parts_of[CURVE_MOST]; /* the thread of the query, too */
	char thread[24];			 /* its name there */
	size_t part_count;

	uint64_t sizes[SPATIAL_SIZES]; /* all of them; the query has the last one */
	size_t size_count;
	uint64_t low, high; /* bytes */
	uint64_t per_octave;
	uint64_t base_bytes;
	struct profile_cache caches[PROFILE_CACHES]; /* of the query's machine */

	int by, sites_by; /* index into the choices of the command */
	bool is_inclusive, all, is_asm;
	double threshold;
	uint64_t sources, depth;
	int tree;
	const char *conditions[OPTIONS_CONDITIONS];
	size_t condition_count;

	struct collector_options run; /* for record and simulate */
	int mode;		      /* 0: sample, 1: count */
	uint64_t seed;
	bool curve;
	struct sim_set_choice sets;
	const char *trace;
	int trace_format; /* index into the choices */
	struct geometry_options geometry;
	const char *also[CHANNEL_MAX_GEOMETRIES];
	size_t also_count;
	struct simulate_curve exact;
};

extern const struct option_table option_table;

/* Set the defaults; release with options_release. */
void options_init(struct options *o);
void options_release(struct options *o);

/* Set the members that depend on others, once all options are parsed. */
void options_complete(struct options *o);

/* Whether an option is on the command line; or there or in the environment. */
bool options_given(const struct options *o, enum option_id id);
bool options_set(const struct options *o, enum option_id id);

/* Find the first of these options on the command line. Returns its long name, or NULL for none. */
const char *options_first(const struct options *o, const int *ids);

#endif
