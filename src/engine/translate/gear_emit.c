/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each gear adds to a segment: who emits it. */
#include "engine/simulate/filter/filter_calls.h"
#include "engine/translate/job.h"

bool job_fits_segment(struct job *j, uint32_t end)
{
	switch (j->gear) {
	case GEAR_STREAM:
		return job_stream_fits(j, end);
	case GEAR_FILTER:
		return job_filter_fits(j, end);
	default:
		return true;
	}
}

void job_begin_segment(struct job *j)
{
	const uint8_t *counted;

	if (j->gear == GEAR_STREAM)
		job_stream_begin(j);
	else if (j->gear == GEAR_FILTER)
		job_filter_begin(j);
	job_turn(j);
	counted = j->o.p;
	job_count_segment(j);
	if (j->gear == GEAR_FILTER)
		job_filter_count(j);
	else if (j->desc)
		job_stream_reserve(j, counted);
}

void job_look_at_accesses(struct job *j, uint32_t i)
{
	if (j->gear == GEAR_FILTER)
		job_filter_accesses(j, i);
	else
		job_stream_accesses(j, i);
}

void job_end_accesses(struct job *j)
{
	const uint8_t kind = j->in[j->end - 1].kind;

	/* Records are too long for what the islands reach. */
	if (j->gear == GEAR_FILTER)
		job_filter_end(j, filter_calls_are_on() || (kind != INSN_RET && kind != INSN_JMP && kind != INSN_JMP_IND));
	else
		job_stream_end(j);
}

void job_leave_segment(struct job *j)
{
	if (j->gear == GEAR_FILTER)
		job_filter_leave(j);
	if (j->gear != GEAR_COUNT)
		job_stream_leave(j);
	job_step_behind(j);
}
