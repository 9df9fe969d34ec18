/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads records of a jitdump file, version 1, of this machine; see jitdump.h. */
#include "symbols/jitdump.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAGIC	   0x4a695444u /* "JiTD" in the writer's byte order */
#define VERSION	   1u
#define NAME_BYTES 4096u		/* longer names are cut */
#define MOST_LINES ((uint64_t)16 << 20) /* limit for one record of lines */
#define SAME_FILE  "\xff"		/* stands for the file of the previous entry */

enum { CODE_LOAD = 0, CODE_MOVE = 1, DEBUG_INFO = 2 };

struct head {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct prefix {
	uint32_t id, bytes;
	uint64_t time;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, bytes, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, bytes, index;
};

struct lines {
	uint64_t start, count;
};

struct line {
	uint64_t address;
	uint32_t line, discriminator;
};

struct reader {
	FILE *in;
	uint64_t left; /* bytes that may still be read */
	const struct jitdump_sink *sink;
	void *context;
	bool is_done; /* the file has ended, or the sink stopped the reading */
};

bool jitdump_is_named(const char *path)
{
	const char *name = path_basename(path);
	size_t digits;

	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits > 0 && strcmp(name + 4 + digits, ".dump") == 0;
}

/* Returns false at the end of the file, or at the limit. */
static bool take(struct reader *r, void *to, uint64_t bytes)
{
	if (bytes > r->left || fread(to, 1, bytes, r->in) != bytes) {
		r->is_done = true;
		return false;
	}
	r->left -= bytes;
	return true;
}

static bool skip(struct reader *r, uint64_t bytes)
{
	if (bytes > r->left || fseeko(r->in, (off_t)bytes, SEEK_CUR) != 0) {
		r->is_done = true;
		return false;
	}
	r->left -= bytes;
	return true;
}

/*
 * Handlers of records. `bytes`: size of the record without its prefix. Return false if it is
 * damaged, or the file has ended.
 */
static bool take_load(struct reader *r, uint64_t bytes)
{
	char name[NAME_BYTES];
	uint64_t length;
	struct load l;

	if (bytes < sizeof(l) || !take(r, &l, sizeof(l)))
		return false;
	bytes -= sizeof(l);
	if (l.bytes > bytes || l.address + l.bytes < l.address)
		return false;
	length = bytes - l.bytes < sizeof(name) ? bytes - l.bytes : sizeof(name);
	if (length == 0 || !take(r, name, length))
		return false;
	name[length - 1] = '\0';
	if (!skip(r, bytes - length))
		return false;
	if (l.bytes > 0 && !r->sink->code(r->context, l.address, l.bytes, name))
		r->is_done = true;
	return true;
}

static bool take_move(struct reader *r, uint64_t bytes)
{
	struct move m;

	if (bytes < sizeof(m) || !take(r, &m, sizeof(m)) || m.to + m.bytes < m.to ||
	    m.from + m.bytes < m.from)
		return false;
	if (m.bytes > 0 && !r->sink->moved(r->context, m.from, m.to, m.bytes))
		r->is_done = true;
	return skip(r, bytes - sizeof(m));
}

static bool take_entries(struct reader *r, const struct lines *head, const char *at,
			 const char *end)
{
	const char *file = NULL;

	for (uint64_t i = 0; i < head->count && !r->is_done; i++) {
		const char *name = at + sizeof(struct line), *name_end;
		struct line l;

		if ((size_t)(end - at) <= sizeof(l) ||
		    (name_end = memchr(name, '\0', (size_t)(end - name))) == NULL)
			return false;
		memcpy(&l, at, sizeof(l));
		file = file != NULL && strcmp(name, SAME_FILE) == 0 ? file : name;
		if (!r->sink->line(r->context, head->start, l.address, l.line, file))
			r->is_done = true;
		at = name_end + 1;
	}
	return true;
}

static bool take_lines(struct reader *r, uint64_t bytes)
{
	struct lines head;
	bool is_sound = false;
	char *body;

	if (bytes < sizeof(head) || bytes > MOST_LINES || !take(r, &head, sizeof(head)))
		return false;
	bytes -= sizeof(head);
	body = malloc(bytes + 1);
	if (body != NULL && take(r, body, bytes))
		is_sound = take_entries(r, &head, body, body + bytes);
	free(body);
	return is_sound;
}

/* Read the next record. Returns false if it is damaged; the end of the file is not damage. */
static bool take_record(struct reader *r)
{
	struct prefix p;
	bool is_sound;

	if (!take(r, &p, sizeof(p)))
		return true;
	if (p.bytes < sizeof(p))
		return false;
	switch (p.id) {
	case CODE_LOAD:
		is_sound = take_load(r, p.bytes - sizeof(p));
		break;
	case CODE_MOVE:
		is_sound = take_move(r, p.bytes - sizeof(p));
		break;
	case DEBUG_INFO:
		is_sound = take_lines(r, p.bytes - sizeof(p));
		break;
	default: /* unwinding, or from a later version */
		is_sound = skip(r, p.bytes - sizeof(p));
	}
	return is_sound || r->is_done;
}

bool jitdump_read(FILE *in, uint64_t most, const struct jitdump_sink *sink, void *context)
{
	struct reader r = {.in = in, .left = most, .sink = sink, .context = context};
	struct head h;

	if (!take(&r, &h, sizeof(h)) || h.magic != MAGIC || h.version != VERSION ||
	    h.machine != EM_X86_64 || h.bytes < sizeof(h) || !skip(&r, h.bytes - sizeof(h)))
		return false;
	while (!r.is_done)
		if (!take_record(&r))
			return false;
	return true;
}
