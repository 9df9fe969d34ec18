/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separate debug files with compressed sections, as in distributions. libdw decompresses all
 * sections of such a file at once, and slowly: 60 ms for libc, more than everything else in a short
 * run's collector. Here an ELF image with room for the sections is made in memory. .debug_info and
 * .debug_line are decompressed when an address in them is asked for; unused sections are left out.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <libdeflate.h>

#include "symbols/private.h"
#include "symbols/ranges.h"

enum {
	ARANGES,
	INFO,
	LINE,
	ABBREV,
	STR,
	LINE_STR,
	RANGES,
	RNGLISTS,
	STR_OFFSETS,
	ADDR,
	PART_COUNT
};

static const struct {
	const char *name;
	bool is_lazy;
} wanted[PART_COUNT] = {
	[ARANGES] = {".debug_aranges", false},
	[INFO] = {".debug_info", true},
	[LINE] = {".debug_line", true},
	[ABBREV] = {".debug_abbrev", false},
	[STR] = {".debug_str", false},
	[LINE_STR] = {".debug_line_str", false},
	[RANGES] = {".debug_ranges", false},
	[RNGLISTS] = {".debug_rnglists", false},
	[STR_OFFSETS] = {".debug_str_offsets", false},
	[ADDR] = {".debug_addr", false},
};

#define MAX_BYTES ((uint64_t)1 << 31) /* of an image */

/* A section that is copied from the file into the image. */
struct part {
	GElf_Shdr header; /* in the debug file */
	uint64_t bytes;	  /* decompressed size; 0: there is no such section */
	unsigned char *to;
	const unsigned char *packed; /* in the file; NULL after decompression */
	size_t packed_bytes;
	bool is_damaged; /* decompression failed */
};

struct symbols_packed {
	Elf *file; /* the debug file */
	int fd;
	struct part parts[PART_COUNT];
	struct libdeflate_decompressor *unpacker;
	unsigned char *image;
	uint64_t image_bytes;
	Elf *elf; /* of the image */
	Dwarf *dwarf;
	struct symbols_ranges units; /* ranges of the units, sorted */
	size_t set_count;	     /* number of units in .debug_aranges */
	bool is_counted, lacks_units;
};

/* Decompress the section into the image. Returns false on failure. */
static bool unpack(struct symbols_packed *p, size_t which)
{
	struct part *part = &p->parts[which];
	const unsigned char *packed = part->packed;

	if (packed == NULL || part->is_damaged)
		return !part->is_damaged;
	if (libdeflate_zlib_decompress(p->unpacker, packed, part->packed_bytes, part->to,
				       part->bytes, NULL) != LIBDEFLATE_SUCCESS)
		part->is_damaged = true;
	part->packed = NULL;
	return !part->is_damaged;
}

/* Close the file when its last section is decompressed, to free its pages. */
static void forget_file(struct symbols_packed *p)
{
	for (size_t i = 0; i < PART_COUNT; i++)
		if (p->parts[i].packed != NULL)
			return;
	if (p->file == NULL)
		return;
	elf_end(p->file);
	close(p->fd);
	p->file = NULL;
	p->fd = -1;
}

/* The same for a section that is decompressed late, when the image already exists. */
static bool unpack_late(struct symbols_packed *p, size_t which)
{
	const bool is_there = unpack(p, which);

	forget_file(p);
	return is_there;
}

/* ---- The file's sections ---- */

/* Sections that refer to data outside of this file. */
static bool is_beyond_us(const char *name)
{
	return strcmp(name, ".gnu_debugaltlink") == 0 || strcmp(name, ".debug_sup") == 0 ||
	       strcmp(name, ".debug_types") == 0;
}

static bool find_part(struct symbols_packed *p, Elf_Scn *section, const char *name)
{
	GElf_Shdr header;
	GElf_Chdr packing;
	size_t i;

	for (i = 0; i < PART_COUNT && strcmp(name, wanted[i].name) != 0; i++)
		;
	if (i == PART_COUNT)
		return true;
	if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS)
		return false;
	p->parts[i].header = header;
	p->parts[i].bytes = header.sh_size;
	if ((header.sh_flags & SHF_COMPRESSED) == 0)
		return true;
	if (gelf_getchdr(section, &packing) == NULL || packing.ch_type != ELFCOMPRESS_ZLIB)
		return false;
	p->parts[i].bytes = packing.ch_size;
	return true;
}

static bool find_parts(struct symbols_packed *p)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(p->file, &names) != 0)
		return false;
	while ((section = elf_nextscn(p->file, section)) != NULL) {
		GElf_Shdr header;
		const char *name = NULL;

		if (gelf_getshdr(section, &header) != NULL)
			name = elf_strptr(p->file, names, header.sh_name);
		if (name == NULL || is_beyond_us(name) || !find_part(p, section, name))
			return false;
	}
	/* Use this only for compressed files. */
	return p->parts[ARANGES].bytes > 0 && p->parts[ABBREV].bytes > 0 &&
	       (p->parts[INFO].header.sh_flags & SHF_COMPRESSED) != 0;
}

/* ---- The image ---- */

