/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the executed files; see event_object.h. */
#include "events/event_object.h"

#include <string.h>

#include "base/text.h"

enum sameness { SAME, OTHER, NOT_KNOWN };

/* Compare build-ids, which identify files. A path may have had several files during the run. */
static enum sameness compare_build_ids(const struct event_profile *p, const char *path,
				       const struct machine_code *m)
{
	enum sameness found = NOT_KNOWN;
	size_t i;

	for (i = 0; i < p->module_count; i++) {
		const struct store_module *x = &p->modules[i];

		if (x->build_id == NULL || strcmp(x->path, path) != 0)
			continue;
		if (machine_code_has_build_id(m, x->build_id))
			return SAME;
		found = OTHER;
	}
	return found;
}

/* Tell whether the path is a file: "[vdso]" and the like are not. */
static bool is_file(const char *path)
{
	return path[0] != '[';
}

struct machine_code *event_object_open(const struct event_profile *p, const char *path,
				       struct text *notes)
{
	int64_t start = store_meta_int(p->store, "start_time", 0);
	struct machine_code *m = NULL;
	enum sameness same = NOT_KNOWN;
	struct text said = {0};
	struct err err;

	if (!is_file(path))
		return NULL;
	if (machine_code_open(path, &m, &err) != 0) {
		m = NULL;
		text_addf(&said, "%s\n", err.text);
	} else {
		same = compare_build_ids(p, path, m);
	}
	if (same == OTHER) {
		machine_code_close(m);
		m = NULL;
		text_addf(&said, "%s has changed since the run: its machine code is not known\n",
			  path);
	} else if (m != NULL && same == NOT_KNOWN && start > 0 && machine_code_changed(m) > start) {
		text_addf(&said, "%s has changed since the run: its machine code may not fit\n",
			  path);
	}
	if (notes != NULL)
		text_add(notes, text_get(&said));
	text_release(&said);
	return m;
}
