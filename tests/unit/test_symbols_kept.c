/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files that are kept decompressed: which are, and which of them are trusted. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/kept.h"
#include "symbols/symbols.h"

#define BYTES ((uint64_t)1 << 20)

static char cache[64], folder[80];

static int make_cache(void **state)
{
	(void)state;
	snprintf(cache, sizeof(cache), "/tmp/dwell-kept-XXXXXX");
	if (mkdtemp(cache) == NULL)
		return -1;
	snprintf(folder, sizeof(folder), "%s/dwell", cache);
	return setenv("XDG_CACHE_HOME", cache, 1);
}

static int remove_cache(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", cache);
	return system(command);
}

/* An image of BYTES, all with this value. */
static void save(const char *name, int value)
{
	char *image = malloc(BYTES);

	assert_non_null(image);
	memset(image, value, BYTES);
	kept_save(name, image, BYTES);
	free(image);
}

/* The value of what is kept; -1: nothing. */
static int kept(const char *name, uint64_t bytes)
{
	char *image = kept_map(name, bytes);
	int value = image != NULL ? image[bytes - 1] : -1;

	if (image != NULL)
		munmap(image, bytes);
	return value;
}

static void what_was_saved_is_mapped(void **state)
{
	char *image;

	(void)state;
	assert_int_equal(kept("a", BYTES), -1);
	save("a", 7);
	assert_int_equal(kept("a", BYTES), 7);
	assert_int_equal(kept("a", BYTES + 1), -1); /* cut off, or another */
	assert_int_equal(kept("b", BYTES), -1);
	save("a", 8);
	assert_int_equal(kept("a", BYTES), 8);
	/* Whoever changes it changes a copy. */
	image = kept_map("a", BYTES);
	assert_non_null(image);
	image[BYTES - 1] = 9;
	munmap(image, BYTES);
	assert_int_equal(kept("a", BYTES), 8);
}

static void a_folder_that_others_write_is_not_used(void **state)
{
	(void)state;
	save("a", 7);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(kept("a", BYTES), -1);
	save("b", 7);
	assert_int_equal(chmod(folder, 0700), 0);
	assert_int_equal(kept("a", BYTES), 7);
	assert_int_equal(kept("b", BYTES), -1);
}

static void a_link_is_not_followed(void **state)
{
	char link[96];

	(void)state;
	save("a", 7);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink("a", link), 0);
	assert_int_equal(kept("link", BYTES), -1);
}

static void set_age(const char *name, time_t days)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {0}};
	char path[KEPT_NAME_BYTES + 96];

	times[1].tv_sec = time(NULL) - days * 24 * 3600;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void what_a_month_did_not_use_is_removed(void **state)
{
	(void)state;
	save("old", 1);
	save("used", 2);
	save("young", 3);
	set_age("old", 31);
	set_age("used", 31);
	set_age("young", 29);
	assert_int_equal(kept("used", BYTES), 2); /* a use makes it young */
	save("new", 4);
	assert_int_equal(kept("old", BYTES), -1);
	assert_int_equal(kept("used", BYTES), 2);
	assert_int_equal(kept("young", BYTES), 3);
}

static void only_files_of_the_system_are_kept(void **state)
{
	char name[KEPT_NAME_BYTES], other[KEPT_NAME_BYTES], path[96];
	int fd = open("/proc/version", O_RDONLY); /* belongs to root */

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(kept_name(fd, "12ab", BYTES, name), 0);
	assert_int_equal(kept_name(fd, "12ac", BYTES, other), 0);
	assert_string_not_equal(name, other);
	assert_int_equal(kept_name(fd, NULL, BYTES, name), -1);
	assert_int_equal(kept_name(fd, "12ab", 4096, name), -1);	/* quick without */
	assert_int_equal(kept_name(fd, "12ab", BYTES << 10, name), -1); /* too large */
	close(fd);

	snprintf(path, sizeof(path), "%s/writable", cache);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(kept_name(fd, "12ab", BYTES, name), -1);
	close(fd);
}

/* The first file in the folder, or "". */
static void find_kept(char name[KEPT_NAME_BYTES])
{
	DIR *list = opendir(folder);
	struct dirent *e;

	name[0] = '\0';
	while (list != NULL && (e = readdir(list)) != NULL)
		if (e->d_name[0] != '.')
			snprintf(name, KEPT_NAME_BYTES, "%.*s", KEPT_NAME_BYTES - 1, e->d_name);
	if (list != NULL)
		closedir(list);
}

/* Function, file and line of the C library's strtol, read by a process of its own. */
static void describe_strtol(char text[512])
{
	const struct symbols_frame *frames = NULL;
	struct symbols *s = symbols_new();
	Dl_info info;
	size_t count;

	assert_non_null(s);
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "strtol"), &info) != 0);
	count = symbols_resolve(s, symbols_file(s, info.dli_fname),
				(uint64_t)((char *)info.dli_saddr - (char *)info.dli_fbase),
				&frames);
	assert_true(count > 0);
	snprintf(text, 512, "%s %s:%u", frames[0].function,
		 frames[0].file != NULL ? frames[0].file : "", frames[0].line);
	symbols_free(s);
}

static void what_was_kept_gives_the_same_names(void **state)
{
	char first[512], second[512], name[KEPT_NAME_BYTES], path[KEPT_NAME_BYTES + 96];
	struct stat st;

	(void)state;
	describe_strtol(first);
	find_kept(name);
	if (name[0] == '\0')
		skip(); /* the C library has no compressed debug file here */
	set_age(name, 31);
	describe_strtol(second);
	assert_string_equal(first, second);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_mtim.tv_sec > time(NULL) - 24 * 3600); /* it was used */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_saved_is_mapped, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(a_folder_that_others_write_is_not_used, make_cache,
						remove_cache),
		cmocka_unit_test_setup_teardown(a_link_is_not_followed, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(what_a_month_did_not_use_is_removed, make_cache,
						remove_cache),
		cmocka_unit_test_setup_teardown(only_files_of_the_system_are_kept, make_cache,
						remove_cache),
		cmocka_unit_test_setup_teardown(what_was_kept_gives_the_same_names, make_cache,
						remove_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
