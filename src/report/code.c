/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the code that is asked for. */
#include "report/code.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MAX_CANDIDATES 4
#define MAX_NAME       128

/* "src/walk.c" is the end of "/home/me/src/walk.c", "alk.c" is not. */
static bool is_path_end(const char *path, const char *end)
{
	size_t length = strlen(path), tail;

	while (strncmp(end, "./", 2) == 0)
		end += 2;
	tail = strlen(end);
	if (tail == 0 || tail > length || strcmp(path + length - tail, end) != 0)
		return false;
	return tail == length || end[0] == '/' || path[length - tail - 1] == '/';
}

/* The name without its arguments: "list::sum" of "list::sum(int)"; operator() keeps its own. */
static size_t bare_length(const char *function)
{
	const char *paren = strchr(function, '(');

	if (paren != NULL && strncmp(paren, "()(", 3) == 0)
		paren += 2;
	return paren != NULL && paren != function ? (size_t)(paren - function) : strlen(function);
}

static bool is_function(const char *function, const char *name)
{
	size_t bare = bare_length(function), length = strlen(name);

	if (strcmp(function, name) == 0)
		return true;
	if (length > bare || strncmp(function + bare - length, name, length) != 0)
		return false;
	return length == bare || (bare - length >= 2 && function[bare - length - 1] == ':');
}

/* Paths that end in the argument, each once. Returns how many there are, at most the room. */
static size_t find_files(const struct profile *p, const char *argument,
			 const char *found[MAX_CANDIDATES])
{
	size_t count = 0;

	for (size_t i = 0; i < p->location_count; i++) {
		for (uint32_t k = 0; k < p->locations[i].frame_count; k++) {
			const char *file = p->locations[i].frames[k].file;
			size_t known = 0;

			if (file == NULL || !is_path_end(file, argument))
				continue;
			if (strcmp(file, argument) == 0) {
				found[0] = file;
				return 1;
			}
			while (known < count && strcmp(found[known], file) != 0)
				known++;
			if (known == count && count < MAX_CANDIDATES)
				found[count++] = file;
		}
	}
	return count;
}

/* Edits that make a into b; texts longer than the table count as far apart. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned row[MAX_NAME + 1];

	if (a_length > MAX_NAME || b_length > MAX_NAME)
		return MAX_NAME;
	for (unsigned j = 0; j <= b_length; j++)
		row[j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= b_length; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			best = best < row[j] + 1 ? best : row[j] + 1;
			row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
		}
	}
	return row[b_length];
}

struct candidate {
	const char *name;
	unsigned distance;
};

/* Keep the nearest names, each once, nearest first. */
static void offer(struct candidate best[MAX_CANDIDATES], const char *name, unsigned distance)
{
	size_t at = MAX_CANDIDATES;

	for (size_t i = 0; i < MAX_CANDIDATES; i++)
		if (best[i].name != NULL && strcmp(best[i].name, name) == 0)
			return;
	while (at > 0 && (best[at - 1].name == NULL || distance < best[at - 1].distance))
		at--;
	if (at == MAX_CANDIDATES)
		return;
	memmove(&best[at + 1], &best[at], (MAX_CANDIDATES - at - 1) * sizeof(*best));
	best[at] = (struct candidate){name, distance};
}

static void offer_name(struct candidate best[MAX_CANDIDATES], const char *argument,
		       const char *name, size_t length)
{
	size_t wanted = strlen(argument);
	unsigned distance = edit_distance(argument, wanted, name, length);

	if (wanted >= 3 && strstr(name, argument) != NULL)
		distance = 1;
	if (distance <= 2 + wanted / 4)
		offer(best, name, distance);
}

int code_fail_unknown(const struct profile *p, const char *argument, struct err *err)
{
	struct candidate best[MAX_CANDIDATES] = {{NULL, 0}};
	struct text names = {0};

	for (size_t i = 0; i < p->location_count; i++) {
		for (uint32_t k = 0; k < p->locations[i].frame_count; k++) {
			const struct store_frame *f = &p->locations[i].frames[k];
			const char *file = f->file != NULL ? path_basename(f->file) : NULL;

			offer_name(best, argument, f->function, bare_length(f->function));
			if (file != NULL)
				offer_name(best, argument, file, strlen(file));
		}
	}
	for (size_t i = 0; i < MAX_CANDIDATES && best[i].name != NULL; i++)
		text_addf(&names, "%s%s", i > 0 ? ", " : "", best[i].name);
	if (names.count > 0)
		err_set(err, "no samples in a file or function '%s'; near it: %s", argument,
			text_get(&names));
	else
		err_set(err,
			"no samples in a file or function '%s': 'dwell annotate' alone lists "
			"what there is",
			argument);
	text_release(&names);
	return -1;
}

static int fail_ambiguous(const char *argument, const char *const *files, size_t count,
			  struct err *err)
{
	struct text names = {0};

	for (size_t i = 0; i < count; i++)
		text_addf(&names, "%s%s", i > 0 ? ", " : "", files[i]);
	err_set(err, "'%s' is more than one file, give more of the path: %s%s", argument,
		text_get(&names), count == MAX_CANDIDATES ? ", ..." : "");
	text_release(&names);
	return -1;
}

const struct store_frame *code_frame(const struct code *c, const struct store_location *l)
{
	for (uint32_t i = 0; i < l->frame_count; i++) {
		const struct store_frame *f = &l->frames[i];

		if (c->file != NULL && f->file != NULL && strcmp(f->file, c->file) == 0)
			return c->line == 0 || f->line == c->line ? f : NULL;
		if (c->function != NULL && is_function(f->function, c->function))
			return f;
	}
	return NULL;
}

static bool is_anywhere(const struct code *c, const struct profile *p)
{
	for (size_t i = 0; i < p->location_count; i++)
		if (code_frame(c, &p->locations[i]) != NULL)
			return true;
	return false;
}

int code_find(struct code *c, const struct profile *p, const char *argument, struct err *err)
{
	const char *files[MAX_CANDIDATES];
	size_t count = find_files(p, argument, files);

	*c = (struct code){0};
	if (count > 1)
		return fail_ambiguous(argument, files, count, err);
	if (count == 1)
		c->file = files[0];
	else
		c->function = argument;
	return is_anywhere(c, p) ? 0 : code_fail_unknown(p, argument, err);
}
