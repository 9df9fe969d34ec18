/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of code made at run time, in order of address; see made_code.h. */
#include "engine/unwind/made_code.h"

#include "engine/core/intervals.h"
#include "engine/core/lock.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define MOST_FUNCTIONS (1u << 18)

/* Ends at the next function, or at the end of the gap between files when it was found. */
struct function {
	uint64_t start, end;
	uint64_t reach; /* no code is known from here on */
};

static struct intervals functions;
static uint32_t count;
static bool is_ready, is_full;
static uint32_t lock;

/* The function around pc, or NULL. *next: the beginning of the next one behind pc. */
static struct function *find(uint64_t pc, uint64_t *next)
{
	struct function *f = is_ready ? intervals_after(&functions, pc) : 0;
	const bool has_pc = f && f->start <= pc;

	*next = f ? has_pc ? f->end : f->start : UINT64_MAX;
	return has_pc ? f : 0;
}

bool made_code_find(uint64_t pc, struct made_range *function)
{
	const struct function *f;

	*function = (struct made_range){0};
	lock_take(&lock);
	f = find(pc, &function->end);
	if (f)
		function->start = f->start;
	lock_drop(&lock);
	return f;
}

bool made_code_is_any(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED) != 0;
}

static bool has_room(void)
{
	if (!is_ready)
		is_ready = intervals_init(&functions, sizeof(struct function), MOST_FUNCTIONS) == 0;
	if (is_ready && count < MOST_FUNCTIONS)
		return true;
	if (!is_full)
		say("more than %u functions of code made at run time: the call graph has the costs "
		    "of "
		    "others in those that begin before them",
		    MOST_FUNCTIONS);
	is_full = true;
	return false;
}

static bool begin(uint64_t pc, enum made_way way, const struct made_range *gap,
		  struct made_range *stale)
{
	uint64_t next;
	struct function *old = find(pc, &next), new;
	const bool is_known = old && old->start >= gap->start;

	if (is_known &&
	    (old->start == pc || way == MADE_REACHED || (way == MADE_PERHAPS && pc < old->reach)))
		return false;
	if (!has_room())
		return false;
	new = (struct function){pc, next < gap->end ? next : gap->end, pc};
	if (is_known && old->reach > pc) {
		*stale = (struct made_range){old->start, old->reach};
		new.reach = old->reach;
		old->reach = pc;
	}
	if (old)
		intervals_set_end(&functions, old, pc);
	if (intervals_insert(&functions, &new))
		__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	return true;
}

bool made_code_begin(uint64_t pc, enum made_way way, const struct made_range *gap,
		     struct made_range *stale)
{
	bool is_new;

	*stale = (struct made_range){0};
	lock_take(&lock);
	is_new = begin(pc, way, gap, stale);
	lock_drop(&lock);
	return is_new;
}

void made_code_extend(uint64_t pc, uint64_t last)
{
	uint64_t next;
	struct function *f;

	lock_take(&lock);
	f = find(pc, &next);
	if (f && last >= f->reach && last < f->end)
		f->reach = last + 1;
	lock_drop(&lock);
}

void made_code_forked(void)
{
	lock = 0;
}
