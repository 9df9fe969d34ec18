/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the requested code. */
#include "estimate/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/near.h"
#include "base/text.h"
#include "estimate/hot.h"

#define MAX_CANDIDATES 4

/*
 * Tell whether `end` is the end of the path: "src/walk.c" is for "/home/me/src/walk.c", "alk.c" is
 * not.
 */
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

/* Find paths that end in the argument, each once. Returns their number, at most MAX_CANDIDATES. */
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

int code_fail_unknown(const struct profile *p, const char *argument, struct err *err)
{
	struct near near = {.asked = argument};
	struct text names = {0};

	for (size_t i = 0; i < p->location_count; i++) {
		for (uint32_t k = 0; k < p->locations[i].frame_count; k++) {
			const struct store_frame *f = &p->locations[i].frames[k];
			const char *file = f->file != NULL ? path_basename(f->file) : NULL;

			near_offer_function(&near, f->function);
			if (file != NULL)
				near_offer(&near, file, strlen(file));
		}
	}
	near_list(&near, &names);
	near_release(&near);
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

static bool is_meant(const struct code *c, const struct store_location *l, const char *function)
{
	const char *module = c->function.is_one ? profile_module_path(c->profile, l) : NULL;

	return meant_has(&c->function, function, module);
}

const struct store_frame *code_frame(const struct code *c, const struct store_location *l)
{
	for (uint32_t i = 0; i < l->frame_count; i++) {
		const struct store_frame *f = &l->frames[i];

		if (c->file != NULL && f->file != NULL && strcmp(f->file, c->file) == 0)
			return c->line == 0 || f->line == c->line ? f : NULL;
		if (c->function.asked != NULL && is_meant(c, l, f->function))
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

/* costs: by location; NULL: all 0. */
static void list_functions(struct code *c, const struct profile *p, const struct hot_cost *costs)
{
	for (size_t i = 0; i < p->location_count; i++) {
		const struct store_location *l = &p->locations[i];
		const struct store_frame *f = code_frame(c, l);

		if (f != NULL)
			meant_add(&c->function, f->function, profile_module_path(p, l),
				  costs != NULL ? costs[i].misses + costs[i].cold : 0);
	}
}

/* Choose among the functions of a name. Most names have one, and then no costs are needed. */
static int choose_function(struct code *c, const struct profile *p, const struct query *q,
			   struct err *err)
{
	struct hot_cost *costs;

	list_functions(c, p, NULL);
	if (c->function.count > 1) {
		costs = hot_costs(p, q, err);
		if (costs == NULL)
			return -1;
		list_functions(c, p, costs);
		free(costs);
	}
	meant_choose(&c->function, "misses");
	return 0;
}

int code_find(struct code *c, const struct profile *p, const struct query *q, const char *argument,
	      struct err *err)
{
	const char *files[MAX_CANDIDATES];
	size_t count = find_files(p, argument, files);

	*c = (struct code){.profile = p};
	if (count > 1)
		return fail_ambiguous(argument, files, count, err);
	if (count == 1)
		c->file = files[0];
	else
		c->function.asked = argument;
	if (!is_anywhere(c, p))
		return code_fail_unknown(p, argument, err);
	return c->function.asked != NULL && q != NULL ? choose_function(c, p, q, err) : 0;
}
