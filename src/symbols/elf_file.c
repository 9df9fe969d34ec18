/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data of an ELF file that needs no symbols: build-id, segments, starts of functions. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/private.h"

#include "base/search.h"

static char *hex_text(struct arena *a, const unsigned char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	char *text = arena_alloc(a, 2 * count + 1);
	size_t i;

	for (i = 0; text != NULL && i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return text;
}

#define MOST_HEADERS 4096u
#define MOST_NOTES   65536u /* limit for a segment of notes */

/* Read all bytes. Fails if the file has been truncated. */
static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/*
 * Find the build-id in `bytes` of notes, which are aligned to `align`. Returns NULL if there is
 * none.
 */
static char *find_build_id(struct arena *a, const unsigned char *notes, uint64_t bytes,
			   uint64_t align)
{
	uint64_t at = 0;
	Elf64_Nhdr n;

	align = align == 8 ? 8 : 4;
	while (at <= bytes && bytes - at >= sizeof(n)) {
		uint64_t name = at + sizeof(n), content, end;

		memcpy(&n, notes + at, sizeof(n));
		content = (name + n.n_namesz + align - 1) & ~(align - 1);
		end = content + n.n_descsz;
		if (end > bytes)
			return NULL;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 && n.n_descsz > 0)
			return hex_text(a, notes + content, n.n_descsz);
		at = (end + align - 1) & ~(align - 1);
	}
	return NULL;
}

static char *read_build_id(int fd, const Elf64_Phdr *h, struct arena *a)
{
	unsigned char *notes = h->p_filesz <= MOST_NOTES ? malloc(h->p_filesz + 1) : NULL;
	char *id = NULL;

	if (notes != NULL && read_at(fd, notes, h->p_filesz, h->p_offset))
		id = find_build_id(a, notes, h->p_filesz, h->p_align);
	free(notes);
	return id;
}

static int take_headers(struct symbols_file *f, const Elf64_Phdr *h, size_t count, struct arena *a)
{
	f->segments = arena_alloc(a, (count + 1) * sizeof(*f->segments));
	if (f->segments == NULL)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (h[i].p_type == PT_NOTE && f->build_id == NULL)
			f->build_id = read_build_id(f->fd, &h[i], a);
		if (h[i].p_type == PT_LOAD)
			f->segments[f->segment_count++] = (struct symbols_segment){
				.offset = h[i].p_offset,
				.bytes = h[i].p_filesz,
				.address = h[i].p_vaddr,
				.memory = h[i].p_memsz,
			};
	}
	return 0;
}

/*
 * Does not use libelf, which maps the file: a truncated mapping would kill the process, and this
 * one must survive.
 */
int symbols_file_init(struct symbols_file *f, const char *path, int fd, struct arena *a)
{
	Elf64_Phdr *headers;
	Elf64_Ehdr head;
	int status = 0;

	f->fd = fd;
	f->debug_fd = -1;
	f->path = arena_strdup(a, path);
	if (f->path == NULL)
		return -1;
	if (fd < 0 || !read_at(fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phentsize != sizeof(*headers) ||
	    head.e_phnum > MOST_HEADERS)
		return 0;
	headers = calloc(head.e_phnum + (size_t)1, sizeof(*headers));
	if (headers == NULL)
		return -1;
	if (read_at(fd, headers, head.e_phnum * sizeof(*headers), head.e_phoff))
		status = take_headers(f, headers, head.e_phnum, a);
	free(headers);
	return status;
}

/* ---- Sections. The segments of debug files may be those of the original file. ---- */

#define MOST_NAMES ((uint64_t)1 << 20) /* limit for the names of sections */

struct sections {
	Elf64_Shdr *items;
	size_t count;
	char *names; /* names_bytes, plus a NUL */
	uint64_t names_bytes;
};

static void release_sections(struct sections *s)
{
	free(s->items);
	free(s->names);
}

/* Returns false if there are none, or they are invalid. Release them in either case. */
static bool read_sections(int fd, struct sections *s)
{
	const Elf64_Shdr *names;
	Elf64_Ehdr head;

	*s = (struct sections){0};
	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    head.e_shentsize != sizeof(*s->items) || head.e_shnum > MOST_HEADERS ||
	    head.e_shstrndx >= head.e_shnum)
		return false;
	s->items = calloc(head.e_shnum, sizeof(*s->items));
	if (s->items == NULL ||
	    !read_at(fd, s->items, head.e_shnum * sizeof(*s->items), head.e_shoff))
		return false;
	s->count = head.e_shnum;
	names = &s->items[head.e_shstrndx];
	s->names_bytes = names->sh_size;
	if (names->sh_type != SHT_STRTAB || s->names_bytes > MOST_NAMES)
		return false;
	s->names = calloc(s->names_bytes + 1, 1);
	return s->names != NULL && read_at(fd, s->names, s->names_bytes, names->sh_offset);
}

