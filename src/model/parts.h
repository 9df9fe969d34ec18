/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this folder share. Not for other folders. */
#ifndef DWELL_MODEL_PARTS_H
#define DWELL_MODEL_PARTS_H

#include "model/model.h"

/* Distances below 64 have a bin each; above, 32 bins an octave (3 % wide at most). */
#define MODEL_BINS	  1920
#define MODEL_TAIL_PIECES 32
#define MODEL_PIECES	  (MODEL_BINS + MODEL_TAIL_PIECES)

/* Below these counts at risk the product limit is noise: it stops there. */
#define MODEL_POOL_AT_RISK  20
#define MODEL_GROUP_AT_RISK 3
#define MODEL_GROUP_SAMPLES 100

/* How wrong the models themselves may be, whatever the number of samples. */
#define MODEL_ERROR_ABSOLUTE 0.002
#define MODEL_ERROR_RELATIVE 0.05
/* Samples of one window are alike: their mean varies as that of so many times fewer. */
#define MODEL_CLUSTERS 3.0

/* Reuse distances: probability mass at each of `count` rising distances, and what is left over. */
struct survival {
	double *x;    /* accesses */
	double *mass; /* P(distance = x), all above 0 */
	size_t count;
	double end_x; /* accesses; seen up to here */
	double left;  /* P(distance > end_x) */
};

#define COUNTED_NODES 320 /* eight to an octave of distance */

/*
 * Reuses of about a distance whose lines were counted: so many times those expected, rising, in
 * model.factors.
 */
struct counted_node {
	size_t first, count;
};

/*
 * Groups of one kind, anywhere in the run: their samples look as if drawn from the same distances,
 * and are taken together.
 */
struct kind {
	struct survival own;
	struct survival joined; /* the same in fewer pieces: see beyond.h */
	double *lines;		/* stack distance of each piece, never falling: see stacks.c */
	struct counted_node *counted;	 /* COUNTED_NODES of them, of its own groups: counted.c */
	size_t first, count;		 /* its samples, in model.sorted */
	size_t first_group, group_count; /* in model.members */
};

/* A stretch of the run, that is solved for itself. */
struct group {
	struct survival own; /* its kind's */
	uint32_t kind;
	bool has_kin;	      /* there are other groups of its kind */
	double weight;	      /* share of the run; all groups together 1 */
	double share;	      /* the same, calibrated: see calibrate() */
	double start;	      /* accesses of the run before those it speaks for */
	double left_before;   /* of these, those that their groups saw no reuse of */
	double first_touches; /* per access, at most what its survival leaves */
	size_t count;	      /* of its own samples */
	size_t windows;	      /* that it was made of */
	double outside;	      /* share of the accesses these stand for that lies outside of them */
};

/* The pool's masses beyond what a group has seen, and where they are taken to lie. */
enum tail_kind {
	TAIL_NEAR,   /* at the end of what was seen: lower bound */
	TAIL_SPREAD, /* exponential behind it, in equal pieces: the point estimate */
	TAIL_FAR,    /* at its mean: upper bound, as the ratio is concave in the distance */
	TAIL_KINDS,
};

struct tail {
	double x[MODEL_TAIL_PIECES]; /* rising */
	double mass;		     /* of each piece */
	size_t count;
	double cold; /* mass at infinity */
};

#define MODEL_OCTAVES 40

/* The bits of a positive number: they rise with it, 2^52 to an octave. */
static inline uint64_t model_number_bits(double number)
{
	union {
		double number;
		uint64_t bits;
	} n = {number};

	return n.bits;
}

/* floor(log2(distance)). */
static inline unsigned model_octave(double distance)
{
	int octave = (int)(model_number_bits(distance) >> 52) - 1023;

	return octave < 0 ? 0 : octave < MODEL_OCTAVES ? (unsigned)octave : MODEL_OCTAVES - 1;
}

/* A sample of a window: where in the window it was taken, and where its reuse ended. */
struct placed {
	uint64_t at, end; /* accesses since the window began; the end of those that were reused */
	double distance;
	double weight; /* of so many samples */
	bool reused;
};

