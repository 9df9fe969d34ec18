/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there may be much of; see grows.c. */
#ifndef GROWS_H
#define GROWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096ul

/* grows_steps.S: MANY of each, CODE_BYTES apart. */
#define MANY	   16384u
#define CODE_BYTES 16u
extern char many_functions[], many_callers[], many_allocators[];
long many_targets(unsigned which);	/* a switch */
long call_one_of(void *function, long); /* from one place */
long jump_to_one_of(void *function, long);

typedef long function(long);

extern volatile long sink;
extern const char *library; /* the third argument */

void *must(void *p);
void *map(unsigned long bytes, int prot);

static inline void *code_at(char *first, unsigned long n)
{
	return first + n % MANY * CODE_BYTES;
}

#define KINDS(KIND)                 \
	KIND(rewritten)             \
	KIND(rewritten_at_boundary) \
	KIND(protected_in_turns)    \
	KIND(made_regions)          \
	KIND(made_and_gone)         \
	KIND(named_by_map)          \
	KIND(functions)             \
	KIND(callees)               \
	KIND(jumped_to)             \
	KIND(callers)               \
	KIND(cases)                 \
	KIND(fixed_callees)         \
	KIND(fixed_jumps)           \
	KIND(fixed_callers)         \
	KIND(fixed_cases)           \
	KIND(recursion)             \
	KIND(paths)                 \
	KIND(jumps_out)             \
	KIND(mappings)              \
	KIND(code_mappings)         \
	KIND(anonymous_mappings)    \
	KIND(mapped_and_gone)       \
	KIND(parts)                 \
	KIND(heap_ends)             \
	KIND(live_blocks)           \
	KIND(large_blocks)          \
	KIND(grown_blocks)          \
	KIND(freed_blocks)          \
	KIND(sites)                 \
	KIND(pairs)                 \
	KIND(lines)                 \
	KIND(scattered_lines)       \
	KIND(threads)               \
	KIND(live_threads)          \
	KIND(forks)                 \
	KIND(live_forks)            \
	KIND(executed)              \
	KIND(executed_in_turn)      \
	KIND(signals)               \
	KIND(faults)                \
	KIND(descriptors)           \
	KIND(stacks)                \
	KIND(modules)               \
	KIND(module_in_turns)

#define DECLARE(kind) void kind(unsigned long n);
KINDS(DECLARE)

#endif
