/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack that a program begins with, as the kernel makes it for execve. */
#ifndef DWELL_ENGINE_RUN_INITIAL_STACK_H
#define DWELL_ENGINE_RUN_INITIAL_STACK_H

#include <stdint.h>

struct image;

struct initial_stack {
	uint64_t rsp, top;
	const char *name; /* AT_EXECFN */
};

/*
 * In place of the one that the kernel made for the engine, which argv belongs to; `name` may be one
 * of its strings. The kernel hears of it and of the image, so that /proc tells what it would
 * without the engine. Returns -1 if the name is too long.
 */
int initial_stack_build(struct initial_stack *s, char **argv, const struct image *image,
			const char *name);

#endif
