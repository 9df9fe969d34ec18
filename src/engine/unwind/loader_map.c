/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the dynamic linker's list of files; see loader_map.h. */
#include "engine/unwind/loader_map.h"

#include <elf.h>

#include "engine/core/state.h"
#include "engine/core/util.h"

#define MOST_FILES 4096u /* of a damaged list, which may have no end */

/* Of <link.h>: struct r_debug, struct link_map. */
#define DEBUG_MAP 8u
#define MAP_BIAS  0u
#define MAP_NEXT  24u

static struct {
	uint64_t debug; /* _r_debug; 0: not known */
	/* Three numbers of 32 bits: the bits of the member, how many there are, where it begins. */
	uint64_t member;
	uint64_t linker, linker_end, library, library_end;
} loader;

/* n items of `each` bytes at `at`, or NULL if they lie outside of the file. */
static const void *part_of(const uint8_t *bytes, uint64_t size, uint64_t at, uint64_t n,
			   uint64_t each)
{
	if (at > size || (at & 7) || n > (size - at) / each)
		return 0;
	return bytes + at;
}

/* The value of a symbol with this name of `bytes`, with its 0; or 0. */
static uint64_t value_of(const uint8_t *file, uint64_t size, const Elf64_Shdr *symbols,
			 const Elf64_Shdr *names, const char *name, uint64_t bytes)
{
	const uint64_t n = symbols->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *s = part_of(file, size, symbols->sh_offset, n, sizeof *s);

	if (!s || names->sh_offset > size || names->sh_size > size - names->sh_offset)
		return 0;
	for (uint64_t i = 0; i < n; i++)
		if (s[i].st_shndx != SHN_UNDEF && s[i].st_name < names->sh_size &&
		    bytes <= names->sh_size - s[i].st_name &&
		    memcmp(file + names->sh_offset + s[i].st_name, name, bytes) == 0)
			return s[i].st_value;
	return 0;
}

void loader_map_look(const uint8_t *bytes, uint64_t size, uint64_t bias, uint64_t start,
		     uint64_t end, bool is_interpreter)
{
	static const char list[] = "_r_debug", member[] = "_thread_db_link_map_l_tls_offset";
	const Elf64_Ehdr *eh = part_of(bytes, size, 0, 1, sizeof *eh);
	const Elf64_Shdr *sh;
	uint64_t value;

	if (!eh || (!is_interpreter && loader.member))
		return;
	sh = part_of(bytes, size, eh->e_shoff, eh->e_shnum, sizeof *sh);
	for (uint32_t i = 0; sh && i < eh->e_shnum; i++) {
		if (sh[i].sh_type != SHT_DYNSYM || sh[i].sh_link >= eh->e_shnum)
			continue;
		value = is_interpreter ? value_of(bytes, size, &sh[i], &sh[sh[i].sh_link], list,
						  sizeof list)
				       : value_of(bytes, size, &sh[i], &sh[sh[i].sh_link], member,
						  sizeof member);
		if (value && is_interpreter)
			loader.debug = bias + value;
		if (value && !is_interpreter) {
			loader.member = bias + value;
			loader.library = start;
			loader.library_end = end;
		}
	}
	if (is_interpreter) {
		loader.linker = start;
		loader.linker_end = end;
	}
}

bool loader_map_is_linker(uint64_t pc)
{
	return pc - loader.linker < loader.linker_end - loader.linker;
}

bool loader_map_is_library(uint64_t pc)
{
	return loader_map_is_linker(pc) ||
	       pc - loader.library < loader.library_end - loader.library;
}

static bool peek(uint64_t address, uint64_t *value)
{
	return engine_peek(value, (const void *)(uintptr_t)address) == 0;
}

/* Where the offset is in an element of the list; 0: not known. */
static uint64_t find_member(void)
{
	uint64_t bits, where;

	if (!loader.debug || !loader.member || !peek(loader.member, &bits) ||
	    !peek(loader.member + 8, &where))
		return 0;
	return (uint32_t)bits == 64 ? (uint32_t)where : 0;
}

/* The next element of the list, from the first one for 0. */
static uint64_t next_file(uint64_t map)
{
	uint64_t next;

	return peek(map ? map + MAP_NEXT : loader.debug + DEBUG_MAP, &next) ? next : 0;
}

/* The linker marks with -1 what never gets a fixed place. */
static uint64_t offset_in(uint64_t map, uint64_t member)
{
	uint64_t offset;

	return peek(map + member, &offset) && offset != UINT64_MAX ? offset : 0;
}

bool loader_map_offset(uint64_t bias, uint64_t *offset)
{
	const uint64_t member = find_member();
	uint64_t map = member ? next_file(0) : 0, its_bias;

	for (uint32_t i = 0; map && i < MOST_FILES; i++, map = next_file(map)) {
		if (!peek(map + MAP_BIAS, &its_bias) || its_bias != bias)
			continue;
		*offset = offset_in(map, member);
		return true;
	}
	return false;
}

uint64_t loader_map_sum(void)
{
	const uint64_t member = find_member();
	uint64_t map = member ? next_file(0) : 0, sum = 0;

	for (uint32_t i = 0; map && i < MOST_FILES; i++, map = next_file(map))
		sum = sum * 31 + offset_in(map, member);
	return sum;
}
