/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the questions of symbols.h through the process that reads symbols, or here if there is
 * none.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/message.h"
#include "symbols/private.h"
#include "symbols/remote.h"

/*
 * Tell whether the reader process handles the file. Code made at run time has its own safe reader
 * here; a file that is not ELF has nothing to read.
 */
static bool is_remote(const struct symbols_file *f)
{
	return f->runtime == NULL && f->segment_count > 0 && f->inode != 0;
}

static const char *keep_string(struct arena *a, struct message_reader *r, const char *last)
{
	size_t bytes;
	const char *string = message_take_string(r, &bytes);

	if (string == NULL)
		return NULL;
	if (last != NULL && strlen(last) == bytes && memcmp(last, string, bytes) == 0)
		return last; /* most file names are repeated */
	return arena_strndup(a, string, bytes);
}

static const struct symbols_answer *take_answer(struct symbols_file *f, struct message_reader *r,
						struct arena *a)
{
	struct symbols_frame frames[SYMBOLS_MAX_FRAMES];
	const char *file = f->last != NULL ? f->last->frames[0].file : NULL;
	uint64_t first = message_take(r), same = message_take(r), count = message_take(r);

	if (count == 0 || count > SYMBOLS_MAX_FRAMES)
		return NULL;
	for (uint64_t i = 0; i < count; i++) {
		frames[i].function = keep_string(a, r, NULL);
		frames[i].file = keep_string(a, r, file);
		frames[i].line = (uint32_t)message_take(r);
		file = frames[i].file != NULL ? frames[i].file : file;
	}
	if (r->is_bad)
		return NULL;
	f->last_address = first;
	f->last_count = same;
	return symbols_make_answer(a, frames, count);
}

/* Returns 0, or -1 if the question must be answered here. */
static int resolve_there(struct symbols *s, struct symbols_file *f, struct message_question *q,
			 const uint64_t *addresses, const struct symbols_answer **answers)
{
	struct symbols_reply reply;
	uint64_t losses;

	q->kind = MESSAGE_RESOLVE;
	if (symbols_remote_ask(s, f, q, addresses, &reply) != 0)
		return -1;
	losses = message_take(&reply.reader);
	f->has_bad_table = losses & MESSAGE_BAD_TABLE;
	f->is_missing = losses & MESSAGE_MISSING;
	f->lacks_split = losses & MESSAGE_NO_SPLIT;
	f->unread = (uint32_t)(losses / MESSAGE_UNREAD) & SYMBOLS_UNREAD_ALL;
	for (uint32_t i = 0; i < q->count; i++) {
		if (message_take(&reply.reader) != 0)
			f->last = take_answer(f, &reply.reader, symbols_arena(s));
		answers[i] = reply.reader.is_bad ? NULL : f->last;
	}
	free(reply.bytes);
	return 0;
}

