/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a run, the answers, and the choice of sources from DWARF down to a bare address. */
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "symbols/jitdump.h"
#include "symbols/message.h"
#include "symbols/private.h"
#include "symbols/remote.h"

#define MAX_OPEN_FILES 256 /* further files are opened again by name when needed */

struct symbols {
	struct symbols_file **items;
	size_t count, room;
	size_t open_files;
	time_t began;
	struct arena arena;
	struct map by_path; /* hash of a path -> last file with it; see symbols_file.older */
	/*
	 * One other thread may call symbols_resolve and symbols_variable. It may access only these
	 * members, and the files' contents.
	 */
	struct arena answers;
	struct symbols_remote remote;
	pthread_mutex_t lock; /* protects items: one thread adds while the other one looks up */
};

static char *debuginfo_path; /* NULL: libdwfl's default, /usr/lib/debug */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = symbols_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

struct symbols *symbols_new(void)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->began = time(NULL);
	return s;
}

static void release_file(struct symbols_file *f)
{
	symbols_dwarf_release(f);
	symbols_variables_release(f);
	symbols_units_release(f);
	map_release(&f->locals);
	symbols_packed_free(f->packed);
	symbols_table_release(f);
	symbols_go_release(f);
	symbols_runtime_release(f);
	if (f->dwfl != NULL)
		dwfl_end(f->dwfl);
	if (f->fd >= 0)
		close(f->fd);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
}

