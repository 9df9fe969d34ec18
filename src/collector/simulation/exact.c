/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates the streams of a run for exact curves, and sums by code and data; see exact.h. */
#include "collector/simulation/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/size.h"
#include "collector/collector.h"
#include "collector/record_check.h"
#include "collector/recorder.h"
#include "collector/recorder_parts.h"
#include "collector/simulation/line_sample.h"
#include "collector/simulation/sim_heap.h"
#include "store/curves.h"

/*
 * Accesses to prefetch ahead: simulating this many takes as long as a cache miss in a large table.
 */
#define AHEAD 12
/* Streams are long: a larger ring than for samples, for fewer processes at a time. */
#define SLOTS	     64
#define RING_BYTES   ((uint64_t)4 << 20)
#define GRANULE_BITS 3 /* variables in the same 8 bytes count as one */

/* EXACT_BY_NOTHING: NULL */
static const char *const by_names[EXACT_BYS] = {
	[EXACT_BY_LINE] = "line",
	[EXACT_BY_FUNCTION] = "function",
	[EXACT_BY_DATA] = "data",
	[EXACT_BY_OBJECT] = "object",
};

struct exact_process {
	uint64_t accesses;
	struct sim_curve curves[EXACT_MAX_LINES];
	struct line_sample sample;
};

static bool is_by_code(const struct exact_options *o)
{
	return o->by == EXACT_BY_LINE || o->by == EXACT_BY_FUNCTION;
}

void exact_prepare(const struct exact_options *o, struct collector_options *run)
{
	run->exact = o;
	run->config.mode = CHANNEL_MODE_STREAM;
	run->config.stream_marks = is_by_code(o)	      ? STREAM_MARK_PC
				   : o->by == EXACT_BY_OBJECT ? STREAM_MARK_SITE
							      : 0;
	run->config.objects = o->by == EXACT_BY_OBJECT;
	if (o->one_in > 0) {
		run->config.mode = CHANNEL_MODE_LINES;
		run->config.lines_one_in = o->one_in;
		run->config.line_bytes = o->line_bytes[0];
		run->config.seed = o->seed;
	}
	run->slot_count = SLOTS;
	run->ring_bytes = RING_BYTES;
}

static void fail(struct recorder *r)
{
	if (!r->failed)
		err_set(&r->err,
			"not enough memory to simulate the program: try fewer or larger lines");
	r->failed = true;
}

/* ---- The beginning ---- */

/* The columns of sums, in the order of values_of: views sort by the first one. */
static int put_events(const struct exact_options *o, struct store *store, struct err *err)
{
	struct store_event events[2 + SIM_POLICIES];
	size_t count = 0;

	if (o->policies[SIM_LRU])
		events[count++] =
			(struct store_event){"lru_misses", "misses with LRU replacement", NULL};
	if (o->policies[SIM_RANDOM])
		events[count++] = (struct store_event){"random_misses",
						       "misses with random replacement", NULL};
	events[count++] = (struct store_event){
		"first_touches", "accesses that touched a line for the first time", NULL};
	events[count++] = (struct store_event){"accesses", "accesses to memory", NULL};
	return store_put_events(store, events, count, err);
}

static int put_cache(const struct exact_options *o, struct store *store, struct err *err)
{
	char size[SIZE_TEXT_BYTES], value[64 + SIZE_TEXT_BYTES];

	snprintf(value, sizeof(value), "%s, fully associative, lines of %" PRIu32 " bytes",
		 size_format(o->size_bytes[o->at], size), o->line_bytes[0]);
	if (store_put_meta_text(store, "exact_by", by_names[o->by], err) != 0 ||
	    store_put_meta_int(store, "exact_size_bytes", (int64_t)o->size_bytes[o->at], err) != 0)
		return -1;
	if (!is_by_code(o))
		return 0;
	return store_put_geometry(store, "data cache", value, err) == 0 ? put_events(o, store, err)
									: -1;
}

int recorder_simulate(struct recorder *r, const struct exact_options *o)
{
	r->exact = calloc(1, sizeof(*r->exact));
	if (r->exact == NULL)
		return -1;
	r->exact->options = o;
	sim_keys_init(&r->exact->keys, o->at, &sim_heap);
	r->asks_names = is_by_code(o) || o->by == EXACT_BY_OBJECT;
	r->naming.has_data = o->by == EXACT_BY_OBJECT;
	if (is_by_code(o)) {
		r->naming.listener = recorder_on_names;
		r->naming.listener_context = r;
	}
	note(r, store_put_meta_int(r->store, "line_bytes", o->line_bytes[0], &r->err));
	if (!r->failed)
		note(r, store_put_meta_int(r->store, "seed", (int64_t)o->seed, &r->err));
	if (!r->failed && o->one_in > 0)
		note(r, store_put_meta_int(r->store, "lines_one_in", (int64_t)o->one_in, &r->err));
	if (!r->failed && o->by != EXACT_BY_NOTHING)
		note(r, put_cache(o, r->store, &r->err));
	return 0;
}

