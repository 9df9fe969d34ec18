/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one process of a profile. */
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/size.h"
#include "profile/kinds.h"
#include "profile/weights.h"
#include "store/events.h"

#define LEAST_LINE 4u	 /* bytes: shortest line that samples watch */
#define MOST_LINE  4096u /* and the longest */

/* There must be at least one. */
static const struct store_process *busiest_process(const struct profile *p)
{
	const struct store_process *best = &p->processes[0];

	for (size_t i = 1; i < p->process_count; i++)
		if (p->processes[i].accesses > best->accesses)
			best = &p->processes[i];
	return best;
}

static int choose_process(struct profile *p, int64_t id, struct err *err)
{
	if (p->process_count == 0 && store_meta_int(p->store, "native_programs", 0) > 0)
		return err_set(err, "the profile holds no process: the command was run unprofiled, "
				    "and 'dwell info' says why");
	if (p->process_count == 0)
		return err_set(err, "the profile holds no process: nothing was run, or it ended "
				    "before it could be seen");
	if (id == STORE_NONE)
		p->process = busiest_process(p);
	for (size_t i = 0; i < p->process_count; i++)
		if (p->processes[i].id == id)
			p->process = &p->processes[i];
	p->scope = p->process != NULL ? p->process->id : STORE_NONE;
	if (p->process == NULL)
		return err_set(err,
			       "the profile has no process %" PRId64
			       ": 'dwell report' lists them, from %" PRId64 " to %" PRId64,
			       id, p->processes[0].id, p->processes[p->process_count - 1].id);
	return 0;
}

/* Index of a window by its number, by which windows are sorted. Returns -1 if it is missing. */
int64_t profile_window(const struct profile *p, uint32_t number)
{
	const struct store_window *w = p->windows;
	uint32_t guess;
	size_t found;

	if (p->window_count == 0)
		return -1;
	/* Nearly always, no window is missing before it. */
	guess = number - w[0].number;
	if (guess < p->window_count && w[guess].number == number)
		return guess;
	found = SEARCH_MATCH(i, p->window_count, SEARCH_ORDER(w[i].number, number));
	return found < p->window_count ? (int64_t)found : -1;
}

static int index_locations(struct profile *p, struct err *err)
{
	for (size_t i = 0; i < p->location_count; i++)
		if (map_set(&p->location_index, (uint64_t)p->locations[i].id, i) != 0)
			return err_set(err, "not enough memory for %zu locations",
				       p->location_count);
	return 0;
}

