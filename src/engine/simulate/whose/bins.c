/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by instruction and data structure, and their causes; see bins.h. */
#include "engine/simulate/whose/bins.h"

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/simulate/whose/counts.h"
#include "engine/simulate/whose/groups.h"
#include "engine/simulate/whose/held.h"
#include "engine/simulate/whose/numbering.h"
#include "engine/simulate/whose/pairs.h"
#include "engine/simulate/whose/patterns.h"
#include "engine/simulate/whose/references.h"
#include "engine/simulate/whose/structures.h"
#include "sim/base/geometry.h"
#include "sim/cache/entry.h"

#define MOST_BINS (64u << 20)

#define GROUP_BITS 24u /* of an evictor; above it the mark of its stretch, or 0 */
#define GROUP_MASK ((1u << GROUP_BITS) - 1)

#define LEAF_BYTES   (LEAF_LINES * 2 * sizeof(uint32_t))
#define LEAF_RESERVE (1ull << 36)

/* What few runs count: misses in further levels, and those without a cause in stretches. */
struct more_counts {
	struct level_counts far[BIN_MOST_LEVELS - RUN_LEVELS];
	struct {
		uint32_t unknown, above;
	} stretch[BIN_MOST_LEVELS];
};

_Static_assert(BIN_MOST_LEVELS == SIM_MAX_LEVELS, "one for each");

static struct {
	uint32_t forgotten;    /* times that sites were numbered anew */
	struct numbering bins; /* instruction, structure */
	struct grow counts;    /* struct bin, by number */
	struct grow second;    /* struct level_counts of the second level, by number */
	struct grow more;      /* struct more_counts, by number, if has_more */
	bool has_more;
	struct grow memos; /* struct bins_memo, by site */
	uint64_t began_ns, due_ns;
} b;

struct counts_tables counts_tables;

bool bins_on;
struct bins_memo *bins_memos;
struct bins_stretch bins_stretch;

static bool start_evictors(enum bin_cache cache)
{
	struct evictors *e = counts_evictors(cache);

	if (e->directory.base)
		return true;
	if (grow_init_whole(&e->directory, DIRECTORY * sizeof(uint32_t)) != 0 ||
	    grow_init(&e->leaves, LEAF_RESERVE) != 0 || !grow_take(&e->leaves, LEAF_BYTES))
		return false;
	grow_in_large_pages(&e->leaves);
	return true;
}

static bool start_more(void)
{
	return grow_init(&b.more, MOST_BINS * sizeof(struct more_counts)) == 0 &&
	       grow_take(&b.more, sizeof(struct more_counts));
}

bool bins_start(uint32_t levels, uint32_t most_sites, bool is_sampled)
{
	b.has_more = levels > RUN_LEVELS || is_sampled;
	bins_on = numbering_init(&b.bins, MOST_BINS) == 0 &&
		  grow_init(&b.counts, MOST_BINS * sizeof(struct bin)) == 0 &&
		  grow_take(&b.counts, sizeof(struct bin)) &&
		  grow_init(&b.second, MOST_BINS * sizeof(struct level_counts)) == 0 &&
		  grow_take(&b.second, sizeof(struct level_counts)) &&
		  (!b.has_more || start_more()) &&
		  grow_init_whole(&b.memos, most_sites * sizeof(struct bins_memo)) == 0 &&
		  groups_start() && structures_start() && references_start() && held_start() &&
		  patterns_start();
	for (uint32_t level = 0; level < levels; level++)
		bins_on = bins_on && start_evictors(level);
	bins_on = bins_on && start_evictors(BIN_FIRST_CODE);
	if (!bins_on)
		return false;
	counts_tables.bins = (struct bin *)(void *)b.counts.base;
	grow_in_large_pages(&b.counts);
	grow_in_large_pages(&b.memos);
	bins_memos = (struct bins_memo *)(void *)b.memos.base;
	return true;
}

static struct bin *bin_at(uint32_t number)
{
	return counts_tables.bins + number;
}

static struct more_counts *more_at(uint32_t number)
{
	return (struct more_counts *)(void *)b.more.base + number;
}

/* ---- Bins ---- */

/* Sites are numbered anew: no memo of data that a site had may seem one of its code now. */
#define OF_CODE (1u << 31)