static void free_process(struct process *p)
{
	for (unsigned i = 0; p->exact != NULL && i < EXACT_MAX_LINES; i++)
		sim_curve_release(&p->exact->curves[i]);
	if (p->exact != NULL)
		line_sample_release(&p->exact->sample);
	free(p->exact);
	p->exact = NULL;
}

void exact_release(struct recorder *r)
{
	for (size_t i = 0; i < r->processes.count; i++)
		free_process(r->processes.items[i]);
	if (r->exact == NULL)
		return;
	sim_keys_release(&r->exact->keys);
	map_release(&r->exact->data_by_hash);
	free(r->exact->data.items);
	free(r->exact);
	r->exact = NULL;
}

static int begin_sample(const struct exact_options *o, struct exact_process *p)
{
	const struct line_sample_config config = {
		.line_bytes = o->line_bytes[0],
		.size_bytes = o->size_bytes,
		.size_count = o->size_count,
		.one_in = o->one_in,
		.most = o->most_sampled,
		.seed = o->seed,
	};

	return line_sample_init(&p->sample, &config);
}

static int begin_curves(const struct exact_options *o, struct exact_process *p)
{
	uint64_t *lines = calloc(o->size_count + 1, sizeof(*lines));
	int status = lines != NULL ? 0 : -1;

	for (unsigned i = 0; i < o->line_count && status == 0; i++) {
		struct sim_curve_config config = {
			.line_bytes = o->line_bytes[i],
			.size_lines = lines,
			.size_count = o->size_count,
			.policies = {o->policies[0], o->policies[1]},
			.seed = o->seed,
		};

		for (unsigned k = 0; k < o->size_count; k++)
			lines[k] = o->size_bytes[k] / o->line_bytes[i];
		status = sim_curve_init(&p->curves[i], &config, &sim_heap);
	}
	free(lines);
	return status;
}

void exact_begin(struct recorder *r, struct process *p)
{
	const struct exact_options *o = r->exact->options;

	if (o->process >= 0 && o->process != p->row.id)
		return;
	p->exact = calloc(1, sizeof(*p->exact));
	if (p->exact == NULL ||
	    (o->one_in > 0 ? begin_sample(o, p->exact) : begin_curves(o, p->exact)) != 0)
		fail(r);
}

/* ---- Accesses ---- */

/* What a stream's marks say about the accesses after them. */
struct mark {
	uint64_t key; /* of code */
	int64_t site; /* of the store; STORE_NONE: none */
	bool may_hold_files;
};

/* The key of a datum, added if new; UINT64_MAX when memory ran out. */
static uint64_t key_of(struct exact *e, const struct exact_datum *d, bool *is_new)
{
	uint64_t hash = (uint64_t)d->process * UINT64_C(0x9e3779b97f4a7c15), key;

	hash = (hash ^ (uint64_t)d->site) * UINT64_C(0xd6e8feb86659fd93);
	hash = (hash ^ hash >> 32 ^ d->address) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ (uint64_t)d->image) * UINT64_C(0xd6e8feb86659fd93);
	*is_new = false;
	if (map_get(&e->data_by_hash, hash, &key))
		return key;
	if (!ARRAY_GROW(&e->data) || map_set(&e->data_by_hash, hash, e->data.count) != 0)
		return UINT64_MAX;
	*is_new = true;
	e->data.items[e->data.count] = *d;
	return e->data.count++;
}

static uint64_t key_of_memory(struct recorder *r, const struct process *p, uint64_t address)
{
	const unsigned shift = p->exact->curves[0].line_shift;
	struct exact_datum d = {p->row.id, STORE_NONE, address >> shift << shift, 0};
	bool is_new;

	return key_of(r->exact, &d, &is_new);
}

/*
 * The blocks of a site have one key. Where variables of files may be, each 8 bytes have their own
 * key instead: the reader of the profile finds the variable.
 */
