/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapping ELF images as the kernel does for execve. */
#ifndef DWELL_ENGINE_RUN_LOAD_H
#define DWELL_ENGINE_RUN_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"

struct image {
	uint64_t entry; /* of the program itself */
	uint64_t start; /* where to begin: the interpreter's entry if there is one */
	uint64_t phdr, phnum, phent;
	uint64_t interpreter_base;			     /* 0 without one */
	uint64_t start_code, end_code, start_data, end_data; /* as the kernel reckons */
	/* where the heap of an image at a fixed address begins, if not at random; else 0 */
	uint64_t heap;
	bool exec_stack;
};

/*
 * Map the program open as `fd`, and its interpreter. Returns 0, or -1 with the
 * reason, in the user's words, in *why. *why is NULL if the file is broken in a
 * way that makes the kernel kill the process by SIGSEGV during execve.
 */
int load_program(struct process *p, int fd, struct image *image, const char **why);

#endif
