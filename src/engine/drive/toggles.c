/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collection while certain functions run; see toggles.h. */
#include "engine/drive/toggles.h"

#include "engine/codecache/cache.h"
#include "engine/core/elf_search.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/util.h"

#define SLOTS (1u << 16)
#define MOST  (SLOTS / 2)
/* A stack pointer farther up is on another stack, such as a coroutine's. */
#define STACK_BYTES (8ull << 20)

/* Kinds of places: a function may have been left there, or it is the entry of one. */
enum {
	PLACE_NONE,
	PLACE_LANDING, /* behind a call, or where an exception lands */
	PLACE_SETJMP,  /* the entry of setjmp: the code behind its call is a landing */
	PLACE_FIRST,   /* the entry of function number 0 */
};

/* Functions that take part in leaving others without a return. */
static const struct {
	const char *name;
	uint32_t place;
} ways_out[] = {
	{"setjmp", PLACE_SETJMP},
	{"_setjmp", PLACE_SETJMP},
	{"sigsetjmp", PLACE_SETJMP},
	{"__sigsetjmp", PLACE_SETJMP},
	{"__cxa_begin_catch", PLACE_LANDING},
	{"_Unwind_Resume", PLACE_LANDING},
};

static uint64_t *slots; /* pc << 8 | place; written under the lock, read without */
static uint32_t used, lock;

static bool are_on(void)
{
	return engine.config.toggle_count != 0;
}

/* ---- Places ---- */

/* The slot of pc, or the free one for it. */
static uint64_t *slot_of(uint64_t pc)
{
	uint32_t i = (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 48);
	uint64_t v;

	while ((v = __atomic_load_n(&slots[i], __ATOMIC_RELAXED)) && v >> 8 != pc)
		i = (i + 1) & (SLOTS - 1);
	return &slots[i];
}

static uint32_t find(uint64_t pc)
{
	return are_on() && slots ? (uint32_t)(*slot_of(pc) & 0xff) : PLACE_NONE;
}

bool toggles_at(uint64_t pc)
{
	return find(pc) != PLACE_NONE;
}

/* Adds a place, and drops older translations of pc. False: there is no room for more. */
static bool add_place(uint64_t pc, uint32_t place)
{
	bool is_there = true;
	uint64_t *slot;

	if (find(pc) >= place)
		return true;
	lock_take(&lock);
	slot = slot_of(pc);
	if (!*slot)
		is_there = used++ < MOST;
	if (is_there)
		__atomic_store_n(slot, pc << 8 | place, __ATOMIC_RELAXED);
	lock_drop(&lock);
	lock_take(&engine.translate_lock);
	cache_invalidate(pc, pc + 1);
	lock_drop(&engine.translate_lock);
	return is_there;
}

/* The mapped part of a file, and the place to look for. */
struct part {
	uint64_t start, end, offset;
	uint32_t place;
};

static void found(void *context, uint64_t file_offset)
{
	const struct part *m = context;
	uint64_t pc = m->start + (file_offset - m->offset);

	if (file_offset < m->offset || pc >= m->end || !add_place(pc, m->place))
		return;
	if (m->place >= PLACE_FIRST)
		records_toggle(m->place - PLACE_FIRST, false);
}

static bool make_table(void)
{
	struct grow memory; /* only touched pages take memory */

	if (!slots && grow_init_whole(&memory, SLOTS * sizeof *slots) == 0)
		slots = (uint64_t *)(void *)memory.base;
	return slots != 0;
}

void toggles_module(uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	struct part part = {.start = start, .end = end, .offset = offset};
	const char *name = engine.config.toggles;

	if (!are_on() || path[0] == '[' || !make_table())
		return;
	for (uint32_t i = 0; i < engine.config.toggle_count; i++) {
		part.place = PLACE_FIRST + i;
		elf_search(path, name, found, &part);
		while (*name++)
			;
	}
	for (uint32_t i = 0; i < sizeof ways_out / sizeof *ways_out; i++) {
		part.place = ways_out[i].place;
		elf_search_c(path, ways_out[i].name, found, &part);
	}
}

/* ---- Calls ---- */

static void turn(struct thread *t, uint32_t number)
{
	t->toggles_inside ^= 1u << number;
	t->toggled = !t->toggled;
}

/* A function is over when its return address, at `entry`, was popped. */
static bool is_over(const struct thread *t, uint64_t entry)
{
	uint64_t sp = t->regs[RSP];

	return sp > entry && sp - entry < STACK_BYTES &&
	       thread_on_altstack(t, sp) == thread_on_altstack(t, entry);
}

void toggles_look(struct thread *t)
{
	for (uint32_t in = t->toggles_inside; in; in &= in - 1) {
		uint32_t number = (uint32_t)__builtin_ctz(in);

		if (is_over(t, t->toggle_entry[number]))
			turn(t, number);
	}
}

static void enter(struct thread *t, uint32_t number)
{
	uint64_t back, sp = t->regs[RSP];

	if (t->toggles_inside >> number & 1 || engine_peek(&back, (const void *)sp) != 0)
		return;
	if (!add_place(back, PLACE_LANDING)) {
		records_message(t->process,
				"functions of --toggle-collect are called from too many places: "
				"calls from some of them are left out");
		return;
	}
	records_toggle(number, true);
	t->toggle_entry[number] = sp;
	turn(t, number);
}

void toggles_asked(struct thread *t, uint64_t pc)
{
	uint32_t place = find(pc);
	uint64_t back;

	if (place == PLACE_NONE || t->process->borrowed_memory)
		return;
	toggles_look(t);
	if (place >= PLACE_FIRST)
		enter(t, place - PLACE_FIRST);
	else if (place == PLACE_SETJMP && engine_peek(&back, (const void *)t->regs[RSP]) == 0)
		add_place(back, PLACE_LANDING);
}

bool toggles_allow(const struct thread *t)
{
	return !are_on() || t->toggled;
}
