/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages to and from the process that reads symbols. Both ends are of the same build. */
#ifndef DWELL_SYMBOLS_MESSAGE_H
#define DWELL_SYMBOLS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/text.h"

enum message_kind {
	MESSAGE_RESOLVE,
	MESSAGE_VARIABLE,
	MESSAGE_RESULT,
	MESSAGE_OPERAND,
	MESSAGE_PREPARE
};

/*
 * Data that could not be read, from MESSAGE_UNREAD on enum symbols_unread; part of answers to
 * MESSAGE_RESOLVE.
 */
enum message_loss {
	MESSAGE_BAD_TABLE = 1,
	MESSAGE_MISSING = 2,
	MESSAGE_NO_SPLIT = 4,
	MESSAGE_UNREAD = 8
};

/* Descriptors sent with a question: the file, and its debug file in another mount namespace. */
enum message_along { MESSAGE_FILE, MESSAGE_DEBUG_FILE, MESSAGE_ALONG };

#define MESSAGE_MOST_ADDRESSES 512
#define MESSAGE_MOST_BYTES     ((uint64_t)1 << 28) /* limit of an answer */

/*
 * A question about one file: this struct, the file's path, and the addresses. `tells_file` is set
 * if the reader does not know the file yet: then the question has the file's identity and
 * descriptors.
 */
struct message_question {
	uint32_t kind;	  /* enum message_kind */
	uint32_t file;	  /* the file's number */
	uint32_t count;	  /* number of addresses */
	uint32_t sources; /* enum symbols_source: sources that may be read */
	uint64_t most;	  /* MESSAGE_PREPARE: bytes */
	uint64_t device, inode;
	struct timespec modified;
	uint32_t path_bytes;
	bool has_along[MESSAGE_ALONG];
	bool tells_file, has_data;
};

/*
 * An answer is its length (8 bytes), then its content: numbers of 8 bytes, and strings, each after
 * its length.
 */
struct message_reader {
	const unsigned char *at, *end;
	bool is_bad; /* a read went past the end */
};

/* Return 0, or -1. Signals do not interrupt them. */
int message_send(int fd, const void *bytes, size_t count);
int message_receive(int fd, void *bytes, size_t count);
/* The same for the head of a question, with descriptors (-1: none). Sending sets has_along. */
int message_send_question(int fd, struct message_question *q, const int along[MESSAGE_ALONG]);
int message_receive_question(int fd, struct message_question *q, int along[MESSAGE_ALONG]);

void message_add(struct text *t, uint64_t number);
void message_add_string(struct text *t, const char *string); /* may be NULL */
uint64_t message_take(struct message_reader *r);
/* The bytes of the string, without a NUL; NULL if it was NULL. */
const char *message_take_string(struct message_reader *r, size_t *bytes);

#endif
