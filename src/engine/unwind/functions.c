/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the target; see functions.h. */
#include "engine/unwind/functions.h"

#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/unwind/eh_frame.h"
#include "engine/unwind/made_code.h"
#include "engine/unwind/modules.h"

#define RESOLVER_MOST 2048u /* most bytes of the resolver */

/*
 * Is the function the dynamic linker's resolver (glibc, _dl_runtime_resolve), which jumps to the
 * symbol it found? It has no symbol, but ends in jmp *%r11, which compilers do not emit for C.
 */
static bool is_resolver(uint64_t start, uint64_t end)
{
	uint8_t code[RESOLVER_MOST];
	uint64_t bytes = end - start < sizeof code ? end - start : sizeof code;

	if (engine_copy(code, (const void *)(uintptr_t)start, bytes) != 0)
		return false;
	for (uint64_t i = 0; i + 3 <= bytes; i++)
		if (code[i] == 0x41 && code[i + 1] == 0xff && code[i + 2] == 0xe3)
			return true;
	return false;
}

/* The range by frame information, inside the module; without any the module is one gap. */
static void find_described(const struct module_place *m, uint64_t pc, struct sim_function *found)
{
	struct frame_range range;

	*found = (struct sim_function){
		.start = m->start, .end = m->end, .kind = SIM_FUNCTION_UNKNOWN};
	if (m->frames.bytes == 0 || !eh_frame_range(&m->frames, pc, &range))
		return;
	found->start = range.start > m->start ? range.start : m->start;
	found->end = range.end < m->end ? range.end : m->end;
	if (range.described && m->interpreter && is_resolver(found->start, found->end))
		found->kind = SIM_FUNCTION_RESOLVER;
	else if (range.described)
		found->kind = SIM_FUNCTION_NORMAL;
}

/* In a gap between described code: the function by symbols, inside the gap. */
static void find_by_symbol(uint64_t pc, struct sim_function *found)
{
	uint64_t start, end;
	bool known = modules_function(pc, &start, &end);

	if (known && start >= found->start)
		found->kind = SIM_FUNCTION_NORMAL;
	if (start > found->start)
		found->start = start;
	if (end < found->end)
		found->end = end;
}

static void find_in_file(const struct module_place *m, uint64_t pc, struct sim_function *found)
{
	if (m->stubs_end) {
		*found = (struct sim_function){
			.start = m->stubs, .end = m->stubs_end, .kind = SIM_FUNCTION_STUB};
		return;
	}
	find_described(m, pc, found);
	if (found->kind == SIM_FUNCTION_UNKNOWN)
		find_by_symbol(pc, found);
}

void functions_find(void *context, uint64_t pc, struct sim_function *found)
{
	struct module_place m;
	struct made_range made;

	(void)context;
	if (modules_place(pc, &m)) {
		find_in_file(&m, pc, found);
		return;
	}
	*found =
		(struct sim_function){.start = m.start, .end = m.end, .kind = SIM_FUNCTION_UNKNOWN};
	/* no end, so that it stays the same function when later ones begin behind it */
	if (made_code_find(pc, &made) && made.start >= m.start)
		*found = (struct sim_function){
			.start = made.start, .end = UINT64_MAX, .kind = SIM_FUNCTION_MADE};
}

uint64_t functions_end(uint64_t pc)
{
	struct module_place m;
	struct made_range made;
	struct sim_function f;

	if (modules_place(pc, &m)) {
		find_in_file(&m, pc, &f);
		return f.end;
	}
	made_code_find(pc, &made);
	return made.end < m.end ? made.end : m.end;
}

bool functions_begin(uint64_t pc, enum made_way way, struct made_range *stale)
{
	struct module_place m;

	return !modules_place(pc, &m) &&
	       made_code_begin(pc, way, &(struct made_range){m.start, m.end}, stale);
}

void functions_extend(uint64_t pc, const uint64_t *last, uint32_t n)
{
	struct module_place m;

	if (!made_code_is_any() || modules_place(pc, &m))
		return;
	for (uint32_t i = 0; i < n; i++)
		made_code_extend(pc, last[i]);
}
