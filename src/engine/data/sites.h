/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of the address space: a kind of allocation and a call path, each
 * with what it has allocated. The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_SITES_H
#define DWELL_ENGINE_DATA_SITES_H

#include "engine/core/state.h"

int sites_init(void);

/*
 * A number for the name of what is mapped, made if it is new; 0: it is empty, or there are too
 * many. Longer ones are cut.
 */
uint32_t sites_name(const char *name);
/* As sites_get, of a mapping with that name. */
uint32_t sites_get_named(uint32_t kind, uint32_t name, const uint64_t *path, uint32_t depth);

/* The site of the same path and another kind. */
uint32_t sites_kind(uint32_t site, uint32_t kind);

/*
 * The number of the site, made if it is new. When there are too many, that of the same
 * kind without a path; 0 when there is no room for that either.
 */
uint32_t sites_get(uint32_t kind, const uint64_t *path, uint32_t depth);

/* A block of the site came; element_size as the call said it, or 0. It went. */
void sites_add_block(uint32_t site, uint64_t bytes, uint64_t element_size);
void sites_drop_block(uint32_t site, uint64_t bytes);
/* Some of a block's bytes went, and the block stays. */
void sites_drop_bytes(uint32_t site, uint64_t bytes);

/* The collector knows the site from here on, if it did not and p has a channel. */
void sites_publish(struct process *p, uint32_t site);
/* Tell the counts that have changed since they were told. */
void sites_report(struct process *p);
/* A forked child has told nothing; what it holds counts as its own. */
void sites_forked(void);

#endif
