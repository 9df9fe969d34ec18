/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that allocate, as users name them; see allocator_option.h. */
#include "cli/allocator_option.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENT 6 /* those passed in registers */

struct function {
	char name[CHANNEL_NAME_BYTES];
	uint8_t argument; /* from 1 */
};

/*
 * Parse "f" or "f:2" from the first `bytes` of the text. Colons in C++ names come in pairs; commas
 * occur in template arguments.
 */
static int parse_function(const char *text, size_t bytes, struct function *f, struct err *err)
{
	const char *colon = memrchr(text, ':', bytes);
	size_t length = bytes;

	*f = (struct function){.argument = 1};
	if (colon != NULL && (colon == text || colon[-1] != ':')) {
		length = (size_t)(colon - text);
		if (bytes - length != 2 || colon[1] < '1' || colon[1] > '0' + MOST_ARGUMENT)
			return err_set(err,
				       "'%.*s': behind the colon stands which argument it is, from "
				       "1 to %d",
				       (int)bytes, text, MOST_ARGUMENT);
		f->argument = (uint8_t)(colon[1] - '0');
	}
	if (length == 0)
		return err_set(
			err,
			"an allocator without a name: it is FUNCTION[:ARGUMENT][,free=FUNCTION]");
	if (length >= sizeof(f->name))
		return err_set(err, "the name '%.40s...' is too long: %zu characters are the most",
			       text, sizeof(f->name) - 1);
	memcpy(f->name, text, length);
	return 0;
}

static int add(struct channel_config *c, const struct function *allocates,
	       const struct function *frees, struct err *err)
{
	const size_t first = strlen(allocates->name) + 1, second = strlen(frees->name) + 1;
	size_t used = 0;

	for (uint32_t i = 0; i < 2 * c->allocator_count; i++) {
		if (i % 2 == 0 && strcmp(c->allocators + used, allocates->name) == 0)
			return err_set(err, "--allocator has function '%s' twice", allocates->name);
		used += strlen(c->allocators + used) + 1;
	}
	if (c->allocator_count == CHANNEL_MOST_ALLOCATORS ||
	    used + first + second > sizeof(c->allocators))
		return err_set(
			err,
			"too many functions for --allocator: up to %u, and %zu characters in all",
			CHANNEL_MOST_ALLOCATORS,
			sizeof(c->allocators) - 2 * CHANNEL_MOST_ALLOCATORS);
	memcpy(c->allocators + used, allocates->name, first);
	memcpy(c->allocators + used + first, frees->name, second);
	c->allocator_size[c->allocator_count] = allocates->argument;
	c->allocator_freed[c->allocator_count] = frees->argument;
	c->allocator_count++;
	return 0;
}

int allocator_option_parse(struct channel_config *c, const char *arg, struct err *err)
{
	const char *comma = strstr(arg, ",free=");
	struct function allocates, frees = {.argument = 1};

	if (parse_function(arg, comma != NULL ? (size_t)(comma - arg) : strlen(arg), &allocates,
			   err) != 0)
		return -1;
	if (comma != NULL && parse_function(comma + 6, strlen(comma + 6), &frees, err) != 0)
		return -1;
	return add(c, &allocates, &frees, err);
}
