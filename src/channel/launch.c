/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the vectors to start a program under the engine; see launch.h. */
#define _GNU_SOURCE
#include "channel/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "channel/channel.h"
#include "channel/sys.h"

#define SCRIPT_DEPTH 4
#define HEAD_BYTES   256
#define PATH_BYTES   4096

/* State of a launch_prepare: strings are added at `at`. */
struct build {
	char *at, *end;
	const struct launch_request *rq;
	const char *path; /* current file, as the kernel would name it */
	int fd;
	_Alignas(8) unsigned char head[HEAD_BYTES];
	long head_bytes;
	struct {
		const char *interpreter, *argument, *script;
	} script[SCRIPT_DEPTH];
	int scripts;
};

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static int starts_with(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return 0;
	return 1;
}

static char *put(struct build *b, const char *s, size_t n)
{
	char *p = b->at;

	if ((size_t)(b->end - b->at) <= n)
		return 0;
	for (size_t i = 0; i < n; i++)
		p[i] = s[i];
	p[n] = 0;
	b->at += n + 1;
	return p;
}

static void append_number(char **p, uint64_t v)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*(*p)++ = digits[--n];
}

/* Open the file behind a descriptor for reading: one that was opened with O_PATH cannot be read. */
static long open_descriptor(int fd)
{
	char name[32] = "/proc/self/fd/", *end = name + sizeof("/proc/self/fd/") - 1;
	long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);

	if (flags < 0 || !(flags & O_PATH))
		return sys1(SYS_dup, fd);
	append_number(&end, (uint32_t)fd);
	*end = 0;
	return sys4(SYS_openat, AT_FDCWD, name, O_RDONLY, 0);
}

/* Open a file to execute. Returns 0, a negative errno, or LAUNCH_NATIVE with *reason. */
static int open_program(struct build *b, int dir_fd, const char *path, int flags,
			const char **reason)
{
	struct stat st;
	long err = sys4(SYS_faccessat2, dir_fd, path, 1 /* X_OK */,
			AT_EACCESS | (flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)));

	if (err == -ENOSYS)
		err = sys3(SYS_faccessat, dir_fd, path, 1);
	if (err < 0)
		return (int)err;
	if ((flags & AT_EMPTY_PATH) && !path[0])
		b->fd = (int)open_descriptor(dir_fd);
	else
		b->fd = (int)sys4(SYS_openat, dir_fd, path,
				  O_RDONLY | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0), 0);
	if (b->fd == -EACCES) {
		*reason = "is executable but not readable";
		return LAUNCH_NATIVE;
	}
	if (b->fd < 0)
		return b->fd;
	err = sys2(SYS_fstat, b->fd, &st);
	if (err < 0)
		return (int)err;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	if ((st.st_mode & S_ISUID) || (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP)) {
		*reason = "is setuid or setgid";
		return LAUNCH_NATIVE;
	}
	if (sys4(SYS_fgetxattr, b->fd, "security.capability", 0, 0) > 0) {
		*reason = "has file capabilities";
		return LAUNCH_NATIVE;
	}
	b->head_bytes = sys4(SYS_pread64, b->fd, b->head, HEAD_BYTES - 1, 0);
	if (b->head_bytes < 0) {
		*reason = "is executable but not readable";
		return LAUNCH_NATIVE;
	}
	b->head[b->head_bytes] = 0;
	return 0;
}

/* Parse a #! line as the kernel does. Returns 0 or a negative errno. */
static int parse_script(struct build *b)
{
	char *p = (char *)b->head + 2, *name, *end;
	char *stop = (char *)b->head + b->head_bytes;

	if (b->scripts == SCRIPT_DEPTH)
		return -ELOOP;
	for (end = p; end < stop && *end != '\n' && *end; end++)
		;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end)
		return -ENOEXEC;
	for (name = p; p < end && *p != ' ' && *p != '\t'; p++)
		;
	b->script[b->scripts].interpreter = put(b, name, (size_t)(p - name));
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	b->script[b->scripts].argument = p < end ? put(b, p, (size_t)(end - p)) : 0;
	b->script[b->scripts].script = b->path;
	if (!b->script[b->scripts].interpreter)
		return -E2BIG;
	b->path = b->script[b->scripts].interpreter;
	b->scripts++;
	return 0;
}

