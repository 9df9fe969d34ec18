/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code variants of this room: count, and stream; see code_variant.h. */
#include "engine/translate/job.h"

const struct code_variant count_variant = {
	.defers = true,
	.begin_block = job_stream_block,
	.enter = job_stream_forget,
};

const struct code_variant stream_variant = {
	.describes = true,
	.begin_block = job_stream_block,
	.enter = job_stream_forget,
	.fits = job_stream_fits,
	.begin = job_stream_begin,
	.behind_count = job_stream_reserve,
	.accesses = job_stream_accesses,
	.end = job_stream_end,
	.leave = job_stream_leave,
};
