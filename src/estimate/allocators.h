/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames of an allocation's call path only hand the call on: the code that wanted the memory
 * is above them.
 */
#ifndef DWELL_ESTIMATE_ALLOCATORS_H
#define DWELL_ESTIMATE_ALLOCATORS_H

#include "profile/profile.h"

/*
 * Whether a function only allocates for others: by its name (operator new, xmalloc, the insides of
 * containers of std), because its source file is of Rust's library, or because its module is the C
 * or C++ library or a known allocator. Both are paths that may be NULL.
 */
bool allocator_is_wrapper(const char *function, const char *file, const char *module);

/*
 * The first frame of a site's path that is none, else the path's first; NULL: no path is known.
 * is_pool: of memory that an allocator takes from the system for whoever comes, so that only
 * libraries are looked through: the code above the allocator happened to be the first.
 */
const struct store_frame *allocator_caller(const struct profile *p, const struct store_site *site,
					   bool is_pool);

#endif
