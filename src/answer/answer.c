/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the view that answers a question; see answer.h. */
#include "answer/answer.h"

#include <stdlib.h>
#include <string.h>

#include "profile/kinds.h"

static const struct {
	const char *name;
	unsigned takes;
	int (*answer)(const struct question *q, struct answer *a, struct err *err);
} views[] = {
#define VIEW_ROW(name, takes) {#name, takes, view_##name},
	VIEWS(VIEW_ROW)
#undef VIEW_ROW
	/* Commands whose function makes the answer, or shows something else. */
	{"annotate", KINDS_RECORDED | KINDS_COUNTED},
	{"calls", KINDS_COUNTED},
	{"curve", KINDS_RECORDED | KIND_CURVES},
	{"report", KINDS_RECORDED | KINDS_COUNTED},
	{"top", KINDS_RECORDED | KIND_BINS},
};

int answer_takes(const char *view, const char *file, struct err *err)
{
	unsigned kinds;
	struct store *s;

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (strcmp(views[i].name, view) != 0 || store_open_readonly(file, &s, NULL) != 0)
			continue;
		kinds = profile_kinds(s);
		store_close(s);
		return (views[i].takes & kinds) != 0
			       ? 0
			       : profile_refuse(file, kinds, views[i].takes, err);
	}
	return 0;
}

int answer_init(struct answer *a, const char *view, const struct question *q, struct err *err)
{
	*a = (struct answer){0};
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (views[i].answer == NULL || strcmp(views[i].name, view) != 0)
			continue;
		if (views[i].answer(q, a, err) == 0)
			return 0;
		answer_release(a);
		return -1;
	}
	return err_set(err, "there is no view '%s'", view);
}

void answer_release(struct answer *a)
{
	const bool is_question_wrong = a->is_question_wrong;

	if (a->release != NULL)
		a->release(a->held);
	free(a->held);
	profile_close(&a->profile);
	for (size_t i = 0; i < ANSWER_TABLES; i++)
		text_release(&a->tables[i].title);
	text_release(&a->title);
	text_release(&a->notes);
	text_release(&a->remarks);
	text_release(&a->details);
	text_release(&a->told);
	json_decref(a->head);
	json_decref(a->about);
	*a = (struct answer){.is_question_wrong = is_question_wrong};
}

void answer_words(struct text *out, const char *words)
{
	if (words != NULL)
		text_add_printable(out, words, strlen(words));
}

int answer_open(struct answer *a, const struct question *q, unsigned parts, struct err *err)
{
	struct profile *p = &a->profile;

	if (profile_open_parts(p, q->file, q->query->process, parts, err) != 0)
		return -1;
	p->machine = q->query->machine;
	memcpy(p->caches, q->caches, sizeof(p->caches));
	if (p->is_exact || q->query->line_bytes == 0)
		return 0;
	a->is_question_wrong = true;
	if (profile_use_line(p, q->query->line_bytes, err) != 0)
		return -1;
	a->is_question_wrong = false;
	return 0;
}

void *answer_hold(struct answer *a, size_t bytes, struct err *err)
{
	a->held = calloc(1, bytes);
	if (a->held == NULL)
		err_set(err, "not enough memory for the answer");
	return a->held;
}
