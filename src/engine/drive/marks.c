/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marked functions and marks of the program; see marks.h. */
#include "engine/drive/marks.h"

#include "engine/core/elf_search.h"
#include "engine/core/lock.h"
#include "engine/core/publish.h"
#include "engine/core/records.h"
#include "engine/core/upward.h"
#include "engine/core/util.h"
#include "engine/data/named.h"
#include "engine/data/waiting.h"
#include "engine/drive/collect.h"
#include "engine/drive/toggles.h"

#define MAX_PLACES 256u /* a C++ name may match many functions */
#define MAX_NAME   256u

static struct place {
	uint64_t pc;
	enum control_event what;
} places[MAX_PLACES];
static uint32_t place_count; /* atomic: places are added under the lock, and read without */
static uint32_t lock;

/* The part of a file that is mapped. */
struct part {
	uint64_t start, end, offset;
	enum control_event what;
};

static void add_place(void *context, uint64_t file_offset)
{
	const struct part *m = context;
	uint64_t pc = m->start + (file_offset - m->offset);
	uint32_t n = place_count;

	if (file_offset < m->offset || pc >= m->end || n == MAX_PLACES)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (places[i].pc == pc && places[i].what == m->what)
			return;
	places[n] = (struct place){pc, m->what};
	__atomic_store_n(&place_count, n + 1, __ATOMIC_RELEASE);
	records_mark(m->what == CONTROL_START_AT ? CHANNEL_START_FOUND : CHANNEL_STOP_FOUND);
}

static void search(const char *path, struct part part, const char *name, enum control_event what)
{
	part.what = what;
	if (name[0] && control_awaits(what) && path[0] != '[')
		elf_search(path, name, add_place, &part);
}

void marks_module(uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	const struct part part = {.start = start, .end = end, .offset = offset};

	toggles_module(start, end, offset, path);
	if (!engine.config.start_at[0] && !engine.config.stop_at[0])
		return;
	lock_take(&lock);
	search(path, part, engine.config.start_at, CONTROL_START_AT);
	search(path, part, engine.config.stop_at, CONTROL_STOP_AT);
	lock_drop(&lock);
}

static const struct place *find(uint64_t pc, uint32_t from)
{
	uint32_t n = __atomic_load_n(&place_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = from; i < n; i++)
		if (places[i].pc == pc && control_awaits(places[i].what))
			return &places[i];
	return 0;
}

bool marks_at(uint64_t pc)
{
	return find(pc, 0) != 0 || toggles_at(pc);
}

void marks_entered(struct thread *t, uint64_t pc)
{
	const struct place *p;

	toggles_asked(t, pc);
	for (uint32_t i = 0; (p = find(pc, i)); i = (uint32_t)(p - places) + 1)
		collect_event(t, p->what);
}

/* nopl disp32(%rax), see include/dwell.h. */
enum { MARK_START = 1, MARK_STOP = 2, MARK_NAME = 3, MARK_UNNAME = 4, MARK_NUMBER_AT = 3 };

bool marks_decode(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room)
{
	static const uint8_t before[] = {0x0f, 0x1f, 0x80}, behind[] = {0x44, 0x57, 0x4c};
	const uint32_t bytes = sizeof before + 1 + sizeof behind;

	/* the first or second byte rejects most instructions */
	if (room < bytes || code[0] != before[0] || code[1] != before[1] || code[2] != before[2] ||
	    memcmp(code + MARK_NUMBER_AT + 1, behind, sizeof behind) != 0 ||
	    code[MARK_NUMBER_AT] < MARK_START || code[MARK_NUMBER_AT] > MARK_UNNAME)
		return false;
	memset(in, 0, sizeof *in);
	in->pc = pc;
	in->kind = INSN_MARK;
	in->length = (uint8_t)bytes;
	memcpy(in->bytes, code, bytes);
	return true;
}

/* Copies the name at an address of the target, truncated to fit; "" if it cannot be read. */
static void copy_name(char name[MAX_NAME], uint64_t from)
{
	uint32_t n = 0;

	while (n + 1 < MAX_NAME && engine_copy(name + n, (const void *)(from + n), 1) == 0 &&
	       name[n])
		n++;
	name[n] = 0;
}

static void name_region(struct thread *t, bool is_given)
{
	uint64_t start = t->regs[RDI], bytes = t->regs[RSI];
	uint32_t number = 0;
	char name[MAX_NAME] = "";

	if (is_given)
		copy_name(name, t->regs[RDX]);
	if (bytes == 0 || start + bytes < start || (is_given && !name[0]))
		return;
	publish_report(t);
	if (engine_counts_data()) {
		waiting_look(t, start, start + bytes);
		number = named_number(name);
		named_set(start, start + bytes, number);
		upward.forget_owners(start, start + bytes);
	}
	records_region(t->process, start, start + bytes, name, number);
}

void marks_run(struct thread *t, const struct insn *in)
{
	switch (in->bytes[MARK_NUMBER_AT]) {
	case MARK_START:
		collect_event(t, CONTROL_MARK_START);
		break;
	case MARK_STOP:
		collect_event(t, CONTROL_MARK_STOP);
		break;
	case MARK_NAME:
		name_region(t, true);
		break;
	case MARK_UNNAME:
		name_region(t, false);
		break;
	}
}
