/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds debug files by build-id; see debug_files.h. */
#include "engine/unwind/debug_files.h"

#include "engine/core/util.h"

#define MOST_ID_BYTES 32u

static const char folder[] = "/usr/lib/debug/.build-id/", suffix[] = ".debug";

_Static_assert(sizeof folder + 2 * MOST_ID_BYTES + 1 + sizeof suffix <= DEBUG_FILE_PATH_BYTES,
	       "room for the longest");

static char *put_hex(char *to, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = digits[byte >> 4];
	*to++ = digits[byte & 15];
	return to;
}

static void write_path(char *to, const uint8_t *id, uint32_t bytes)
{
	memcpy(to, folder, sizeof folder - 1);
	to = put_hex(to + sizeof folder - 1, id[0]);
	*to++ = '/';
	for (uint32_t i = 1; i < bytes; i++)
		to = put_hex(to, id[i]);
	memcpy(to, suffix, sizeof suffix);
}

/* The build-id among the notes; NULL: there is none of a usual length. */
static const uint8_t *find_id(const uint8_t *notes, uint64_t bytes, uint32_t *id_bytes)
{
	while (bytes >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *n = (const Elf64_Nhdr *)(const void *)notes;
		const uint64_t name = round_up(n->n_namesz, 4), text = round_up(n->n_descsz, 4);
		const uint64_t all = sizeof *n + name + text;

		if (all > bytes)
			return 0;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    memcmp(notes + sizeof *n, "GNU", 4) == 0) {
			*id_bytes = n->n_descsz;
			return n->n_descsz > 1 && n->n_descsz <= MOST_ID_BYTES
				       ? notes + sizeof *n + name
				       : 0;
		}
		notes += all;
		bytes -= all;
	}
	return 0;
}

bool debug_files_path(const struct code_file *f, char path[DEBUG_FILE_PATH_BYTES])
{
	for (uint32_t i = 0; i < f->section_count; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		const uint8_t *id;
		uint32_t bytes;

		if (s->sh_type != SHT_NOTE || s->sh_offset & 3 || s->sh_offset > f->size ||
		    s->sh_size > f->size - s->sh_offset)
			continue;
		id = find_id(f->bytes + s->sh_offset, s->sh_size, &bytes);
		if (id) {
			write_path(path, id, bytes);
			return true;
		}
	}
	return false;
}
