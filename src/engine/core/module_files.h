/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identity of a mapped file, and whether other processes find it by its path. */
#ifndef DWELL_ENGINE_CORE_MODULE_FILES_H
#define DWELL_ENGINE_CORE_MODULE_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* As fstat() reports them; inode 0: not known. */
struct module_file {
	uint64_t device, inode, modified_ns;
	bool is_elsewhere; /* its path may lead to another file where the collector looks */
};

/* Of an open file; all zero if fd is -1. */
struct module_file module_file_of(int fd);

#endif
