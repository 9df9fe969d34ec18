/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples and far reuses stand for. Most accesses touch a line again soon, and such reuses
 * miss in no relevant cache. So a window keeps only a few near samples. It records how many
 * accesses it sampled, so that the kept near samples can represent the dropped ones (stratified
 * sampling; Neyman, 1934: strata whose members differ little need few samples).
 */
#ifndef DWELL_PROFILE_WEIGHTS_H
#define DWELL_PROFILE_WEIGHTS_H

#include "profile/profile.h"

/* Strata of samples. Those of far reuses are all of one. */
enum stratum {
	STRATUM_NEAR, /* only partly kept */
	STRATUM_REST,
};

/* The stratum of a sample of lines of the recorded size that ended at this distance. */
enum stratum stratum_of(const struct profile *p, const struct store_access *begin, bool is_reused,
			uint64_t distance);

/*
 * Set p->weights, which add up to the length of each window, and p->strata, from p's samples of the
 * recorded size. Returns 0, or -1 with *err when memory runs out.
 */
int weights_of_samples(struct profile *p, struct err *err);

/* The accesses of a window for which an access chosen at random stands. */
double weights_one(const struct store_window *w);

/* One of a random choice; its weight is right on average only. */
struct weighed {
	enum stratum stratum;
	uint32_t window; /* index */
	double weight;	 /* how many of its window it stands for */
};

/*
 * Scale the weights of a stratum so that they add up to what is known of each window, `known`: not
 * window by window, as few are chosen of each, but in blocks of consecutive windows that have
 * enough of them (ratio estimation; Cochran, "Sampling techniques", 1977, chapter 6). Returns 0, or
 * -1 with *err when memory runs out.
 */
int weights_fit(const struct profile *p, enum stratum stratum, const double *known,
		struct weighed *items, size_t count, struct err *err);

#endif
