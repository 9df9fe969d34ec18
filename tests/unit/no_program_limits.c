/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the engine's memory: a program that has set no limits. */
#include "engine/core/program_limits.h"

bool program_limits_make_room(uint64_t bytes)
{
	(void)bytes;
	return false;
}

bool program_limits_explain_refusal(void)
{
	return false;
}
