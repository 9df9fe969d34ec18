/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by instruction and data structure, and their causes; see bins.h. */
#include "engine/simulate/observe/bins.h"

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/observe/counts.h"
#include "engine/simulate/observe/groups.h"
#include "engine/simulate/observe/held.h"
#include "engine/simulate/observe/numbering.h"
#include "engine/simulate/observe/pairs.h"
#include "engine/simulate/observe/patterns.h"
#include "engine/simulate/observe/references.h"
#include "engine/simulate/observe/room.h"
#include "engine/simulate/observe/structures.h"
#include "engine/simulate/plan/plan.h"
#include "engine/unwind/eras.h"
#include "engine/unwind/modules.h"
#include "sim/base/geometry.h"
#include "sim/cache/entry.h"

#define MOST_BINS (64u << 20)

/*
 * Of an evictor: its group; in a sampled simulation, in how many stretches the line was seen, up to
 * BIN_SEEN, and the mark of the last one.
 */
#define GROUP_MASK (GROUP_MOST - 1)
#define SEEN_SHIFT GROUP_BITS
#define SEEN_MASK  (3u << SEEN_SHIFT)
#define MARK_SHIFT (GROUP_BITS + 2)

_Static_assert(MARK_SHIFT + 8 == 32 && BIN_SEEN <= 3, "an evictor");

#define LEVELS_BYTES (RUN_LEVELS * sizeof(struct level_counts))

/* What few runs count: misses in further levels, and those without a cause in stretches. */
struct more_counts {
	struct level_counts far[BIN_MOST_LEVELS - RUN_LEVELS];
	struct {
		uint32_t unknown, above, seen[BIN_SEEN];
	} stretch[BIN_MOST_LEVELS];
};

_Static_assert(BIN_MOST_LEVELS == SIM_MAX_LEVELS, "one for each");

static struct {
	uint32_t forgotten;    /* times that sites were numbered anew */
	struct numbering bins; /* key of the instruction (eras.h), structure */
	struct grow counts;    /* struct bin, by number */
	struct grow levels;    /* struct level_counts [RUN_LEVELS], by number */
	struct grow more;      /* struct more_counts, by number, if has_more */
	bool has_more;
	struct contrast_table contrasts; /* of bins, if is_sampled */
	bool is_sampled;
	struct grow memos; /* struct bins_memo, by site */
	uint64_t began_ns, reported_ns;
	bool is_due_now; /* a count is large */
} b;

struct counts_tables counts_tables;

struct bins_memo *bins_memos;
struct bins_stretch bins_stretch;

static bool start_more(void)
{
	return grow_init(&b.more, MOST_BINS * sizeof(struct more_counts)) == 0 &&
	       grow_take(&b.more, sizeof(struct more_counts));
}

static bool start_contrasts(uint32_t levels)
{
	return contrasts_init(&b.contrasts, MOST_BINS, levels) &&
	       contrasts_reach(&b.contrasts, 0) && pairs_in_stretches();
}

