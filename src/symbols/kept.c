/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of decompressed debug files; see kept.h. */
#include "symbols/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define LAYOUT	   1 /* of the image, see packed.c: raise it when that changes */
#define LEAST	   ((uint64_t)256 << 10) /* smaller ones are quick */
#define MOST	   ((uint64_t)64 << 20)
#define USED_ONCE  ((time_t)30 * 24 * 3600) /* in so many seconds */
#define OWNER_ONLY 0700

int kept_name(int fd, const char *build_id, uint64_t bytes, char name[KEPT_NAME_BYTES])
{
	struct stat st;
	int length;

	if (build_id == NULL || bytes < LEAST || bytes > MOST || fstat(fd, &st) != 0 ||
	    st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return -1;
	length = snprintf(name, KEPT_NAME_BYTES, "%s-%" PRIx64 "-%" PRIx64 ".%09ld.%d", build_id,
			  (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			  LAYOUT);
	return length > 0 && length < KEPT_NAME_BYTES ? 0 : -1;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/*
 * Open the folder, and make it if wanted. Returns -1 if the user's home is not this user's, as with
 * sudo, or others may write into the folder.
 */
static int open_folder(bool is_wanted)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const bool has_cache = cache != NULL && cache[0] == '/';
	struct text path = {0};
	struct stat st;
	int fd = -1;

	text_add(&path, has_cache ? cache : home != NULL ? home : "");
	if (text_get(&path)[0] == '/' && stat(text_get(&path), &st) == 0 && is_ours(&st)) {
		if (!has_cache)
			text_add(&path, "/.cache");
		if (is_wanted)
			mkdir(text_get(&path), OWNER_ONLY);
		text_add(&path, "/dwell");
		if (is_wanted)
			mkdir(text_get(&path), OWNER_ONLY);
		fd = open(text_get(&path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	text_release(&path);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !is_ours(&st))) {
		close(fd);
		return -1;
	}
	return fd;
}

void *kept_map(const char *name, uint64_t bytes)
{
	static const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
	int folder = open_folder(false), fd = -1;
	void *image = MAP_FAILED;
	struct stat st;

	if (folder >= 0)
		fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == bytes)
		image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (image != MAP_FAILED)
		futimens(fd, now);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return image != MAP_FAILED ? image : NULL;
}

static void remove_old(int folder)
{
	const time_t least = time(NULL) - USED_ONCE;
	DIR *list = fdopendir(fcntl(folder, F_DUPFD_CLOEXEC, 0));
	struct dirent *e;
	struct stat st;

	while (list != NULL && (e = readdir(list)) != NULL)
		if (fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtim.tv_sec < least)
			unlinkat(folder, e->d_name, 0);
	if (list != NULL)
		closedir(list);
}

static bool write_all(int fd, const char *from, uint64_t bytes)
{
	while (bytes > 0) {
		ssize_t n = write(fd, from, bytes);

		if (n <= 0)
			return false;
		from += n;
		bytes -= (uint64_t)n;
	}
	return true;
}

void kept_save(const char *name, const void *image, uint64_t bytes)
{
	int folder = open_folder(true), fd = -1;
	char new_name[32];
	bool is_there;

	if (folder < 0)
		return;
	remove_old(folder);
	snprintf(new_name, sizeof(new_name), "new-%d", (int)getpid());
	unlinkat(folder, new_name, 0);
	fd = openat(folder, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		is_there = write_all(fd, image, bytes);
		if (close(fd) != 0 || !is_there || renameat(folder, new_name, folder, name) != 0)
			unlinkat(folder, new_name, 0);
	}
	close(folder);
}
