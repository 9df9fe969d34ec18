/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all options. docs/man/dwell.1, LETTERS, decides which option gets a letter. */
#include <stddef.h>

#include "cli/option_values.h"
#include "cli/options.h"
#include "events/event_rows.h"

#define AT(member) offsetof(struct options, member)
#define ROOM(member) \
	(sizeof(((struct options *)0)->member) / sizeof(((struct options *)0)->member[0]))
#define LIST(items, count) .offset = AT(items), .count_at = AT(count), .room = ROOM(items)

#define FILES	 "Files"
#define RUN	 "Which run"
#define PART	 "Which accesses"
#define CACHES	 "In which caches"
#define ROWS	 "Rows and their order"
#define SAMPLING "How to sample"
#define WHEN	 "When"
#define SIMULATE "What to simulate"
#define CALLS	 "Calls"
#define OTHER	 "Other options"

#define MOST_ROWS    1000000
#define MOST_SECONDS 1000000000

static const char *const formats[] = {
	[VIEW_TEXT] = "text", [VIEW_CSV] = "csv", [VIEW_JSON] = "json", NULL};
static const char *const policies[] = {[QUERY_RANDOM] = "random", [QUERY_LRU] = "lru", NULL};

static const char *const modes[] = {"sample", "count", NULL};

