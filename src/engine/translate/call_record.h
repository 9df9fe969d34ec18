/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets into a record of a call (sim/calls/call_records.h), for code that writes them. */
#ifndef DWELL_ENGINE_TRANSLATE_CALL_RECORD_H
#define DWELL_ENGINE_TRANSLATE_CALL_RECORD_H

/* struct sim_record */
#define REC_SITE	0
#define REC_FIRST	4
#define REC_WORDS	8
#define REC_COUNTS	4
#define REC_PC		8
#define REC_LANES	16
#define REC_SP		32
#define REC_BYTES	40
#define REC_IS_OF_WORDS 2 /* SIM_RECORD_WORDS */

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "sim/calls/call_records.h"

_Static_assert(sizeof(struct sim_record) == REC_BYTES, "layout");
_Static_assert(offsetof(struct sim_record, events) == REC_COUNTS, "layout");
_Static_assert(offsetof(struct sim_record, pc) == REC_PC, "layout");
_Static_assert(offsetof(struct sim_record, lane) == REC_LANES, "layout");
_Static_assert(offsetof(struct sim_record, sp) == REC_SP, "layout");
_Static_assert(offsetof(struct sim_record, first_word) == REC_FIRST, "layout");
_Static_assert(offsetof(struct sim_record, words) == REC_WORDS, "layout");
_Static_assert(SIM_RECORD_EVENTS == 0, "filter_miss.S relies on it");
_Static_assert(SIM_RECORD_WORDS == REC_IS_OF_WORDS, "filter_miss.S relies on it");

#endif
#endif
