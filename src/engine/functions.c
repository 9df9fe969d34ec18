/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the target; see functions.h. */
#include "engine/functions.h"

#include "engine/eh_frame.h"
#include "engine/modules.h"
#include "engine/state.h"
#include "engine/util.h"

#define RESOLVER_MOST 2048u /* bytes of such a function */

/*
 * Does code of the dynamic linker jump to where it has looked up? On x86-64 that ends in
 * jmp *%r11, which compilers do not make of C (glibc, _dl_runtime_resolve). It has no symbol.
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

/* What frame information says, inside the module; without any all of it is one gap. */
static void find_described(const struct module_place *m, uint64_t pc, struct sim_function *found)
{
	struct frame_range range;

	*found = (struct sim_function){
		.start = m->start, .end = m->end, .kind = SIM_FUNCTION_UNKNOWN
	};
	if (m->frames.bytes == 0 || !eh_frame_range(&m->frames, pc, &range))
		return;
	found->start = range.start > m->start ? range.start : m->start;
	found->end = range.end < m->end ? range.end : m->end;
	if (range.described && m->interpreter && is_resolver(found->start, found->end))
		found->kind = SIM_FUNCTION_RESOLVER;
	else if (range.described)
		found->kind = SIM_FUNCTION_NORMAL;
}

/* In a gap between described code: what the symbols say, inside the gap. */
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

void functions_find(void *context, uint64_t pc, struct sim_function *found)
{
	struct module_place m;

	(void)context;
	if (modules_place(pc, &m)) {
		if (m.stubs_end) {
			*found = (struct sim_function){ .start = m.stubs,
							.end = m.stubs_end,
							.kind = SIM_FUNCTION_STUB };
			return;
		}
		find_described(&m, pc, found);
		if (found->kind == SIM_FUNCTION_UNKNOWN)
			find_by_symbol(pc, found);
		return;
	}
	*found = (struct sim_function){
		.start = m.start, .end = m.end, .kind = SIM_FUNCTION_UNKNOWN
	};
}