struct bins_versions bins_versions(void)
{
	return (struct bins_versions){.data = (1 + structures_version() + b.forgotten) & ~OF_CODE,
				      .code = (1 + structures_code_version() + b.forgotten) |
					      OF_CODE};
}

/* Make the memory of a bin. False: it has run out, for this one and all later ones. */
static bool make_bin(uint64_t pc, uint32_t structure)
{
	struct bin *bin;

	if ((b.has_more && !grow_take(&b.more, sizeof(struct more_counts))) ||
	    !grow_take(&b.second, sizeof(struct level_counts)))
		return false;
	bin = grow_take(&b.counts, sizeof *bin);
	if (!bin)
		return false;
	bin->group = groups_get(pc, structure);
	bin->range = RANGE_NOWHERE;
	return true;
}

uint32_t bins_get(uint64_t pc, uint32_t structure)
{
	const uint32_t count = b.bins.count, number = numbering_get(&b.bins, pc, structure);

	if (b.bins.count != count && !make_bin(pc, structure))
		return 0;
	return number * sizeof(struct bin) < b.counts.used ? number : 0;
}

/* Set the memo's bin: that of an access by pc to the structure. */
static uint32_t remember(struct bins_memo *m, uint32_t site, uint64_t pc, uint32_t structure)
{
	if (!site || !m->bin || m->structure != structure || m->era != b.forgotten)
		m->bin = bins_get(pc, structure);
	m->structure = structure;
	m->era = b.forgotten;
	m->version = bins_versions().data;
	return m->bin;
}

uint64_t bins_known_pc(uint32_t site)
{
	const struct bins_memo *m = &bins_memos[site];

	return m->bin && m->era == b.forgotten ? numbering_key(&b.bins, m->bin)->a : 0;
}

void bins_look(struct bins_memo *m, uint64_t pc, uint64_t address)
{
	struct structure s;

	structures_find(address, &s);
	m->start = s.is_lasting ? s.start : address;
	m->end = s.is_lasting ? s.end : structures_end(&s, address);
	remember(m, 0, pc, s.id);
	if (!s.is_lasting)
		m->version = 0;
}

uint32_t bins_elsewhere(uint32_t number, const struct structure *s, uint64_t address, bool missed)
{
	const uint32_t there = bins_get(numbering_key(&b.bins, number)->a, s->id);

	if (missed)
		bin_at(there)->has_moved |= range_add(&bin_at(there)->range, address - s->start);
	return there;
}

uint32_t bins_of_found(uint32_t site, uint64_t pc, const struct structure *s)
{
	struct bins_memo *m = &bins_memos[site];

	m->start = s->start;
	m->end = s->is_lasting && site ? s->end : s->start;
	return remember(m, site, pc, s->id);
}

uint32_t bins_of_data(uint32_t site, uint64_t pc, uint64_t address)
{
	struct structure s;

	structures_find(address, &s);
	return bins_of_found(site, pc, &s);
}

uint32_t bins_of_code(uint32_t site, uint64_t pc)
{
	struct bins_memo *m = &bins_memos[site];

	m->start = 0;
	m->end = site ? UINT64_MAX : 0;
	remember(m, site, pc, structures_of_code(pc));
	m->version = bins_versions().code;
	bin_at(m->bin)->is_code |= m->bin != 0;
	return m->bin;
}

void bins_forget_sites(void)
{
	b.forgotten++;
}

void bins_missed_at(uint32_t number, uint32_t site, uint64_t address)
{
	counts_missed_at(bin_at(number), address - bins_memos[site].start);
}

/* ---- Misses and evictions ---- */

uint32_t *counts_new_evictor(enum bin_cache cache, uint64_t line)
{
	struct evictors *e = counts_evictors(cache);
	uint32_t *leaf = counts_leaf(cache, line);

	if (!*leaf && grow_take(&e->leaves, LEAF_BYTES))
		*leaf = (uint32_t)(e->leaves.used / LEAF_BYTES - 1);
	return *leaf ? counts_evictor(cache, line) : 0;
}