/* Judge by the ELF header whether the engine can run the program. */
static int judge_elf(const struct build *b, const char **reason)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)b->head;

	if (b->head_bytes < (long)sizeof *h || !starts_with((const char *)b->head, ELFMAG)) {
		*reason = "is neither an x86-64 ELF program nor a script";
		return LAUNCH_NATIVE;
	}
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != EM_X86_64) {
		*reason = h->e_ident[EI_CLASS] == ELFCLASS32 ? "is a 32-bit program"
							     : "is for another processor";
		return LAUNCH_NATIVE;
	}
	return LAUNCH_ENGINE;
}

/*
 * Tell whether the descriptor to which the file's name is relative will be closed before an
 * interpreter opens the file.
 */
static int is_out_of_reach(const struct launch_request *rq)
{
	return rq->dir_fd != AT_FDCWD && rq->path[0] != '/' &&
	       (sys3(SYS_fcntl, rq->dir_fd, F_GETFD, 0) & FD_CLOEXEC);
}

/* Follow scripts until an ELF file is open. The first file's name is AT_EXECFN. */
static int find_program(struct build *b, const char **reason)
{
	int dir_fd = b->rq->dir_fd, flags = b->rq->flags;
	int verdict = open_program(b, dir_fd, b->rq->path, flags, reason);

	while (verdict == 0) {
		if (b->head[0] != '#' || b->head[1] != '!')
			return judge_elf(b, reason);
		verdict = parse_script(b);
		if (verdict == 0 && is_out_of_reach(b->rq))
			verdict = -ENOENT; /* as the kernel does */
		if (verdict < 0)
			break;
		sys1(SYS_close, b->fd);
		b->fd = -1;
		verdict = open_program(b, AT_FDCWD, b->path, 0, reason);
	}
	return verdict;
}

/* Make "/dev/fd/N" or "/dev/fd/N/path", as the kernel names execveat's files. */
static const char *given_name(struct build *b)
{
	const struct launch_request *rq = b->rq;

	if (rq->dir_fd == AT_FDCWD || rq->path[0] == '/')
		return rq->path;
	if (b->end - b->at < (long)length(rq->path) + 32)
		return rq->path;
	char *name = b->at, *p = name;

	for (const char *s = "/dev/fd/"; *s; s++)
		*p++ = *s;
	append_number(&p, (uint32_t)rq->dir_fd);
	if (rq->path[0])
		*p++ = '/';
	for (const char *s = rq->path; *s; s++)
		*p++ = *s;
	*p++ = 0;
	b->at = p;
	return name;
}

static int is_loader_variable(const char *s)
{
	return starts_with(s, "LD_") || starts_with(s, "GLIBC_TUNABLES=");
}

static char *channel_variable(struct build *b)
{
	char text[96], *p = text;
	const struct launch_request *rq = b->rq;

	for (const char *s = CHANNEL_ENV "="; *s; s++)
		*p++ = *s;
	append_number(&p, (uint32_t)rq->channel_fd);
	*p++ = ':';
	append_number(&p, (uint32_t)rq->engine_fd);
	*p++ = ':';
	if (rq->parent == UINT32_MAX)
		*p++ = '-';
	else
		append_number(&p, rq->parent);
	*p++ = ':';
	append_number(&p, rq->cause);
	return put(b, text, (size_t)(p - text));
}

static bool has_limits(const struct launch_request *rq)
{
	for (int i = 0; rq->limits && i < LAUNCH_LIMITS; i++)
		if (rq->limits[i].set)
			return true;
	return false;
}

/* Make "soft:hard:" for each limit, "::" for one that is not set. */
static char *limits_variable(struct build *b)
{
	char text[128], *p = text;

	for (const char *s = LAUNCH_LIMITS_ENV "="; *s; s++)
		*p++ = *s;
	for (int i = 0; i < LAUNCH_LIMITS; i++) {
		const struct launch_limit *l = &b->rq->limits[i];

		if (l->set)
			append_number(&p, l->soft);
		*p++ = ':';
		if (l->set)
			append_number(&p, l->hard);
		*p++ = ':';
	}
	return put(b, text, (size_t)(p - text));
}

