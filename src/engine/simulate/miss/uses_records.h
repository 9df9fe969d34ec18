/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For this room only: the records of lines, by place. */
#ifndef DWELL_ENGINE_SIMULATE_USES_USES_RECORDS_H
#define DWELL_ENGINE_SIMULATE_USES_USES_RECORDS_H

#include "engine/simulate/miss/uses.h"
#include "sim/cache/line_use.h"

enum { USES_DATA, USES_CODE, USES_LAST, USES_LEVELS };

static inline uint32_t uses_level(const struct filter_level *l)
{
	return l == &filter_state.data	 ? USES_DATA
	       : l == &filter_state.code ? USES_CODE
					 : USES_LAST;
}

/* Of a line that is in the level: tag 0 if nobody asks for its use. */
struct sim_line_record *uses_record(const struct filter_level *l, uint32_t place);
/* That of the line in the last level; NULL: there is none, or it has not the line. */
struct sim_line_record *uses_record_below(uint64_t line);
/* Adds uses of a line to its record in a first level, and to that below. */
void uses_add(struct sim_line_record *r, uint64_t line, uint64_t uses, uint64_t touched);
/* What lines.c has seen of a line of code since it was asked last is added to its records. */
void uses_settle_code(struct sim_line_record *r, uint64_t line);
/* Adds what the first levels have seen of the line. */
void uses_settle(uint64_t line);
/* The record ends, and stands for so many. And for the call graph. */
void uses_charge(const struct filter_level *l, const struct sim_line_record *r, uint64_t weight);
void uses_charge_calls(const struct filter_level *l, const struct sim_line_record *r,
		       uint64_t weight);
/* The tag of what a site brings now. */
uint32_t uses_tag_of_site(uint32_t site);

#endif
