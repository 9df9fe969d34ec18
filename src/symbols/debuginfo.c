/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where separate debug files are looked for. libdwfl's own search ends by
 * loading libdebuginfod and all that it needs, 12 ms a run, also when the user
 * never asked for it; so that search only begins when it can find something.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "base/text.h"
#include "symbols/private.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool exists(const struct text *path)
{
	return !path->failed && access(text_get(path), R_OK) == 0;
}

static bool find_by_build_id(const char *id, struct text *path)
{
	path->count = 0;
	text_addf(path, DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2);
	return exists(path);
}

/* The places that gdb, too, looks at: beside the file, in .debug, and below the root. */
static bool find_by_link(const char *file, const char *link, struct text *path)
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
		path->count = 0;
		text_addf(path, "%s%.*s%s%s", forms[i][0], folder, file, forms[i][1], link);
		if (exists(path))
			return true;
	}
	return false;
}

bool symbols_debuginfo_path(const struct symbols_file *f, struct text *path)
{
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(f->elf, &crc);

	return f->build_id != NULL && (find_by_build_id(f->build_id, path) ||
				       (link != NULL && find_by_link(f->path, link, path)));
}

static bool has_build_id_file(Dwfl_Module *module, struct text *path)
{
	const unsigned char *id;
	struct text digits = {0};
	GElf_Addr address;
	int bytes, i;
	bool found;

	bytes = dwfl_module_build_id(module, &id, &address);
	for (i = 0; i < bytes; i++)
		text_addf(&digits, "%02x", id[i]);
	found = bytes >= 2 && !digits.failed && find_by_build_id(text_get(&digits), path);
	text_release(&digits);
	return found;
}

int symbols_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct text path = {0};
	bool is_there = (servers != NULL && servers[0] != '\0') ||
			has_build_id_file(module, &path) ||
			(file != NULL && link != NULL && find_by_link(file, link, &path));

	text_release(&path);
	if (!is_there)
		return -1;
	return dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc, found);
}
