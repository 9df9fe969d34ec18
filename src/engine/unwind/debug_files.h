/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The separate debug file of a stripped file: it has the symbols of the variables. */
#ifndef DWELL_ENGINE_UNWIND_DEBUG_FILES_H
#define DWELL_ENGINE_UNWIND_DEBUG_FILES_H

#include "engine/unwind/code_symbols.h"

/* "/usr/lib/debug/.build-id/ab/cdef.debug", of a build-id of at most 32 bytes */
#define DEBUG_FILE_PATH_BYTES 128u

/* Write the path of the debug file by the file's build-id. False: it has none. */
bool debug_files_path(const struct code_file *f, char path[DEBUG_FILE_PATH_BYTES]);

#endif