/* In the order of help, group by group. */
static const struct option_row rows[OPTION_COUNT_OF_ALL] = {
	[OPTION_INPUT] = {"input", 'i', "FILE", OPTION_TEXT, LIST(inputs, input_count),
			  .help = "Read the profile FILE, like FILE without an option",
			  .group = FILES, .names = OPTION_NAMES_FILE},
	[OPTION_OUTPUT] = {"output", 'o', "FILE", OPTION_TEXT, AT(output), .help = "Write to FILE",
			   .group = FILES, .names = OPTION_NAMES_FILE},
	[OPTION_TO] = {"to", 't', "FORMAT", OPTION_CHOICE, AT(to), .help = "The format",
		       .group = FILES, .what = "format"},
	[OPTION_FORMAT] = {"format", 0, "FORMAT", OPTION_CHOICE, AT(format),
			   .help = "Print in this format", .group = FILES, .choices = formats},
	[OPTION_FOLDED] = {"folded", 0, NULL, OPTION_FLAG, AT(folded),
			   .help = "Print a line for each path, 'main;work;read 1234': misses per "
				   "billion accesses, for flame graphs",
			   .group = FILES},
	[OPTION_FORCE] = {"force", 0, NULL, OPTION_FLAG, AT(is_forced),
			  .help = "Replace FILE even if it is not of the format", .group = FILES},
	[OPTION_PARTS] = {"parts", 0, NULL, OPTION_FLAG, AT(parts),
			  .help = "callgrind: write each process and thread as a part, which "
				  "KCachegrind shows separately",
			  .group = FILES},

	[OPTION_PID] = {"pid", 'p', "PID", OPTION_COUNT, AT(pid),
			.help = "The run that profiles process PID; or PID is its dwell record or "
				"dwell simulate",
			.group = RUN, .what = "the process", .least = 1, .most = INT32_MAX},
	[OPTION_INTERVAL] = {"interval", 0, "SECONDS", OPTION_SECONDS, AT(interval_ns),
			     .help = "Refresh every SECONDS", .group = RUN, .what = "an interval",
			     .least = 100, .most = 3600000},
	[OPTION_ONCE] = {"once", 0, NULL, OPTION_FLAG, AT(once),
			 .help = "Print the tables once, as text, and end", .group = RUN},
	[OPTION_SHOW] = {"show", 0, "WHAT", OPTION_CHOICE, AT(show),
			 .help = "Show this table first", .group = RUN},

	[OPTION_PROCESS_ID] = {"process", 0, "ID", OPTION_PROCESS, LIST(processes, process_count),
			       .help = "Process ID of the run, from 0, as 'dwell processes' lists "
				       "them",
			       .group = PART},
	[OPTION_THREAD_ID] = {"thread", 0, "ID", OPTION_PROCESS, AT(query.thread),
			      .help = "Thread of each process, from 0, as 'dwell report --by "
				      "thread' lists them",
			      .group = PART, .what = "thread"},
	[OPTION_FUNCTION] = {"function", 'f', "NAME", OPTION_CALL, .take = options_take_function,
			     .help = "Only accesses by this function", .group = PART,
			     .names = OPTION_NAMES_FUNCTION},
	[OPTION_OBJECT] =
		{"object", 'd', "NAME", OPTION_CALL, .take = options_take_object,
		 .help = "Only accesses to this data structure, named as in 'dwell objects'",
		 .group = PART, .names = OPTION_NAMES_OBJECT},
	[OPTION_LINE_AT] = {"line-at", 0, "FILE:LINE", OPTION_CALL, .take = options_take_line_at,
			    .help = "Only accesses by this source line", .group = PART,
			    .names = OPTION_NAMES_LINE},
	[OPTION_FOCUS] = {"focus", 0, "REGEX", OPTION_CALL, .take = options_take_focus,
			  .help = "Show only rows whose name, source file or object file matches",
			  .group = PART, .names = OPTION_NAMES_FUNCTION},
	[OPTION_IGNORE] = {"ignore", 0, "REGEX", OPTION_CALL, .take = options_take_ignore,
			   .help = "Leave out rows that match", .group = PART,
			   .names = OPTION_NAMES_FUNCTION},

	[OPTION_CACHE_SIZE] = {"size", 's', "BYTES", OPTION_SIZE, LIST(sizes, size_count),
			       .help = "Misses in a cache of BYTES, as 32K or 1M", .group = CACHES},
	[OPTION_SIZES] = {"sizes", 0, "LOW:HIGH", OPTION_CALL, .take = options_take_sizes,
			  .help = "Cache sizes from LOW to HIGH", .group = CACHES},
	[OPTION_POINTS] = {"points-per-octave", 0, "N", OPTION_COUNT, AT(per_octave),
			   .help = "Points for each doubling of the size", .group = CACHES,
			   .least = 1, .most = 100},
	[OPTION_POLICY] = {"policy", 0, "NAME", OPTION_CHOICE, AT(query.policy),
			   .help = "Replacement policy", .group = CACHES, .choices = policies},
	[OPTION_WAYS] = {"ways", 'w', "N", OPTION_COUNT, AT(query.ways),
			 .help = "Sets of N lines each", .group = CACHES, .least = 1,
			 .most = 1 << 20},
	[OPTION_LINE_BYTES] = {"line", 'l', "BYTES", OPTION_LINE, AT(query.line_bytes),
			       .help = "Cache lines of BYTES, a power of two up to 4096",
			       .group = CACHES, .least = 4, .most = 4096},
	[OPTION_LINES] = {"lines", 0, "LIST", OPTION_CALL, .take = simulate_take_lines,
			  .help = "Line sizes, powers of two from 4 to 4096, separated by commas; "
				  "or 1/N: estimate the curve from one in N lines, 1/N:MOST: from "
				  "at most MOST",
			  .group = CACHES},
	[OPTION_BASE] = {"base", 0, "BYTES", OPTION_LINE, AT(base_bytes),
			 .help = "Compare spatial use with lines of BYTES, a power of two up to "
				 "2048",
			 .group = CACHES, .least = 4, .most = 2048},
	[OPTION_CACHES] = {"caches", 0, "LIST", OPTION_CALL, .take = options_take_caches,
			   .help = "The caches of another machine: sizes from the first level on, "
				   "as 32K,1M,32M, each with the cycles that a miss waits, as "
				   "32K:10, or not; "
				   "or its name, as zen4",
			   .group = CACHES, .names = OPTION_NAMES_MACHINE},

	[OPTION_BY] = {"by", 'b', "WHAT", OPTION_CHOICE, AT(by), .help = "Group rows by WHAT",
		       .group = ROWS, .what = "--by"},
	[OPTION_SITES_BY] = {"sites-by", 0, "WHAT", OPTION_CHOICE, AT(sites_by),
			     .help = "Group heap blocks that come from the same WHAT",
			     .group = ROWS, .what = "blocks by"},
	[OPTION_FIELDS] = {"fields", 0, NULL, OPTION_FLAG, AT(fields),
			   .help = "Show a row for each field of a data structure", .group = ROWS},
	[OPTION_EVENT] = {"event", 'e', "EVENT", OPTION_TEXT,
			  LIST(query.metrics, query.metric_count),
			  .help = "Show this event: a name, or a formula such as 'CEst = Ir + "
				  "10*L1m + 100*LLm'; may be repeated",
			  .group = ROWS, .names = OPTION_NAMES_EVENT},
	[OPTION_SORT] =
		{"sort", 0, "COLUMN", OPTION_TEXT, AT(query.sort),
		 .help = "Sort by this event, and show shares of it; rows of samples by cost, "
			 "misses, ratio, accesses or samples",
		 .group = ROWS, .names = OPTION_NAMES_EVENT},
	[OPTION_INCLUSIVE] = {"inclusive", 'I', NULL, OPTION_FLAG, AT(is_inclusive),
			      .help = "Show inclusive costs: functions with what they call",
			      .group = ROWS},
	[OPTION_THRESHOLD] = {"threshold", 0, "PERCENT", OPTION_PERCENT, AT(threshold),
			      .help = "Leave out rows below PERCENT of the total", .group = ROWS},
	[OPTION_ROWS] = {"rows", 'n', "N", OPTION_COUNT, AT(query.limit),
			 .help = "Show at most N rows", .group = ROWS, .least = 1,
			 .most = MOST_ROWS},
	[OPTION_ALL] = {"all", 'a', NULL, OPTION_FLAG, AT(all),
			.help = "Show whole files, not only the surroundings of lines with samples",
			.group = ROWS},
	[OPTION_SOURCES] = {"sources", 0, "N", OPTION_COUNT, AT(sources),
			    .help = "Show where the data of the N lines with the most misses comes "
				    "from, or in simulations which it is; 0: none",
			    .group = ROWS, .most = MOST_ROWS},
	[OPTION_ASM] = {"asm", 0, NULL, OPTION_FLAG, AT(is_asm),
			.help = "Show machine code and its jumps (event profiles only)",
			.group = ROWS},
	[OPTION_TREE] = {"tree", 0, "DIRECTION", OPTION_CHOICE, AT(tree),
			 .help = "Show whole chains of callers, or of callees", .group = ROWS,
			 .what = "--tree"},
	[OPTION_DEPTH] = {"depth", 0, "N", OPTION_COUNT, AT(depth),
			  .help = "Show at most N levels of the tree", .group = ROWS, .least = 1,
			  .most = 100},
	[OPTION_FAIL_IF] =
		{"fail-if", 0, "CONDITION", OPTION_TEXT, LIST(conditions, condition_count),
		 .help = "Exit with 1 if the condition holds: 'D1mr > +2%', 'main:Ir > +1000', "
			 "'CEst > 5000000', for samples 'L2 > +5%'; may be repeated",
		 .group = ROWS},

	[OPTION_PERIOD] = {"period", 'c', "N", OPTION_CALL, .take = record_take_period,
			   .help = "Take one sample in N accesses, instead of about 80 in a window",
			   .group = SAMPLING},
	[OPTION_DUTY] =
		{"duty", 0, "PERCENT", OPTION_CALL, .take = record_take_duty,
		 .help = "Share of the accesses inside windows in the run's first 190 million; "
			 "less later",
		 .group = SAMPLING},
	[OPTION_OVERHEAD] = {"overhead", 0, "PERCENT", OPTION_CALL, .take = record_take_overhead,
			     .help = "Limit the cost of sampling to PERCENT of the CPU time of "
				     "counting, instead of --duty",
			     .group = SAMPLING},
	[OPTION_WINDOWS] = {"windows", 0, "N", OPTION_CALL, .take = record_take_windows,
			    .help = "Windows each time that the run doubles, beyond its beginning",
			    .group = SAMPLING},
	[OPTION_SEED] = {"seed", 0, "N", OPTION_COUNT, AT(seed),
			 .help = "Seed of the random choices, to repeat a run", .group = SAMPLING,
			 .what = "the seed", .most = INT64_MAX},
	[OPTION_ONE_LINE] = {"one-line", 0, NULL, OPTION_CALL, .take = record_take_one_line,
			     .help = "Watch only lines of the size of --line; otherwise one sample "
				     "in four is watched at all sizes from 4 to 4096",
			     .group = SAMPLING},
	[OPTION_MODE] = {"mode", 0, "MODE", OPTION_CHOICE, AT(mode), .earlier = "gear",
			 .help = "Take samples, or count accesses only", .group = SAMPLING,
			 .choices = modes},
	[OPTION_PATHS] =
		{"paths", 'g', NULL, OPTION_CALL, .take = record_take_paths,
		 .help = "Record the calls that led to each sample, up to 16; without it, to those "
			 "of one window in eight",
		 .group = SAMPLING},
	[OPTION_NO_OBJECTS] = {"no-objects", 0, NULL, OPTION_CALL, .take = record_take_no_objects,
			       .help = "Do not follow allocations: heap blocks have no names",
			       .group = SAMPLING},
	[OPTION_ALLOCATOR] = {"allocator", 0, "FUNCTION[:ARGUMENT][,free=FUNCTION[:ARGUMENT]]",
			      OPTION_CALL, .take = record_take_allocator,
			      .help = "FUNCTION also allocates; ARGUMENT is the number of its size "
				      "argument (1); may be repeated",
			      .group = SAMPLING},

	[OPTION_DELAY] = {"delay", 0, "SECONDS", OPTION_SECONDS, AT(run.config.delay_ns),
			  .help = "Begin SECONDS after the start", .group = WHEN, .what = "a delay",
			  .most = MOST_SECONDS * UINT64_C(1000)},
	[OPTION_DURATION] = {"duration", 0, "SECONDS", OPTION_SECONDS, AT(run.config.duration_ns),
			     .help = "Profile for SECONDS; then the command continues, and "
				     "accesses are only counted",
			     .group = WHEN, .what = "a duration", .least = 1,
			     .most = MOST_SECONDS * UINT64_C(1000)},
	[OPTION_START_AT] = {"start-at", 0, "FUNCTION", OPTION_CALL, .take = record_take_start_at,
			     .help = "Begin when a process first enters FUNCTION", .group = WHEN},
	[OPTION_STOP_AT] = {"stop-at", 0, "FUNCTION", OPTION_CALL, .take = record_take_stop_at,
			    .help = "End when a process that has begun enters FUNCTION",
			    .group = WHEN},
	[OPTION_WAIT] = {"wait-for-mark", 0, NULL, OPTION_CALL, .take = record_take_wait,
			 .help = "Begin where the program says DWELL_START", .group = WHEN},
	[OPTION_TOGGLE] = {"toggle-collect", 0, "FUNCTION", OPTION_CALL, .take = record_take_toggle,
			   .help = "Simulate only FUNCTION and what it calls; may be repeated",
			   .group = WHEN},

	[OPTION_CURVE] = {"curve", 0, NULL, OPTION_FLAG, AT(curve),
			  .help = "Exact miss ratios of fully associative caches by their size",
			  .group = SIMULATE},
	[OPTION_TRACE] = {"trace", 0, "FILE", OPTION_TEXT, AT(trace),
			  .help = "Simulate the accesses of the trace FILE (- for standard input) "
				  "instead of a command",
			  .group = SIMULATE, .names = OPTION_NAMES_FILE},
	[OPTION_TRACE_FORMAT] = {"trace-format", 0, "NAME", OPTION_CHOICE, AT(trace_format),
				 .help = "The tool that wrote the trace", .group = SIMULATE,
				 .what = "trace format"},
	[OPTION_CACHE] = {"cache", 0, "NAME=SIZE,WAYS,LINE", OPTION_CALL,
			  .take = simulate_take_cache,
			  .help = "Simulate this cache: L1i, L1d, L1 (for both), L2, L3, L4, LL, "
				  "or a TLB such as DTLB=64,4,4K",
			  .group = SIMULATE},
	[OPTION_MACHINE] = {"machine", 0, "NAME", OPTION_TEXT, AT(geometry.machine),
			    .help = "Simulate all caches of a machine: host, or a known one such "
				    "as zen4; --cache changes them",
			    .group = SIMULATE, .names = OPTION_NAMES_MACHINE},
	[OPTION_CONFIG] = {"config", 0, "FILE", OPTION_TEXT, AT(geometry.config),
			   .help = "Read caches from FILE, one on each line", .group = SIMULATE,
			   .names = OPTION_NAMES_FILE},
	[OPTION_ALSO] = {"also", 0, "CACHES", OPTION_TEXT, LIST(also, also_count),
			 .help = "Also simulate these caches in the same run: 'NAME=SIZE,WAYS,LINE "
				 "...'; their events end in _2, _3, ...",
			 .group = SIMULATE},
	[OPTION_LINE_USE] = {"line-use", 0, "LINES", OPTION_CALL, .take = simulate_take_line_use,
			     .bare = "1/" SIM_LINE_SHARE_TEXT,
			     .help = "Estimate uses of lines, and bytes that are never used, from "
				     "one in " SIM_LINE_SHARE_TEXT " lines that come to a "
				     "cache; 1/N: from one in N; all: count those of each",
			     .group = SIMULATE},
	[OPTION_WRITE_BACKS] = {"write-backs", 0, NULL, OPTION_FLAG, AT(geometry.write_backs),
				.help = "Count dirty lines evicted from a level",
				.group = SIMULATE},
	[OPTION_NO_INSTRUCTIONS] = {"no-instructions", 0, NULL, OPTION_FLAG,
				    AT(geometry.no_instructions),
				    .help = "Do not simulate instruction fetches",
				    .group = SIMULATE},
	[OPTION_NO_FILTER] =
		{"no-filter", 0, NULL, OPTION_MARK,
		 .help = "Simulate each access in full, without shortcuts; the counts are the same",
		 .group = SIMULATE},

	[OPTION_PLAN] = {"plan", 0, NULL, OPTION_MARK,
			 .help = "Print how it would be simulated, at what price, and why so; run "
				 "nothing",
			 .group = SIMULATE},
	[OPTION_SAMPLE] = {"sample", 0, "SHARE[,LENGTH]", OPTION_CALL, .take = simulate_take_sample,
			   .help = "Simulate SHARE of the accesses only, in stretches of LENGTH on "
				   "average (by the caches); ,fixed: all of that length",
			   .group = SIMULATE},

	[OPTION_SETS] = {"sets", 0, "1/N[,K]", OPTION_CALL, .take = simulate_take_sets,
			 .help = "Simulate one of N parts of the sets only: part K, from 0",
			 .group = SIMULATE},

	[OPTION_CONTEXT] =
		{"context", 0, "N", OPTION_CALL, .take = simulate_take_context,
		 .help = "Separate the costs of a function by its last N callers; 0: do not",
		 .group = CALLS},
	[OPTION_SEPARATE_THREADS] = {"separate-threads", 0, NULL, OPTION_MARK,
				     .help = "Separate the costs of a function by thread",
				     .group = CALLS},
	[OPTION_JUMPS] = {"jumps", 0, NULL, OPTION_MARK,
			  .help = "Count the targets of branches and jumps", .group = CALLS},
	[OPTION_WHOSE] = {"data", 0, NULL, OPTION_MARK,
			  .help = "Count misses by data structure, and by what evicted the lines",
			  .group = CALLS},
	[OPTION_REFERENCES] = {"references", 0, NULL, OPTION_MARK,
			       .help = "The same, and count its references, hits too, exactly",
			       .group = CALLS},
	[OPTION_CONFLICTS] = {"conflicts", 0, NULL, OPTION_MARK,
			      .help = "As --data, and tell conflict misses from capacity misses",
			      .group = CALLS},
	[OPTION_NO_CALL_GRAPH] = {"no-call-graph", 0, NULL, OPTION_MARK,
				  .help = "Do not follow calls: costs of code only, but faster",
				  .group = CALLS},

	[OPTION_QUIET] = {"quiet", 'q', NULL, OPTION_FLAG, AT(is_quiet),
			  .help = "Print only errors on stderr", .group = OTHER},
	[OPTION_VERBOSE] = {"verbose", 'v', NULL, OPTION_FLAG, AT(is_verbose),
			    .help = "Say how samples were taken, too", .group = OTHER},
	[OPTION_NO_PAGER] = {"no-pager", 0, NULL, OPTION_FLAG, AT(no_pager),
			     .help = "Do not use a pager", .group = OTHER},
	[OPTION_HELP] = {"help", 'h', NULL, OPTION_FLAG, AT(wants_help), .help = "Print this help",
			 .group = OTHER},
	[OPTION_VERSION] = {"version", 'V', NULL, OPTION_FLAG, AT(wants_version),
			    .help = "Print the version", .group = OTHER},
};

const struct option_table option_table = {rows, OPTION_COUNT_OF_ALL};