/*
 *   Elf64_Ehdr | section, section, ... (16-aligned) | names | Elf64_Shdr[PART_COUNT + 2]
 */
static uint64_t lay_out(struct symbols_packed *p, uint64_t offsets[PART_COUNT + 2])
{
	uint64_t at = sizeof(Elf64_Ehdr);
	size_t i;

	for (i = 0; i < PART_COUNT; i++) {
		at = (at + 15) & ~(uint64_t)15;
		offsets[i] = at;
		if (p->parts[i].bytes > MAX_BYTES)
			return 0;
		at += p->parts[i].bytes;
	}
	offsets[PART_COUNT] = at;
	for (i = 0; i < PART_COUNT; i++)
		at += strlen(wanted[i].name) + 1;
	at = (at + 1 + 15) & ~(uint64_t)15;
	offsets[PART_COUNT + 1] = at;
	at += (PART_COUNT + 2) * sizeof(Elf64_Shdr);
	return at <= MAX_BYTES ? at : 0;
}

static void fill_headers(struct symbols_packed *p, const uint64_t offsets[PART_COUNT + 2])
{
	Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(p->image + offsets[PART_COUNT + 1]);
	char *names = (char *)p->image + offsets[PART_COUNT];
	Elf64_Word name = 1;
	size_t i;

	*(Elf64_Ehdr *)(void *)p->image = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = offsets[PART_COUNT + 1],
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = PART_COUNT + 2,
		.e_shstrndx = PART_COUNT + 1,
	};
	for (i = 0; i < PART_COUNT; i++) {
		sections[i + 1] = (Elf64_Shdr){
			.sh_name = name,
			.sh_type = p->parts[i].bytes > 0 ? SHT_PROGBITS : SHT_NOBITS,
			.sh_offset = offsets[i],
			.sh_size = p->parts[i].bytes,
			.sh_addralign = 1,
		};
		memcpy(names + name, wanted[i].name, strlen(wanted[i].name) + 1);
		name += (Elf64_Word)strlen(wanted[i].name) + 1;
		p->parts[i].to = p->image + offsets[i];
	}
	sections[PART_COUNT + 1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsets[PART_COUNT],
		.sh_size = name,
		.sh_addralign = 1,
	};
}

/* Fill a section, unless it is decompressed later. */
static bool begin_part(struct symbols_packed *p, size_t which)
{
	struct part *part = &p->parts[which];
	Elf_Data *data;

	if (part->bytes == 0)
		return true;
	data = elf_getdata_rawchunk(p->file, (int64_t)part->header.sh_offset, part->header.sh_size,
				    ELF_T_BYTE);
	if (data == NULL)
		return false;
	if ((part->header.sh_flags & SHF_COMPRESSED) == 0) {
		memcpy(part->to, data->d_buf, part->bytes);
		return true;
	}
	if (data->d_size < sizeof(Elf64_Chdr))
		return false;
	part->packed = (const unsigned char *)data->d_buf + sizeof(Elf64_Chdr);
	part->packed_bytes = data->d_size - sizeof(Elf64_Chdr);
	return wanted[which].is_lazy || unpack(p, which);
}

static bool make_image(struct symbols_packed *p)
{
	uint64_t offsets[PART_COUNT + 2];
	void *image;
	size_t i;

	p->image_bytes = lay_out(p, offsets);
	if (p->image_bytes == 0)
		return false;
	image = mmap(NULL, p->image_bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image == MAP_FAILED)
		return false;
	p->image = image;
	madvise(image, p->image_bytes, MADV_HUGEPAGE); /* saves 2000 page faults for libc */
	fill_headers(p, offsets);
	p->unpacker = libdeflate_alloc_decompressor();
	if (p->unpacker == NULL)
		return false;
	for (i = 0; i < PART_COUNT; i++) {
		if (!begin_part(p, i))
			return false;
	}
	p->elf = elf_memory((char *)p->image, p->image_bytes);
	if (p->elf != NULL)
		p->dwarf = dwarf_begin_elf(p->elf, DWARF_C_READ, NULL);
	return p->dwarf != NULL;
}

/* ---- Units by address ---- */

static uint64_t get(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	return value;
}

/*
 * .debug_aranges is read here because libdw's reading accesses the headers of all units.
 *
 *   u32 bytes that follow | u16 version 2 | u32 unit | u8 address bytes | u8 0 | u32 padding
 *   { u64 address, u64 bytes } ..., ended by a pair of zeros
 */
enum { SET_UNIT = 6, SET_ADDRESS_BYTES = 10, SET_PAIRS = 16, PAIR_BYTES = 16 };

static bool read_set(struct symbols_packed *p, const unsigned char *at, const unsigned char *end)
{
	uint64_t unit = get(at + SET_UNIT, 4);

	if (get(at + 4, 2) != 2 || get(at + SET_ADDRESS_BYTES, 2) != 8)
		return false;
	for (at += SET_PAIRS; end - at >= PAIR_BYTES; at += PAIR_BYTES) {
		uint64_t low = get(at, 8), bytes = get(at + 8, 8);

		if (!symbols_ranges_add(&p->units, low, low + bytes, unit))
			return false;
	}
	return true;
}

