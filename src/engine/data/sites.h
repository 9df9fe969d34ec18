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
 * The number for the name of a mapping, made if it is new; 0: the name is empty, or there are too
 * many. Long names are cut.
 */
uint32_t sites_name(const char *name);
/* As sites_get, of a mapping with that name. */
uint32_t sites_get_named(uint32_t kind, uint32_t name, const uint64_t *path, uint32_t depth);

uint32_t sites_kind_of(uint32_t site);
/* The site of the same path and another kind. */
uint32_t sites_kind(uint32_t site, uint32_t kind);

/*
 * The number of the site, made if it is new. When there are too many, that of the same
 * kind without a path; 0 when there is no room for that either.
 */
uint32_t sites_get(uint32_t kind, const uint64_t *path, uint32_t depth);

/* Count a new block of the site; element_size is the call's argument, or 0. */
void sites_add_block(uint32_t site, uint64_t bytes, uint64_t element_size);
/* A block of the site is gone. */
void sites_drop_block(uint32_t site, uint64_t bytes);
/* Some of a block's bytes are gone; the block stays. */
void sites_drop_bytes(uint32_t site, uint64_t bytes);

/* Send the site to the collector, if it does not know it and p has a channel. */
void sites_publish(struct process *p, uint32_t site);
/* Send the counts that have changed since they were last sent. */
void sites_report(struct process *p);
/* In a forked child: nothing has been sent; the blocks it holds count as its own. */
void sites_forked(void);

#endif
