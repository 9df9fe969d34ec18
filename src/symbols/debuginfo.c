/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds separate debug files, and checks that they belong to the file. libdwfl's own search opens a
 * file without checking its kind, accepts some files unchecked, and loads libdebuginfod (12 ms per
 * run). So it is used only for servers, and for the file that debug files share
 * (.gnu_debugaltlink).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <libdeflate.h>

#include "base/text.h"
#include "symbols/private.h"

#define DEBUG_ROOT "/usr/lib/debug"
/*
 * Limits of debug files that only a CRC identifies: in the reader process, and where the target
 * waits for us.
 */
#define MOST_CRC_BYTES	     ((uint64_t)1 << 34)
#define MOST_INNER_CRC_BYTES ((uint64_t)1 << 28)

/*
 * The file's folder goes between the two; the name in .gnu_debuglink follows. gdb uses the same
 * places.
 */
static const char *const link_forms[][2] = {
	{"", "/"},
	{"", "/.debug/"},
	{DEBUG_ROOT, "/"},
	{DEBUG_ROOT "/usr", "/"},
};

#define LINK_FORMS (sizeof(link_forms) / sizeof(link_forms[0]))

static bool write_link_place(const char *file, const char *link, size_t form, struct text *path)
{
	int folder = (int)(path_basename(file) - file) - 1;

	path->count = 0;
	text_addf(path, "%s%.*s%s%s", link_forms[form][0], folder > 0 ? folder : 0, file,
		  link_forms[form][1], link);
	return !path->failed;
}

static bool write_build_id_place(const char *id, struct text *path)
{
	path->count = 0;
	text_addf(path, DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2);
	return !path->failed;
}

/* Computes the CRC of the whole file. */
static bool has_crc(int fd, uint32_t wanted, uint64_t most)
{
	unsigned char bytes[16384];
	uint64_t at = 0;
	uint32_t crc = 0;
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), (off_t)at)) > 0) {
		crc = libdeflate_crc32(crc, bytes, (size_t)n);
		at += (uint64_t)n;
		if (at > most)
			return false;
	}
	return n == 0 && crc == wanted;
}

/*
 * Tell whether the debug file is of the same build: others would give wrong names. A CRC of 0 means
 * none.
 */
static bool is_of(const struct symbols_file *f, int fd, uint32_t crc, uint64_t most)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || (st.st_ino == f->inode && st.st_dev == f->device))
		return false;
	return f->build_id != NULL ? symbols_has_build_id(fd, f->build_id)
				   : crc != 0 && has_crc(fd, crc, most);
}

/*
 * Open a path below the root, whose owner may be hostile. No link leads out of it, and only regular
 * files are opened: opening a device may have effects.
 */
static int open_below(int root, const char *path)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int place = (int)syscall(SYS_openat2, root, path, &how, sizeof(how)), fd = -1;
	char name[64];
	struct stat st;

	if (place < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	if (fstat(place, &st) == 0 && S_ISREG(st.st_mode))
		fd = symbols_open_regular(name, &st);
	close(place);
	return fd;
}

static int open_if_of(const struct symbols_file *f, int root, const char *path, uint32_t crc)
{
	struct stat st;
	int fd = root >= 0 ? open_below(root, path) : symbols_open_regular(path, &st);

	if (fd >= 0 && !is_of(f, fd, crc, root >= 0 ? MOST_INNER_CRC_BYTES : MOST_CRC_BYTES)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Try the places below the root, or of our own file system if it is -1. */
static int open_first(const struct symbols_file *f, int root, const char *link, uint32_t crc,
		      struct text *path)
{
	int fd = -1;

	if (f->build_id != NULL && strlen(f->build_id) > 2 &&
	    write_build_id_place(f->build_id, path))
		fd = open_if_of(f, root, text_get(path), crc);
	for (size_t i = 0; fd < 0 && link != NULL && i < LINK_FORMS; i++)
		if (write_link_place(f->path, link, i, path))
			fd = open_if_of(f, root, text_get(path), crc);
	return fd;
}

/*
 * Tell whether two names lead to the same file. If one cannot be examined, they count as the same.
 */
static bool is_same_thing(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) != 0 || stat(other, &b) != 0 ||
	       (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

int symbols_open_inner_debuginfo(const struct symbols_file *f, uint32_t pid)
{
	struct symbols_debug_link link;
	struct text path = {0};
	char root_path[64], space[64];
	int root, fd = -1;
	bool has_link;

	snprintf(root_path, sizeof(root_path), "/proc/%" PRIu32 "/root", pid);
	snprintf(space, sizeof(space), "/proc/%" PRIu32 "/ns/mnt", pid);
	if (f->fd < 0 || f->path[0] != '/' ||
	    (is_same_thing(root_path, "/") && is_same_thing(space, "/proc/self/ns/mnt")))
		return -1;
	has_link = symbols_read_debug_link(f->fd, &link);
	if (!has_link && f->build_id == NULL)
		return -1;
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0) {
		fd = open_first(f, root, has_link ? link.name : NULL, has_link ? link.crc : 0,
				&path);
		close(root);
	}
	text_release(&path);
	return fd;
}

int symbols_open_debuginfo(const struct symbols_file *f, struct text *path)
{
	GElf_Word crc = 0;
	const char *link;

	path->count = 0;
	if (f->debug_fd >= 0)
		return fcntl(f->debug_fd, F_DUPFD_CLOEXEC, 0);
	link = f->elf != NULL ? dwelf_elf_gnu_debuglink(f->elf, &crc) : NULL;
	return open_first(f, -1, link, crc, path);
}

/* Tell whether there is a file where libdwfl looks for the shared debug file. */
static bool has_shared(const char *file, const char *link)
{
	struct text path = {0};
	bool found = link[0] == '/' && access(link, R_OK) == 0;

	for (size_t i = 0; !found && file != NULL && i < LINK_FORMS; i++)
		found = write_link_place(file, link, i, &path) &&
			access(text_get(&path), R_OK) == 0;
	text_release(&path);
	return found;
}

int symbols_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const struct symbols_file *f = *userdata;
	const char *servers = getenv("DEBUGINFOD_URLS");
	/* libdwfl asks for the shared debug file in this way, and checks its build-id. */
	const bool is_shared = link != NULL && crc == 0;
	struct text path = {0};
	int fd = -1;

	if (f == NULL)
		return -1;
	if (!is_shared)
		fd = symbols_open_debuginfo(f, &path);
	if (fd >= 0 && path.count > 0)
		*found = strdup(text_get(&path));
	text_release(&path);
	/* Without a build-id the result could not be checked. */
	if (fd >= 0 || f->build_id == NULL ||
	    (!(servers != NULL && servers[0] != '\0') && !(is_shared && has_shared(file, link))))
		return fd;
	/* Only servers remain: without names, libdwfl opens no other files. */
	if (!is_shared)
		file = link = NULL;
	return dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc, found);
}