static struct level_counts *counts_of(uint32_t number, uint32_t level)
{
	switch (level) {
	case 0:
		return &bin_at(number)->first;
	case 1:
		return (struct level_counts *)(void *)b.second.base + number;
	default:
		return &more_at(number)->far[level - RUN_LEVELS];
	}
}

/* Count n misses of a bin on lines that an evictor (0: none) has evicted before. */
static void count_misses(uint32_t number, uint32_t level, uint32_t evictor, uint32_t n,
			 bool are_conflicts)
{
	struct level_counts *counts = counts_of(number, level);
	const struct bin *bin = bin_at(number);
	const bool is_code = level == 0 && bin->is_code;

	counts->missed += n;
	if (counts->missed >= DUE_COUNT)
		b.due_ns = 0;
	if (!evictor) {
		counts->cold += n;
		return;
	}
	if (groups_structure(bin->group) == groups_structure(evictor))
		counts->by_self += n;
	if (are_conflicts)
		counts->conflicts += n;
	pairs_count(bin->group, evictor, is_code ? BIN_FIRST_CODE : (enum bin_cache)level,
		    are_conflicts, n);
}

void counts_end_run(struct bin *bin, uint32_t level, uint32_t evictor)
{
	struct bin_run *run = &bin->runs[level];

	if (run->misses)
		count_misses((uint32_t)(bin - counts_tables.bins), level, run->evictor, run->misses,
			     false);
	*run = (struct bin_run){.evictor = evictor};
}

static void count_miss(uint32_t number, uint32_t level, uint32_t evictor, enum bin_miss how)
{
	if (how == BIN_MISS_UNKNOWN || how == BIN_MISS_ABOVE) {
		counts_of(number, level)->missed++;
		more_at(number)->stretch[level].unknown += how == BIN_MISS_UNKNOWN;
		more_at(number)->stretch[level].above += how == BIN_MISS_ABOVE;
	} else if (level < RUN_LEVELS && (how == BIN_MISS_KNOWN || !evictor)) {
		counts_miss(bin_at(number), level, evictor);
	} else {
		count_misses(number, level, evictor, 1, how == BIN_MISS_CONFLICT);
	}
}

/*
 * In a stretch. An evictor has the stretch's mark beside its group, and no group if the line was
 * only seen. Returns the line's evictor.
 */
static uint32_t evictor_in_stretch(enum bin_cache cache, uint64_t line, uint32_t group)
{
	uint32_t *place = counts_new_evictor(cache, line),
		 *first = bins_stretch.of_set(cache, line);
	uint32_t evictor = place ? *place : 0;

	if (first && *first >> GROUP_BITS != bins_stretch.mark)
		*first = group | bins_stretch.mark << GROUP_BITS;
	if (evictor && evictor >> GROUP_BITS != bins_stretch.mark && first)
		evictor = *first;
	if (place && !*place)
		*place = bins_stretch.mark << GROUP_BITS;
	return evictor & GROUP_MASK ? evictor & GROUP_MASK : evictor ? group : 0;
}

void bins_replaced(uint32_t number, enum bin_cache cache, uint64_t line, uint64_t victim,
		   enum bin_miss how, uint64_t address)
{
	const uint32_t level = cache == BIN_FIRST_CODE ? 0 : cache;
	const struct bin *bin = bin_at(number);
	uint32_t evictor, *place;

	if (held_on) {
		held_miss(number, cache, line, victim, how, address);
		return;
	}
	evictor = bins_stretch.mark ? evictor_in_stretch(cache, line, bin->group)
				    : *counts_evictor(cache, line);
	if (how != BIN_MISS_COUNTED)
		count_miss(number, level, evictor, how);
	if (victim == SIM_NO_LINE)
		return;
	place = counts_new_evictor(cache, victim);
	if (place)
		*place = bin->group | bins_stretch.mark << GROUP_BITS;
}

/* ---- Reports ---- */

/*
 * A report of all bins that have changed is dear, for the collector, too: each later one waits
 * longer, and at least this multiple of the time of the one before.
 */
#define FIRST_DUE_NS 2000000000ull
#define DUE_PART     8u
#define WAIT_PART    40u

static bool is_due(uint64_t now)
{
	if (!b.began_ns) {
		b.began_ns = now;
		b.due_ns = now + FIRST_DUE_NS;
	}
	return now >= b.due_ns;
}