static uint64_t key_of_object(struct recorder *r, struct process *p, const struct mark *m,
			      uint64_t address)
{
	struct exact_datum d = {p->row.id, m->site, 0, 0};
	uint64_t start, key;
	const uint64_t position = p->exact->accesses;
	const bool is_placed = m->site != STORE_NONE;
	int64_t named = regions_find(&p->regions, address, position, &start);
	bool is_new;

	if (named != 0)
		d.site = named;
	else if (m->may_hold_files)
		d.image = data_map_find(&p->data, address, position, is_placed);
	if (d.image != 0)
		d.address = address >> GRANULE_BITS << GRANULE_BITS;
	key = key_of(r->exact, &d, &is_new);
	if (!is_new || d.address == 0)
		return key;
	/* Keep the full address: a variable may begin after the granule's first byte. */
	r->exact->data.items[key].address = address;
	return data_map_touch(&p->data, p->row.id, address, position, is_placed, &r->naming.data,
			      &d.image) == 0
		       ? key
		       : UINT64_MAX;
}

static void take_mark(struct recorder *r, struct process *p, uint64_t entry, struct mark *m)
{
	uint64_t value = STREAM_ADDRESS(entry);
	int64_t location;

	if (STREAM_SIZE(entry) == 1) {
		int64_t site = sites_find(&r->sites, p->row.id, (uint32_t)value);

		m->site = site != 0 ? site : STORE_NONE;
		m->may_hold_files = sites_may_hold_files(&r->sites, p->row.id, (uint32_t)value);
	} else if (is_by_code(r->exact->options)) {
		location = recorder_locate(r, p, value, p->exact->accesses);
		m->key = (uint64_t)location;
		if (simulation_keep(&r->simulation, (uint32_t)p->row.id, (size_t)location) != 0)
			fail(r);
	}
}

static void simulate(struct sim_curve *c, const uint64_t *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			sim_curve_prefetch(c, STREAM_ADDRESS(entries[i + AHEAD]));
		if (STREAM_KIND(entries[i]) != 0)
			sim_curve_access(c, STREAM_ADDRESS(entries[i]), STREAM_SIZE(entries[i]));
	}
}

/* The same, and add each access to its key. */
static void simulate_by_key(struct recorder *r, struct process *p, const uint64_t *entries,
			    uint32_t count)
{
	const enum exact_by by = r->exact->options->by;
	struct sim_curve *c = &p->exact->curves[0];
	struct mark m = {0, STORE_NONE, true};

	for (uint32_t i = 0; i < count && !r->failed; i++) {
		uint64_t address = STREAM_ADDRESS(entries[i]), key = m.key;
		struct sim_outcome outcome;

		if (i + AHEAD < count)
			sim_curve_prefetch(c, STREAM_ADDRESS(entries[i + AHEAD]));
		if (STREAM_KIND(entries[i]) == 0) {
			take_mark(r, p, entries[i], &m);
			continue;
		}
		if (by == EXACT_BY_DATA)
			key = key_of_memory(r, p, address);
		else if (by == EXACT_BY_OBJECT)
			key = key_of_object(r, p, &m, address);
		outcome = sim_curve_access(c, address, STREAM_SIZE(entries[i]));
		if (key == UINT64_MAX || sim_keys_add(&r->exact->keys, key, &outcome) != 0)
			fail(r);
	}
}

static uint32_t count_accesses(const uint64_t *entries, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += STREAM_KIND(entries[i]) != 0;
	return n;
}

const char *recorder_on_stream(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_stream *s = (const void *)h;
	const uint64_t *entries = record_stream_entries(s);
	unsigned first = 0;

	if (p->exact == NULL)
		return NULL;
	if (r->exact->options->by != EXACT_BY_NOTHING) {
		first = 1;
		simulate_by_key(r, p, entries, s->count);
	}
	p->exact->accesses += count_accesses(entries, s->count);
	for (unsigned i = first; i < r->exact->options->line_count; i++)
		simulate(&p->exact->curves[i], entries, s->count);
	for (unsigned i = 0; i < r->exact->options->line_count; i++)
		if (sim_curve_failed(&p->exact->curves[i]))
			fail(r);
	return NULL;
}

/* ---- Samples of lines ---- */

const char *recorder_on_lines(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_lines *l = (const void *)h;
	const uint64_t *entries = record_lines_entries(l);

	if (p->exact == NULL)
		return NULL;
	p->exact->sample.accesses += l->accesses;
	line_sample_touched(&p->exact->sample, l);
	for (uint32_t i = 0; i < l->count; i++)
		line_sample_access(&p->exact->sample, STREAM_ADDRESS(entries[i]),
				   STREAM_SIZE(entries[i]));
	if (p->exact->sample.lru.failed)
		fail(r);
	return NULL;
}

const char *recorder_on_probes(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_probes *l = (const void *)h;
	const uint64_t *entries = record_probes_entries(l);

	for (uint32_t i = 0; p->exact != NULL && i < l->count; i++)
		line_sample_probe(&p->exact->sample, l->level, l->weight, entries[i]);
	return NULL;
}

