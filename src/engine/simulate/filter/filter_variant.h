/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter variant as a code variant. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_VARIANT_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_VARIANT_H

#include "engine/codecache/code_variant.h"

extern const struct code_variant filter_variant;

#endif
