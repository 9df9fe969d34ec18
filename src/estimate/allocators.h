/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of an allocation's call path that only pass the call on: the code that needs the memory is
 * above them.
 */
#ifndef DWELL_ESTIMATE_ALLOCATORS_H
#define DWELL_ESTIMATE_ALLOCATORS_H

#include "profile/profile.h"

/*
 * Tell whether a function only allocates for others: by its name (operator new, xmalloc, internals
 * of std containers), because its source file is Rust's library, or because its module is the C or
 * C++ library or a known allocator. Both paths may be NULL.
 */
bool allocator_is_wrapper(const char *function, const char *file, const char *module);

/*
 * The first frame of a site's path that is not a wrapper, else the path's first; NULL: no path is
 * known. is_pool: memory that an allocator gets from the system for all its users; then only frames
 * of libraries are skipped, as the code above the allocator is there by chance.
 */
const struct store_frame *allocator_caller(const struct profile *p, const struct store_site *site,
					   bool is_pool);

#endif
