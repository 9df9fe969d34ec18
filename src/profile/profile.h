/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One process of a profile, in memory with its model: the input of all views. */
#ifndef DWELL_PROFILE_PROFILE_H
#define DWELL_PROFILE_PROFILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/map.h"
#include "model/cost.h"
#include "model/model.h"
#include "model/trace_sample.h"
#include "query/query.h"
#include "store/curves.h"
#include "store/layouts.h"
#include "store/patterns.h"
#include "store/store_read.h"
#include "store/whose.h"

/* With fewer, views warn. */
#define PROFILE_ENOUGH_SAMPLES 5000
#define PROFILE_ENOUGH_WINDOWS 25

/* The machine's data caches according to the profile; size 0: unknown. */
struct profile_cache {
	const char *name; /* "L1d", "L2", "L3" */
	uint64_t size_bytes;
	uint32_t miss_cycles; /* that a miss waits for the next level; see base/machines.h */
};
#define PROFILE_CACHES 3

#define PROFILE_LOAD 1 /* kind of an access: only a load */

/* The accesses to data of the instruction at a location. */
struct profile_accesses {
	int64_t location_id;
	uint64_t count;
};

#define PROFILE_BOUNDS 6
#define PROFILE_STRATA 2

/*
 * An access that touches a line again, or for the first time: the end of a near reuse, which a
 * sample saw, or of a far one. All that is said of misses by code and data is about ends: each
 * stands for some accesses of the run, and all of them for all. Samples that were not touched again
 * are none, as far reuses stand for their ends.
 */
struct profile_end {
	const struct store_access *access;
	const struct store_access *begin; /* the touch before; NULL: none, or not known */
	uint64_t distance; /* accesses of the run since then; where windows have gaps, at most */
	size_t item;	   /* of samples, or of far_items */
	uint32_t window;   /* index */
	bool is_far;
	bool is_temporal; /* touches some of the same bytes as before; otherwise spatial */
	/*
	 * The part of it that is a first touch; then it is far, too. Where windows have gaps, the
	 * rest are reuses of lines whose last touch is in one.
	 */
	double first;
};

/*
 * The part of an end in the run: as shares of all accesses, see struct model_share; and the cycles
 * that its misses wait, per access of the run, see profile_cost.
 */
struct profile_share {
	double accesses, misses, begins;
	double cycles;
};

/* How estimated misses may differ from the truth. */
struct profile_spread {
	double contrasts[TRACE_SAMPLE_CONTRASTS]; /* of the run: see model/trace_sample.h */
	double known;		    /* of bins: misses that are no unknown references */
	double cold_low, cold_high; /* of bins: the least and the most cold misses */
};

struct profile {
	struct store *store;
	struct store_process *processes;
	size_t process_count;
	const struct store_process *process; /* the chosen process */
	int64_t scope; /* its id; STORE_ALL: misses by data structure are those of all processes */

	struct store_window *windows;
	size_t window_count;
	struct store_sample *samples; /* of closed windows, in their order */
	size_t sample_count;
	double *weights;		/* accesses of its window for which each sample stands */
	double *strata[PROFILE_STRATA]; /* of each window: accesses by stratum, see weights.h */
	/*
	 * Samples of a window that never closed, because the process was killed. Only its near
	 * samples were written, so none of them may count.
	 */
	size_t unclosed_samples;
	struct store_far *far; /* for all line sizes, also of windows that never closed */
	size_t far_count;
	struct store_stack_distance *stacks; /* for all line sizes */
	size_t stack_count;
	struct profile_end *ends;
	size_t end_count;
	size_t far_items; /* number of them that are far */
	struct store_location *locations;
	size_t location_count;
	struct map location_index; /* id -> index in locations */
	struct store_module *modules;
	size_t module_count;
	/*
	 * The data: allocating call paths in the order of their ids, and variables by image, in
	 * ascending order of their addresses, enclosing ones first.
	 */
	struct store_site *sites;
	size_t site_count;
	struct store_variable *variables;
	size_t variable_count;
	/* Types of these, in the order of their ids; and their members. */
	struct store_layout *layouts;
	size_t layout_count;
	struct store_member *members;
	size_t member_count;

