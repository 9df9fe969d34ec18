/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes of caches, from the table of processors or from the user; see machines.h. */
#include "profile/machines.h"

#include <string.h>

#include "base/machines.h"
#include "base/size.h"
#include "base/text.h"

static int fail_unknown(const char *text, struct err *err)
{
	struct text names = {0};

	for (size_t i = 0; i < machine_model_count; i++)
		text_addf(&names, "%s%s", i > 0 ? ", " : "", machine_models[i].name);
	err_set(err,
		"'%s' is no machine and no list of cache sizes: give sizes as 32K,1M,32M, or one "
		"of %s",
		text, text_get(&names));
	text_release(&names);
	return -1;
}

/* Parse ascending sizes, separated by commas. */
static int parse_sizes(const char *text, struct profile_cache caches[PROFILE_CACHES],
		       struct err *err)
{
	char copy[128], *rest = NULL, *word;
	uint64_t last = 0;
	size_t n = 0;

	if (strlen(text) >= sizeof(copy))
		return fail_unknown(text, err);
	memcpy(copy, text, strlen(text) + 1);
	for (word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (n == PROFILE_CACHES || size_parse(word, &caches[n].size_bytes, err) != 0)
			return fail_unknown(text, err);
		if (caches[n].size_bytes <= last)
			return err_set(err,
				       "caches of '%s': each level is larger than the one before",
				       text);
		last = caches[n++].size_bytes;
	}
	return n > 0 ? 0 : fail_unknown(text, err);
}

int machine_caches(const char *text, struct profile_cache caches[PROFILE_CACHES], struct err *err)
{
	static const char *const names[PROFILE_CACHES] = {"L1d", "L2", "L3"};
	const struct machine_model *m = machine_model_find(text);

	for (size_t k = 0; k < PROFILE_CACHES; k++)
		caches[k] = (struct profile_cache){names[k], 0};
	for (size_t k = 0; m != NULL && k < PROFILE_CACHES; k++)
		caches[k].size_bytes = m->levels[k].size_bytes;
	return m != NULL ? 0 : parse_sizes(text, caches, err);
}