bool bins_start(const struct sim_geometry *g, uint32_t most_sites, bool is_sampled)
{
	const uint32_t levels = g->level_count;
	bool has_room;

	counts_tables.directory_mask =
		(1ull << (ADDRESS_BITS - room_line_shift(g) - LEAF_SHIFT)) - 1;
	has_room = room_is_there(((levels + 1) / 2 + 1) * (counts_tables.directory_mask + 1) *
				 sizeof(uint32_t));
	if (!has_room)
		return false;
	b.is_sampled = is_sampled;
	b.has_more = levels > RUN_LEVELS || is_sampled;
	has_room = numbering_init(&b.bins, MOST_BINS) == 0 &&
		   grow_init(&b.counts, MOST_BINS * sizeof(struct bin)) == 0 &&
		   grow_take(&b.counts, sizeof(struct bin)) &&
		   grow_init(&b.levels, MOST_BINS * LEVELS_BYTES) == 0 &&
		   grow_take(&b.levels, LEVELS_BYTES) && (!b.has_more || start_more()) &&
		   (!is_sampled || start_contrasts(levels)) &&
		   grow_init_whole(&b.memos, most_sites * sizeof(struct bins_memo)) == 0 &&
		   groups_start() && structures_start() && references_start() && held_start() &&
		   patterns_start() && places_start(MOST_BINS);
	for (uint32_t level = 0; level < levels; level++)
		has_room = has_room && counts_start_evictors(level);
	has_room = has_room && counts_start_evictors(BIN_FIRST_CODE);
	if (!has_room)
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
static bool make_bin(uint64_t key, uint32_t structure)
{
	struct bin *bin;

	if ((b.has_more && !grow_take(&b.more, sizeof(struct more_counts))) ||
	    (b.is_sampled && !contrasts_reach(&b.contrasts, b.bins.count)) ||
	    !grow_take(&b.levels, LEVELS_BYTES) || !places_grow())
		return false;
	bin = grow_take(&b.counts, sizeof *bin);
	if (!bin)
		return false;
	bin->group = groups_get(key, structure);
	bin->range = RANGE_NOWHERE;
	return true;
}

static uint32_t get(uint64_t key, uint32_t structure)
{
	const uint32_t count = b.bins.count, number = numbering_get(&b.bins, key, structure);

	if (b.bins.count != count && !make_bin(key, structure))
		return 0;
	return number * sizeof(struct bin) < b.counts.used ? number : 0;
}

uint32_t bins_get(uint64_t pc, uint32_t structure)
{
	return get(modules_key(pc), structure);
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

	return m->bin && m->era == b.forgotten ? eras_address(numbering_key(&b.bins, m->bin)->a)
					       : 0;
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
	const uint32_t there = get(numbering_key(&b.bins, number)->a, s->id);

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

uint32_t bins_in_block(uint32_t site, uint64_t address, uint64_t *offset)
{
	const struct bins_memo *m = &bins_memos[site];

	return site && m->bin && m->era == b.forgotten &&
			       structures_is_block(m->structure, address, offset)
		       ? m->bin
		       : 0;
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

static struct contrasts *contrasts_of(uint32_t number)
{
	return contrasts_at(&b.contrasts, number);
}

void counts_stretch(struct bin *bin, uint64_t offset)
{
	bin->has_moved |= range_add(&bin->range, offset);
}

void counts_keep(struct bin *bin, uint64_t offset)
{
	bin->wait = places_take((uint32_t)(bin - counts_tables.bins), offset);
	bin->has_moved = true;
}

static struct level_counts *counts_of(uint32_t number, uint32_t level)
{
	if (level >= RUN_LEVELS)
		return &more_at(number)->far[level - RUN_LEVELS];
	return (struct level_counts *)(void *)b.levels.base + RUN_LEVELS * number + level;
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
		b.is_due_now = true;
	if (!evictor) {
		counts->cold += n;
		return;
	}
	if (groups_structure(bin->group) == groups_structure(evictor))
		counts->by_self += n;
	if (are_conflicts)
		counts->conflicts += n;
	pairs_count(bin->group, evictor, is_code ? BIN_FIRST_CODE : (enum bin_cache)level,
		    are_conflicts, n, b.is_sampled ? contrasts_of(number)->signs : 0);
}

static void end_run(const struct bin *bin, uint32_t level, const struct bin_run *run)
{
	if (run->misses)
		count_misses((uint32_t)(bin - counts_tables.bins), level, run->evictor, run->misses,
			     false);
}

struct bin_run *counts_begin_first(struct bin *bin, uint32_t evictor)
{
	end_run(bin, 0, &bin->first[FIRST_RUNS - 1]);
	for (uint32_t i = FIRST_RUNS - 1; i > 0; i--)
		bin->first[i] = bin->first[i - 1];
	bin->first[0] = (struct bin_run){.evictor = evictor};
	return &bin->first[0];
}

void counts_begin_second(struct bin *bin, uint32_t evictor)
{
	end_run(bin, 1, &bin->second);
	bin->second = (struct bin_run){.evictor = evictor};
}

static void count_miss(uint32_t number, uint32_t level, uint32_t evictor, enum bin_miss how)
{
	if (how == BIN_MISS_UNKNOWN || how == BIN_MISS_ABOVE) {
		counts_of(number, level)->missed++;
		more_at(number)->stretch[level].unknown += how == BIN_MISS_UNKNOWN;
		more_at(number)->stretch[level].above += how == BIN_MISS_ABOVE;
	} else if (level < RUN_LEVELS && (how == BIN_MISS_KNOWN || !evictor)) {
		if (level == 0)
			counts_miss_first(bin_at(number), evictor);
		else
			counts_miss_second(bin_at(number), evictor);
	} else {
		count_misses(number, level, evictor, 1, how == BIN_MISS_CONFLICT);
	}
}

static void end_runs(struct bin *bin)
{
	for (uint32_t i = 0; i < FIRST_RUNS; i++) {
		end_run(bin, 0, &bin->first[i]);
		bin->first[i].misses = 0;
	}
	end_run(bin, 1, &bin->second);
	bin->second.misses = 0;
}

/* A miss in this stretch: what came in one with other signs is added up before. */
static void contrast_miss(uint32_t number, uint32_t level, enum bin_miss how)
{
	struct contrasts *c = contrasts_of(number);

	if (c->signs != contrasts_now) {
		end_runs(bin_at(number));
		contrasts_fold(&b.contrasts, c);
	}
	if (how != BIN_MISS_COUNTED)
		contrasts_count(c, level, how == BIN_MISS_UNKNOWN || how == BIN_MISS_ABOVE);
}

/*
 * In a stretch. Returns the line's evictor, and notes that the stretch has seen the line. A line
 * that was not evicted in this stretch has the group of the first access to its set, which would
 * have evicted it, too.
 */
static uint32_t evictor_in_stretch(uint32_t number, enum bin_cache cache, uint64_t line,
				   enum bin_miss how)
{
	uint32_t *place = counts_new_evictor(cache, line),
		 *first = bins_stretch.of_set(cache, line);
	const uint32_t level = cache == BIN_FIRST_CODE ? 0 : cache, group = bin_at(number)->group,
		       mark = bins_stretch.mark << MARK_SHIFT;
	uint32_t seen;

	if (!place || !first)
		return 0;
	if (*first >> MARK_SHIFT != bins_stretch.mark)
		*first = group | mark;
	if (*place >> MARK_SHIFT == bins_stretch.mark)
		return *place & GROUP_MASK ? *place & GROUP_MASK : group;
	seen = *place >> SEEN_SHIFT & 3;
	if (seen < BIN_SEEN) {
		more_at(number)->stretch[level].seen[seen] += how != BIN_MISS_COUNTED;
		seen++;
	}
	*place = mark | seen << SEEN_SHIFT;
	return *first & GROUP_MASK;
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
	evictor = bins_stretch.mark ? evictor_in_stretch(number, cache, line, how)
				    : *counts_evictor(cache, line);
	if (bins_stretch.mark)
		contrast_miss(number, level, how);
	if (how != BIN_MISS_COUNTED)
		count_miss(number, level, evictor, how);
	if (victim == SIM_NO_LINE)
		return;
	place = counts_new_evictor(cache, victim);
	if (place)
		*place = bin->group | (*place & SEEN_MASK) | bins_stretch.mark << MARK_SHIFT;
}

/* ---- Reports ---- */

/*
 * A report of all bins that have changed is dear, for the collector, too: each later one waits
 * longer. Each bin and each pair of groups, of which a record takes about a microsecond, puts off
 * the next report, also the first.
 */
#define FIRST_DUE_NS 2000000000ull
#define DUE_PART     8u
#define RECORD_NS    40000ull

static bool is_due(uint64_t now)
{
	const uint64_t records = b.bins.count + pairs_number();

	if (!b.began_ns)
		b.began_ns = b.reported_ns = now;
	return b.is_due_now ||
	       now - b.reported_ns >=
		       FIRST_DUE_NS + (b.reported_ns - b.began_ns) / DUE_PART + records * RECORD_NS;
}

uint32_t bins_structure(uint32_t bin)
{
	return (uint32_t)numbering_key(&b.bins, bin)->b;
}

void bins_describe(struct process *p, uint32_t bin, uint64_t *pc, uint64_t *position,
		   struct bin_data *data)
{
	const struct numbering_key *k = numbering_key(&b.bins, bin);

	*pc = eras_address(k->a);
	*position = eras_position(k->a);
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
		for (uint32_t i = 0; i < BIN_SEEN; i++)
			taken.seen[i] = more_at(number)->stretch[level].seen[i];
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

static void send_contrasts(struct process *p, uint32_t number, const struct record_bin *of)
{
	struct contrasts *c = contrasts_of(number);
	struct record_contrasts r = {
		.position = of->position, .pc = of->pc, .is_bin = true, .data = of->data};

	contrasts_fold(&b.contrasts, c);
	for (uint32_t level = 0; level < b.contrasts.caches; level++) {
		r.cache = level == 0 && bin_at(number)->is_code ? BIN_FIRST_CODE : level;
		if (contrasts_take(c, level, &r))
			records_contrasts(p, &r);
	}
}

static void send_bin(struct process *p, uint32_t number)
{
	struct bin *bin = bin_at(number);
	struct record_bin r = {.range = bin->has_moved ? bin->range : RANGE_NOWHERE};

	end_runs(bin);
	if (!has_missed(number))
		return;
	for (uint32_t level = 0; level < levels(); level++)
		r.counts[level] = take_counts(number, level);
	if (b.has_more)
		*more_at(number) = (struct more_counts){0};
	if (bin->has_moved)
		places_copy(number, &r.places);
	bins_describe(p, number, &r.pc, &r.position, &r.data);
	bin->has_moved = false;
	records_bin(p, &r);
	if (b.is_sampled)
		send_contrasts(p, number, &r);
}

/* Describe one side of a pair. */
static void describe(struct process *p, uint32_t number, bool is_group, uint64_t *function,
		     uint64_t *position, struct bin_data *data)
{
	const uint64_t key = is_group ? groups_function(number) : 0;

	*function = eras_address(key);
	*position = eras_position(key);
	structures_describe(p, is_group ? groups_structure(number) : number, data);
}

static void send_pair(void *context, const struct pair *pair, uint64_t count,
		      const int32_t contrasts[STRETCH_CONTRASTS])
{
	struct process *p = context;
	struct record_eviction r = {
		.cache = pair->cache, .count = count, .conflicts = pair->are_conflicts ? count : 0};

	describe(p, pair->missed, pair->are_groups, &r.function, &r.position, &r.data);
	for (uint32_t i = 0; i < STRETCH_CONTRASTS; i++)
		r.contrasts[i] = contrasts[i];
	describe(p, pair->evictor, pair->are_groups, &r.evictor, &r.evictor_position,
		 &r.evictor_data);
	records_eviction(p, &r);
}

void bins_flush(struct process *p, bool is_last)
{
	const uint64_t began = plan.data ? now_ns() : 0;

	if (!plan.data || (!is_due(began) && !is_last))
		return;
	if (held_on)
		held_begin(); /* sums hold in what is sent */
	alloc_report(p);      /* the sizes of the structures */
	for (uint32_t number = 1; number <= b.bins.count; number++)
		send_bin(p, number);
	pairs_take(send_pair, p);
	references_flush(p);
	patterns_flush(p);
	b.reported_ns = now_ns();
	b.is_due_now = false;
}

void bins_end(struct process *p)
{
	bins_flush(p, true);
	plan.data = held_on = false;
}

void bins_forked(void)
{
	for (uint32_t number = 1; plan.data && number <= b.bins.count; number++) {
		*bin_at(number) = (struct bin){.group = bin_at(number)->group,
					       .is_code = bin_at(number)->is_code,
					       .range = RANGE_NOWHERE};
		places_clear(number);
		memset(counts_of(number, 0), 0, LEVELS_BYTES);
		if (b.has_more)
			*more_at(number) = (struct more_counts){0};
	}
	if (plan.data && b.is_sampled)
		contrasts_clear(&b.contrasts);
	pairs_clear();
	held_forked();
	if (plan.data) {
		references_forked();
		patterns_forked();
	}
}
