/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing files completely or not at all. */
#ifndef DWELL_BASE_FILE_H
#define DWELL_BASE_FILE_H

#include <stddef.h>

#include "base/err.h"

/*
 * Write these bytes to the file `path`. A regular or new file is written beside it and renamed at
 * the end, so that a failure leaves the old content. Pipes and devices are written in place.
 */
int file_replace(const char *path, const char *bytes, size_t count, struct err *err);

/*
 * The file that a name stands for, which need not exist: symbolic links at the end of the path are
 * followed, not those of its folders. Returns NULL with errno set, or text that the caller frees.
 */
char *file_follow_links(const char *path);

#endif
