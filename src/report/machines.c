/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the makers say of a core's data caches; see machines.h. */
#include "report/machines.h"

#include <string.h>

#include "base/size.h"
#include "base/text.h"

#define KB 1024ull
#define MB (1024 * KB)

/* The third level is that of one cluster of cores, or of the largest common model. */
static const struct {
	const char *name;
	uint64_t bytes[PROFILE_CACHES];
} machines[] = {
	{"haswell", {32 * KB, 256 * KB, 8 * MB}},
	{"skylake", {32 * KB, 256 * KB, 8 * MB}},
	{"skylake-sp", {32 * KB, 1 * MB, 77 * MB / 2}},
	{"icelake-sp", {48 * KB, 1280 * KB, 60 * MB}},
	{"sapphire-rapids", {48 * KB, 2 * MB, 105 * MB}},
	{"alderlake-p", {48 * KB, 1280 * KB, 30 * MB}},
	{"zen2", {32 * KB, 512 * KB, 16 * MB}},
	{"zen3", {32 * KB, 512 * KB, 32 * MB}},
	{"zen4", {32 * KB, 1 * MB, 32 * MB}},
	{"zen5", {48 * KB, 1 * MB, 32 * MB}},
	{"neoverse-n1", {64 * KB, 1 * MB, 32 * MB}},
	{"neoverse-v1", {64 * KB, 1 * MB, 32 * MB}},
	{"a64fx", {64 * KB, 8 * MB, 0}},
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static int fail_unknown(const char *text, struct err *err)
{
	struct text names = {0};

	for (size_t i = 0; i < MACHINES; i++)
		text_addf(&names, "%s%s", i > 0 ? ", " : "", machines[i].name);
	err_set(err, "'%s' is no machine and no list of cache sizes: give sizes as 32K,1M,32M, or one of %s",
		text, text_get(&names));
	text_release(&names);
	return -1;
}

/* Sizes with commas between, rising. */
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
			return err_set(err, "caches of '%s': each level is larger than the one before",
				       text);
		last = caches[n++].size_bytes;
	}
	return n > 0 ? 0 : fail_unknown(text, err);
}

int machine_caches(const char *text, struct profile_cache caches[PROFILE_CACHES], struct err *err)
{
	static const char *const names[PROFILE_CACHES] = {"L1d", "L2", "L3"};

	for (size_t k = 0; k < PROFILE_CACHES; k++)
		caches[k] = (struct profile_cache){names[k], 0};
	for (size_t i = 0; i < MACHINES; i++) {
		if (strcmp(text, machines[i].name) != 0)
			continue;
		for (size_t k = 0; k < PROFILE_CACHES; k++)
			caches[k].size_bytes = machines[i].bytes[k];
		return 0;
	}
	return parse_sizes(text, caches, err);
}
