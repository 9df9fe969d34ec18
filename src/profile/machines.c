/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes of caches, from the table of processors or from the user; see machines.h. */
#include "profile/machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/machines.h"
#include "base/size.h"
#include "base/text.h"

#define MOST_CYCLES 100000

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

/* Parse "1M", or with what a miss waits, "1M:40". */
static int parse_level(char *word, struct profile_cache *c, struct err *err)
{
	char *colon = strchr(word, ':'), *end;
	unsigned long cycles;

	if (colon == NULL)
		return size_parse(word, &c->size_bytes, err);
	*colon = '\0';
	cycles = strtoul(colon + 1, &end, 10);
	if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || cycles == 0 || cycles > MOST_CYCLES)
		return err_set(err,
			       "'%.20s' is no number of cycles that a miss waits, from 1 to %d",
			       colon + 1, MOST_CYCLES);
	c->miss_cycles = (uint32_t)cycles;
	return size_parse(word, &c->size_bytes, err);
}

/* All levels say what their misses wait, more with each, or none does. */
static int set_cycles(struct profile_cache caches[PROFILE_CACHES], size_t count, struct err *err)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		known += caches[i].miss_cycles > 0;
		if (i > 0 && known > i && caches[i].miss_cycles < caches[i - 1].miss_cycles)
			return err_set(err, "a miss of a level waits no less than one of the level "
					    "before: give --caches cycles that ascend");
	}
	if (known > 0 && known < count)
		return err_set(err, "give the cycles that a miss waits for all levels of --caches, "
				    "as 32K:10,1M:40,32M:200, or for none");
	if (known == 0)
		profile_set_usual_cycles(caches);
	return 0;
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
		const bool has_cycles = strchr(word, ':') != NULL;

		if (n == PROFILE_CACHES)
			return fail_unknown(text, err);
		if (parse_level(word, &caches[n], err) != 0)
			return has_cycles ? -1 : fail_unknown(text, err);
		if (caches[n].size_bytes <= last)
			return err_set(err,
				       "caches of '%s': each level is larger than the one before",
				       text);
		last = caches[n++].size_bytes;
	}
	return n > 0 ? set_cycles(caches, n, err) : fail_unknown(text, err);
}

int machine_caches(const char *text, struct profile_cache caches[PROFILE_CACHES], struct err *err)
{
	static const char *const names[PROFILE_CACHES] = {"L1d", "L2", "L3"};
	const struct machine_model *m = machine_model_find(text);

	for (size_t k = 0; k < PROFILE_CACHES; k++)
		caches[k] = (struct profile_cache){names[k], 0};
	for (size_t k = 0; m != NULL && k < PROFILE_CACHES; k++) {
		caches[k].size_bytes = m->levels[k].size_bytes;
		caches[k].miss_cycles = m->levels[k].miss_cycles;
	}
	return m != NULL ? 0 : parse_sizes(text, caches, err);
}
