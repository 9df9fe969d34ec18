/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the reuses are that a group has not seen itself, which both policies ask. */
#ifndef DWELL_MODEL_BEYOND_H
#define DWELL_MODEL_BEYOND_H

#include "model/parts.h"

/* Pieces of rising distance; those within a quarter of an octave of each other are one. */
struct pieces {
	double x[2 * MODEL_PIECES], mass[2 * MODEL_PIECES];
	size_t count;
	uint64_t last_quarter; /* 0: the next piece stays apart */
};

void pieces_add(struct pieces *p, double x, double mass);

/*
 * `own` in pieces, which go to x and mass: no more than it has. The caller provides and keeps both.
 */
void pieces_join(const struct survival *own, double *x, double *mass, struct survival *out);

/*
 * All that lies beyond what a group has seen: the pool's pieces, the tail, what never comes back.
 */
struct beyond {
	struct pieces p;
	size_t pool_count; /* pieces of the pool */
	double cold;
};

/* `apart`: the tail's pieces stay as they are, however near each other. */
void beyond_set_up(const struct model *m, const struct tail *t, bool apart, struct beyond *b);

/* The part of it that one group's far reuses come from. */
struct far {
	size_t first, last; /* pieces: from the one up to before the other */
	double end;	    /* of what the group has seen, accesses */
	/*
	 * mass of these pieces and of what never comes back; 0: the pool knows of nothing so far
	 * away
	 */
	double total;
};

/*
 * Of accesses of the group that come from before what it has seen. None can come from before the
 * run, which is `before` accesses back.
 */
struct far beyond_group(const struct beyond *b, const struct group *group, double before);

/* Where the group takes piece i of them to lie. */
static inline double far_place(const struct beyond *b, const struct far *f, size_t i)
{
	/* A group may have seen farther than the pool: tail pieces before its end lie there. */
	return b->p.x[i] > f->end ? b->p.x[i] : f->end;
}

/*
 * So far back from an access of the group its own ratio holds, on average: as it has seen, or half
 * of its accesses if all are alike. That windows side by side were alike says so of what lies
 * between them. Beside a single window the program may well do something else: there it is half of
 * that, and farther back what came before is the better guess.
 */
double group_reach(const struct model *m, size_t g);

static inline double group_length(const struct model *m, size_t g)
{
	return m->groups[g].weight * m->accesses;
}

#endif
