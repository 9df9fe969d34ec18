/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes messages of Protocol Buffers, field by field. */
#ifndef DWELL_EXPORT_PROTO_H
#define DWELL_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* Add a number. 0 is omitted: it is the value of a missing field. */
void proto_number(struct text *message, unsigned field, uint64_t n);

/* Add a string or bytes, even an empty one. */
void proto_bytes(struct text *message, unsigned field, const char *bytes, size_t count);

/* Add a message, and release it. */
void proto_message(struct text *message, unsigned field, struct text *inner);

/* Add packed numbers; doubles are written as whole numbers. */
void proto_numbers(struct text *message, unsigned field, const uint64_t *n, size_t count);
void proto_counts(struct text *message, unsigned field, const double *n, size_t count);

/* What a gzipped file says at byte PROTO_GZIP_COMMENT_AT. */
#define PROTO_GZIP_COMMENT    "dwell"
#define PROTO_GZIP_COMMENT_AT 10

/* Append `plain`, gzipped. Returns -1 when memory runs out. */
int proto_gzip(const struct text *plain, struct text *out, struct err *err);

#endif
