/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that lay at one address in turn, as libraries that are loaded and unloaded do. Each has an
 * era; that of the first one at its address is 0. An address with the era above it is a key, which
 * tells what lay there at any time. A file that is mapped at the same place again has its old era.
 */
#ifndef DWELL_ENGINE_UNWIND_ERAS_H
#define DWELL_ENGINE_UNWIND_ERAS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/module_files.h"

#define ERAS_ADDRESS_BITS 47u /* of user space */
#define ERAS_MOST	  ((1u << 16) - 1)

/*
 * The era of a file that is mapped at [start, end) now, after so many accesses of the process. The
 * lock of modules.c is held, here and below.
 */
uint32_t eras_get(uint64_t start, uint64_t end, const struct module_file *file, uint64_t position);

/* Has any place held more than one file? */
extern bool eras_are_any;

static inline uint64_t eras_key_of(uint64_t address, uint32_t era)
{
	return address | (uint64_t)era << ERAS_ADDRESS_BITS;
}

/* Addresses beyond user space, as that of vsyscall, have no era. */
static inline uint64_t eras_address(uint64_t key)
{
	return key >> 63 ? key : key & ((1ull << ERAS_ADDRESS_BITS) - 1);
}

static inline uint32_t eras_of(uint64_t key)
{
	return key >> 63 ? 0 : (uint32_t)(key >> ERAS_ADDRESS_BITS);
}

/* When what lies at the key's address was there, in accesses of the process. */
uint64_t eras_position(uint64_t key);

/* In a forked child, which counts its accesses from 0. */
void eras_forked(void);

#endif