/* ---- Writing ---- */

static void write_sample(struct recorder *r, struct process *p)
{
	const struct exact_options *o = r->exact->options;
	struct line_sample *s = &p->exact->sample;
	struct store_curve row = {
		.process_id = p->row.id,
		.line_bytes = o->line_bytes[0],
		.policy = "lru",
		.accesses = s->accesses,
		.lines = line_sample_lines(s),
	};

	if (line_estimate_solve(s) != 0)
		fail(r);
	for (unsigned k = 0; k < o->size_count && !r->failed; k++) {
		const struct line_ratio ratio =
			line_estimate_ratio(s, o->size_bytes[k] / o->line_bytes[0]);
		const double all = (double)s->accesses;

		row.size_bytes = o->size_bytes[k];
		row.misses = (uint64_t)llround(ratio.ratio * all);
		row.low = (uint64_t)llround(ratio.low * all);
		row.high = (uint64_t)llround(ratio.high * all);
		note(r, store_put_curve(r->store, &row, &r->err));
	}
}

static void write_curve(struct recorder *r, const struct process *p, unsigned line,
			enum sim_policy policy)
{
	const struct exact_options *o = r->exact->options;
	const struct sim_curve *c = &p->exact->curves[line];
	struct store_curve row = {
		.process_id = p->row.id,
		.line_bytes = o->line_bytes[line],
		.policy = policy == SIM_LRU ? "lru" : "random",
		.accesses = c->accesses,
		.lines = c->policies[SIM_LRU] ? c->lru.lines : c->random.line_count,
	};

	for (unsigned k = 0; k < o->size_count && !r->failed; k++) {
		row.size_bytes = o->size_bytes[k];
		row.misses = row.low = row.high = c->misses[policy].accesses[k];
		note(r, store_put_curve(r->store, &row, &r->err));
	}
}

void exact_end(struct recorder *r, struct process *p)
{
	const struct exact_options *o = r->exact->options;

	if (p->exact == NULL)
		return;
	if (o->one_in > 0)
		write_sample(r, p);
	for (unsigned i = 0; o->one_in == 0 && i < o->line_count && !r->failed; i++) {
		sim_curve_sum(&p->exact->curves[i]);
		for (unsigned k = 0; k < SIM_POLICIES; k++)
			if (o->policies[k])
				write_curve(r, p, i, (enum sim_policy)k);
	}
	free_process(p);
}

/* One value for each measured event, in the order of put_events. */
static void values_of(const struct exact_options *o, const struct sim_key *k,
		      uint64_t values[2 + SIM_POLICIES])
{
	size_t count = 0;

	if (o->policies[SIM_LRU])
		values[count++] = k->misses[SIM_LRU];
	if (o->policies[SIM_RANDOM])
		values[count++] = k->misses[SIM_RANDOM];
	values[count++] = k->first;
	values[count++] = k->accesses;
}

static void write_code(struct recorder *r, uint64_t location)
{
	uint64_t values[2 + SIM_POLICIES];
	struct store_cost cost = {
		.node_id = simulation_node(&r->simulation, (size_t)location),
		.location_id = (int64_t)location,
		.values = values,
	};

	if (cost.node_id == 0)
		return;
	values_of(r->exact->options, &r->exact->keys.items[location], values);
	note(r, store_put_cost(r->store, &cost, &r->err));
}

static int64_t misses_of(const struct exact_options *o, const struct sim_key *k,
			 enum sim_policy policy)
{
	return o->policies[policy] ? (int64_t)k->misses[policy] : STORE_NONE;
}

static void write_datum(struct recorder *r, uint64_t key)
{
	const struct exact_options *o = r->exact->options;
	const struct exact_datum *d = &r->exact->data.items[key];
	const struct sim_key *k = &r->exact->keys.items[key];
	struct store_data_cost row = {
		.process_id = d->process,
		.site_id = d->site,
		.address = d->address,
		.image = d->image,
		.accesses = k->accesses,
		.first_touches = k->first,
		.lru_misses = misses_of(o, k, SIM_LRU),
		.random_misses = misses_of(o, k, SIM_RANDOM),
	};

	note(r, store_put_data_cost(r->store, &row, &r->err));
}

void exact_write(struct recorder *r)
{
	const struct exact *e = r->exact;

	for (size_t i = 0; i < r->processes.count && !r->failed; i++)
		exact_end(r, r->processes.items[i]);
	for (uint64_t key = 0; key < e->keys.count && !r->failed; key++) {
		if (e->keys.items[key].accesses == 0)
			continue;
		if (is_by_code(e->options))
			write_code(r, key);
		else
			write_datum(r, key);
	}
}