	/* For a simulated run, which has these counts instead of samples and a model. */
	bool is_exact;
	uint64_t lines_one_in; /* exact curves are of all lines (1), or of a sample */
	struct store_curve *curves;
	size_t curve_count;
	struct store_data_cost *data_costs; /* for a cache of exact_size_bytes */
	size_t data_cost_count;
	uint64_t exact_size_bytes;
	bool is_by_memory; /* the costs are by lines of memory */
	/* With bins, each structure has a cost: the misses of all bins of it in LL. */
	struct store_structure *structures;
	size_t structure_count;
	/*
	 * Of a sampled simulation they are estimates of the whole run. Then `unknown` is the part
	 * of misses that may have been hits, and `above` what to add for the upper bound.
	 */
	struct store_bin *bins;
	size_t bin_count;
	struct profile_spread *bin_spreads; /* of each bin, if there are stretches; else NULL */
	struct arena *pool;		    /* for sums of those */
	bool has_conflicts;		    /* all bins tell them from other misses */
	/* misses in a cache: all; and those that no bin has, as following data was given up */
	struct profile_followed {
		const char *cache; /* "L1d" */
		uint64_t misses, unfollowed;
	} followed[PROFILE_BOUNDS];
	bool has_unfollowed;
	/* and then the share of accesses until it was; 1: it never was */
	double followed_share;
	size_t stretches; /* of such a run; 0: all accesses were simulated */
	double simulated; /* the share of its accesses, then */
	double *scales;	  /* for each process: what its counts are to be multiplied by */
	struct trace_sample_lengths *lengths; /* for each process */
	uint64_t sets;		   /* one of so many parts of the sets was simulated; 1: all */
	struct profile_bounds {	   /* of misses in a cache, if there are stretches */
		const char *cache; /* "L1d"; NULL: not used */
		struct trace_sample_bounds of;
		double rho;
	} bounds[PROFILE_BOUNDS];
	/* of such a run, by structure and cache: the share of cold misses, which evictions hold */
	struct profile_cold_share {
		int64_t structure;
		const char *cache;
		double share;
	} * cold_shares;
	size_t cold_share_count;
	struct store_bin_range *ranges; /* sorted by structure and location */
	size_t range_count;
	struct store_eviction *evictions;
	size_t eviction_count;
	struct profile_spread *eviction_spreads; /* as bin_spreads */
	struct store_references *references;	 /* by structure, then location */
	size_t reference_count;
	struct store_pattern *patterns; /* by structure */
	size_t pattern_count;
	struct profile_accesses *accesses; /* of all code, by location */
	size_t access_count;

	struct model *model;
	uint32_t recorded_line; /* bytes; the line size watched in every sample */
	uint32_t line_bytes;	/* the line size of the members above */
	/*
	 * With another line size than the recorded one, samples are the multi-size samples, and
	 * `touches` is the number of lines that an access touches on average. Otherwise it is 1.
	 */
	double touches;
	const char *machine; /* the machine whose caches are used; NULL: the one that recorded */
	struct profile_cache caches[PROFILE_CACHES]; /* of that machine */
	bool is_beside; /* the store and the processes belong to another profile */
};

/*
 * Read a profile. `process` is a process's number, or STORE_NONE for the one with the most
 * accesses. On failure *p owns nothing. Release with profile_close.
 */
int profile_open(struct profile *p, const char *path, int64_t process, struct err *err);

/* What profile_open_parts takes: the first of these that the profile has is read. */
enum profile_parts {
	PROFILE_BINS = 1,    /* misses by data structure (whose.h); STORE_NONE: of all processes */
	PROFILE_RANGES = 2,  /* with them, their ranges; */
	PROFILE_CAUSES = 4,  /* their evictions */
	PROFILE_CURVES = 8,  /* exact curves: p->is_exact */
	PROFILE_SAMPLES = 16 /* as profile_open */
};

/* The same, of a profile that has one of these parts; any other one is refused. */
int profile_open_parts(struct profile *p, const char *path, int64_t process, unsigned parts,
		       struct err *err);
void profile_close(struct profile *p);

/*
 * The number of variables that come before, or begin at or before the address in the image: the
 * last of them may be around it.
 */
size_t profile_variables_up_to(const struct profile *p, int64_t image, uint64_t address);

/*
 * Change to another line size: samples, ends and model are replaced by those of that size.
 * Returns -1 if the profile has none of it (then *p is unchanged), or memory runs out.
 */
int profile_use_line(struct profile *p, uint64_t line_bytes, struct err *err);

/* The multi-size samples; free(items). */
struct profile_nested {
	struct store_nested *items;
	size_t count;
};

/* Returns -1 if the profile has none, or cannot be read. */
int profile_read_nested(const struct profile *p, struct profile_nested *n, struct err *err);

/*
 * Make *out the profile p for a line size, possibly the recorded one, only from these samples. It
 * shares the rest with p, which must outlive it. Release with profile_leave_line.
 */
int profile_at_line(const struct profile *p, const struct profile_nested *n, uint64_t line_bytes,
		    struct profile *out, struct err *err);
