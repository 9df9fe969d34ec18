/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paging, as git does it; see pager.h. */
#include "cli/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PAGER	 "less"
#define STATUS_NOT_FOUND 127 /* exit code of a shell for an unknown command */

void pager_forbid(void)
{
	setenv("DWELL_PAGER", "", 1);
}

static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	struct text file = {0};
	bool found = false;

	while (path != NULL && !found) {
		size_t bytes = strcspn(path, ":");

		text_add_bytes(&file, path, bytes);
		text_addf(&file, "/%s", program);
		found = bytes > 0 && access(text_get(&file), X_OK) == 0;
		text_release(&file);
		path = path[bytes] == ':' ? path + bytes + 1 : NULL;
	}
	return found;
}

/* Returns NULL for no pager. less is the default only on terminals that can move their cursor. */
static const char *find_pager(void)
{
	const char *term = getenv("TERM"), *pager = getenv("DWELL_PAGER");

	if (pager == NULL)
		pager = getenv("PAGER");
	if (pager == NULL && term != NULL && strcmp(term, "dumb") != 0 && is_in_path(DEFAULT_PAGER))
		pager = DEFAULT_PAGER;
	return pager != NULL && pager[0] != '\0' && strcmp(pager, "cat") != 0 ? pager : NULL;
}

bool pager_show(const struct text *out)
{
	const char *pager = isatty(STDOUT_FILENO) ? find_pager() : NULL;
	int status;
	FILE *pipe;

	if (pager == NULL)
		return false;
	/*
	 * Show short pages without paging, cut no lines, pass colours on; the user's own settings
	 * win.
	 */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	fflush(stdout);
	pipe = popen(pager, "w");
	if (pipe == NULL)
		return false;
	/* The user may quit the pager early; and Ctrl-C is for the pager, which we wait for. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	fwrite(text_get(out), 1, out->count, pipe);
	status = pclose(pipe);
	return status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != STATUS_NOT_FOUND;
}
