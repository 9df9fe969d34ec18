/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where separate debug files are looked for. libdwfl's own search ends by
 * loading libdebuginfod and all that it needs, 12 ms a run, also when the user
 * never asked for it; so that search only begins when it can find something.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "symbols/private.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool exists(struct text *path)
{
	bool there = access(text_get(path), R_OK) == 0;

	text_release(path);
	return there;
}

static bool has_build_id_file(Dwfl_Module *module)
{
	const unsigned char *id;
	struct text path = {0};
	GElf_Addr address;
	int bytes, i;

	bytes = dwfl_module_build_id(module, &id, &address);
	if (bytes < 2)
		return false;
	text_addf(&path, DEBUG_ROOT "/.build-id/%02x/", id[0]);
	for (i = 1; i < bytes; i++)
		text_addf(&path, "%02x", id[i]);
	text_add(&path, ".debug");
	return exists(&path);
}

/* The places that gdb, too, looks at: beside the file, in .debug, and below the root. */
static bool has_linked_file(const char *file, const char *link)
{
	static const char *const forms[][2] = {
		{"", "/"},
		{"", "/.debug/"},
		{DEBUG_ROOT, "/"},
		{DEBUG_ROOT "/usr", "/"},
	};
	int folder = (int)(path_basename(file) - file) - 1;
	size_t i;

	if (folder < 0)
		folder = 0;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct text path = {0};

		text_addf(&path, "%s%.*s%s%s", forms[i][0], folder, file, forms[i][1], link);
		if (exists(&path))
			return true;
	}
	return false;
}

int symbols_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if ((servers != NULL && servers[0] != '\0') || has_build_id_file(module) ||
	    (file != NULL && link != NULL && has_linked_file(file, link)))
		return dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc,
						    found);
	return -1;
}
