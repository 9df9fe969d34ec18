/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The %fs and %gs base registers, with the instructions where the kernel allows them. */
#ifndef DWELL_ENGINE_CORE_FSBASE_H
#define DWELL_ENGINE_CORE_FSBASE_H

#include <asm/prctl.h>
#include <stdint.h>

#include "channel/sys.h"
#include "engine/core/state.h"

/*
 * The %fs base of t, which must be the calling thread. Makes no system call: the target may have
 * forbidden them.
 */
static inline uint64_t fsbase_get(const struct thread *t)
{
	uint64_t v;

	if (!engine.fsgsbase)
		return t->fs_base;
	__asm__ volatile("rdfsbase %0" : "=r"(v));
	return v;
}

static inline void fsbase_set(uint64_t v)
{
	if (engine.fsgsbase)
		__asm__ volatile("wrfsbase %0" : : "r"(v));
	else
		sys2(SYS_arch_prctl, ARCH_SET_FS, v);
}

static inline void gsbase_set(uint64_t v)
{
	if (engine.fsgsbase)
		__asm__ volatile("wrgsbase %0" : : "r"(v));
	else
		sys2(SYS_arch_prctl, ARCH_SET_GS, v);
}

/* Address of the stack canary. */
static inline const void *fsbase_canary(uint64_t base)
{
	return (const void *)(uintptr_t)(base + 0x28);
}

/* A block that %fs may point to while a stack canary is read. */
static inline uint64_t fsbase_dummy(void)
{
	static uint64_t block[64];

	return (uint64_t)(uintptr_t)block;
}

static inline uint64_t fsbase_swap(uint64_t v)
{
	uint64_t old = fsbase_get(thread_self());

	fsbase_set(v);
	return old;
}

#endif
