/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data caches of machines other than the one that recorded. */
#ifndef DWELL_PROFILE_MACHINES_H
#define DWELL_PROFILE_MACHINES_H

#include "profile/profile.h"

/*
 * Parse "zen4", or sizes such as "32K,1M,32M" for up to three levels, from the first one on.
 * Returns 0, or -1 with a sentence that lists the known names.
 */
int machine_caches(const char *text, struct profile_cache caches[PROFILE_CACHES], struct err *err);

#endif