void profile_leave_line(struct profile *p);

/*
 * Another process of an open profile, for questions to its model: it has no locations. It shares
 * the run's data with `run`, which must outlive it. Release with profile_close.
 */
int profile_open_beside(struct profile *p, const struct profile *run, int64_t process,
			struct err *err);

/* The caches of p->machine, or else of the machine that recorded. */
void profile_caches(const struct profile *p, struct profile_cache caches[PROFILE_CACHES]);

/* Ask p about the caches of another profile, as comparisons of two do. */
void profile_take_caches(struct profile *p, const struct profile *from);

/* The name of a cache of the machine with this size, or NULL. */
const char *profile_cache_name(const struct profile *p, uint64_t size_bytes);

/* The model of the query's replacement policy. */
enum model_policy profile_policy(const struct query *q);

/* Set what misses wait in caches whose latencies are not known. */
void profile_set_usual_cycles(struct profile_cache caches[PROFILE_CACHES]);

/*
 * The cache by which a view ranks, in bytes: that of the query; or if it has none, the machine's
 * level whose misses cost most; without any, its largest resolved cache, else its smallest, or 1 MB
 * if they are unknown. Returns -1 if it could not hold a line.
 */
int profile_choose_size(const struct profile *p, const struct query *q, uint64_t *size_bytes,
			struct err *err);
/*
 * The largest cache whose miss ratio is resolved; of larger ones only bounds are known. UINT64_MAX:
 * all are resolved.
 */
uint64_t profile_resolved_size(const struct profile *p);

/* Returns -1 if a cache of size_bytes could not hold a line. */
int profile_check_size(const struct profile *p, uint64_t size_bytes, struct err *err);

/* Returns -1 if a cache of size_bytes is too small for a set with the query's number of ways. */
int profile_check_ways(const struct profile *p, const struct query *q, uint64_t size_bytes,
		       struct err *err);

/*
 * Make *out the query *q with the cache by which a view ranks: profile_choose_size and
 * profile_check_ways. An order that rows of samples do not have is also an error. *q keeps its
 * memory.
 */
int profile_choose(const struct profile *p, const struct query *q, struct query *out,
		   struct err *err);

/* The miss ratio of the query's cache, whose size must be set (rounded down to whole lines). */
void profile_solve(const struct profile *p, const struct query *q, struct model_ratio *out);

/*
 * The share of each of p->ends in the accesses and in the misses of the same cache: over all, 1 and
 * the miss ratio. The caller frees them; NULL with *err when memory runs out.
 */
struct profile_share *profile_attribute(const struct profile *p, const struct query *q,
					struct err *err);
/* The same without cycles, in a quarter of the time. */
struct profile_share *profile_attribute_misses(const struct profile *p, const struct query *q,
					       struct err *err);

/*
 * The cost of the machine's data caches, of samples; see model/cost.h. It has no levels if they are
 * not known. The query chooses the policy and the ways.
 */
void profile_cost(const struct profile *p, const struct query *q, struct cost *out);

/*
 * For profile.c and lines.c: build p->ends and p->model from p's samples with their weights, far
 * reuses and windows.
 */
int profile_build_model(struct profile *p, struct err *err);
/* For profile.c: misses and references by data structure. Returns 0, or -1 with *err. */
int profile_read_bins(struct profile *p, struct err *err);
/* Those of misses in the cache; NULL: all accesses were simulated. */
const struct trace_sample_bounds *profile_bounds(const struct profile *p, const char *cache);
/* For profile.c: turn bins, or evictions, of a sampled simulation into estimates. */
int profile_sample_bins(struct profile *p, struct err *err);
int profile_sample_evictions(struct profile *p, struct err *err);

/* The index of a line size in struct store_far and in the counts of far lines. */
static inline size_t profile_far_size(uint32_t line_bytes)
{
	return (size_t)__builtin_ctz(line_bytes) - 2; /* the first is 4 bytes */
}

/* The number of lines of `line_bytes` that an access touches, at least 1. */
uint32_t profile_lines_touched(const struct store_access *a, uint32_t line_bytes);

/* Index of a closed window by its number; -1 if there is none. */
int64_t profile_window(const struct profile *p, uint32_t number);

/* The path of a location's module, or NULL. */
const char *profile_module_path(const struct profile *p, const struct store_location *l);

/* The index of the structure with this id; SIZE_MAX: there is none. */
size_t profile_structure(const struct profile *p, int64_t id);

/* The location with an id, or NULL. */
const struct store_location *profile_location(const struct profile *p, int64_t id);

/* Its index in p->locations; location_count: it is missing. */
size_t profile_location_index(const struct profile *p, int64_t id);

#endif