static bool read_units(struct symbols_packed *p)
{
	const unsigned char *at = p->parts[ARANGES].to, *end = at + p->parts[ARANGES].bytes;

	while (end - at >= SET_PAIRS) {
		uint64_t bytes = get(at, 4) + 4;

		if (bytes < SET_PAIRS || bytes > (uint64_t)(end - at) ||
		    !read_set(p, at, at + bytes))
			return false;
		at += bytes;
		p->set_count++;
	}
	symbols_ranges_sort(&p->units);
	return at == end;
}

static const struct symbols_range *find_unit(const struct symbols_packed *p, uint64_t address)
{
	size_t count = symbols_ranges_upto(&p->units, address);

	return count > 0 && address < p->units.items[count - 1].high ? &p->units.items[count - 1]
								     : NULL;
}

/* ---- Answers ---- */

uint64_t symbols_packed_bytes(const struct symbols_packed *p)
{
	return p->image_bytes;
}

bool symbols_packed_reach(struct symbols_packed *p, uint64_t offset)
{
	return offset < p->parts[INFO].bytes && unpack_late(p, INFO);
}

Dwarf *symbols_packed_dwarf(struct symbols_packed *p)
{
	unpack_late(p, LINE);
	return unpack_late(p, INFO) ? p->dwarf : NULL;
}

/* Size of the header before a unit's first DIE, in 32-bit DWARF. */
static uint64_t header_bytes(const unsigned char *unit)
{
	enum { AT_VERSION = 4, AT_TYPE = 6 };
	uint64_t version = get(unit + AT_VERSION, 2);

	if (version >= 2 && version <= 4)
		return 11;
	if (version != 5)
		return 0;
	return unit[AT_TYPE] == DW_UT_compile ? 12 : unit[AT_TYPE] == DW_UT_skeleton ? 20 : 0;
}

Dwarf_Die *symbols_packed_unit(struct symbols_packed *p, uint64_t address, Dwarf_Die *die)
{
	const struct symbols_range *u = find_unit(p, address);
	struct part *info = &p->parts[INFO];
	Dwarf_Attribute attribute;
	Dwarf_Word lines;
	uint64_t header;

	if (u == NULL || !symbols_packed_reach(p, u->of) || info->bytes - u->of < 12)
		return NULL;
	header = header_bytes(info->to + u->of);
	if (header == 0 || dwarf_offdie(p->dwarf, u->of + header, die) == NULL)
		return NULL;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_stmt_list, &attribute), &lines) == 0)
		unpack_late(p, LINE);
	return die;
}

/* Count by the units' lengths only: libdw would take milliseconds for libc. */
static size_t count_units(const struct part *info)
{
	uint64_t at = 0, bytes;
	size_t count = 0;

	for (; info->bytes - at >= 4; at += bytes, count++) {
		bytes = get(info->to + at, 4) + 4;
		if (bytes > info->bytes - at)
			break;
	}
	return count;
}

bool symbols_packed_lacks_units(struct symbols_packed *p)
{
	if (!p->is_counted && symbols_packed_reach(p, 0))
		p->lacks_units = count_units(&p->parts[INFO]) > p->set_count;
	p->is_counted = true;
	return p->lacks_units;
}

/* ---- Beginning and end ---- */

void symbols_packed_free(struct symbols_packed *p)
{
	if (p == NULL)
		return;
	if (p->dwarf != NULL)
		dwarf_end(p->dwarf);
	elf_end(p->elf);
	libdeflate_free_decompressor(p->unpacker);
	if (p->image != NULL)
		munmap(p->image, p->image_bytes);
	free(p->units.items);
	elf_end(p->file);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

/* Tell whether the module has its own debug information, which has priority. */
static bool has_own(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return true;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *name = NULL;

		if (gelf_getshdr(section, &header) != NULL && header.sh_type != SHT_NOBITS)
			name = elf_strptr(elf, names, header.sh_name);
		if (name != NULL && strcmp(name, ".debug_info") == 0)
			return true;
	}
	return false;
}

/* Tell whether the debug file is of the same build: others would give wrong names. */
static bool is_of(const struct symbols_packed *p, Elf *elf)
{
	const void *theirs, *ours;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &ours);
	GElf_Ehdr header;

	return bytes > 0 && dwelf_elf_gnu_build_id(p->file, &theirs) == bytes &&
	       memcmp(ours, theirs, (size_t)bytes) == 0 && gelf_getehdr(p->file, &header) != NULL &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

struct symbols_packed *symbols_packed_open(const struct symbols_file *f)
{
	struct symbols_packed *p;
	struct text path = {0};

	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	p->fd = -1;
	if (f->elf != NULL && f->build_id != NULL && !has_own(f->elf))
		p->fd = symbols_open_debuginfo(f, &path);
	text_release(&path);
	if (p->fd >= 0)
		p->file = elf_begin(p->fd, ELF_C_READ_MMAP, NULL);
	if (p->file != NULL && is_of(p, f->elf) && find_parts(p) && make_image(p) && read_units(p))
		return p;
	symbols_packed_free(p);
	return NULL;
}
