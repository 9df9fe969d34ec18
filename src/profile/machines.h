/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data caches of other machines than the one that recorded. */
#ifndef DWELL_PROFILE_MACHINES_H
#define DWELL_PROFILE_MACHINES_H

#include "profile/profile.h"

/*
 * "zen4", or sizes as "32K,1M,32M", from the first level on, up to three. Returns 0, or -1 with a
 * sentence that says what is known.
 */
int machine_caches(const char *text, struct profile_cache caches[PROFILE_CACHES], struct err *err);

#endif
