/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this folder share. Not for other folders. */
#ifndef DWELL_MODEL_PARTS_H
#define DWELL_MODEL_PARTS_H

#include "model/model.h"

/*
 * Misses up to a moment grow along a straight line inside a cell. One cell a window is wrong where
 * a program's phases are shorter than windows; more have too few samples each.
 */
#define MODEL_CELLS 4u

#define MODEL_NODES 41u /* distances 1, sqrt(2), 2 .. 2^20 */

/* How wrong the model may be itself, whatever the number of samples. */
#define MODEL_ERROR_ABSOLUTE 0.001
#define MODEL_ERROR_RELATIVE 0.03

#define HIDDEN_BINS 24u

#define MODEL_PAIRS 8u /* counted pairs that say how many lines a near reuse has in between */

enum reuse_kind {
	REUSE_CLOSE, /* near samples, closer than MODEL_CLOSE accesses */
	REUSE_NEAR,  /* near samples */
	REUSE_FAR,
	REUSE_FIRST, /* first touches, and reuses whose last touch no window saw */
	REUSE_KINDS
};

/* Of a few values the one below, and the part that goes to the next. */
struct node {
	uint32_t below;
	float over;
};

/* What ends inside of a window: a reuse, or a first touch. */
struct reuse {
	uint32_t cell, begin_cell; /* in which it ends and begins, of all cells */
	double part, begin_part;   /* of these cells, that lies before */
	double distance;	   /* accesses in between */
	double weight;		   /* accesses of the window that it stands for */
	double lines;		   /* in between; of near ones see model.between */
	uint32_t source;	   /* its place in the input, among the near or the far ones */
	enum reuse_kind kind;
	/* see spread.c; of far reuses that began before their cell: see random.c */
	struct node node;
	/* see bursts.c */
	uint8_t between[MODEL_TOUCHES]; /* of near reuses */
	uint8_t octave;
	int8_t class;
};

/* A stretch of the axis, and what ends in it. */
struct window {
	double start, length, scale; /* scale: accesses of the run for each of its own */
	double hidden;		     /* share of the first touches that are reuses behind a gap */
	double sampled; /* accesses that the chosen access of a sample stands for, close or not */
	double touches[MODEL_TOUCHES];
};

/* What a solution says of a window. */
struct window_sum {
	double accesses, misses;
	double burst;	 /* see bursts.c */
	double slope;	 /* of the fully associative cache last solved, as elastic */
	double elastic;	 /* misses that come when all misses become more by a share, over it */
	double variance; /* of misses, by the choice of what was seen */
};

/* Weights of near reuses at MODEL_NODES distances, in each cell; see spread.c. */
struct spread {
	double *near;
	double *weight; /* their sum */
	uint8_t *nodes; /* that are in use: the last one's number + 1 */
};

#define EXPECTED_BINS 82u /* two for each octave of distance */

/* Lines that d accesses touch on average: up to the begin of each bin, and their growth in it. */
struct expected {
	double sum[EXPECTED_BINS + 1], slope[EXPECTED_BINS];
};

struct model {
	struct window *windows;
	size_t window_count;
	struct reuse *reuses; /* by cell, in the order of the run */
	size_t reuse_count;
	size_t *cell_first; /* window_count * MODEL_CELLS + 1 of them: into reuses */
	size_t near_count, far_count;
	double *begins; /* of each near sample: accesses of the run */

	/* of near reuses: MODEL_PAIRS numbers of lines in between; at MODEL_PAIRS * source */
	float *between;
	struct spread spread; /* of near reuses */
	struct spread close;  /* of those that bursts.c leaves out */
	size_t cells_around;  /* see spread.c */
	bool has_touches;

	struct expected touched;

	double hidden[HIDDEN_BINS]; /* weights of far reuses, by distance: see hidden.c */
	unsigned hidden_most;	    /* the last that has any */

