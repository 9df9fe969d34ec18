/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompressed debug files that are kept between runs, in the user's cache folder: decompressing
 * that of libc takes 12 ms, a third of what recording a program like true costs. Only files of the
 * system are kept, which belong to root: others change often, and nobody else can choose what a
 * later run reads.
 */
#ifndef DWELL_SYMBOLS_KEPT_H
#define DWELL_SYMBOLS_KEPT_H

#include <stddef.h>
#include <stdint.h>

#define KEPT_NAME_BYTES 160

/*
 * The name of what is kept of the open debug file, by its build-id, size and time of change.
 * Returns 0, or -1 if nothing is kept of it.
 */
int kept_name(int fd, const char *build_id, uint64_t bytes, char name[KEPT_NAME_BYTES]);

/* Map the kept image of so many bytes, private and writable; NULL: there is none. */
void *kept_map(const char *name, uint64_t bytes);

/* Keep the image, and remove those that were not used for a month. Failures are ignored. */
void kept_save(const char *name, const void *image, uint64_t bytes);

#endif
