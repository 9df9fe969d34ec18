/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of processors. */
#include "base/machines.h"

#include <string.h>

#define KB 1024ull
#define MB (1024 * KB)

#define ALONE(size, ways)                     \
	{                                     \
		size, ways, 64, MACHINE_ALONE \
	}
#define INCLUDES(size, ways)                      \
	{                                         \
		size, ways, 64, MACHINE_INCLUSIVE \
	}
#define VICTIMS(size, ways)                     \
	{                                       \
		size, ways, 64, MACHINE_VICTIMS \
	}

const struct machine_model machine_models[] = {
	{"haswell",
	 ALONE(32 * KB, 8),
	 {ALONE(32 * KB, 8), ALONE(256 * KB, 8), INCLUDES(8 * MB, 16)}},
	{"skylake",
	 ALONE(32 * KB, 8),
	 {ALONE(32 * KB, 8), ALONE(256 * KB, 4), INCLUDES(8 * MB, 16)}},
	{"skylake-sp",
	 ALONE(32 * KB, 8),
	 {ALONE(32 * KB, 8), ALONE(1 * MB, 16), VICTIMS(77 * MB / 2, 11)}},
	{"icelake-sp",
	 ALONE(32 * KB, 8),
	 {ALONE(48 * KB, 12), ALONE(1280 * KB, 20), VICTIMS(60 * MB, 12)}},
	{"sapphire-rapids",
	 ALONE(32 * KB, 8),
	 {ALONE(48 * KB, 12), ALONE(2 * MB, 16), VICTIMS(105 * MB, 15)}},
	{"alderlake-p",
	 ALONE(32 * KB, 8),
	 {ALONE(48 * KB, 12), ALONE(1280 * KB, 10), ALONE(30 * MB, 12)}},
	{"zen2",
	 ALONE(32 * KB, 8),
	 {ALONE(32 * KB, 8), INCLUDES(512 * KB, 8), VICTIMS(16 * MB, 16)}},
	{"zen3",
	 ALONE(32 * KB, 8),
	 {ALONE(32 * KB, 8), INCLUDES(512 * KB, 8), VICTIMS(32 * MB, 16)}},
	{"zen4", ALONE(32 * KB, 8), {ALONE(32 * KB, 8), INCLUDES(1 * MB, 8), VICTIMS(32 * MB, 16)}},
	{"zen5",
	 ALONE(32 * KB, 8),
	 {ALONE(48 * KB, 12), INCLUDES(1 * MB, 16), VICTIMS(32 * MB, 16)}},
	{"neoverse-n1",
	 ALONE(64 * KB, 4),
	 {ALONE(64 * KB, 4), INCLUDES(1 * MB, 8), VICTIMS(32 * MB, 16)}},
	{"neoverse-v1",
	 ALONE(64 * KB, 4),
	 {ALONE(64 * KB, 4), INCLUDES(1 * MB, 8), VICTIMS(32 * MB, 16)}},
	{"a64fx",
	 {64 * KB, 4, 256, MACHINE_ALONE},
	 {{64 * KB, 4, 256, MACHINE_ALONE}, {8 * MB, 16, 256, MACHINE_INCLUSIVE}, {0}}},
};

const size_t machine_model_count = sizeof(machine_models) / sizeof(machine_models[0]);

const struct machine_model *machine_model_find(const char *name)
{
	for (size_t i = 0; i < machine_model_count; i++)
		if (strcmp(machine_models[i].name, name) == 0)
			return &machine_models[i];
	return NULL;
}
