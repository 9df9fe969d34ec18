/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code that a process makes at run time. On request, interpreters with a compiler write
 * them to /tmp/perf-PID.map, for perf: lines "start size name", with numbers in hexadecimal.
 * Anybody may write there, and the file may be of an older process. So its content is untrusted,
 * and invalid lines are ignored. Other programs write a jitdump file (jitdump.h). They map it,
 * which proves that it is their own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/map.h"
#include "symbols/jitdump.h"
#include "symbols/private.h"
#include "symbols/runtime_home.h"
#include "symbols/runtime_lines.h"

/* Bytes read of a file. Its entries take three times as much memory. */
#define MOST_BYTES   ((size_t)64 << 20)
#define MOST_ENTRIES ((size_t)1 << 20)
#define MOST_DUMP \
	((uint64_t)1 << 30) /* the same for a jitdump file, most of which is code that is skipped */
#define LINE_BYTES 4096	    /* longer names are cut */
/* entries that may start between a covering entry and the address */
#define LOOK_BACK 1024

struct symbols_runtime {
	struct runtime_home home;
	bool is_cut;			 /* the file had more data than was read */
	time_t since;			 /* older files belong to another process */
	struct symbols_table table;	 /* by address; the rank counts down from the first line */
	uint64_t *end;			 /* the highest end of entries up to this one */
	const struct symbols_file *dump; /* a jitdump file, or NULL */
	bool is_bad_dump;
	struct runtime_lines lines; /* by piece, whose number is minus its rank */
	struct map by_start;	    /* address -> number of the last piece reported there */
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

/* Open the process's file. Returns NULL for a file of another user, or one from before the run. */
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

/* Read a hexadecimal number and the blank after it. */
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

/* Returns false when memory ran out, or there are too many pieces. */
static bool add_piece(struct symbols_runtime *r, uint64_t address, uint64_t bytes, const char *name)
{
	struct symbols_table *t = &r->table;

	if (name == NULL || t->count >= MOST_ENTRIES || !ARRAY_GROW(t))
		return false;
	t->items[t->count] = (struct symbols_entry){
		.address = address, .bytes = bytes, .rank = -(int)t->count, .name = name};
	t->count++;
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

/*
 * Read the next line without its end, cut to the buffer; a NUL also ends it. Returns false at the
 * end of the file, or after *left bytes.
 */
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

/* ---- A jitdump file ---- */

struct dump {
	struct symbols_runtime *runtime;
	struct arena *arena;
};

static bool dump_line(void *context, uint64_t start, uint64_t address, uint32_t line,
		      const char *file)
{
	struct dump *d = context;

	return runtime_lines_add(&d->runtime->lines, start, address, line, file, d->arena);
}

static bool dump_code(void *context, uint64_t address, uint64_t bytes, const char *name)
{
	struct dump *d = context;
	struct symbols_runtime *r = d->runtime;
	struct text text = {0};
	bool has_room;

	text_add_printable(&text, name, strlen(name));
	has_room = add_piece(r, address, bytes, arena_strdup(d->arena, text_get(&text)));
	text_release(&text);
	return has_room && map_set(&r->by_start, address, r->table.count - 1) == 0 &&
	       runtime_lines_take(&r->lines, r->table.count - 1, address);
}

/* Moved code keeps its name and lines. */
static bool dump_moved(void *context, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct dump *d = context;
	struct symbols_runtime *r = d->runtime;
	uint64_t piece;

	return !map_get(&r->by_start, from, &piece) ||
	       (add_piece(r, to, bytes, r->table.items[piece].name) &&
		map_set(&r->by_start, to, r->table.count - 1) == 0 &&
		runtime_lines_copy(&r->lines, r->table.count - 1, piece));
}

static void read_dump(struct symbols_runtime *r, struct arena *a)
{
	static const struct jitdump_sink sink = {dump_line, dump_code, dump_moved};
	struct dump d = {r, a};
	char path[64];
	FILE *in;

	if (r->dump == NULL || r->dump->fd < 0)
		return;
	/* Open it again, for a file position of our own. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->dump->fd);
	in = fopen(path, "re");
	if (in == NULL)
		return;
	r->is_bad_dump = !jitdump_read(in, MOST_DUMP, &sink, &d);
	fclose(in);
}

/* ---- All sources ---- */

static void read_map(struct symbols_runtime *r, struct arena *a)
{
	FILE *file = open_map(r);
	char line[LINE_BYTES];
	size_t left = MOST_BYTES;

	/* Without memory there are just fewer names. */
	while (file != NULL && r->table.count < MOST_ENTRIES && read_line(file, &left, line) &&
	       add_line(&r->table, line, a))
		;
	if (file != NULL) {
		r->is_cut = (left == 0 || r->table.count == MOST_ENTRIES) && getc(file) != EOF;
		fclose(file);
	}
	runtime_home_release(&r->home);
}

/* Read both files, then sort by address. */
static void read_all(struct symbols_runtime *r, struct arena *a)
{
	uint64_t end = 0;

	read_map(r, a);
	read_dump(r, a);
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
		read_all(r, a);
	r->table.is_read = true;
	above = symbols_table_above(&r->table, address);
	least = above > LOOK_BACK ? above - LOOK_BACK : 0;
	/*
	 * Memory of unused code is reused: of the entries that cover the address, the last one
	 * reported is valid.
	 */
	for (size_t i = above; i-- > least && r->end[i] > address;) {
		struct symbols_entry *e = &r->table.items[i];

		if (address - e->address < e->bytes && (best == NULL || e->rank < best->rank))
			best = e;
	}
	return best;
}

bool symbols_runtime_line(const struct symbols_file *f, const struct symbols_entry *e,
			  uint64_t address, struct symbols_frame *frame, uint64_t *same)
{
	const uint64_t offset = address - e->address;
	const struct runtime_line *l;
	uint64_t end;

	l = runtime_lines_find(&f->runtime->lines, (size_t)-e->rank, offset, &end);
	if (l == NULL)
		return false;
	frame->file = l->file;
	frame->line = l->line;
	*same = 1; /* another piece may begin anywhere */
	return true;
}

void symbols_runtime_set_dump(struct symbols_file *f, const struct symbols_file *dump)
{
	f->runtime->dump = dump;
}

bool symbols_runtime_loss(const struct symbols_file *f, struct text *line)
{
	const struct symbols_runtime *r = f->runtime;

	if (r != NULL && r->is_bad_dump)
		text_addf(
			line,
			"%s: no jitdump file of this machine, or damaged: code that the rest of it "
			"names has no names",
			r->dump->path);
	if (r == NULL || r->is_bad_dump || !r->is_cut)
		return r != NULL && r->is_bad_dump;
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
	runtime_lines_release(&f->runtime->lines);
	map_release(&f->runtime->by_start);
}
