/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which views show which kinds of profile. */
#include <string.h>

#include "answer/answer.h"
#include "profile/kinds.h"

/* By the name of the command; `fields` is objects --fields. Of others the answer itself says it. */
static const struct {
	const char *view;
	unsigned takes;
} views[] = {
	{"info", ~0u},
	{"report", KINDS_RECORDED | KINDS_COUNTED},
	{"annotate", KINDS_RECORDED | KINDS_COUNTED},
	{"processes", KINDS_RECORDED | KINDS_COUNTED},
	{"curve", KINDS_RECORDED | KIND_CURVES},
	{"spatial", KINDS_RECORDED},
	{"paths", KINDS_RECORDED},
	{"reuse", KINDS_RECORDED},
	{"objects", KINDS_RECORDED | KIND_BINS | KIND_CURVES},
	{"fields", KINDS_RECORDED | KIND_BINS},
	{"top", KINDS_RECORDED | KIND_BINS},
	{"bins", KIND_BINS},
	{"causes", KIND_BINS},
	{"calls", KINDS_COUNTED},
};

int answer_takes(const char *view, const char *file, struct err *err)
{
	unsigned kinds;
	struct store *s;

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (strcmp(views[i].view, view) != 0 || store_open_readonly(file, &s, NULL) != 0)
			continue;
		kinds = profile_kinds(s);
		store_close(s);
		return (views[i].takes & kinds) != 0
			       ? 0
			       : profile_refuse(file, kinds, views[i].takes, err);
	}
	return 0;
}
