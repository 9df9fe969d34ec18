/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that emit the filter gear's code (filter_emit.c, filter_data.c) share. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_PARTS_H
#define DWELL_ENGINE_SIMULATE_FILTER_PARTS_H

#include "engine/simulate/filter/filter.h"
#include "engine/translate/job.h"

/*
 * Islands are what jrcxz reaches: jumps within the code, to where it wants to go. Add one for its rel8; `bytes` more are about to be emitted,
 * so perhaps put them here; put them here, where code comes by (is_passed) or does not.
 */
void filter_add_island(struct job *j, uint8_t *field, const uint8_t *to);
void filter_need_islands(struct job *j, uint32_t bytes);
void filter_put_islands(struct job *j, bool is_passed);

/* rcx to spill3, unless it is there: who stores and loads again each time waits for what was stored. */
void filter_put_rcx_away(struct job *j);

/* At the beginning of a segment: which accesses are looked at together. */
void filter_begin_data(struct job *j);
/* In front of in[i]: its accesses, unless they have been looked at. */
void filter_emit_data(struct job *j, uint32_t i, bool is_live);
/* Behind the segment: what it does where accesses have to be looked at one by one. */
void filter_put_tails(struct job *j);

#endif
