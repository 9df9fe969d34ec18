/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps where the copies of thread-local variables are; see locals.h. */
#include "engine/data/locals.h"

#include "channel/channel.h"
#include "engine/core/intervals.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/unwind/loader_map.h"
#include "engine/unwind/modules.h"
#include "engine/unwind/unwind.h"

#define MOST_COPIES (1u << 16)
/* What malloc aligns to: more is asked for by a larger block, in which the copy is aligned. */
#define USUAL_ALIGNMENT 16u
#define CALL_DEPTH	8u /* frames of the dynamic linker in a call */

struct copy {
	uint64_t start, end;
	uint64_t key;
	uint64_t tls; /* the thread's pointer; 0: the copy is a block */
};

static struct intervals copies;
static uint64_t last_sum; /* of loader_map_sum, when all threads had their copies */

bool locals_init(void)
{
	return intervals_init(&copies, sizeof(struct copy), MOST_COPIES) == 0;
}

void locals_forget(uint64_t start, uint64_t end)
{
	struct copy *c;

	while ((c = intervals_after(&copies, start)) && c->start < end)
		intervals_remove(&copies, c);
}

static bool is_known(const struct copy *new)
{
	const struct copy *c = intervals_after(&copies, new->start);

	return c && c->start == new->start && c->end == new->end && c->key == new->key &&
	       c->tls == new->tls;
}

/* False: it was there. */
static bool add(struct process *p, const struct module_locals *m, uint64_t start, uint64_t tls)
{
	const struct copy new = {
		.start = start, .end = start + m->bytes, .key = m->key, .tls = tls};

	if (is_known(&new))
		return false;
	locals_forget(new.start, new.end);
	intervals_insert(&copies, &new);
	records_locals(p, new.start, new.end, m->code);
	return true;
}

/*
 * How far below each thread's pointer the copies of a file are; 0: elsewhere. A program that has no
 * dynamic linker, or an unknown one, has its own right below.
 */
static uint64_t offset_of(const struct module_locals *m)
{
	uint64_t offset;

	if (loader_map_offset(m->bias, &offset))
		return offset;
	return m->is_program ? round_up(m->bytes, m->alignment) : 0;
}

uint64_t locals_bytes(void)
{
	struct module_locals m;
	uint64_t sum = 0, most = 0;

	for (uint32_t i = 0; modules_locals(i, &m); i++) {
		const uint64_t offset = offset_of(&m);

		sum += round_up(m.bytes, m.alignment);
		most = offset > most ? offset : most;
	}
	return most > sum ? most : sum;
}

void locals_of_thread(struct thread *t, uint64_t tls, uint64_t low,
		      void (*added)(struct thread *t, uint64_t start, uint64_t end))
{
	struct module_locals m;

	for (uint32_t i = 0; modules_locals(i, &m); i++) {
		const uint64_t offset = offset_of(&m), start = tls - offset;

		if (offset >= m.bytes && offset <= tls - low && add(t->process, &m, start, tls) &&
		    added)
			added(t, start, start + m.bytes);
	}
}

bool locals_have_changed(void)
{
	const uint64_t sum = loader_map_sum(), last = last_sum;

	last_sum = sum;
	return sum != last;
}

bool locals_next_thread(uint64_t *at, uint64_t *tls)
{
	const struct copy *c;

	while ((c = intervals_after(&copies, *at))) {
		*at = c->end;
		*tls = c->tls;
		if (c->tls)
			return true;
	}
	return false;
}

/* The first return address that is not of the dynamic linker; 0: there is none. */
static uint64_t caller_of_linker(uint64_t back, uint64_t rsp, uint64_t rbp)
{
	uint64_t path[CALL_DEPTH];
	const uint32_t depth = unwind_path(back, rsp, rbp, path, CALL_DEPTH);

	for (uint32_t i = 0; i < depth; i++)
		if (!loader_map_is_linker(path[i]))
			return path[i];
	return 0;
}

static uint64_t block_bytes(const struct module_locals *m)
{
	return m->alignment > USUAL_ALIGNMENT ? m->bytes + m->alignment : m->bytes;
}

/*
 * Of several files whose copies have that size: the one whose code has asked for the address of its
 * variable.
 */
static bool find_file(uint64_t bytes, uint64_t caller, struct module_locals *found)
{
	struct module_place place;
	struct module_locals m;
	bool is_found = false;

	modules_place(caller, &place);
	for (uint32_t i = 0; modules_locals(i, &m); i++) {
		const bool is_callers = m.code >= place.start && m.code < place.end;

		if (block_bytes(&m) != bytes || offset_of(&m) || (is_found && !is_callers))
			continue;
		*found = m;
		is_found = true;
	}
	return is_found;
}

bool locals_are_block(struct process *p, uint64_t start, uint64_t bytes, uint64_t back,
		      uint64_t rsp, uint64_t rbp)
{
	struct module_locals m;
	uint64_t caller;

	if (!loader_map_is_linker(back))
		return false;
	caller = caller_of_linker(back, rsp, rbp);
	/* dlopen allocates for the linker itself */
	if (!caller || loader_map_is_library(caller) || !find_file(bytes, caller, &m))
		return false;
	if (m.alignment > USUAL_ALIGNMENT)
		start = round_up(start, m.alignment);
	add(p, &m, start, 0);
	return true;
}

bool locals_find(uint64_t address, struct locals_place *place)
{
	const struct copy *c = intervals_after(&copies, address);

	if (!c || c->start > address)
		return false;
	*place = (struct locals_place){.start = c->start, .end = c->end, .key = c->key};
	return true;
}
