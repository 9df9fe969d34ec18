/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes Protocol Buffers; see proto.h. */
#include "export/proto.h"

#include <libdeflate.h>
#include <stdlib.h>

/* The encoding of a field's value, in the low bits of its key. */
enum { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

#define LEVEL 6 /* gzip's default */

/* Seven bits in each byte, lowest first; the highest bit is set in all but the last byte. */
static void add_varint(struct text *t, uint64_t n)
{
	char bytes[10];
	size_t count = 0;

	do {
		bytes[count++] = (char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
		n >>= 7;
	} while (n > 0);
	text_add_bytes(t, bytes, count);
}

static void add_key(struct text *t, unsigned field, unsigned wire)
{
	add_varint(t, (uint64_t)field << 3 | wire);
}

void proto_number(struct text *message, unsigned field, uint64_t n)
{
	if (n == 0)
		return;
	add_key(message, field, WIRE_VARINT);
	add_varint(message, n);
}

void proto_bytes(struct text *message, unsigned field, const char *bytes, size_t count)
{
	add_key(message, field, WIRE_LENGTH);
	add_varint(message, count);
	text_add_bytes(message, bytes, count);
}

void proto_message(struct text *message, unsigned field, struct text *inner)
{
	proto_bytes(message, field, text_get(inner), inner->count);
	if (inner->failed)
		message->failed = true;
	text_release(inner);
}

void proto_numbers(struct text *message, unsigned field, const uint64_t *n, size_t count)
{
	struct text list = {0};

	for (size_t i = 0; i < count; i++)
		add_varint(&list, n[i]);
	proto_message(message, field, &list);
}

void proto_counts(struct text *message, unsigned field, const double *n, size_t count)
{
	struct text list = {0};

	for (size_t i = 0; i < count; i++)
		add_varint(&list, (uint64_t)(int64_t)n[i]);
	proto_message(message, field, &list);
}

static void add_little_endian(struct text *out, uint32_t n)
{
	for (int i = 0; i < 4; i++, n >>= 8)
		text_add_bytes(out, &(char){(char)n}, 1);
}

/*
 * The header of RFC 1952 by hand, for a comment that tells our files from others: dwell replaces
 * its own only.
 */
int proto_gzip(const struct text *plain, struct text *out, struct err *err)
{
	static const char header[] = "\x1f\x8b\x08\x10\0\0\0\0\0\x03" PROTO_GZIP_COMMENT;
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t room = c != NULL ? libdeflate_deflate_compress_bound(c, plain->count) : 0;
	char *bytes = c != NULL ? malloc(room) : NULL;
	size_t count = 0;

	if (bytes != NULL)
		count = libdeflate_deflate_compress(c, plain->items, plain->count, bytes, room);
	if (count > 0) {
		text_add_bytes(out, header, sizeof(header)); /* with the comment's end */
		text_add_bytes(out, bytes, count);
		add_little_endian(out, libdeflate_crc32(0, plain->items, plain->count));
		add_little_endian(out, (uint32_t)plain->count);
	}
	free(bytes);
	libdeflate_free_compressor(c);
	return count > 0 && !out->failed ? 0 : err_set(err, "not enough memory to compress");
}
