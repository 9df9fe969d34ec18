/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers to calls from hooks; see hook_calls.h. */
#include "engine/run/hook_calls.h"

#include "engine/data/alloc.h"
#include "engine/simulate/mode/scheduler.h"
#include "engine/translate/x87.h"

void hook_calls_answer(struct thread *t, const struct hook_frame *f, uint64_t rbp)
{
	switch ((uint32_t)f->number) {
	case HOOK_TURN:
		scheduler_end_turn(t);
		break;
	case HOOK_X87:
		x87_show(t);
		break;
	default:
		alloc_called(t, f, rbp);
	}
}
