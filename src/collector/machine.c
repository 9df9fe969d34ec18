/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/cpuinfo and sysfs; in containers and VMs parts of both may be missing. */
#include "collector/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

/* The first line of a file, without its newline; false when there is none. */
static int read_line(const char *path, char *line, size_t room)
{
	FILE *f = fopen(path, "re");
	int good = f != NULL && fgets(line, (int)room, f) != NULL;

	if (f != NULL)
		fclose(f);
	if (good)
		line[strcspn(line, "\n")] = '\0';
	return good;
}

static void read_cpu(struct machine *m)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || colon == NULL)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(m->cpu, sizeof(m->cpu), "%s", colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (f != NULL)
		fclose(f);
}

/* Returns the cache's level when it holds data, else 0. */
static unsigned read_cache(unsigned index, uint64_t *bytes)
{
	char path[96], type[32], level[32], size[32], unit = 'B';
	unsigned number = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/type", index);
	if (!read_line(path, type, sizeof(type)) || strcmp(type, "Instruction") == 0)
		return 0;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/level", index);
	if (!read_line(path, level, sizeof(level)) || sscanf(level, "%u", &number) != 1)
		return 0;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", index);
	if (!read_line(path, size, sizeof(size)) || sscanf(size, "%" SCNu64 "%c", bytes, &unit) < 1)
		return 0;
	if (unit == 'K')
		*bytes <<= 10;
	else if (unit == 'M')
		*bytes <<= 20;
	return number;
}

static void read_caches(struct machine *m)
{
	static const int names[] = {0, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
				    _SC_LEVEL3_CACHE_SIZE};
	unsigned i, level;
	uint64_t bytes = 0;

	for (i = 0; i < 8; i++) {
		level = read_cache(i, &bytes);
		if (level >= 1 && level <= 3)
			m->cache_bytes[level] = bytes;
	}
	for (level = 1; level <= 3; level++) {
		if (m->cache_bytes[level] == 0 && sysconf(names[level]) > 0)
			m->cache_bytes[level] = (uint64_t)sysconf(names[level]);
	}
}

void machine_read(struct machine *m)
{
	*m = (struct machine){0};
	if (gethostname(m->host, sizeof(m->host) - 1) != 0)
		m->host[0] = '\0';
	read_cpu(m);
	read_caches(m);
}

uint64_t machine_cycles(void)
{
	return __rdtsc();
}
