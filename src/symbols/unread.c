/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information that the libraries cannot read, and say nothing about: it looks as if there
 * were none. Finds out why, for a sentence to the user.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "symbols/private.h"

#define COMPRESSED_BY_ZSTD 2	 /* ELFCOMPRESS_ZSTD, which old headers lack */
#define MOST_UNITS	   10000 /* that are looked at: the rest is likely alike */

/* Versions of DWARF that libdw knows; .debug_line has the same numbers. */
enum { OLDEST = 2, NEWEST = 5 };

static uint64_t get(const unsigned char *at, size_t bytes)
{
	uint64_t n = 0;

	memcpy(&n, at, bytes);
	return n;
}

/* Tell whether a unit of the section has an unknown version. Each begins with its length. */
static bool has_unknown_version(const Elf_Data *data)
{
	const unsigned char *at = data->d_buf, *end = at + data->d_size;

	for (int i = 0; i < MOST_UNITS && end - at >= 16; i++) {
		const bool is_long = get(at, 4) == 0xffffffff;
		const uint64_t bytes = is_long ? get(at + 4, 8) : get(at, 4);
		const unsigned char *unit = at + (is_long ? 12 : 4);
		const uint64_t version = get(unit, 2);

		if (bytes == 0 || bytes > (uint64_t)(end - unit))
			return false; /* damaged in another way */
		if (version < OLDEST || version > NEWEST)
			return true;
		at = unit + bytes;
	}
	return false;
}

static uint32_t check_section(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	if ((strcmp(name, ".debug_info") != 0 && strcmp(name, ".debug_line") != 0) ||
	    header->sh_type == SHT_NOBITS || data == NULL || data->d_buf == NULL ||
	    data->d_size < sizeof(Elf64_Chdr))
		return 0;
	if (header->sh_flags & SHF_COMPRESSED) /* newer libraries know it */
		return get(data->d_buf, 4) == COMPRESSED_BY_ZSTD && elf_compress(section, 0, 0) < 0
			       ? SYMBOLS_UNREAD_ZSTD
			       : 0;
	return has_unknown_version(data) ? SYMBOLS_UNREAD_VERSION : 0;
}

static uint32_t check_sections(Elf *elf, bool *has_info, bool *has_link)
{
	Elf_Scn *section = NULL;
	uint32_t unread = 0;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *name = NULL;

		if (gelf_getshdr(section, &header) != NULL)
			name = elf_strptr(elf, names, header.sh_name);
		if (name == NULL)
			continue;
		*has_info |= strcmp(name, ".debug_info") == 0 && header.sh_type != SHT_NOBITS;
		*has_link |= strcmp(name, ".gnu_debugaltlink") == 0;
		unread |= check_section(section, &header, name);
	}
	return unread;
}

uint32_t symbols_check_debug(struct symbols_file *f)
{
	bool has_info = false, has_link = false;
	uint32_t unread = check_sections(f->elf, &has_info, &has_link);
	Dwarf_Addr bias;
	Dwarf *dwarf;

	if (unread != 0 || f->packed != NULL || (has_info && !has_link))
		return unread;
	dwarf = dwfl_module_getdwarf(f->module, &bias);
	if (dwarf == NULL)
		return unread;
	if (!has_info && dwarf_getelf(dwarf) != NULL)
		unread = check_sections(dwarf_getelf(dwarf), &has_info, &has_link);
	return unread | (has_link && dwarf_getalt(dwarf) == NULL ? SYMBOLS_UNREAD_SHARED : 0);
}
