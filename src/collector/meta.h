/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts known when a run begins, and when it ends, for the profile's table meta. */
#ifndef DWELL_COLLECTOR_META_H
#define DWELL_COLLECTOR_META_H

#include "collector/collector.h"
#include "store/store.h"

/* Write the options of the run and its machine. Returns 0, or -1 with *err set. */
int meta_put_start(struct store *s, const struct collector_options *o, struct err *err);

struct meta_end {
	uint64_t wall_ns;
	uint64_t target_cpu_ns, collector_cpu_ns;
	uint64_t tsc_hz; /* 0: not known */
	bool has_budget; /* the result tells what sampling has cost */
};

/* Write how the run ended. Returns 0, or -1 with *err set. */
int meta_put_end(struct store *s, const struct collector_result *r, const struct meta_end *end,
		 struct err *err);

#endif