/* Of a window whose samples are the most. Samples of a window follow one another in the input. */
size_t placed_most(const struct model_input *in);

/*
 * A window's samples from the *i-th on whose place is known go to `out`, by their place; *i goes on
 * to the next window's. Returns how many.
 */
size_t placed_take(const struct model_input *in, size_t *i, struct placed *out);

/* How many of them begin before `at`. */
size_t placed_before(const struct placed *p, size_t count, uint64_t at);

/* Something seen beside how much of it was expected; sums of products are over windows. */
struct ratio {
	double seen, expected, seen_seen, seen_expected, expected_expected;
};

/* One more window. */
void ratio_add(struct ratio *r, double seen, double expected);

/*
 * Seen to expected, drawn to 1 as far as it may be chance: so many times what the windows tell by
 * how they differ. Something is expected.
 */
double ratio_drawn(const struct ratio *r, double doubt);

#define STACKS_HALVES (2 * MODEL_OCTAVES)

/* Reuses of about a distance. */
struct stacks_node {
	double octaves; /* log2 of it, on average over the lines expected */
	double ratio;	/* lines between their touches beside those expected */
};

/* See stacks.c. Nodes by their distance, those alone of which enough is known. */
struct stacks {
	/* of octaves of distance */
	struct stacks_node halves[STACKS_HALVES], wholes[MODEL_OCTAVES];
	size_t half_count, whole_count;
	bool is_coarse; /* the whole octaves hold */
};

/*
 * Reuses that begin between the touches of others, of an octave of distance or farther: see
 * scatter.c. [within which][from which octave on]
 */
struct scatter {
	double ratio[MODEL_OCTAVES][MODEL_OCTAVES]; /* of those seen to those expected */
	/* standard deviation over mean, without chance */
	double spread[MODEL_OCTAVES][MODEL_OCTAVES];
};

/* Accesses of the run. */
struct window_span {
	double start, length;
};

struct model {
	struct survival pool;
	struct scatter scatter;
	struct stacks stacks;
	struct counted_node *counted; /* those of all kinds together, and behind them the kinds' */
	double *factors;	      /* of all nodes */
	struct group *groups;
	size_t group_count;
	struct kind *kinds;
	size_t kind_count;
	uint32_t *members; /* groups, by kind */
	struct tail tails[TAIL_KINDS];
	struct window_span *spans; /* window_count, or NULL */
	int followed;		   /* what follow_tail returned */
	bool has_footprint;
	double mean_lines; /* F averaged over the run */
	double last_lines; /* F at its end, the largest seen */
	double most_lines; /* the same if all lines of its pages are in use */
	double accesses;
	double line_bytes;
	double touches; /* lines an access touches: ratios inside are per touch */

	/* Per sample, in the order of the input. */
	uint16_t *bin;
	bool *reused;
	double *weight;	 /* all together 1 */
	uint16_t *lines; /* that the access touches */
	/*
	 * Of a watch that ended, how much likelier than others of its length it is far: places.c.
	 */
	float *open_weight;
	size_t sample_count;
	struct follow *follows; /* those that outlived the pool's end */
	size_t follow_count;
	/*
	 * And those that were watched for less, in windows; but at the last they may have been
	 * older than that.
	 */
	struct follow *early_follows;
	size_t early_count;
	uint32_t *sorted;	  /* by kind, then by bin */
	double bin_x[MODEL_BINS]; /* mean distance of the reuses in the bin */

	enum model_interval interval;

	/* See model_set_yardstick; `all` is NULL where there is none. */
	struct model *all, *chosen;
	double line_ratio, trust;

	/* what the survivals' x and mass point into: pool, kinds, and those of kinds joined */
	double *storage;
	double *lines_at;  /* what the kinds' lines point into */
	double *scratch;   /* two per group, for model_solve */
	double *evictions; /* one more than groups, for random_solve */

	uint32_t *group_at; /* each sample's */
	uint32_t *group_of; /* each window's */
	size_t window_count;
};

/* For so many samples, itself included. */
double model_speaks_for(const struct model_input *in, const struct model_sample *s);

