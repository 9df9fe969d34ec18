/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One process of a profile, read into memory with its model: what all views start from. */
#ifndef DWELL_REPORT_PROFILE_H
#define DWELL_REPORT_PROFILE_H

#include <stdbool.h>

#include "base/map.h"
#include "model/model.h"
#include "store/store_read.h"

/* Fewer than these, and a view says so. */
#define PROFILE_ENOUGH_SAMPLES 10000
#define PROFILE_ENOUGH_WINDOWS 25

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
	 * What became of some of the samples; none when the process was cut off: of
	 * the lines watched on only those that were touched are told of then, which are the near ones.
	 */
	struct store_follow *follows;
	size_t follow_count;
	bool cut_follows; /* the profile has some, not used for this reason */
	struct store_location *locations;
	size_t location_count;
	struct map location_index; /* id -> index in locations */

	struct model *model;
	uint32_t line_bytes;
	bool is_beside; /* the store and the processes are another profile's */
};

/* The machine's data caches as the profile knows them; size 0: not known. */
struct profile_cache {
	const char *name; /* "L1d", "L2", "L3" */
	uint64_t size_bytes;
};
#define PROFILE_CACHES 3

/*
 * Read a profile. `process` is an order number, or STORE_NONE for the process
 * with the most accesses. On failure *p owns nothing. Release with profile_close.
 */
int profile_open(struct profile *p, const char *path, int64_t process, struct err *err);
void profile_close(struct profile *p);

/*
 * Another process of a profile that is open, to ask its model: it has no locations. It
 * shares what belongs to the run with `run`, which must outlive it. Release with profile_close.
 */
int profile_open_beside(struct profile *p, const struct profile *run, int64_t process,
			struct err *err);

void profile_caches(const struct profile *p, struct profile_cache caches[PROFILE_CACHES]);

/*
 * The cache that a view ranks by, in bytes: `asked`, or when that is 0 the L2 of the machine that
 * recorded, or 1 MB where that is not known. Returns -1 when it could not hold a line.
 */
int profile_choose_size(const struct profile *p, uint64_t asked, uint64_t *size_bytes,
			struct err *err);
/* Returns -1 when a cache of size_bytes could not hold a line. */
int profile_check_size(const struct profile *p, uint64_t size_bytes, struct err *err);

/* The miss ratio of a cache of size_bytes (rounded down to whole lines). */
void profile_solve(const struct profile *p, enum model_policy policy, uint64_t size_bytes,
		   struct model_ratio *out);

/* Index of a window by its number, or -1: the profile has none that closed. */
int64_t profile_window(const struct profile *p, uint32_t number);

/* The location of an id, or NULL. */
const struct store_location *profile_location(const struct profile *p, int64_t id);

#endif
