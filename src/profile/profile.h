/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One process of a profile, read into memory with its model: what all views start from. */
#ifndef DWELL_PROFILE_PROFILE_H
#define DWELL_PROFILE_PROFILE_H

#include <stdbool.h>

#include "base/map.h"
#include "model/model.h"
#include "query/query.h"
#include "store/curves.h"
#include "store/store_read.h"

/* Fewer than these, and a view says so. */
#define PROFILE_ENOUGH_SAMPLES 10000
#define PROFILE_ENOUGH_WINDOWS 25

/* The machine's data caches as the profile knows them; size 0: not known. */
struct profile_cache {
	const char *name; /* "L1d", "L2", "L3" */
	uint64_t size_bytes;
};
#define PROFILE_CACHES 3

#define PROFILE_LOAD 1 /* kind of an access: neither a store nor both */

/* The weight of a sample that speaks for itself alone. */
#define PROFILE_WEIGHT_ONE 256u

struct profile {
	struct store *store;
	struct store_process *processes;
	size_t process_count;
	const struct store_process *process; /* the one chosen */

	struct store_window *windows;
	size_t window_count;
	/* Of windows that closed, in the order of the model's shares. */
	struct store_sample *samples;
	size_t sample_count;
	/*
	 * Samples of a window that never closed (the process was killed): its reused
	 * samples were written and the others not, so none of them may count.
	 */
	size_t cut_samples;
	/*
	 * What became of some of the samples; none when the process was cut off: of the lines
	 * watched on only those that were touched are told of then, which are the near ones.
	 */
	struct store_follow *follows;
	size_t follow_count;
	struct store_stack_distance *stacks; /* of all sizes of lines */
	size_t stack_count;
	struct store_arrival *arrivals;
	size_t arrival_count; /* 0 with other lines than those recorded */
	bool cut_follows;     /* the profile has some, not used for this reason */
	struct store_location *locations;
	size_t location_count;
	struct map location_index; /* id -> index in locations */
	struct store_module *modules;
	size_t module_count;
	/*
	 * What data is: call paths that allocate, and variables by rising start, wider ones first.
	 */
	struct store_site *sites;
	size_t site_count;
	struct store_variable *variables;
	size_t variable_count;

	/*
	 * Of a run that was simulated: then there are no samples and no model, and all of this
	 * counts.
	 */
	bool is_exact;
	struct store_curve *curves;
	size_t curve_count;
	struct store_data_cost *data_costs; /* of a cache of exact_size_bytes */
	size_t data_cost_count;
	uint64_t exact_size_bytes;
	bool is_by_memory; /* the costs are of lines of memory */

	struct model *model;
	uint32_t recorded_line; /* bytes, of those watched in each sample */
	uint32_t line_bytes;	/* that all of the above is about */
	/* Each sample speaks for so many of its window, times PROFILE_WEIGHT_ONE. */
	uint32_t *weights;
	/*
	 * With other lines than those recorded the samples are those watched at all sizes: what
	 * became of each speaks for so many, too, and an access touches so many lines on average.
	 * Else NULL and 1.
	 */
	uint32_t *follow_weights;
	double touches;
	size_t chosen_from; /* samples at the recorded size; else 0 */
	/*
	 * And of these, as the model's yardstick: the model of all, and that of the chosen with
	 * lines of the recorded size, which is the profile's own. `all` is its own, too, where the
	 * profile that had it is no more; else NULL.
	 */
	struct model *all, *chosen;
	const char *machine; /* whose caches are asked about; NULL: the one that recorded */
	struct profile_cache caches[PROFILE_CACHES]; /* of that machine */
	bool is_beside; /* the store and the processes are another profile's */
};

/*
 * Read a profile. `process` is an order number, or STORE_NONE for the process
 * with the most accesses. On failure *p owns nothing. Release with profile_close.
 */
