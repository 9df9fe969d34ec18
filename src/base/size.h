/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte sizes as people write them: "4096", "8K", "64M", "2G" (powers of 1024; "KB", "KiB" too). */
#ifndef DWELL_BASE_SIZE_H
#define DWELL_BASE_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SIZE_TEXT_BYTES 32 /* enough for whatever size_format writes */

/* Read a size. Zero, a fraction, a sign or anything that does not fit 64 bits is refused. */
int size_parse(const char *text, uint64_t *bytes, struct err *err);

/* Read "LOW:HIGH", both sizes, LOW <= HIGH. */
int size_parse_range(const char *text, uint64_t *low, uint64_t *high, struct err *err);

/* Read a whole decimal number, min <= n <= max. `what` names it in the sentence: "period". */
int number_parse(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *n,
		 struct err *err);

/*
 * "8K", "48K", "64M"; one digit after the point where the largest unit does not divide it: "1.5M".
 * Returns buf.
 */
char *size_format(uint64_t bytes, char buf[SIZE_TEXT_BYTES]);

#endif