/* A report that began then has ended. */
static void plan_next(uint64_t began)
{
	const uint64_t now = now_ns(), wait = (now - began) * WAIT_PART,
		       usual = FIRST_DUE_NS + (now - b.began_ns) / DUE_PART;

	b.due_ns = now + (wait > usual ? wait : usual);
}

uint32_t bins_structure(uint32_t bin)
{
	return (uint32_t)numbering_key(&b.bins, bin)->b;
}

void bins_describe(struct process *p, uint32_t bin, uint64_t *pc, struct bin_data *data)
{
	const struct numbering_key *k = numbering_key(&b.bins, bin);

	*pc = k->a;
	structures_describe(p, (uint32_t)k->b, data);
}

static struct bin_counts take_counts(uint32_t number, uint32_t level)
{
	struct level_counts *c = counts_of(number, level);
	struct bin_counts taken = {.missed = c->missed,
				   .cold = c->cold,
				   .by_self = c->by_self,
				   .conflicts = c->conflicts};

	*c = (struct level_counts){0};
	if (b.has_more) {
		taken.unknown = more_at(number)->stretch[level].unknown;
		taken.above = more_at(number)->stretch[level].above;
	}
	return taken;
}

static uint32_t levels(void)
{
	return b.has_more ? BIN_MOST_LEVELS : RUN_LEVELS;
}

/* In some level; the first one may not count (filter_sets.h). */
static bool has_missed(uint32_t number)
{
	for (uint32_t level = 0; level < levels(); level++)
		if (counts_of(number, level)->missed)
			return true;
	return false;
}

static void send_bin(struct process *p, uint32_t number)
{
	struct bin *bin = bin_at(number);
	struct record_bin r = {.range = bin->has_moved ? bin->range : RANGE_NOWHERE};

	for (uint32_t level = 0; level < RUN_LEVELS; level++)
		counts_end_run(bin, level, bin->runs[level].evictor);
	if (!has_missed(number))
		return;
	for (uint32_t level = 0; level < levels(); level++)
		r.counts[level] = take_counts(number, level);
	if (b.has_more)
		*more_at(number) = (struct more_counts){0};
	bins_describe(p, number, &r.pc, &r.data);
	bin->has_moved = false;
	records_bin(p, &r);
}

/* Describe one side of a pair. */
static void describe(struct process *p, uint32_t number, bool is_group, uint64_t *function,
		     struct bin_data *data)
{
	*function = is_group ? groups_function(number) : 0;
	structures_describe(p, is_group ? groups_structure(number) : number, data);
}

static void send_pair(void *context, const struct pair *pair, uint64_t count)
{
	struct process *p = context;
	struct record_eviction r = {
		.cache = pair->cache, .count = count, .conflicts = pair->are_conflicts ? count : 0};

	describe(p, pair->missed, pair->are_groups, &r.function, &r.data);
	describe(p, pair->evictor, pair->are_groups, &r.evictor, &r.evictor_data);
	records_eviction(p, &r);
}

void bins_flush(struct process *p, bool is_last)
{
	const uint64_t began = bins_on ? now_ns() : 0;

	if (!bins_on || (!is_due(began) && !is_last))
		return;
	if (held_on)
		held_begin(); /* sums hold in what is sent */
	alloc_report(p);      /* the sizes of the structures */
	for (uint32_t number = 1; number <= b.bins.count; number++)
		send_bin(p, number);
	pairs_take(send_pair, p);
	references_flush(p);
	patterns_flush(p);
	plan_next(began);
}

void bins_end(struct process *p)
{
	bins_flush(p, true);
	bins_on = held_on = false;
}

void bins_forked(void)
{
	for (uint32_t number = 1; bins_on && number <= b.bins.count; number++) {
		*bin_at(number) = (struct bin){.group = bin_at(number)->group,
					       .is_code = bin_at(number)->is_code,
					       .range = RANGE_NOWHERE};
		*counts_of(number, 1) = (struct level_counts){0};
		if (b.has_more)
			*more_at(number) = (struct more_counts){0};
	}
	pairs_clear();
	held_forked();
	if (bins_on) {
		references_forked();
		patterns_forked();
	}
}
