/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte sizes as people write them: "4096", "8K", "64M", "2G" (powers of 1024; "KB", "KiB" too). */
#ifndef DWELL_BASE_SIZE_H
#define DWELL_BASE_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SIZE_TEXT_BYTES 32 /* enough for any result of size_format */

/* Parse a size. Zero, fractions, signs and values beyond 64 bits are errors. */
int size_parse(const char *text, uint64_t *bytes, struct err *err);

/* Parse "LOW:HIGH", both sizes, LOW <= HIGH. */
int size_parse_range(const char *text, uint64_t *low, uint64_t *high, struct err *err);

/* Parse a whole decimal number, min <= n <= max. `what` names it in errors: "period". */
int number_parse(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *n,
		 struct err *err);

/*
 * "8K", "48K", "64M"; with one decimal if the largest unit does not divide it: "1.5M". Returns buf.
 */
char *size_format(uint64_t bytes, char buf[SIZE_TEXT_BYTES]);

#endif
