/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the functions at a location is the user's: inlined code of libraries is not. */
#ifndef DWELL_ESTIMATE_OWN_CODE_H
#define DWELL_ESTIMATE_OWN_CODE_H

#include "store/store_read.h"

/*
 * The innermost function at the location whose source is neither a library's nor a header of C; if
 * all are, the one that is not inlined. NULL: the location has no functions.
 */
const struct store_frame *own_code_frame(const struct store_location *l);

#endif
