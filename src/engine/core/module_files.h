/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file is mapped: its identity, and whether others find it by its path. */
#ifndef DWELL_ENGINE_CORE_MODULE_FILES_H
#define DWELL_ENGINE_CORE_MODULE_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* The file, as fstat() has it; inode 0: not known. */
struct module_file {
	uint64_t device, inode, modified_ns;
	bool is_elsewhere; /* its path may lead to another file where the collector looks */
};

/* Of the open file; of none (-1) nothing. */
struct module_file module_file_of(int fd);

#endif
