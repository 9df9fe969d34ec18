/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C heap, as the source of memory for simulations. */
#ifndef DWELL_COLLECTOR_SIMULATION_SIM_HEAP_H
#define DWELL_COLLECTOR_SIMULATION_SIM_HEAP_H

#include "sim/base/memory.h"

extern const struct sim_memory sim_heap;

#endif
