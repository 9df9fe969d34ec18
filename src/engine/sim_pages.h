/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of the engine, as simulations take memory from them. */
#ifndef DWELL_ENGINE_SIM_PAGES_H
#define DWELL_ENGINE_SIM_PAGES_H

#include <stdbool.h>

#include "sim/memory.h"

extern const struct sim_memory sim_pages;

/*
 * The same out of one reserved range, so that the program's own mappings lie where they would lie with any other caches.
 * Nothing is given back. See sim_reserved_init.
 */
extern const struct sim_memory sim_reserved;

/* Once, before sim_reserved is used. False: there is no address space. */
bool sim_reserved_init(void);

#endif
