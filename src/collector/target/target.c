/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the program and prepares its start; target_start.c starts it. */
#include "collector/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#ifndef DWELL_LIBEXECDIR
#define DWELL_LIBEXECDIR "/usr/libexec/dwell"
#endif

#define SHELL "/bin/sh"

static int out_of_memory(enum target_failure *failure, struct err *err)
{
	*failure = TARGET_OUR_FAULT;
	return err_set(err, "out of memory");
}

/* Returns 0 if the path can be executed, else the errno. */
static int executable_errno(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* Like execvp: find the first executable file in PATH, or else remember one without permission. */
static int search_path(const char *name, char **found)
{
	const char *path = getenv("PATH"), *s;
	int worst = ENOENT;

	if (path == NULL)
		path = "/bin:/usr/bin";
	for (s = path;; s++) {
		size_t n = strcspn(s, ":");
		struct text candidate = {0};
		int code;

		text_add_bytes(&candidate, s, n);
		if (n > 0)
			text_add(&candidate, "/");
		text_add(&candidate, name);
		code = executable_errno(text_get(&candidate));
		if (code == 0) {
			*found = candidate.items;
			return 0;
		}
		text_release(&candidate);
		if (code == EACCES)
			worst = EACCES;
		s += n;
		if (*s == '\0')
			return worst;
	}
}

static int cannot_run(const char *name, int code, enum target_failure *failure, struct err *err)
{
	*failure = code == ENOENT || code == ENOTDIR ? TARGET_NOT_FOUND : TARGET_NOT_EXECUTABLE;
	if (code == ENOENT && strchr(name, '/') == NULL)
		return err_set(err, "%s: command not found", name);
	if (code == EISDIR)
		return err_set(err, "cannot run '%s': it is a directory", name);
	return err_set(err, "cannot run '%s': %s", name, strerror(code));
}

static int find_program(struct target *t, enum target_failure *failure, struct err *err)
{
	const char *name = t->command[0];
	int code = ENOENT;

	if (strchr(name, '/') != NULL) {
		code = executable_errno(name);
		if (code == 0 && (t->path = strdup(name)) == NULL)
			return out_of_memory(failure, err);
	} else if (name[0] != '\0') {
		code = search_path(name, &t->path);
	}
	return code == 0 ? 0 : cannot_run(name, code, failure, err);
}

/*
 * Tell whether shells and execvp would run the file with /bin/sh: a text without #!. As in shells,
 * a NUL in the first line means that it is not text.
 */
static bool is_plain_script(const char *path)
{
	char head[128];
	ssize_t n;
	size_t line;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	if (n < 0)
		return false;
	if ((n >= 2 && memcmp(head, "#!", 2) == 0) || (n >= 4 && memcmp(head, "\177ELF", 4) == 0))
		return false;
	for (line = 0; line < (size_t)n && head[line] != '\n'; line++) {
		if (head[line] == '\0')
			return false;
	}
	return true;
}

/* Build the target's argv: the command, or the shell with the script and its arguments. */
static int build_argv(struct target *t)
{
	size_t count = 0, at = 0, i;
	static char shell_name[] = "sh";

	while (t->command[count] != NULL)
		count++;
	t->argv = calloc(count + 2, sizeof(*t->argv));
	if (t->argv == NULL)
		return -1;
	if (t->script != NULL) {
		t->argv[at++] = shell_name;
		t->argv[at++] = t->script;
	} else {
		t->argv[at++] = t->command[0];
	}
	for (i = 1; i < count; i++)
		t->argv[at++] = t->command[i];
	return 0;
}

/* The highest free descriptor below `limit`, out of the way of programs, which count from 0. */
static int free_descriptor(int limit)
{
	int fd = limit - 1;

	while (fd > 2 && fcntl(fd, F_GETFD) != -1)
		fd--;
	return fd;
}

static void choose_descriptors(struct target *t)
{
	struct rlimit limit;
	int top = 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1024)
		top = (int)limit.rlim_cur;
	t->channel_fd = free_descriptor(top);
	t->engine_fd = free_descriptor(t->channel_fd);
}