static int compare_sites(const void *a, const void *b)
{
	const struct store_site *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int compare_variables(const void *a, const void *b)
{
	const struct store_variable *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

size_t profile_variables_up_to(const struct profile *p, int64_t image, uint64_t address)
{
	const struct store_variable *v = p->variables;

	return SEARCH_FIRST(i, p->variable_count,
			    v[i].image > image || (v[i].image == image && v[i].start > address));
}

static int read_data(struct profile *p, struct err *err)
{
	int64_t id = p->scope;

	if (store_read_modules(p->store, id, &p->modules, &p->module_count, err) != 0 ||
	    store_read_sites(p->store, id, &p->sites, &p->site_count, err) != 0 ||
	    store_read_variables(p->store, id, &p->variables, &p->variable_count, err) != 0 ||
	    store_read_layouts(p->store, &p->layouts, &p->layout_count, err) != 0 ||
	    store_read_members(p->store, &p->members, &p->member_count, err) != 0)
		return -1;
	if (p->site_count > 0)
		qsort(p->sites, p->site_count, sizeof(*p->sites), compare_sites);
	if (p->variable_count > 0)
		qsort(p->variables, p->variable_count, sizeof(*p->variables), compare_variables);
	return 0;
}

/* Keep the samples of closed windows only. */
static void take_closed(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->sample_count; i++)
		if (profile_window(p, p->samples[i].window) >= 0)
			p->samples[kept++] = p->samples[i];
	p->unclosed_samples = p->sample_count - kept;
	p->sample_count = kept;
}

static int read_samples(struct profile *p, struct err *err)
{
	int64_t id = p->process->id;

	if (store_read_windows(p->store, id, &p->windows, &p->window_count, err) != 0 ||
	    store_read_samples(p->store, id, &p->samples, &p->sample_count, err) != 0 ||
	    store_read_far(p->store, id, &p->far, &p->far_count, err) != 0 ||
	    store_read_stack_distances(p->store, id, &p->stacks, &p->stack_count, err) != 0)
		return -1;
	take_closed(p);
	return weights_of_samples(p, err);
}

static int read_line_bytes(struct profile *p, const char *path, struct err *err)
{
	const int64_t bytes = store_meta_int(p->store, "line_bytes", 64);

	p->line_bytes = bytes >= 0 && bytes <= MOST_LINE ? (uint32_t)bytes : 0;
	p->recorded_line = p->line_bytes;
	p->touches = 1;
	if (p->line_bytes >= LEAST_LINE && p->line_bytes <= MOST_LINE &&
	    (p->line_bytes & (p->line_bytes - 1)) == 0)
		return 0;
	if (bytes == 0) /* as of a simulation */
		return err_set(
			err,
			"profile '%s' has no counts: its run was cut off before it had any, or "
			"has only begun",
			path);
	return err_set(err, "profile '%s' is damaged: it watched lines of %" PRId64 " bytes", path,
		       bytes);
}

static int read_code(struct profile *p, struct err *err)
{
	return store_read_locations(p->store, p->scope, &p->locations, &p->location_count, err) == 0
		       ? index_locations(p, err)
		       : -1;
}

/* Read the samples with their data, and build the model. */
static int read_sampled(struct profile *p, struct err *err)
{
	return read_samples(p, err) == 0 && read_code(p, err) == 0 && read_data(p, err) == 0
		       ? profile_build_model(p, err)
		       : -1;
}

static int read_exact(struct profile *p, struct err *err)
{
	const char *by = store_meta_text(p->store, "exact_by");

	p->exact_size_bytes = (uint64_t)store_meta_int(p->store, "exact_size_bytes", 0);
	p->lines_one_in = (uint64_t)store_meta_int(p->store, "lines_one_in", 1);
	p->is_by_memory = by != NULL && strcmp(by, "data") == 0;
	return read_code(p, err) == 0 && read_data(p, err) == 0 &&
			       store_read_curves(p->store, p->process->id, &p->curves,
						 &p->curve_count, err) == 0
		       ? store_read_data_costs(p->store, p->process->id, &p->data_costs,
					       &p->data_cost_count, err)
		       : -1;
}

static int read_all(struct profile *p, const char *path, int64_t process, struct err *err)
{
	if (read_line_bytes(p, path, err) != 0 ||
	    store_read_processes(p->store, &p->processes, &p->process_count, err) != 0 ||
	    choose_process(p, process, err) != 0)
		return -1;
	return p->is_exact ? read_exact(p, err) : read_sampled(p, err);
}

/* With ranges and evictions if `parts` says so. */
static int read_bins(struct profile *p, int64_t process, unsigned parts, struct err *err)
{
	p->is_exact = true;
	if (store_read_processes(p->store, &p->processes, &p->process_count, err) != 0 ||
	    choose_process(p, process, err) != 0)
		return -1;
	if (process == STORE_NONE && p->process_count > 1)
		p->scope = STORE_ALL;
	if (read_code(p, err) != 0 || read_data(p, err) != 0 || profile_read_bins(p, err) != 0)
		return -1;
	if ((parts & PROFILE_RANGES) != 0 &&
	    store_read_bin_ranges(p->store, p->scope, &p->ranges, &p->range_count, err) != 0)
		return -1;
	if ((parts & PROFILE_CAUSES) == 0)
		return 0;
	return store_read_evictions(p->store, p->scope, &p->evictions, &p->eviction_count, err) == 0
		       ? profile_sample_evictions(p, err)
		       : -1;
}

static int read_parts(struct profile *p, const char *path, int64_t process, unsigned parts,
		      struct err *err)
{
	const unsigned kinds = profile_kinds(p->store);
	const unsigned takes = ((parts & PROFILE_BINS) != 0 ? KIND_BINS : 0) |
			       ((parts & PROFILE_CURVES) != 0 ? KIND_CURVES : 0) |
			       ((parts & PROFILE_SAMPLES) != 0 ? KINDS_RECORDED : 0);

	if ((takes & kinds) == 0)
		return profile_refuse(path, kinds, takes, err);
	if ((takes & kinds & KIND_BINS) != 0)
		return read_bins(p, process, parts, err);
	p->is_exact = (kinds & KIND_CURVES) != 0;
	return read_all(p, path, process, err);
}

int profile_open_parts(struct profile *p, const char *path, int64_t process, unsigned parts,
		       struct err *err)
{
	memset(p, 0, sizeof(*p));
	if (store_open_readonly(path, &p->store, err) != 0)
		return -1;
	if (read_parts(p, path, process, parts, err) == 0)
		return 0;
	profile_close(p);
	return -1;
}

int profile_open(struct profile *p, const char *path, int64_t process, struct err *err)
{
	return profile_open_parts(p, path, process, PROFILE_SAMPLES, err);
}

int profile_open_beside(struct profile *p, const struct profile *run, int64_t process,
			struct err *err)
{
	*p = (struct profile){
		.store = run->store,
		.processes = run->processes,
		.process_count = run->process_count,
		.line_bytes = run->line_bytes,
		.recorded_line = run->recorded_line,
		.touches = 1,
		.is_beside = true,
	};
	if (choose_process(p, process, err) == 0 && read_samples(p, err) == 0 &&
	    profile_build_model(p, err) == 0)
		return 0;
	profile_close(p);
	return -1;
}

void profile_close(struct profile *p)
{
	model_free(p->model);
	map_release(&p->location_index);
	free(p->data_costs);
	free(p->structures);
	free(p->scales);
	free(p->cold_shares);
	free(p->lengths);
	free(p->bin_spreads);
	free(p->eviction_spreads);
	if (p->pool != NULL)
		arena_release(p->pool);
	free(p->pool);
	free(p->bins);
	free(p->ranges);
	free(p->evictions);
	free(p->references);
	free(p->patterns);
	free(p->accesses);
	free(p->curves);
	free(p->variables);
	free(p->layouts);
	free(p->members);
	free(p->sites);
	free(p->modules);
	free(p->locations);
	free(p->weights);
	for (size_t k = 0; k < PROFILE_STRATA; k++)
		free(p->strata[k]);
	free(p->ends);
	free(p->far);
	free(p->stacks);
	free(p->samples);
	free(p->windows);
	if (!p->is_beside) {
		free(p->processes);
		store_close(p->store);
	}
	memset(p, 0, sizeof(*p));
}

const struct store_location *profile_location(const struct profile *p, int64_t id)
{
	uint64_t index;

	if (id < 0 || p->location_count == 0)
		return NULL;
	/* Nearly always, ids are consecutive. */
	index = (uint64_t)id - (uint64_t)p->locations[0].id;
	if (index < p->location_count && p->locations[index].id == id)
		return &p->locations[index];
	if (!map_get(&p->location_index, (uint64_t)id, &index))
		return NULL;
	return &p->locations[index];
}

size_t profile_location_index(const struct profile *p, int64_t id)
{
	const struct store_location *l = profile_location(p, id);

	return l != NULL ? (size_t)(l - p->locations) : p->location_count;
}

const char *profile_module_path(const struct profile *p, const struct store_location *l)
{
	/* Of one process, they are few, in order of id. */
	for (size_t i = 0; i < p->module_count; i++)
		if (p->modules[i].id == l->module_id)
			return p->modules[i].path;
	return NULL;
}
