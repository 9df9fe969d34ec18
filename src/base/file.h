/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written whole or not at all. */
#ifndef DWELL_BASE_FILE_H
#define DWELL_BASE_FILE_H

#include <stddef.h>

#include "base/err.h"

/*
 * Make path a file with these bytes. Where it is one already, or none is there, it is written
 * beside and takes its name at the end: so a failure leaves what was there. Others (pipes, devices)
 * are written as they are.
 */
int file_replace(const char *path, const char *bytes, size_t count, struct err *err);

#endif