static int judge(struct target *t, enum target_failure *failure, struct err *err)
{
	struct launch_request request = {
		.path = t->path,
		.dir_fd = AT_FDCWD,
		.argv = t->argv,
		.envp = environ,
		.channel_fd = t->channel_fd,
		.engine_fd = t->engine_fd,
		.parent = UINT32_MAX,
	};
	int verdict = launch_prepare(&t->launch, &request);

	if (verdict == -ENOENT) {
		*failure = TARGET_NOT_EXECUTABLE;
		return err_set(err, "cannot run '%s': its interpreter does not exist", t->path);
	}
	if (verdict < 0)
		return cannot_run(t->path, -verdict, failure, err);
	if (verdict == LAUNCH_NATIVE) {
		t->is_native = true;
		snprintf(t->reason, sizeof(t->reason), "%s",
			 t->launch.reason != NULL ? t->launch.reason : "cannot be profiled");
	}
	return 0;
}

int target_prepare(struct target *t, char *const *command, enum target_failure *failure,
		   struct err *err)
{
	*t = (struct target){.command = command, .launch = {.program_fd = -1}, .pid = -1};
	if (find_program(t, failure, err) != 0)
		goto failed;
	if (is_plain_script(t->path)) {
		t->script = t->path;
		t->path = strdup(SHELL);
	}
	choose_descriptors(t);
	if (t->path == NULL || build_argv(t) != 0) {
		out_of_memory(failure, err);
		goto failed;
	}
	if (judge(t, failure, err) != 0)
		goto failed;
	return 0;
failed:
	target_release(t);
	return -1;
}

/*
 * Possible places of the engine: beside dwell, as built; as installed, even if moved; in the
 * configured directory.
 */
static const char *const engine_places[] = {"dwell-engine", "../libexec/dwell/dwell-engine",
					    DWELL_LIBEXECDIR "/dwell-engine"};

/* Add the path of a place, which may be relative to dwell's own folder. */
static void put_place(const char *place, struct text *path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (place[0] != '/' && n <= 0)
		return; /* a file of that name in the current folder may be anyone's */
	if (place[0] != '/') {
		self[n] = '\0';
		text_add_bytes(path, self, (size_t)(path_basename(self) - self));
	}
	text_add(path, place);
}

/* Open the first engine found; *paths is its path, or all paths tried. */
static int open_engine(const char *given, struct text *paths)
{
	const size_t count = sizeof(engine_places) / sizeof(engine_places[0]);
	int fd = -1;

	for (size_t i = 0; i < (given != NULL ? 1 : count) && fd < 0; i++) {
		struct text path = {0};

		if (given != NULL)
			text_add(&path, given);
		else
			put_place(engine_places[i], &path);
		fd = open(text_get(&path), O_PATH | O_CLOEXEC);
		if (fd >= 0)
			text_release(paths);
		text_addf(paths, "%s%s", paths->count > 0 ? ", " : "", text_get(&path));
		text_release(&path);
	}
	return fd;
}

int target_find_engine(const char *given, int *fd, struct err *err)
{
	struct text paths = {0};

	*fd = open_engine(given, &paths);
	if (*fd < 0 && errno != ENOENT && errno != ENOTDIR) {
		err_set(err, "cannot open the engine: %s", strerror(errno));
	} else if (*fd < 0 && access("/proc/self", F_OK) != 0) {
		err_set(err, "cannot run anything: /proc is not mounted");
	} else if (*fd < 0) {
		err_set(err, "cannot find the engine: there is no %s", text_get(&paths));
	} else if (access(text_get(&paths), X_OK) != 0) {
		/* Fail here: the error of execve would name the program instead. */
		err_set(err, "cannot execute the engine '%s': %s", text_get(&paths),
			strerror(errno));
		close(*fd);
		*fd = -1;
	}
	text_release(&paths);
	return *fd < 0 ? -1 : 0;
}