void symbols_free(struct symbols *s)
{
	size_t i;

	if (s == NULL)
		return;
	symbols_remote_end(&s->remote);
	for (i = 0; i < s->count; i++)
		release_file(s->items[i]);
	free(s->items);
	map_release(&s->by_path);
	arena_release(&s->arena);
	arena_release(&s->answers);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static bool is_same(const struct symbols_file *f, const char *path, int fd, const struct stat *st)
{
	if (f->runtime != NULL)
		return false;
	if (fd < 0)
		return f->inode == 0 && strcmp(f->path, path) == 0;
	return f->inode == st->st_ino && f->device == st->st_dev &&
	       f->modified.tv_sec == st->st_mtim.tv_sec &&
	       f->modified.tv_nsec == st->st_mtim.tv_nsec && strcmp(f->path, path) == 0;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	while (*text != '\0')
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3u;
	return hash;
}

/* Returns the file's number, or -1 when memory ran out. */
static int add_file(struct symbols *s, struct symbols_file *f)
{
	int number = -1;

	f->sources = SYMBOLS_BY_ALL;
	pthread_mutex_lock(&s->lock);
	if (ARRAY_GROW(s)) {
		number = (int)s->count;
		s->items[s->count++] = f;
	}
	pthread_mutex_unlock(&s->lock);
	return number;
}

/* The number of a known file; -1: unknown. */
static int find_file(const struct symbols *s, const char *path, int fd, const struct stat *st)
{
	uint64_t i;

	for (i = map_get(&s->by_path, hash_text(path), &i) ? i : SIZE_MAX; i != SIZE_MAX;
	     i = s->items[i]->older)
		if (is_same(s->items[i], path, fd, st))
			return (int)i;
	return -1;
}

/* Add a file. Takes ownership of fd, or -1. `pid`: the process that mapped the file; 0: none. */
static int remember(struct symbols *s, const char *path, int fd, const struct stat *st,
		    uint32_t pid)
{
	struct symbols_file *f = arena_alloc(&s->arena, sizeof(*f));
	uint64_t hash = hash_text(path), i;

	if (f == NULL || symbols_file_init(f, path, fd, &s->arena) != 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	f->device = st->st_dev;
	f->inode = st->st_ino;
	f->modified = st->st_mtim;
	f->is_missing = fd < 0 && st->st_ino != 0;
	if (fd >= 0 && s->open_files >= MAX_OPEN_FILES) {
		close(fd);
		f->fd = -1;
	} else if (fd >= 0) {
		f->debug_fd = pid != 0 ? symbols_open_inner_debuginfo(f, pid) : -1;
		s->open_files += f->debug_fd >= 0 ? 2 : 1;
	}
	f->older = map_get(&s->by_path, hash, &i) ? i : SIZE_MAX;
	(void)map_set(&s->by_path, hash, s->count); /* if this fails, the file is read twice */
	return add_file(s, f);
}

int symbols_file(struct symbols *s, const char *path)
{
	struct stat st = {0};
	int fd = symbols_open_regular(path, &st);
	int known = find_file(s, path, fd, &st);

	if (known < 0)
		return remember(s, path, fd, &st, 0);
	if (fd >= 0)
		close(fd);
	return known;
}

int symbols_mapped_file(struct symbols *s, const struct symbols_mapping *m)
{
	struct stat st = {.st_dev = m->device, .st_ino = m->inode};
	int known, fd;

	if (m->inode == 0 || m->path[0] == '[')
		return symbols_file(s, m->path);
	st.st_mtim.tv_sec = (time_t)(m->modified_ns / 1000000000u);
	st.st_mtim.tv_nsec = (long)(m->modified_ns % 1000000000u);
	known = find_file(s, m->path, 0, &st);
	if (known >= 0 && !s->items[known]->is_missing)
		return known;
	fd = symbols_open_mapped(m, &st);
	if (known < 0)
		return remember(s, m->path, fd, &st, m->pid);
	if (fd >= 0)
		close(fd);
	return known;
}

int symbols_runtime_code(struct symbols *s, uint32_t pid)
{
	struct symbols_file *f = arena_alloc(&s->arena, sizeof(*f));

	if (f == NULL || symbols_file_init(f, "[anon]", -1, &s->arena) != 0 ||
	    symbols_runtime_init(f, pid, s->began, &s->arena) != 0)
		return -1;
	return add_file(s, f);
}

/*
 * Called in the reader: add a file of the asking process. Numbers of files it did not ask about are
 * unused.
 */
int symbols_learn(struct symbols *s, const struct message_question *q, const char *path,
		  const int along[])
{
	struct symbols_file *f = arena_alloc(&s->answers, sizeof(*f));

	if (f == NULL || symbols_file_init(f, path, along[MESSAGE_FILE], &s->answers) != 0 ||
	    !array_reserve_in((void **)&s->items, &s->room, q->file + (size_t)1, sizeof(*s->items)))
		return -1;
	while (s->count <= q->file)
		s->items[s->count++] = NULL;
	f->debug_fd = along[MESSAGE_DEBUG_FILE];
	f->device = q->device;
	f->inode = q->inode;
	f->modified = q->modified;
	s->items[q->file] = f;
	return 0;
}

void symbols_lock(struct symbols *s)
{
	pthread_mutex_lock(&s->lock);
}

void symbols_unlock(struct symbols *s)
{
	pthread_mutex_unlock(&s->lock);
}

size_t symbols_count(const struct symbols *s)
{
	return s->count;
}

struct symbols_remote *symbols_remote_of(struct symbols *s)
{
	return &s->remote;
}

void symbols_forked(struct symbols *s)
{
	symbols_remote_forked(&s->remote);
}

uint64_t symbols_cpu_ns(const struct symbols *s, uint64_t *ended)
{
	*ended = s->remote.reaped_ns;
	return symbols_remote_cpu_ns(&s->remote);
}

/* Describe a file that was missing when its names were wanted. */
static bool file_loss(const struct symbols_file *f, struct text *line)
{
	if (!f->is_missing || !f->was_asked)
		return false;
	text_addf(line,
		  "%s: the file that was mapped is gone, or was changed: its code and data have no "
		  "names",
		  f->path);
	return true;
}

static bool split_loss(const struct symbols_file *f, struct text *line)
{
	if (f->lacks_split)
		text_addf(
			line,
			"%s: files of its debug information (.dwo) are not where they were made, "
			"or are packed (.dwp): some code has no inlined calls, some data no types",
			f->path);
	return f->lacks_split;
}

static bool table_loss(const struct symbols_file *f, struct text *line)
{
	if (f->has_bad_table)
		text_addf(line,
			  "%s: its table of Go functions (.gopclntab) is damaged or of an "
			  "unknown version, so what it alone names has no names",
			  f->path);
	return f->has_bad_table;
}

static bool debug_loss(const struct symbols_file *f, struct text *line)
{
	static const char *const reasons[] = {
		"is compressed by zstd, which the installed libelf cannot read",
		"has a version of DWARF that the installed libdw does not know",
		"is partly in a file that several share (dwz), which is missing",
	};
	size_t i = 0;

	if (f->unread == 0 || !f->was_asked)
		return false;
	while (!(f->unread >> i & 1))
		i++;
	text_addf(line,
		  "%s: its debug information %s: some code and data have only the names of "
		  "symbols, without lines or types",
		  f->path, reasons[i]);
	return true;
}

bool symbols_next_loss(const struct symbols *s, size_t *next, struct text *line)
{
	while (*next < s->count) {
		const struct symbols_file *f = s->items[(*next)++];

		if (symbols_runtime_loss(f, line) || file_loss(f, line) ||
		    symbols_remote_loss(f, line) || split_loss(f, line) || debug_loss(f, line) ||
		    table_loss(f, line))
			return true;
	}
	return false;
}

bool symbols_is_dump(const char *path)
{
	return jitdump_is_named(path);
}

void symbols_runtime_dump(struct symbols *s, int runtime, int file)
{
	if (runtime >= 0 && file >= 0)
		symbols_runtime_set_dump(s->items[runtime], s->items[file]);
}

bool symbols_is_runtime_code(struct symbols *s, int file)
{
	const struct symbols_file *f = symbols_get(s, file);

	return f != NULL && f->runtime != NULL;
}

struct symbols_file *symbols_get(struct symbols *s, int file)
{
	struct symbols_file *f;

	if (file < 0)
		return NULL;
	pthread_mutex_lock(&s->lock);
	f = s->items[file];
	pthread_mutex_unlock(&s->lock);
	return f;
}

struct arena *symbols_arena(struct symbols *s)
{
	return &s->answers;
}

const char *symbols_path(const struct symbols *s, int file)
{
	return file >= 0 && s->items[file]->runtime == NULL ? s->items[file]->path : NULL;
}

const char *symbols_build_id(const struct symbols *s, int file)
{
	return file >= 0 ? s->items[file]->build_id : NULL;
}

uint64_t symbols_address(const struct symbols *s, int file, uint64_t file_offset)
{
	const struct symbols_file *f;
	size_t i;

	if (file < 0)
		return file_offset;
	f = s->items[file];
	for (i = 0; i < f->segment_count; i++) {
		/* Mappings are whole pages: they may begin before a segment. */
		uint64_t start = f->segments[i].offset & ~(uint64_t)4095;

		if (file_offset >= start &&
		    file_offset < f->segments[i].offset + f->segments[i].bytes)
			return f->segments[i].address - f->segments[i].offset + file_offset;
	}
	return file_offset;
}

/* Open the file again, if it is still the mapped one with the same content. */
static int file_descriptor(struct symbols_file *f)
{
	struct stat st;
	int fd;

	if (f->fd >= 0 && fstat(f->fd, &st) == 0 && st.st_mtim.tv_sec == f->modified.tv_sec &&
	    st.st_mtim.tv_nsec == f->modified.tv_nsec)
		return fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (f->fd >= 0 || f->inode == 0)
		return -1;
	fd = symbols_open_regular(f->path, &st);
	if (fd >= 0 && !is_same(f, f->path, fd, &st)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Open the module in libdwfl; f->module is NULL on failure. */
void symbols_open(struct symbols_file *f)
{
	void **userdata;
	int fd;

	if (f->asked)
		return;
	f->asked = true;
	if (f->sources == 0)
		return;
	fd = file_descriptor(f);
	f->is_missing = fd < 0 && f->inode != 0;
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	f->dwfl = dwfl_begin(&callbacks);
	if (f->dwfl == NULL) {
		close(fd);
		return;
	}
	f->module = dwfl_report_offline(f->dwfl, path_basename(f->path), f->path, fd);
	if (f->module == NULL)
		close(fd); /* libdwfl owns it only on success */
	else if (dwfl_report_end(f->dwfl, NULL, NULL) != 0)
		f->module = NULL;
	if (f->module == NULL)
		return;
	dwfl_module_info(f->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = f; /* for symbols_find_debuginfo */
	f->elf = dwfl_module_getelf(f->module, &f->bias);
	if (f->elf == NULL)
		f->module = NULL;
	else if (f->sources & (SYMBOLS_BY_LINES | SYMBOLS_BY_TYPES))
		f->packed = symbols_packed_open(f);
	if (f->elf != NULL && f->sources & SYMBOLS_BY_LINES)
		f->unread = symbols_check_debug(f);
}

/* Copy the frames. Returns NULL when memory ran out, which a frame without a name also means. */
const struct symbols_answer *symbols_make_answer(struct arena *a,
						 const struct symbols_frame *frames, size_t count)
{
	struct symbols_answer *answer = arena_alloc(a, sizeof(*answer) + count * sizeof(frames[0]));

	if (answer == NULL || frames[0].function == NULL)
		return NULL;
	answer->count = count;
	memcpy(answer->frames, frames, count * sizeof(frames[0]));
	return answer;
}

/* The answer for all addresses that a symbol covers. */
static const struct symbols_answer *answer_by_symbol(struct symbols_entry *e, struct arena *a)
{
	if (e->answer == NULL) {
		struct symbols_frame frame = {.function = symbols_demangle(a, e->name)};

		e->answer = symbols_make_answer(a, &frame, 1);
	}
	return e->answer;
}

/* "[module+0xSTART]": even stripped code has starts of functions. */
static const struct symbols_answer *answer_by_start(struct symbols_file *f, uint64_t address,
						    struct arena *a)
{
	struct symbols_frame frame = {.function = f->path};
	uint64_t start = f->module != NULL ? symbols_function_start(f, address) : 0;
	struct text name = {0};

	if (start == 0)
		start = address;
	if (f->last_bare != NULL && f->last_start == start)
		return f->last_bare;
	if (f->path[0] != '[') {
		text_addf(&name, "[%s+0x%" PRIx64 "]", path_basename(f->path), start);
		frame.function = arena_strdup(a, text_get(&name));
		text_release(&name);
	}
	f->last_start = start;
	f->last_bare = symbols_make_answer(a, &frame, 1);
	return f->last_bare;
}

/*
 * DWARF has no function for the outermost frame: take it from the symbol, for up to *same
 * addresses.
 */
static const struct symbols_answer *answer_by_both(const struct symbols_answer *named,
						   const struct symbols_entry *e, uint64_t address,
						   struct symbols_frame *frames, size_t count,
						   uint64_t *same, struct arena *a)
{
	uint64_t covered = e != NULL && e->bytes > 0 ? e->address + e->bytes - address : 1;

	if (covered < *same)
		*same = covered;
	frames[count - 1].function = named->frames[0].function;
	return symbols_make_answer(a, frames, count);
}

static const struct symbols_answer *make_new_answer(struct symbols_file *f, uint64_t address,
						    struct arena *a)
{
	struct symbols_frame frames[SYMBOLS_MAX_FRAMES];
	const struct symbols_answer *named;
	struct symbols_entry *e = NULL;
	size_t count = 0;

	f->last_count = 1;
	symbols_open(f);
	if (f->module != NULL) {
		if (f->sources & SYMBOLS_BY_LINES)
			count = symbols_dwarf_frames(f, address, a, frames, &f->last_count);
		if (count > 0 && frames[count - 1].function != NULL)
			return symbols_make_answer(a, frames, count);
		if (count == 0) {
			count = symbols_go_frames(f, address, a, frames, &f->last_count);
			if (count > 0)
				return symbols_make_answer(a, frames, count);
		}
		e = symbols_table_find(f, address);
	} else if (f->runtime != NULL) {
		e = symbols_runtime_find(f, address, a);
	}
	named = e != NULL ? answer_by_symbol(e, a) : answer_by_start(f, address, a);
	if (f->runtime != NULL && e != NULL && named != NULL &&
	    symbols_runtime_line(f, e, address, frames, &f->last_count)) {
		frames[0].function = named->frames[0].function;
		return symbols_make_answer(a, frames, 1);
	}
	if (count == 0 || named == NULL)
		return named;
	return answer_by_both(named, e, address, frames, count, &f->last_count, a);
}

const struct symbols_answer *symbols_find_answer(struct symbols *s, struct symbols_file *f,
						 uint64_t address)
{
	if (f->last == NULL || address - f->last_address >= f->last_count) {
		f->last = make_new_answer(f, address, &s->answers);
		f->last_address = address;
	}
	return f->last;
}

uint64_t symbols_prepare_file(struct symbols_file *f, bool has_data, uint64_t most, struct arena *a)
{
	struct symbols_variable ignored;

	symbols_open(f);
	if (f->packed == NULL || symbols_packed_bytes(f->packed) > most)
		return most;
	if (has_data)
		symbols_find_variable(f, 0, a, &ignored);
	else
		symbols_packed_dwarf(f->packed);
	return most - symbols_packed_bytes(f->packed);
}
