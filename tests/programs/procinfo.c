/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc must describe the process as it is natively: auxv, stat, cmdline and environ, for the
 * process and its thread. Then again in a program with variables that the dynamic linker reads, and
 * in one with none.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "check.h"

#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856
#endif

extern char **environ;

static ssize_t read_file(const char *name, void *to, size_t room)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n, have = 0;

	NEED(fd >= 0);
	while ((n = read(fd, (char *)to + have, room - (size_t)have)) > 0)
		have += n;
	close(fd);
	return have;
}

static void check_auxv(const Elf64_auxv_t *a, size_t count)
{
	static const unsigned long types[] = {AT_PHDR,	AT_PHNUM,  AT_BASE,
					      AT_ENTRY, AT_EXECFN, AT_RANDOM};

	for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
		size_t i = 0;

		while (i < count && a[i].a_type != types[k])
			i++;
		NEED(i < count);
		CHECK_EQ(a[i].a_un.a_val, getauxval(types[k]));
	}
}

static void check_vectors(void)
{
	static Elf64_auxv_t a[256];
	ssize_t n;

	check_auxv(a, (size_t)read_file("/proc/self/auxv", a, sizeof a) / sizeof *a);
	memset(a, 0, sizeof a);
	check_auxv(a, (size_t)read_file("/proc/thread-self/auxv", a, sizeof a) / sizeof *a);
	n = prctl(PR_GET_AUXV, a, sizeof a, 0, 0);
	if (n > 0)
		check_auxv(a, (size_t)n / sizeof *a);
}

static void check_stat(char **argv)
{
	static char text[4096];
	unsigned long w[64] = {0};
	char *p;

	text[read_file("/proc/self/stat", text, sizeof text - 1)] = 0;
	p = strrchr(text, ')');
	NEED(p);
	p = strtok(p + 2, " ");
	for (int k = 3; p && k < 64; k++, p = strtok(NULL, " "))
		w[k] = strtoul(p, NULL, 10);
	CHECK(w[26] <= (uintptr_t)check_stat && (uintptr_t)check_stat < w[27]); /* code */
	CHECK_EQ(w[28], (uintptr_t)argv - 8);					/* where argc is */
	CHECK(w[45] <= (uintptr_t)&environ);					/* data */
	CHECK_EQ(w[48], (uintptr_t)argv[0]);
	CHECK_EQ(w[49], w[50]);
	if (environ[0])
		CHECK_EQ(w[50], (uintptr_t)environ[0]);
}

/* The strings of the vector, each with its end, are the file. */
static void check_strings(const char *name, char **strings)
{
	static char text[1 << 20];
	const char *p = text;
	ssize_t n = read_file(name, text, sizeof text);

	for (; *strings; strings++) {
		CHECK(strcmp(p, *strings) == 0);
		p += strlen(p) + 1;
	}
	CHECK_EQ(p - text, n);
}

int main(int argc, char **argv)
{
	char *with[] = {
		"FIRST=1", "LD_LIBRARY_PATH=/nowhere", "MIDDLE=2", "LD_BIND_NOW=1", "LAST=3", NULL};
	char *none[] = {NULL};
	char *again[] = {argv[0], "with", "more words", NULL}, *last[] = {argv[0], "", NULL};

	check_vectors();
	check_stat(argv);
	check_strings("/proc/self/cmdline", argv);
	check_strings("/proc/self/environ", environ);
	CHECK(access((const char *)getauxval(AT_EXECFN), X_OK) == 0);
	if (check_end())
		return 1;
	if (argc == 1)
		execve("/proc/self/exe", again, with);
	else if (argc == 3)
		execve("/proc/self/exe", last, none);
	return argc == 2 ? 0 : 2;
}
