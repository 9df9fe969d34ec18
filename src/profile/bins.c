/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses and references by data structure, of a simulation with bins. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "profile/profile.h"
#include "store/events.h"
#include "store/stretches.h"

/* They are sorted by id. */
size_t profile_structure(const struct profile *p, int64_t id)
{
	const size_t found =
		SEARCH_MATCH(i, p->structure_count, SEARCH_ORDER(p->structures[i].id, id));

	return found < p->structure_count ? found : SIZE_MAX;
}

static int cost_bins(struct profile *p, struct err *err)
{
	p->data_cost_count = p->structure_count;
	p->data_costs = calloc(p->structure_count + 1, sizeof(*p->data_costs));
	if (p->data_costs == NULL)
		return err_set(err, "not enough memory for %zu data structures",
			       p->structure_count);
	for (size_t i = 0; i < p->structure_count; i++)
		p->data_costs[i] = (struct store_data_cost){
			.process_id = p->structures[i].process_id,
			.site_id = p->structures[i].site_id,
			.address = p->structures[i].start,
			.image = p->structures[i].image,
			.accesses = 1, /* not counted */
			.random_misses = STORE_NONE,
		};
	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];
		const size_t at = profile_structure(p, b->structure_id);

		if (at == SIZE_MAX || strcmp(b->cache, "LL") != 0)
			continue;
		p->data_costs[at].lru_misses += (int64_t)b->misses;
		p->data_costs[at].first_touches += b->cold;
	}
	return 0;
}

/* ---- Accesses ---- */

static int compare_locations(const void *a, const void *b)
{
	const struct profile_accesses *x = a, *y = b;

	return (x->location_id > y->location_id) - (x->location_id < y->location_id);
}

/* Sum up items of the same location. */
static void merge_accesses(struct profile *p)
{
	size_t used = 0;

	if (p->access_count > 0)
		qsort(p->accesses, p->access_count, sizeof(*p->accesses), compare_locations);
	for (size_t i = 0; i < p->access_count; i++) {
		if (used > 0 && compare_locations(&p->accesses[used - 1], &p->accesses[i]) == 0)
			p->accesses[used - 1].count += p->accesses[i].count;
		else
			p->accesses[used++] = p->accesses[i];
	}
	p->access_count = used;
}

/* Of the events of misses, the caches, by their letters. */
static const struct {
	const char *cache;
	char of, level;
} caches[] = {{"L1d", 'D', '1'}, {"L1i", 'I', '1'}, {"L2", '\0', '2'},
	      {"L3", '\0', '3'}, {"L4", '\0', '4'}, {"LL", '\0', 'L'}};

/* Of an event of misses, like "DLmr". */
static void add_misses(struct profile *p, const char *event, uint64_t count)
{
	if (strlen(event) != 4 || event[2] != 'm')
		return;
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (caches[i].level == event[1] &&
		    (caches[i].of == '\0' || caches[i].of == event[0]))
			p->followed[i].misses += count;
}

static int add_costs(struct profile *p, const struct store_event *events, size_t n, struct err *err)
{
	struct store_cost *costs = NULL;
	size_t count = 0;

	if (store_read_costs(p->store, p->scope, &costs, &count, err) != 0)
		return -1;
	p->accesses = calloc(count + 1, sizeof(*p->accesses));
	if (p->accesses == NULL) {
		free(costs);
		return err_set(err, "not enough memory for the accesses of %zu instructions",
			       count);
	}
	for (size_t i = 0; i < count; i++) {
		struct profile_accesses *a = &p->accesses[p->access_count++];

		a->location_id = costs[i].location_id;
		for (size_t k = 0; k < n && events[k].formula == NULL; k++)
			add_misses(p, events[k].name, costs[i].values[k]);
		for (size_t k = 0; k < n && events[k].formula == NULL; k++)
			if (strcmp(events[k].name, "Dr") == 0 || strcmp(events[k].name, "Dw") == 0)
				a->count += costs[i].values[k];
	}
	free(costs);
	merge_accesses(p);
	return 0;
}

static int read_accesses(struct profile *p, struct err *err)
{
	struct store_event *events = NULL;
	size_t n = 0;
	int status = store_read_events(p->store, &events, &n, err);

	if (status == 0)
		status = add_costs(p, events, n, err);
	free(events);
	return status;
}

/* The share of accesses before processes gave up to follow data. */
static double followed_share(const struct profile *p)
{
	double all = 0, until = 0;

	for (size_t i = 0; i < p->process_count; i++) {
		const struct store_process *x = &p->processes[i];
		const bool ends = x->data_until > 0 && x->data_until < x->accesses;

		if (p->scope != STORE_ALL && x->id != p->scope)
			continue;
		all += (double)x->accesses;
		until += (double)(ends ? x->data_until : x->accesses);
	}
	return all > 0 ? until / all : 1;
}

/* Where the run gave up to follow data, events went on. Estimates have bounds instead. */
static void find_unfollowed(struct profile *p)
{
	struct profile_followed *data = &p->followed[0], *code = &p->followed[1];
	uint64_t followed[PROFILE_BOUNDS] = {0}, first;

	static_assert(sizeof(caches) / sizeof(caches[0]) == PROFILE_BOUNDS, "one for each");
	for (size_t i = 0; i < PROFILE_BOUNDS; i++) {
		struct profile_followed *f = &p->followed[i];

		f->cache = caches[i].cache;
		for (size_t k = 0; k < p->bin_count; k++)
			if (strcmp(p->bins[k].cache, f->cache) == 0)
				followed[i] += p->bins[k].misses;
		if (p->stretches == 0 && p->sets == 1 && f->misses > followed[i])
			f->unfollowed = f->misses - followed[i];
	}
	/* code outside of files may count as data there */
	first = data->misses + code->misses;
	first = first > followed[0] + followed[1] ? first - followed[0] - followed[1] : 0;
	code->unfollowed = code->unfollowed < first ? code->unfollowed : first;
	data->unfollowed = data->unfollowed > 0 ? first - code->unfollowed : 0;
	for (size_t i = 0; i < PROFILE_BOUNDS; i++)
		p->has_unfollowed |= p->followed[i].unfollowed > 0;
	p->followed_share = followed_share(p);
}

int profile_read_bins(struct profile *p, struct err *err)
{
	struct store *s = p->store;
	const int64_t id = p->scope;

	if (store_read_structures(s, id, &p->structures, &p->structure_count, err) != 0 ||
	    store_read_bins(s, id, &p->bins, &p->bin_count, err) != 0 ||
	    store_read_references(s, id, &p->references, &p->reference_count, err) != 0 ||
	    store_read_patterns(s, id, &p->patterns, &p->pattern_count, err) != 0 ||
	    read_accesses(p, err) != 0 || profile_sample_bins(p, err) != 0)
		return -1;
	find_unfollowed(p);
	p->has_conflicts = p->bin_count > 0;
	for (size_t i = 0; i < p->bin_count; i++)
		p->has_conflicts &= p->bins[i].conflicts != STORE_NOT_TOLD_APART;
	return cost_bins(p, err);
}