int profile_open(struct profile *p, const char *path, int64_t process, struct err *err);
/* The same; also of exact curves, which others refuse: p->is_exact. */
int profile_open_exact(struct profile *p, const char *path, int64_t process, struct err *err);
void profile_close(struct profile *p);

/*
 * Look at the same process with lines of other sizes than the one recorded: samples, follows and
 * model become those of that size. Returns -1 when the profile has none of it (then *p is as
 * it was), or memory runs out.
 */
int profile_use_line(struct profile *p, uint64_t line_bytes, struct err *err);

/* The samples that were watched at all line sizes; free(items). */
struct profile_nested {
	struct store_nested *items;
	size_t count;
};

/* Returns -1 when the profile was recorded without, or it cannot be read. */
int profile_read_nested(const struct profile *p, struct profile_nested *n, struct err *err);

/*
 * *out becomes p seen with lines of that size, from these samples alone, also if it is the size
 * that was recorded. It shares the rest with p, which must outlive it. Give back with
 * profile_leave_line.
 */
int profile_at_line(const struct profile *p, const struct profile_nested *n, uint64_t line_bytes,
		    struct profile *out, struct err *err);
void profile_leave_line(struct profile *p);

/*
 * Another process of a profile that is open, to ask its model: it has no locations. It
 * shares what belongs to the run with `run`, which must outlive it. Release with profile_close.
 */
int profile_open_beside(struct profile *p, const struct profile *run, int64_t process,
			struct err *err);

/* Those of p->machine, else of the machine that recorded. */
void profile_caches(const struct profile *p, struct profile_cache caches[PROFILE_CACHES]);

/* Name of one of the machine's caches with that size, or NULL. */
const char *profile_cache_name(const struct profile *p, uint64_t size_bytes);

/* The model of the query's replacement policy. */
enum model_policy profile_policy(const struct query *q);

/*
 * The cache that a view ranks by, in bytes: `asked`, or when that is 0 the largest of the machine's
 * caches that is resolved, or the smallest where none is, or 1 MB where they are not known. Returns
 * -1 when it could not hold a line.
 */
int profile_choose_size(const struct profile *p, uint64_t asked, uint64_t *size_bytes,
			struct err *err);
/*
 * The miss ratios of caches up to this size are resolved: those of larger ones are bounds only.
 * UINT64_MAX: all are.
 */
uint64_t profile_resolved_size(const struct profile *p);

/* Returns -1 when a cache of size_bytes could not hold a line. */
int profile_check_size(const struct profile *p, uint64_t size_bytes, struct err *err);

/*
 * Returns -1 when a set of the query's cache of size_bytes could not hold as many lines as are
 * asked for.
 */
int profile_check_ways(const struct profile *p, const struct query *q, uint64_t size_bytes,
		       struct err *err);

/*
 * *out becomes *q with the cache that a view ranks by: profile_choose_size and
 * profile_check_ways. An order that rows of samples have not is an error, too. What *q owns stays
 * there.
 */
int profile_choose(const struct profile *p, const struct query *q, struct query *out,
		   struct err *err);

/* The miss ratio of the query's cache, whose size is chosen (rounded down to whole lines). */
void profile_solve(const struct profile *p, const struct query *q, struct model_ratio *out);

/* The samples' shares of the accesses and of the misses of the same cache; see model_attribute. */
int profile_attribute(const struct profile *p, const struct query *q, struct model_share *shares,
		      struct err *err);

/* Build p->model from p's samples, follows and windows; the samples that do not count go. */
int profile_build_model(struct profile *p, struct err *err);

/* Lines of `line_bytes` that an access touches, at least 1. */
uint32_t profile_lines_touched(const struct store_access *a, uint32_t line_bytes);

/* Index of a window by its number, or -1: the profile has none that closed. */
int64_t profile_window(const struct profile *p, uint32_t number);

/* The path of a location's module, or NULL. */
const char *profile_module_path(const struct profile *p, const struct store_location *l);

/* The location of an id, or NULL. */
const struct store_location *profile_location(const struct profile *p, int64_t id);

#endif
