/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The initial stack of a program, laid out as execve does. */
#ifndef DWELL_ENGINE_RUN_INITIAL_STACK_H
#define DWELL_ENGINE_RUN_INITIAL_STACK_H

#include <stdint.h>

struct image;

struct initial_stack {
	uint64_t rsp, top;
	const char *name; /* AT_EXECFN */
};

/*
 * Build the program's stack in place of the one that the kernel made for the engine, which holds
 * argv and perhaps `name`. Tell the kernel of stack and image, so that /proc reads as natively.
 * Returns -1 if the name is too long.
 */
int initial_stack_build(struct initial_stack *s, char **argv, const struct image *image,
			const char *name);

#endif