bool symbols_has_build_id(int fd, const char *build_id)
{
	struct sections s;
	struct arena a = {0};
	bool found = false;

	if (read_sections(fd, &s))
		for (size_t i = 0; !found && i < s.count; i++) {
			const Elf64_Shdr *h = &s.items[i];
			const Elf64_Phdr as_segment = {.p_offset = h->sh_offset,
						       .p_filesz = h->sh_size,
						       .p_align = h->sh_addralign};
			const char *id =
				h->sh_type == SHT_NOTE ? read_build_id(fd, &as_segment, &a) : NULL;

			found = id != NULL && strcmp(id, build_id) == 0;
		}
	release_sections(&s);
	arena_release(&a);
	return found;
}

/* Read a NUL-ended name, and the CRC at the next multiple of 4. */
static bool take_debug_link(int fd, const Elf64_Shdr *h, struct symbols_debug_link *out)
{
	unsigned char bytes[sizeof(out->name) + 8];
	const size_t size = h->sh_size < sizeof(bytes) ? h->sh_size : sizeof(bytes);
	size_t length;

	if (!read_at(fd, bytes, size, h->sh_offset))
		return false;
	length = strnlen((const char *)bytes, size);
	if (length == 0 || length >= sizeof(out->name) || ((length + 4) & ~(size_t)3) + 4 > size ||
	    memchr(bytes, '/', length) != NULL)
		return false;
	memcpy(out->name, bytes, length + 1);
	memcpy(&out->crc, bytes + ((length + 4) & ~(size_t)3), sizeof(out->crc));
	return true;
}

bool symbols_read_debug_link(int fd, struct symbols_debug_link *out)
{
	struct sections s;
	bool found = false;

	if (read_sections(fd, &s))
		for (size_t i = 0; !found && i < s.count; i++)
			found = s.items[i].sh_type == SHT_PROGBITS &&
				s.items[i].sh_name < s.names_bytes &&
				strcmp(s.names + s.items[i].sh_name, ".gnu_debuglink") == 0 &&
				take_debug_link(fd, &s.items[i], out);
	release_sections(&s);
	return found;
}

/*
 * The only form that linkers write: a pointer, and sorted pairs of 32-bit offsets from the table.
 */
enum {
	HDR_VERSION = 1,
	HDR_PTR_PCREL_SDATA4 = 0x1b,
	HDR_COUNT_UDATA4 = 0x03,
	HDR_TABLE_DATAREL_SDATA4 = 0x3b,
	HDR_BYTES = 12,
	HDR_PAIR_BYTES = 8,
};

static int32_t read_i32(const unsigned char *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Find the table; called once, when the module is opened. */
static void find_starts(struct symbols_file *f)
{
	size_t count, i;

	if (f->elf == NULL || elf_getphdrnum(f->elf, &count) != 0)
		return;
	for (i = 0; i < count; i++) {
		const unsigned char *hdr;
		GElf_Phdr ph;
		Elf_Data *data;
		uint32_t pairs;

		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE);
		if (data == NULL || data->d_size < HDR_BYTES)
			return;
		hdr = data->d_buf;
		if (hdr[0] != HDR_VERSION || hdr[1] != HDR_PTR_PCREL_SDATA4 ||
		    hdr[2] != HDR_COUNT_UDATA4 || hdr[3] != HDR_TABLE_DATAREL_SDATA4)
			return;
		pairs = (uint32_t)read_i32(hdr + 8);
		if (pairs > (data->d_size - HDR_BYTES) / HDR_PAIR_BYTES)
			return;
		f->starts = hdr + HDR_BYTES;
		f->start_count = pairs;
		f->starts_address = ph.p_vaddr;
		return;
	}
}

/* The address in an entry of the table of functions' starts. */
static uint64_t start_of(const struct symbols_file *f, size_t entry)
{
	return f->starts_address + (uint64_t)(int64_t)read_i32(f->starts + entry * HDR_PAIR_BYTES);
}

uint64_t symbols_function_start(struct symbols_file *f, uint64_t address)
{
	size_t above;

	if (f->starts == NULL)
		find_starts(f);
	above = SEARCH_FIRST(i, f->start_count, start_of(f, i) > address);
	return above > 0 ? start_of(f, above - 1) : 0;
}