unsigned model_bin(uint64_t distance);

/*
 * The group of each window, which are consecutive, and how many groups there are, at least 1; the
 * kind of each group, of which there is room for as many as windows, and one. Returns -1 when
 * memory ran out.
 */
int groups_form(const struct model_input *in, uint32_t *group_of, size_t *count, uint32_t *kind_of);

/*
 * The product-limit estimate over `count` samples that `sorted` lists by rising
 * bin. Writes at most `count` pieces to x and mass, which the caller provides.
 */
void survival_estimate(const struct model *m, const uint32_t *sorted, size_t count,
		       unsigned min_at_risk, double *x, double *mass, struct survival *out);

/* Mean of min(distance, x), x being the end of what was seen. */
double survival_integral(const struct survival *s);

/* The first piece at x or farther; s->count: none is. */
size_t survival_find(const struct survival *s, double x);

/* Place what the pool left unresolved; `all`: see model_input, or NULL. */
void model_set_tails(struct model *m, const struct model *all);

/* A sample's line watched on beyond the end of what the pool has seen. */
struct follow {
	double residual; /* accesses inside windows beyond that end */
	double weight;
	bool touched;
	uint32_t window;
	double begin; /* of the sample, accesses of the run; 0: not known */
};

/*
 * Rates at which far lines are touched, from `count` follows, those of a window one after another:
 * fills t->x with the quantiles of the distances beyond `end`, t->mass apart. Returns 0; 1 when the
 * touches are too regular for that; -1 when they are too few to tell.
 */
int follow_tail(const struct model *m, const struct follow *follows, size_t count, struct tail *t);

/* Fills m->open_weight; the pool is known. Returns 0, or -1 when memory ran out. */
int places_weigh(struct model *m, const struct model_input *in);

/*
 * Fills m->scatter; groups and survivals are known, and samples of a window follow one another in
 * the input. Returns 0, or -1 when memory ran out.
 */
int scatter_measure(struct model *m, const struct model_input *in);

/* Misses between the touches of the reuses of an octave. */
struct between {
	double share;	/* their mean beside that of as many accesses anywhere in the group */
	double scatter; /* the square of their standard deviation over their mean */
};

/*
 * from[a] is the mass of the group's octave a and all farther, miss[a] what of octave a misses;
 * those of `end` are of all beyond.
 */
struct between scatter_between(const struct scatter *s, unsigned octave, const double *from,
			       const double *miss, unsigned end);

/*
 * Fills m->stacks; groups and survivals are known. Samples as in scatter_measure. Returns 0, or -1
 * when memory ran out.
 */
int stacks_measure(struct model *m, const struct model_input *in);

/*
 * The same from a model of more samples. Where its lines are shorter only whole octaves are alike.
 */
void stacks_take(struct model *m, const struct model *all);

/* Of reuses at a distance of so many accesses. */
double stacks_ratio(const struct stacks *s, double distance);

/* Fills the kinds' lines, by m->stacks. */
void stacks_place(struct model *m);

/*
 * Fills m->counted and the kinds', from in->stacks; the kinds' lines are known. Returns 0, or -1
 * when memory ran out.
 */
int counted_measure(struct model *m, const struct model_input *in);

/* What is known of the lines between the touches of reuses of a kind and a distance. */
struct counted {
	const double *own, *all;     /* factors of its own groups, and of all: rising */
	size_t own_count, all_count; /* the latter 0: nothing is known */
};

struct counted counted_at(const struct model *m, const struct kind *k, double distance);

/* P(as many lines in between as there are ways, or more) where so many are expected. */
double counted_miss(const struct counted *c, double ways, double lines);

struct sets_table;
/* The same with sets. */
double counted_sets_miss(const struct counted *c, const struct sets_table *sets, double lines);

