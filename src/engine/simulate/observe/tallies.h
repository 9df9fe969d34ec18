/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * References of a site to structures that it does not expect (filter_references.h): counts that
 * filter_miss.S adds to, in a table of fixed size. A count is moved to its bin when its place is
 * needed, and before counts are sent.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_TALLIES_H
#define DWELL_ENGINE_SIMULATE_WHOSE_TALLIES_H

/* struct site_tally */
#define TALLY_SITE   0
#define TALLY_LABEL  4
#define TALLY_COUNT  8
#define TALLY_LIMIT  12
#define TALLY_BIN    16
#define TALLY_SHIFT  5 /* log2 of its bytes */
#define TALLIES	     65536
#define TALLY_FACTOR 97 /* the place is site + label * this, modulo TALLIES */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

struct site_tally {
	uint32_t site, label; /* site 0: unused */
	uint32_t count;	      /* of references that are not in its bin yet */
	uint32_t limit;	      /* with so many C is to look at it */
	uint32_t bin, unused;
	uint64_t since; /* executions of the site's segment when C has looked at it last */
};

/* False: no memory. */
bool tallies_start(void);
extern struct site_tally *tallies;

/* The tally of a site and label, whose bin is that. If it is new its `since` is that. */
struct site_tally *tallies_get(uint32_t site, uint32_t label, uint32_t bin, uint64_t since);
/* Move its count to the bin. */
void tallies_take(struct site_tally *t);
/* Move all counts, and forget all sites. */
void tallies_settle(void);

#endif
#endif
