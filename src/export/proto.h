/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing messages of Protocol Buffers: fields, one after another. */
#ifndef DWELL_EXPORT_PROTO_H
#define DWELL_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* A field with a number; 0, which is what a missing field means, is left out. */
void proto_number(struct text *message, unsigned field, uint64_t n);

/* A string or bytes; an empty one is written, too. */
void proto_bytes(struct text *message, unsigned field, const char *bytes, size_t count);

/* A message, which is released. */
void proto_message(struct text *message, unsigned field, struct text *inner);

/* Numbers in a row; those of doubles are whole ones. */
void proto_numbers(struct text *message, unsigned field, const uint64_t *n, size_t count);
void proto_counts(struct text *message, unsigned field, const double *n, size_t count);

/* Append `plain`, compressed as gzip does. Returns -1 when memory runs out. */
int proto_gzip(const struct text *plain, struct text *out, struct err *err);

#endif