struct group_result {
	/*
	 * a reuse at x meets rate x on_the_way[octave of x] misses, in units of what replaces a
	 * line
	 */
	double rate;
	/* Misses between the touches of a reuse, as a share of the group's, and their scatter. */
	double on_the_way[MODEL_OCTAVES], scatter[MODEL_OCTAVES];
	double steeper;	   /* makes up for what taking near distances together has lost */
	double unresolved; /* the part of the ratio that no piece of the group's own explains */
	/* without sets, and the next two hold instead of all above but the last */
	bool is_lru;
	double ways; /* of the cache; infinite: it holds all */
	size_t sure; /* from this one on all of the group's own pieces miss */
};

/* P(miss) of a reuse that the group has seen itself; random replacement. */
double group_miss(const struct group_result *r, double x);

/* The same with LRU and no sets, of a piece of so much mass that has so many lines in between. */
double lru_miss(const struct counted *c, double ways, double lines, double mass);

/*
 * Miss ratio of each group with random replacement. `ratios` has group_count
 * entries: on entry near the answers, which saves steps, or 0. `results` (may be
 * NULL) gets how they came about.
 */
void random_solve(const struct model *m, double lines, enum tail_kind kind, double *ratios,
		  struct group_result *results);

#define SETS_TABLE 512

/* A cache of sets; one set is the fully associative cache. The rest is for sets_miss. */
struct sets {
	double sets; /* 1 or more */
	double ways;
	double log_here, log_elsewhere; /* ln P(a line falls into a given set, does not) */
	double log_factorial;		/* ln (ways - 1)! */
};

/* What the yardstick multiplies ratios of that cache by; 1 without. */
double yardstick_factor(const struct model *m, enum model_policy policy,
			const struct model_cache *cache);

/* The point estimate alone, before the yardstick. There are samples, and lines. */
double solve_point(struct model *m, enum model_policy policy, const struct model_cache *cache);

/* The sets of a cache of some lines. */
void solve_init_sets(struct sets *s, const struct model_cache *cache);

void sets_init(struct sets *s, double sets, double ways);

/*
 * P(at least `ways` of n fall into the set), n whole; *last gets P(exactly ways - 1). There are two
 * sets or more.
 */
double sets_chance(const struct sets *s, double n, double *last);

/*
 * P(miss) with LRU within the sets, `stack` other lines having been touched since; straight
 * between whole numbers of them.
 */
double sets_miss(const struct sets *s, double stack);

/* sets_miss of one cache, for many. */
struct sets_table {
	const struct sets *sets;
	double from, step; /* lines; a step of 0: nothing is in the table */
	double miss[SETS_TABLE], rise[SETS_TABLE];
};

/* `sets` must live as long as the table does. */
void sets_table_init(struct sets_table *t, const struct sets *sets);

/*
 * As sets_miss, to 2e-5; to 2e-4 with fewer than 60 sets, where lines between whole numbers are
 * rounded off.
 */
double sets_table_miss(const struct sets_table *t, double stack);

/*
 * A cache of more than one set as fully associative ones: of lines[k] lines with the weight
 * weight[k], which are 1 together; rising. Returns how many.
 */
#define MODEL_SETS_NODES 4
unsigned sets_nodes(const struct sets *s, double lines[MODEL_SETS_NODES],
		    double weight[MODEL_SETS_NODES]);

/* The same as random_solve, with LRU within sets. `ratios` need not be set. */
void lru_solve(const struct model *m, const struct sets *sets, enum tail_kind kind, double *ratios,
	       struct group_result *results);

/* P(one given line of `lines` is still there after one miss) = exp(-rate). */
double random_rate(double lines);

/* The run's ratio: the mean of the groups'. */
double interval_mean(const struct model *m, const double *ratios);

/* The variance that the choice of its samples gives to a group's ratio. */
double interval_chance(const struct group *group, double ratio);

/* Half the width that chance gives to the groups' mean; 1 when there is no telling. */
double interval_half_width(const struct model *m, const double *ratios, double centre);

/*
 * Instead of centre and half width: the 95 % interval of the groups' mean, `centre`, by bootstrap
 * over the windows. Everything is in [0, 1] where there is no telling. Pure: the same seed gives
 * the same. Returns 0, or -1 when memory ran out.
 */
int bootstrap_interval(const struct model *m, const double *ratios, double centre, uint64_t seed,
		       double *low, double *high);

#endif
