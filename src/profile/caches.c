/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches that views ask about, and the model's answers for them. */
#include <inttypes.h>
#include <string.h>

#include "base/machines.h"
#include "base/size.h"
#include "profile/profile.h"

#define DEFAULT_SIZE (1u << 20)

void profile_set_usual_cycles(struct profile_cache caches[PROFILE_CACHES])
{
	size_t count = 0;

	for (size_t i = 0; i < PROFILE_CACHES; i++)
		if (caches[i].size_bytes > 0)
			count = i + 1;
	for (size_t i = 0; i < count; i++)
		caches[i].miss_cycles =
			machine_usual_cycles(i + 1 < count ? caches[i + 1].size_bytes : 0);
}

void profile_caches(const struct profile *p, struct profile_cache caches[PROFILE_CACHES])
{
	static const char *const keys[PROFILE_CACHES][2] = {
		{"L1d", "l1d_bytes"}, {"L2", "l2_bytes"}, {"L3", "l3_bytes"}};

	if (p->machine != NULL) {
		memcpy(caches, p->caches, sizeof(p->caches));
		return;
	}
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		int64_t bytes = store_meta_int(p->store, keys[i][1], 0);

		caches[i] = (struct profile_cache){keys[i][0], bytes > 0 ? (uint64_t)bytes : 0};
	}
	profile_set_usual_cycles(caches);
}

void profile_take_caches(struct profile *p, const struct profile *from)
{
	profile_caches(from, p->caches);
	p->machine = from->machine != NULL ? from->machine : "the other profile's";
}

uint64_t profile_resolved_size(const struct profile *p)
{
	struct model_resolution r;
	uint64_t lines;

	if (p->is_exact || p->sample_count == 0)
		return UINT64_MAX;
	model_resolve(p->model, &r);
	if (r.unresolved <= 0)
		return UINT64_MAX;
	lines = (uint64_t)r.lines;
	return (lines > 0 ? lines : 1) * p->line_bytes;
}

/*
 * That of the level whose misses cost most; 0: they cost nothing, or less than first touches, which
 * miss in all levels.
 */
static uint64_t costly_size(const struct profile *p, const struct query *q)
{
	struct cost cost;

	profile_cost(p, q, &cost);
	if (cost.focus == cost.count || cost.verdict == COST_FIRST)
		return 0;
	return cost.levels[cost.focus].size_bytes;
}

/* The largest cache of the machine that is resolved; if there is none, the smallest. */
static uint64_t resolved_size(const struct profile *p)
{
	struct profile_cache caches[PROFILE_CACHES];
	uint64_t resolved = profile_resolved_size(p), size = 0;

	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++)
		if (caches[i].size_bytes >= p->line_bytes &&
		    (size == 0 || caches[i].size_bytes <= resolved))
			size = caches[i].size_bytes;
	return size > 0 ? size : DEFAULT_SIZE;
}

int profile_choose_size(const struct profile *p, const struct query *q, uint64_t *size_bytes,
			struct err *err)
{
	const uint64_t asked = q->size_bytes;
	char size[SIZE_TEXT_BYTES];

	if (p->is_exact) {
		*size_bytes = p->exact_size_bytes;
		return asked == 0 || asked == *size_bytes
			       ? 0
			       : err_set(err,
					 "the run was simulated in a cache of %s: leave out --size",
					 size_format(*size_bytes, size));
	}
	*size_bytes = asked > 0 ? asked : costly_size(p, q);
	if (*size_bytes == 0)
		*size_bytes = resolved_size(p);
	return profile_check_size(p, *size_bytes, err);
}

int profile_check_size(const struct profile *p, uint64_t size_bytes, struct err *err)
{
	if (size_bytes < p->line_bytes)
		return err_set(err,
			       "a cache of %" PRIu64 " byte%s: it must hold a line of %" PRIu32,
			       size_bytes, size_bytes == 1 ? "" : "s", p->line_bytes);
	return 0;
}

int profile_check_ways(const struct profile *p, const struct query *q, uint64_t size_bytes,
		       struct err *err)
{
	char size[SIZE_TEXT_BYTES];

	if (size_bytes / p->line_bytes >= q->ways)
		return 0;
	return err_set(err,
		       "a cache of %s could not hold a set of %" PRIu64 " lines of %" PRIu32
		       " bytes: ask for fewer --ways, or for a larger cache",
		       size_format(size_bytes, size), q->ways, p->line_bytes);
}

int profile_choose(const struct profile *p, const struct query *q, struct query *out,
		   struct err *err)
{
	enum query_order order;

	*out = *q;
	if (query_order(q, &order, err) != 0)
		return -1;
	if (q->size_bytes == 0) {
		out->size_bytes = costly_size(p, q);
		out->is_by_cost = out->size_bytes > 0;
	}
	if (out->size_bytes == 0)
		out->size_bytes = p->is_exact ? p->exact_size_bytes : resolved_size(p);
	if (profile_choose_size(p, out, &out->size_bytes, err) != 0)
		return -1;
	if (!p->is_exact)
		return profile_check_ways(p, q, out->size_bytes, err);
	if (q->ways > 0)
		return err_set(err, "the run was simulated in a fully associative cache: leave out "
				    "--ways");
	return 0;
}

enum model_policy profile_policy(const struct query *q)
{
	static const enum model_policy policies[] = {
		[QUERY_RANDOM] = MODEL_RANDOM, [QUERY_LRU] = MODEL_LRU};

	return policies[q->policy];
}

void profile_solve(const struct profile *p, const struct query *q, struct model_ratio *out)
{
	const struct model_cache cache = {q->size_bytes / p->line_bytes, q->ways};

	model_solve(p->model, profile_policy(q), &cache, out);
}

const char *profile_cache_name(const struct profile *p, uint64_t size_bytes)
{
	struct profile_cache caches[PROFILE_CACHES];

	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++)
		if (caches[i].size_bytes == size_bytes)
			return caches[i].name;
	return NULL;
}
