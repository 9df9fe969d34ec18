/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summing up the items of an array that have the same key, in one pass and without sorting. */
#ifndef DWELL_BASE_GROUP_H
#define DWELL_BASE_GROUP_H

#include <stddef.h>

struct group_type {
	size_t bytes;	  /* of an item */
	size_t key_bytes; /* the key: its first bytes, without padding */
	void (*add)(void *to, const void *more);
};

/*
 * Add each item to the first one with the same key, and move the first ones to the front, in their
 * order. *count becomes their number. Returns 0, or -1 when memory ran out; then nothing changed.
 */
int group_sum(const struct group_type *type, void *items, size_t *count);

#endif
