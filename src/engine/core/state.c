/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one state of the engine; see state.h. */
#include "engine/core/state.h"

#include "engine/core/run_mode.h"
#include "engine/core/upward.h"

struct engine engine;
uint8_t engine_vector_counter;
union hold engine_hold;
struct upward upward;
const struct run_mode *run_mode;
