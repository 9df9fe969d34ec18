/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What caches need of replay. */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_NEEDS_H
#define DWELL_ENGINE_SIMULATE_REPLAY_NEEDS_H

#include <stdbool.h>

#include "sim/base/geometry.h"

/* Must they know which instruction makes an access? */
bool replay_wants_tags(const struct sim_geometry *g);
/* May a data access change the first level of code? */
bool replay_is_strict(const struct sim_geometry *g);

#endif
