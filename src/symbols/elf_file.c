/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be read from an ELF file without symbols: build-id, segments, starts of functions. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "symbols/private.h"

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

static int read_segments(struct symbols_file *f, Elf *elf, struct arena *a)
{
	size_t count, i;

	if (elf_getphdrnum(elf, &count) != 0 || count > 65536)
		return 0;
	f->segments = arena_alloc(a, count * sizeof(*f->segments));
	if (f->segments == NULL)
		return -1;
	for (i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
			continue;
		f->segments[f->segment_count++] = (struct symbols_segment){
			.offset = header.p_offset,
			.bytes = header.p_filesz,
			.address = header.p_vaddr,
			.memory = header.p_memsz,
		};
	}
	return 0;
}

int symbols_file_init(struct symbols_file *f, const char *path, int fd, struct arena *a)
{
	const void *build_id;
	ssize_t id_bytes;
	int status = 0;
	Elf *elf;

	f->fd = fd;
	f->path = arena_strdup(a, path);
	if (f->path == NULL)
		return -1;
	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return 0;
	}
	id_bytes = dwelf_elf_gnu_build_id(elf, &build_id);
	if (id_bytes > 0)
		f->build_id = hex_text(a, build_id, (size_t)id_bytes);
	status = read_segments(f, elf, a);
	elf_end(elf);
	return status;
}

/* The only form that linkers write: a pointer, and sorted pairs of 32-bit offsets from the table. */
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

/* Find the table; called once, when the module is open. */
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

uint64_t symbols_function_start(struct symbols_file *f, uint64_t address)
{
	size_t low = 0, high;

	if (f->starts == NULL)
		find_starts(f);
	/* Invariant: entries below low start at or before the address, those from high on after it. */
	high = f->start_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t start = f->starts_address +
				 (uint64_t)(int64_t)read_i32(f->starts + middle * HDR_PAIR_BYTES);

		if (start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	return f->starts_address +
	       (uint64_t)(int64_t)read_i32(f->starts + (low - 1) * HDR_PAIR_BYTES);
}
