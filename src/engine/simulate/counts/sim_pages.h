/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory source of simulations: pages of the engine. */
#ifndef DWELL_ENGINE_SIMULATE_SIM_PAGES_H
#define DWELL_ENGINE_SIMULATE_SIM_PAGES_H

#include "sim/base/memory.h"

extern const struct sim_memory sim_pages;

#endif
