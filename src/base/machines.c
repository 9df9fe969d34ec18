/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of processors. */
#include "base/machines.h"

#include <string.h>

#define KB 1024ull
#define MB (1024 * KB)

#define MOST_NEAR (4 * MB) /* larger caches are shared, and farther from a core */

#define ALONE(size, ways, cycles)                     \
	{                                             \
		size, ways, 64, MACHINE_ALONE, cycles \
	}
#define INCLUDES(size, ways, cycles)                      \
	{                                                 \
		size, ways, 64, MACHINE_INCLUSIVE, cycles \
	}
#define VICTIMS(size, ways, cycles)                     \
	{                                               \
		size, ways, 64, MACHINE_VICTIMS, cycles \
	}

const struct machine_model machine_models[] = {
	{"haswell",
	 ALONE(32 * KB, 8, 8),
	 {ALONE(32 * KB, 8, 8), ALONE(256 * KB, 8, 30), INCLUDES(8 * MB, 16, 200)}},
	{"skylake",
	 ALONE(32 * KB, 8, 8),
	 {ALONE(32 * KB, 8, 8), ALONE(256 * KB, 4, 35), INCLUDES(8 * MB, 16, 210)}},
	{"skylake-sp",
	 ALONE(32 * KB, 8, 10),
	 {ALONE(32 * KB, 8, 10), ALONE(1 * MB, 16, 60), VICTIMS(77 * MB / 2, 11, 250)}},
	{"icelake-sp",
	 ALONE(32 * KB, 8, 10),
	 {ALONE(48 * KB, 12, 10), ALONE(1280 * KB, 20, 65), VICTIMS(60 * MB, 12, 280)}},
	{"sapphire-rapids",
	 ALONE(32 * KB, 8, 10),
	 {ALONE(48 * KB, 12, 10), ALONE(2 * MB, 16, 90), VICTIMS(105 * MB, 15, 350)}},
	{"alderlake-p",
	 ALONE(32 * KB, 8, 10),
	 {ALONE(48 * KB, 12, 10), ALONE(1280 * KB, 10, 60), ALONE(30 * MB, 12, 300)}},
	{"zen2",
	 ALONE(32 * KB, 8, 8),
	 {ALONE(32 * KB, 8, 8), INCLUDES(512 * KB, 8, 35), VICTIMS(16 * MB, 16, 280)}},
	{"zen3",
	 ALONE(32 * KB, 8, 8),
	 {ALONE(32 * KB, 8, 8), INCLUDES(512 * KB, 8, 42), VICTIMS(32 * MB, 16, 300)}},
	{"zen4",
	 ALONE(32 * KB, 8, 10),
	 {ALONE(32 * KB, 8, 10), INCLUDES(1 * MB, 8, 45), VICTIMS(32 * MB, 16, 350)}},
	{"zen5",
	 ALONE(32 * KB, 8, 10),
	 {ALONE(48 * KB, 12, 10), INCLUDES(1 * MB, 16, 45), VICTIMS(32 * MB, 16, 350)}},
	{"neoverse-n1",
	 ALONE(64 * KB, 4, 8),
	 {ALONE(64 * KB, 4, 8), INCLUDES(1 * MB, 8, 60), VICTIMS(32 * MB, 16, 250)}},
	{"neoverse-v1",
	 ALONE(64 * KB, 4, 8),
	 {ALONE(64 * KB, 4, 8), INCLUDES(1 * MB, 8, 60), VICTIMS(32 * MB, 16, 280)}},
	{"a64fx",
	 {64 * KB, 4, 256, MACHINE_ALONE, 40},
	 {{64 * KB, 4, 256, MACHINE_ALONE, 40}, {8 * MB, 16, 256, MACHINE_INCLUSIVE, 220}, {0}}},
};

const size_t machine_model_count = sizeof(machine_models) / sizeof(machine_models[0]);

uint32_t machine_usual_cycles(uint64_t next_bytes)
{
	return next_bytes == 0 ? 200 : next_bytes <= MOST_NEAR ? 10 : 40;
}

const struct machine_model *machine_model_find(const char *name)
{
	for (size_t i = 0; i < machine_model_count; i++)
		if (strcmp(machine_models[i].name, name) == 0)
			return &machine_models[i];
	return NULL;
}
