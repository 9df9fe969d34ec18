/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds damaged ELF files to the readers of .gnu_debuglink and of the build-id in sections: a name
 * that is found must end, and have no folder. Build with sanitizers.
 *
 *   fuzz_debug_link [ROUNDS [SEED]]
 */
#define _GNU_SOURCE
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/private.h"

enum { SECTIONS_AT = 64, NOTE_AT = 320, LINK_AT = 344, NAMES_AT = 356, FILE_BYTES = 382 };

static unsigned char good[FILE_BYTES];
static uint64_t random_state, linked, identified;

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void make(void)
{
	static const char names[] = "\0.shstrtab\0.gnu_debuglink";
	const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
				 .e_shoff = SECTIONS_AT,
				 .e_shentsize = sizeof(Elf64_Shdr),
				 .e_shnum = 4,
				 .e_shstrndx = 3};
	const Elf64_Shdr sections[4] = {
		[1] = {.sh_type = SHT_NOTE, .sh_offset = NOTE_AT, .sh_size = 20, .sh_addralign = 4},
		[2] = {.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = LINK_AT, .sh_size = 12},
		[3] = {.sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof(names)},
	};
	const Elf64_Nhdr note = {4, 4, NT_GNU_BUILD_ID};

	memcpy(good, &head, sizeof(head));
	memcpy(good + SECTIONS_AT, sections, sizeof(sections));
	memcpy(good + NOTE_AT, &note, sizeof(note));
	memcpy(good + NOTE_AT + 12, "GNU\0\x12\x34\x56\x78", 8);
	memcpy(good + LINK_AT, "a.debug\0\x01\x02\x03\x04", 12);
	_Static_assert(NAMES_AT + sizeof(names) == FILE_BYTES, "the names end the file");
	memcpy(good + NAMES_AT, names, sizeof(names));
}

static void try_file(int fd, const unsigned char *bytes, size_t count)
{
	struct symbols_debug_link link;

	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, count, 0) != (ssize_t)count)
		fail("no file");
	if (symbols_read_debug_link(fd, &link)) {
		size_t length = strnlen(link.name, sizeof(link.name));

		if (length == 0 || length == sizeof(link.name) || strchr(link.name, '/') != NULL)
			fail("a name that is none");
		linked++;
	}
	identified += symbols_has_build_id(fd, "12345678");
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	unsigned char bytes[FILE_BYTES];

	random_state = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) | 1;
	make();
	try_file(fd, good, sizeof(good));
	if (linked != 1 || identified != 1)
		fail("the whole file is not read");
	for (uint64_t i = 0; i < rounds; i++) {
		size_t count = draw() % 4 == 0 ? draw() % sizeof(bytes) : sizeof(bytes);

		memcpy(bytes, good, sizeof(bytes));
		for (uint64_t n = 1 + draw() % 4; n > 0; n--)
			bytes[draw() % sizeof(bytes)] =
				(unsigned char)(draw() % 3 == 0 ? 255 : draw());
		try_file(fd, bytes, count);
	}
	printf("%" PRIu64 " files: %" PRIu64 " links, %" PRIu64 " build-ids\n", rounds, linked,
	       identified);
	return 0;
}
