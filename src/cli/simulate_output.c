/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where dwell simulate shows a result, and as what; see simulate_output.h. */
#include "cli/simulate_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool ends_in(const char *name, const char *ending)
{
	size_t length = strlen(name), n = strlen(ending);

	return length > n && strcmp(name + length - n, ending) == 0;
}

void simulate_output_guess(struct simulate_output *o)
{
	if (o->has_format || o->file == NULL)
		return;
	if (ends_in(o->file, ".csv"))
		o->format = VIEW_CSV;
	else if (ends_in(o->file, ".json"))
		o->format = VIEW_JSON;
}

int simulate_output_try(struct simulate_output *o, struct err *err)
{
	int fd;

	o->is_new = false;
	if (o->file == NULL)
		return 0;
	o->is_new = access(o->file, F_OK) != 0;
	fd = open(o->file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	if (fd < 0 && errno != ENXIO) /* a pipe that nobody reads yet */
		return err_set(err, "cannot write %s: %s", o->file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return 0;
}

int simulate_output_write(const struct simulate_output *o, const struct text *out, struct err *err)
{
	FILE *file = o->file != NULL ? fopen(o->file, "we") : stderr;
	bool is_bad;

	if (file == NULL)
		return err_set(err, "cannot write %s: %s", o->file, strerror(errno));
	if (out->failed)
		err_set(err, "not enough memory for the output");
	is_bad = out->failed;
	if (!is_bad &&
	    (fwrite(text_get(out), 1, out->count, file) != out->count || fflush(file) != 0)) {
		err_set(err, "cannot write %s: %s", o->file != NULL ? o->file : "stderr",
			strerror(errno));
		is_bad = true;
	}
	if (file != stderr && fclose(file) != 0 && !is_bad) {
		err_set(err, "cannot write %s: %s", o->file, strerror(errno));
		is_bad = true;
	}
	return is_bad ? -1 : 0;
}

void simulate_output_forget(const struct simulate_output *o)
{
	if (o->is_new)
		unlink(o->file);
}
