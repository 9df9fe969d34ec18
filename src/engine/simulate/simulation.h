/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulation as a run mode (run_mode.h): in the filter variant where possible, else replayed. */
#ifndef DWELL_ENGINE_SIMULATE_SIMULATION_H
#define DWELL_ENGINE_SIMULATE_SIMULATION_H

#include "engine/core/run_mode.h"

extern const struct run_mode simulation_mode;

#endif
