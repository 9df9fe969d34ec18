/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code that a process makes while it runs. Interpreters with a compiler tell them, when asked to, in a file
 * of lines "start size name", both numbers in hexadecimal, which is what perf reads: /tmp/perf-PID.map. Anybody may write there, and it
 * may be an older process's: nothing in it is taken for granted, and what is no such line is passed over.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "symbols/private.h"
#include "symbols/runtime_home.h"

/* Of a file; what is behind that is not read. As entries it takes three times as much. */
#define MOST_BYTES   ((size_t)64 << 20)
#define MOST_ENTRIES ((size_t)1 << 20)
#define LINE_BYTES 4096		     /* longer names are cut */
#define LOOK_BACK \
	1024 /* entries that may start between one that covers an address and the address */

struct symbols_runtime {
	struct runtime_home home;
	bool is_cut;		    /* there was more than is read */
	time_t since;		    /* an older file is of another process */
	struct symbols_table table; /* by address; the rank counts down from the first line */
	uint64_t *end;		    /* where those up to this one end, the highest */
};

int symbols_runtime_init(struct symbols_file *f, uint32_t pid, time_t since, struct arena *a)
{
	f->runtime = arena_alloc(a, sizeof(*f->runtime));
	if (f->runtime == NULL)
		return -1;
	*f->runtime = (struct symbols_runtime){.since = since};
	runtime_home_find(&f->runtime->home, pid);
	return 0;
}

/* ---- Reading ---- */

/* The process's own, or NULL: another user's, or what was there before the run, tells nothing. */
static FILE *open_map(const struct symbols_runtime *r)
{
	char name[64];
	struct stat st;
	FILE *file;
	int fd;

	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", r->home.pid);
	fd = runtime_home_open(&r->home, name, &st);
	if (fd < 0)
		return NULL;
	if (st.st_mtim.tv_sec < r->since || (file = fdopen(fd, "r")) == NULL) {
		close(fd);
		return NULL;
	}
	return file;
}

/* A number in hexadecimal and the blank behind it. */
static bool take_number(char **at, uint64_t *number)
{
	char *end;

	if (**at == ' ' || **at == '-' || **at == '+')
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 16);
	if (errno != 0 || end == *at || *end != ' ')
		return false;
	*at = end + strspn(end, " ");
	return true;
}

/* Returns false when memory ran out. */
static bool add_line(struct symbols_table *t, char *line, struct arena *a)
{
	struct symbols_entry e = {.rank = -(int)t->count};
	struct text name = {0};

	if (!take_number(&line, &e.address) || !take_number(&line, &e.bytes) || e.bytes == 0 ||
	    *line == '\0' || e.address + e.bytes < e.address)
		return true;
	text_add_printable(&name, line, strlen(line));
	e.name = arena_strdup(a, text_get(&name));
	text_release(&name);
	if (e.name == NULL || !ARRAY_GROW(t))
		return false;
	t->items[t->count++] = e;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct symbols_entry *x = a, *y = b;

	return x->address != y->address ? (x->address < y->address ? -1 : 1) : y->rank - x->rank;
}

/* The next line, without its end and cut where there is no room; a NUL ends it as well. Returns false at the end, or after *left bytes. */
static bool read_line(FILE *file, size_t *left, char line[LINE_BYTES])
{
	size_t bytes = 0;
	int c = EOF;

	for (; *left > 0 && (c = getc_unlocked(file)) != EOF && c != '\n'; --*left)
		if (bytes < LINE_BYTES - 1)
			line[bytes++] = (char)c;
	line[bytes] = '\0';
	return *left > 0 && (c != EOF || bytes > 0);
}

static void read_map(struct symbols_runtime *r, struct arena *a)
{
	FILE *file = open_map(r);
	char line[LINE_BYTES];
	size_t left = MOST_BYTES;
	uint64_t end = 0;

	/* Without memory there are fewer names, that is all. */
	while (file != NULL && r->table.count < MOST_ENTRIES && read_line(file, &left, line) &&
	       add_line(&r->table, line, a))
		;
	if (file != NULL) {
		r->is_cut = (left == 0 || r->table.count == MOST_ENTRIES) && getc(file) != EOF;
		fclose(file);
	}
	runtime_home_release(&r->home);
	r->end = calloc(r->table.count + 1, sizeof(*r->end));
	if (r->end == NULL)
		r->table.count = 0;
	if (r->table.count > 0)
		qsort(r->table.items, r->table.count, sizeof(*r->table.items), compare);
	for (size_t i = 0; i < r->table.count; i++) {
		const struct symbols_entry *e = &r->table.items[i];

		end = e->address + e->bytes > end ? e->address + e->bytes : end;
		r->end[i] = end;
	}
}

/* ---- Questions ---- */

struct symbols_entry *symbols_runtime_find(struct symbols_file *f, uint64_t address,
					   struct arena *a)
{
	struct symbols_runtime *r = f->runtime;
	struct symbols_entry *best = NULL;
	size_t above, least;

	if (!r->table.is_read)
		read_map(r, a);
	r->table.is_read = true;
	above = symbols_table_above(&r->table, address);
	least = above > LOOK_BACK ? above - LOOK_BACK : 0;
	/* Memory of code that is not needed any more is used again: of all that cover the address the last one told counts. */
	for (size_t i = above; i-- > least && r->end[i] > address;) {
		struct symbols_entry *e = &r->table.items[i];

		if (address - e->address < e->bytes && (best == NULL || e->rank < best->rank))
			best = e;
	}
	return best;
}

bool symbols_runtime_loss(const struct symbols_file *f, struct text *line)
{
	const struct symbols_runtime *r = f->runtime;

	if (r == NULL || !r->is_cut)
		return false;
	text_addf(line,
		  "/tmp/perf-%" PRIu32
		  ".map is larger than %zu MB or has more than %zu lines: code that the rest "
		  "of it names has no names",
		  r->home.pid, MOST_BYTES >> 20, MOST_ENTRIES);
	return true;
}

void symbols_runtime_release(struct symbols_file *f)
{
	if (f->runtime == NULL)
		return;
	runtime_home_release(&f->runtime->home);
	free(f->runtime->table.items);
	free(f->runtime->end);
}