static char *exe_variable(struct build *b, const char *name)
{
	char text[32], *p = text, *start;

	for (const char *s = LAUNCH_EXE_ENV "="; *s; s++)
		*p++ = *s;
	append_number(&p, (uint32_t)b->fd);
	*p++ = ':';
	start = put(b, text, (size_t)(p - text));
	if (!start)
		return 0;
	b->at--; /* the name overwrites the NUL */
	return put(b, name, length(name)) ? start : 0;
}

static int fill_vectors(struct build *b, struct launch *l, const char *name)
{
	char **v = l->argv;

	/* The innermost interpreter comes first. Each script's path replaces argv[0]. */
	for (int i = b->scripts - 1; i >= 0; i--) {
		*v++ = (char *)(uintptr_t)b->script[i].interpreter;
		if (b->script[i].argument)
			*v++ = (char *)(uintptr_t)b->script[i].argument;
	}
	if (b->scripts)
		*v++ = (char *)(uintptr_t)b->script[0].script;
	else if (b->rq->argv && b->rq->argv[0])
		*v++ = b->rq->argv[0];
	for (size_t i = 1; b->rq->argv && b->rq->argv[0] && b->rq->argv[i]; i++)
		*v++ = b->rq->argv[i];
	*v = 0;

	v = l->envp;
	*v++ = channel_variable(b);
	*v++ = exe_variable(b, name);
	if (!v[-1] || !v[-2])
		return -E2BIG;
	if (has_limits(b->rq) && !(*v++ = limits_variable(b)))
		return -E2BIG;
	for (size_t i = 0; b->rq->envp && b->rq->envp[i]; i++) {
		char *s = b->rq->envp[i];

		if (is_loader_variable(s)) {
			char *kept = put(b, LAUNCH_KEEP_PREFIX, length(LAUNCH_KEEP_PREFIX));

			if (!kept)
				return -E2BIG;
			b->at--;
			if (!put(b, s, length(s)))
				return -E2BIG;
			s = kept;
		}
		*v++ = s;
	}
	*v = 0;
	return 0;
}

int launch_prepare(struct launch *l, const struct launch_request *rq)
{
	struct build b = {.rq = rq, .path = rq->path, .fd = -1};
	size_t args = 0, envs = 0, text = 4 * PATH_BYTES + length(rq->path);
	const char *name;
	int verdict;

	*l = (struct launch){.program_fd = -1};
	while (rq->argv && rq->argv[args])
		args++;
	for (; rq->envp && rq->envp[envs]; envs++)
		if (is_loader_variable(rq->envp[envs]))
			text += length(rq->envp[envs]) + sizeof LAUNCH_KEEP_PREFIX + 1;
	size_t vectors = (args + envs + 2 * SCRIPT_DEPTH + 8) * sizeof(char *);

	l->memory_bytes = (vectors + text + 4095) & ~4095ul;
	long m = sys6(SYS_mmap, 0, l->memory_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(m))
		return (int)m;
	l->memory = (void *)m;
	l->argv = (char **)m;
	l->envp = l->argv + args + 2 * SCRIPT_DEPTH + 2;
	b.at = (char *)m + vectors;
	b.end = (char *)m + l->memory_bytes;
	name = given_name(&b);
	b.path = name;
	verdict = find_program(&b, &l->reason);
	if (verdict == LAUNCH_ENGINE)
		verdict = fill_vectors(&b, l, name);
	if (verdict != LAUNCH_ENGINE) {
		const char *reason = l->reason;
		const bool may_be_text =
			b.head_bytes > 0 && !starts_with((const char *)b.head, ELFMAG);

		if (b.fd >= 0)
			sys1(SYS_close, b.fd);
		launch_release(l);
		l->reason = reason;
		l->may_be_text = may_be_text;
		return verdict;
	}
	l->program_fd = b.fd;
	return LAUNCH_ENGINE;
}

void launch_release(struct launch *l)
{
	if (l->program_fd >= 0)
		sys1(SYS_close, l->program_fd);
	if (l->memory)
		sys2(SYS_munmap, l->memory, l->memory_bytes);
	*l = (struct launch){.program_fd = -1};
}
