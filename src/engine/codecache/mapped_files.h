/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of each file that the target has mapped: how many of its mappings there are, so
 * that nobody needs to look at all mappings of the process. The translate lock guards it. A file of
 * 0 is none. Where there is no memory for a file, all answers are those that do no harm.
 */
#ifndef DWELL_ENGINE_CODECACHE_MAPPED_FILES_H
#define DWELL_ENGINE_CODECACHE_MAPPED_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* A mapping of the file came, or went. is_shared: its contents may change (struct mapping). */
void mapped_files_add(uint64_t id, bool is_shared);
void mapped_files_remove(uint64_t id, bool is_shared);

/* The file has code, so its other mappings are not data. */
void mapped_files_note_code(uint64_t id);
bool mapped_files_have_code(uint64_t id);

/* Is there a mapping of the file that may change? Are all of them such? */
bool mapped_files_have_shared(uint64_t id);
bool mapped_files_are_shared(uint64_t id);

#endif