	double far_share, far_variance; /* of accesses */
	double far_line_weight;		/* lines that a counted one stands for */
	double accesses;		/* of the run, as far as reuses stand for them */
	double end;			/* of the axis */

	/* Scratch of a solution. */
	double *miss;	/* P(miss) of each reuse */
	double *chance; /* the same, of a fully associative cache */
	double *misses; /* up to the begin of each cell, and at the end */
	double *passed; /* of each far reuse: see random.c */
	/* see bursts.c */
	double *near_misses;	 /* in each cell, not of close ones */
	double *short_misses;	 /* up to the begin of each cell, and at the end */
	double *expected;	 /* misses between the touches of near reuses: by M(t), */
	double *met;		 /* and as seen */
	double *near_miss;	 /* P(miss) at MODEL_NODES distances, in each cell */
	struct window_sum *sums; /* of each window */
};

static inline const struct window *reuse_window(const struct model *m, const struct reuse *r)
{
	return &m->windows[r->cell / MODEL_CELLS];
}

/* The steps of model_new, in this order; 0, or -1 when memory ran out. */
int axis_place(struct model *m, const struct model_input *in);
/* The cell that holds a position, up to window `last`, and the part of it that lies before. */
uint32_t axis_cell(const struct model *m, size_t last, double position, double *part);
void weights_scale(struct model *m, const struct model_input *in);
int spread_near(struct model *m);
int between_measure(struct model *m, const struct model_input *in);

void expected_measure(struct expected *e, const struct model *m);
uint32_t expected_bin(double distance);
double expected_lines(const struct expected *e, double distance);

/*
 * Bursts: replaces m->chance of near reuses, not of close ones, by what was seen between their
 * touches, and fills m->near_misses. m->misses and m->chance have a solution, for a cache of which
 * a miss evicts a given line with the chance 1 - exp(-rate).
 */
void bursts_solve(struct model *m, double rate);
/* A step of model_new, where there are touches; 0, or -1 when memory ran out. */
int bursts_new(struct model *m);

/* Adds the misses of near reuse i, by m->chance, to those of the cells around it. */
void spread_add(const struct model *m, size_t i, double *cells);

/* Of sums up to the begin of each cell, that up to a place. */
static inline double sum_at(const double *sums, uint32_t cell, double part)
{
	return sums[cell] + (sums[cell + 1] - sums[cell]) * part;
}

/* The distances of reuses whose last touch no window saw, in octaves from MODEL_FAR on. */
unsigned hidden_bin(const struct model *m, double distance);
double hidden_distance(unsigned bin);
void hidden_measure(struct model *m);

/* A far reuse that begins in the cell in which it ends. */
static inline bool spread_in_cell(const struct reuse *r)
{
	return r->kind == REUSE_FAR && r->begin_cell == r->cell;
}

/* Fills the node of a far reuse. */
void random_place(struct reuse *r);

/* P(miss) of a near reuse, or of one in a cell, from m->near_miss. */
double spread_miss(const struct model *m, const struct reuse *r);

#define SETS_TABLE 512

/* A cache of sets; one set is the fully associative cache. The rest is for sets_miss. */
struct sets {
	double sets; /* 1 or more */
	double ways;
	double log_here, log_elsewhere; /* ln P(a line falls into a given set, does not) */
	double log_factorial;		/* ln (ways - 1)! */
};

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

/*
 * The policies. Random: P(miss) of each reuse times `share` is added to m->miss, and how much
 * misses bring about others to m->sums[].elastic. `lines` above 0.
 */
void random_solve(struct model *m, double lines, double share);
void lru_solve(struct model *m, const struct sets *sets);

/*
 * The far reuses' part of the ratio, had `more` times as many lines been counted between their
 * touches; and the relative standard error of such a count.
 */
double lru_far(const struct model *m, const struct sets *sets, double more);
double lru_error(const struct model *m, double lines);

/* The 95 % interval around out->ratio from m->miss and m->sums. */
void interval_fill(struct model *m, struct model_ratio *out);

#endif