static void resolve(struct symbols *s, int file, const uint64_t *addresses, uint32_t count,
		    const struct symbols_answer **answers)
{
	struct symbols_file *f = symbols_get(s, file);
	struct message_question q = {.file = (uint32_t)file, .count = count};

	f->was_asked = true;
	if (is_remote(f) && resolve_there(s, f, &q, addresses, answers) == 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		answers[i] = symbols_find_answer(s, f, addresses[i]);
}

size_t symbols_resolve(struct symbols *s, int file, uint64_t address,
		       const struct symbols_frame **out)
{
	static const struct symbols_frame anonymous = {.function = "[anon]"};
	const struct symbols_answer *answer;
	struct symbols_file *f;

	if (file < 0) {
		*out = &anonymous;
		return 1;
	}
	f = symbols_get(s, file);
	if (f->last == NULL || address - f->last_address >= f->last_count)
		resolve(s, file, &address, 1, &answer);
	else
		answer = f->last;
	if (answer == NULL)
		return 0;
	*out = answer->frames;
	return answer->count;
}

void symbols_resolve_many(struct symbols *s, int file, const uint64_t *addresses, size_t count,
			  struct symbols_frames *out)
{
	const struct symbols_answer *answers[MESSAGE_MOST_ADDRESSES];
	size_t done = 0;

	for (; file < 0 && done < count; done++)
		out[done].count = symbols_resolve(s, file, 0, &out[done].items);
	while (done < count) {
		size_t n = count - done < MESSAGE_MOST_ADDRESSES ? count - done
								 : MESSAGE_MOST_ADDRESSES;

		resolve(s, file, addresses + done, (uint32_t)n, answers);
		for (size_t i = 0; i < n; i++, done++)
			out[done] = answers[i] == NULL ? (struct symbols_frames){0}
						       : (struct symbols_frames){answers[i]->frames,
										 answers[i]->count};
	}
}

/* ---- Variables ---- */

static const char *keep_text(struct arena *a, struct message_reader *r)
{
	const char *text = keep_string(a, r, NULL);

	return text != NULL ? text : "";
}

static const struct symbols_layout *take_layout(struct message_reader *r, struct arena *a)
{
	const uint64_t count = message_take(r);
	struct symbols_layout *l;
	struct symbols_member *members;

	if (count == 0 || count > (uint64_t)(r->end - r->at) / sizeof(uint64_t))
		return NULL;
	l = arena_alloc(a, sizeof(*l));
	members = arena_alloc(a, count * sizeof(*members));
	if (l == NULL || members == NULL)
		return NULL;
	*l = (struct symbols_layout){.type = keep_text(a, r), .members = members};
	l->bytes = message_take(r);
	for (; l->member_count + 1 < count; l->member_count++) {
		struct symbols_member *m = &members[l->member_count];

		m->depth = (uint32_t)message_take(r);
		m->offset = message_take(r);
		m->bytes = message_take(r);
		m->elements = message_take(r);
		m->form = (enum symbols_form)message_take(r);
		m->name = keep_text(a, r);
		m->type = keep_text(a, r);
	}
	return l;
}

static void take_variable(struct symbols_variable *v, struct message_reader *r, struct arena *a)
{
	v->start = message_take(r);
	v->end = message_take(r);
	v->element_bytes = message_take(r);
	v->line = (uint32_t)message_take(r);
	v->is_section = message_take(r) != 0;
	v->name = keep_string(a, r, NULL);
	v->type = keep_string(a, r, NULL);
	v->file = keep_string(a, r, NULL);
	v->layout = take_layout(r, a);
}

static int variables_there(struct symbols *s, struct symbols_file *f, struct message_question *q,
			   const uint64_t *addresses, struct symbols_variable *out)
{
	struct symbols_variable last = {0};
	struct symbols_reply reply;

	q->kind = MESSAGE_VARIABLE;
	if (symbols_remote_ask(s, f, q, addresses, &reply) != 0)
		return -1;
	for (uint32_t i = 0; i < q->count; i++) {
		uint64_t how = message_take(&reply.reader);

		if (how == 2)
			take_variable(&last, &reply.reader, symbols_arena(s));
		out[i] = how == 0 || reply.reader.is_bad ? (struct symbols_variable){0} : last;
	}
	free(reply.bytes);
	return 0;
}

void symbols_variables(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		       struct symbols_variable *out)
{
	struct symbols_file *f = symbols_get(s, file);
	size_t done = 0;

	memset(out, 0, count * sizeof(*out));
	while (f != NULL && done < count) {
		struct message_question q = {.file = (uint32_t)file,
					     .count = count - done < MESSAGE_MOST_ADDRESSES
							      ? (uint32_t)(count - done)
							      : MESSAGE_MOST_ADDRESSES};

		if (!is_remote(f))
			return;
		if (variables_there(s, f, &q, addresses + done, out + done) != 0)
			for (uint32_t i = 0; i < q.count; i++)
				if (!symbols_find_variable(f, addresses[done + i], symbols_arena(s),
							   &out[done + i]))
					out[done + i].name = NULL;
		done += q.count;
	}
}

bool symbols_variable(struct symbols *s, int file, uint64_t address, struct symbols_variable *out)
{
	symbols_variables(s, file, &address, 1, out);
	return out->name != NULL;
}

/*
 * Asks a file's reader about each address, in messages of so many; `take` reads the i-th answer.
 * Files that are read here have none.
 */
static void ask_each(struct symbols *s, int file, enum message_kind kind, const uint64_t *addresses,
		     size_t count,
		     void (*take)(struct symbols *s, struct message_reader *r, void *out, size_t i),
		     void *out)
{
	struct symbols_file *f = symbols_get(s, file);
	size_t done = 0;

	while (f != NULL && is_remote(f) && done < count) {
		struct message_question q = {.kind = kind,
					     .file = (uint32_t)file,
					     .count = count - done < MESSAGE_MOST_ADDRESSES
							      ? (uint32_t)(count - done)
							      : MESSAGE_MOST_ADDRESSES};
		struct symbols_reply reply;

		if (symbols_remote_ask(s, f, &q, addresses + done, &reply) != 0)
			return;
		for (uint32_t i = 0; i < q.count; i++)
			take(s, &reply.reader, out, done + i);
		free(reply.bytes);
		done += q.count;
	}
}

static void take_result(struct symbols *s, struct message_reader *r, void *out, size_t i)
{
	struct symbols_result *result = (struct symbols_result *)out + i;

	result->is_for_others = message_take(r) != 0;
	result->is_guess = message_take(r) != 0;
	result->is_element = message_take(r) != 0;
	result->handed = (uint32_t)message_take(r);
	result->layout = take_layout(r, symbols_arena(s));
}

void symbols_results(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		     struct symbols_result *out)
{
	memset(out, 0, count * sizeof(*out));
	ask_each(s, file, MESSAGE_RESULT, addresses, count, take_result, out);
}

static void take_operand(struct symbols *s, struct message_reader *r, void *out, size_t i)
{
	struct symbols_operand *operand = (struct symbols_operand *)out + i;

	(void)s;
	operand->bytes = message_take(r);
	operand->form = (enum symbols_form)message_take(r);
}

void symbols_operands(struct symbols *s, int file, const uint64_t *addresses, size_t count,
		      struct symbols_operand *out)
{
	memset(out, 0, count * sizeof(*out));
	ask_each(s, file, MESSAGE_OPERAND, addresses, count, take_operand, out);
}

/* ---- Preparation ---- */

uint64_t symbols_prepare(struct symbols *s, int file, bool has_data, uint64_t most)
{
	struct symbols_file *f = symbols_get(s, file);
	struct message_question q = {.kind = MESSAGE_PREPARE,
				     .file = (uint32_t)file,
				     .has_data = has_data,
				     .most = most};
	struct symbols_reply reply;
	uint64_t left;

	if (f == NULL || !is_remote(f) || symbols_remote_ask(s, f, &q, NULL, &reply) != 0)
		return most;
	left = message_take(&reply.reader);
	free(reply.bytes);
	return left < most ? left : most;
}
