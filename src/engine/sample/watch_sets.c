/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads' watches; see watch_sets.h. */
#include "engine/sample/watch_sets.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/data/block_log.h"
#include "engine/drive/buffers.h"
#include "engine/sample/far_lines.h"
#include "engine/sample/nested.h"
#include "engine/sample/stack_distance.h"
#include "engine/sample/watches.h"
#include "engine/unwind/call_stack.h"

static struct watch_set *unused; /* linked by `next_unused` */

static void use_watches(struct thread *t, struct watch_set *w)
{
	t->watches = w;
	t->call_stack = w ? w->calls : 0;
	t->block_log = w ? w->blocks : 0;
}

void watch_sets_release(struct thread *t)
{
	if (!t->watches)
		return;
	t->watches->next_unused = unused;
	unused = t->watches;
	use_watches(t, 0);
}

static bool take_unused(struct thread *t, uint32_t line_shift)
{
	struct watch_set *w = unused;

	if (!w)
		return false;
	unused = w->next_unused;
	watches_clear(w, line_shift);
	if (w->calls) {
		w->calls->due = true;
		w->calls->entry = 0;
		w->calls->frames.depth = 0;
	}
	use_watches(t, w);
	return true;
}

bool watch_sets_need(struct thread *t, uint32_t line_shift)
{
	struct watch_set *w;

	if (t->watches || take_unused(t, line_shift))
		return true;
	w = pages_get(round_up(sizeof *w, PAGE));
	if (!w)
		return false;
	w->far_lines = pages_get(round_up(sizeof *w->far_lines, PAGE));
	if (engine.config.nested_one_in)
		w->nested = pages_get(round_up(sizeof *w->nested, PAGE));
	w->stack = pages_get(round_up(sizeof *w->stack, PAGE));
	if (engine.config.paths)
		w->calls = pages_get(round_up(sizeof *w->calls, PAGE));
	if (engine.config.objects)
		w->blocks = pages_get(round_up(sizeof *w->blocks, PAGE));
	if (!w->far_lines || (engine.config.nested_one_in && !w->nested) || !w->stack ||
	    (engine.config.paths && !w->calls) || (engine.config.objects && !w->blocks))
		return false; /* profiling ends, so nothing is given back */
	watches_init(w, line_shift);
	use_watches(t, w);
	return true;
}

void watch_sets_park(struct thread *t)
{
	if (t->watches && !t->buf_memory && buffers_are_shared(t))
		watch_sets_release(t);
}

void watch_sets_forked(void)
{
	unused = 0;
}
