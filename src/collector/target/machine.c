/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/cpuinfo and sysfs. In containers and VMs, parts of both may be missing. */
#include "collector/target/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

/* Read the first line of a file, without its newline. Returns false if there is none. */
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

/* Returns the cache's level if it holds data, else 0. */
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

#define USUAL_WAYS 16
#define CORE_BYTES (32ul << 20)

/*
 * The bytes of a cache that a core can use, as far as sysconf tells. Where a hypervisor hides who
 * shares a cache, it has no ways, and its size is that of all caches of the package (CPUID
 * 0x80000006, AMD): taken is what a core of such packages usually reaches.
 */
static uint64_t size_for_a_core(long bytes, long ways)
{
	return ways == 0 && (uint64_t)bytes > CORE_BYTES ? CORE_BYTES : (uint64_t)bytes;
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
			m->cache_bytes[level] =
				size_for_a_core(sysconf(names[level]), sysconf(names[level] + 1));
	}
}

/* ---- The model ---- */

/* Read a number from sysfs, with its unit if it has one. Returns 0 if there is none. */
static uint64_t read_number(unsigned index, const char *what)
{
	char path[96], text[32], unit = 'B';
	uint64_t n = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, what);
	if (!read_line(path, text, sizeof(text)) || sscanf(text, "%" SCNu64 "%c", &n, &unit) < 1)
		return 0;
	return unit == 'K' ? n << 10 : unit == 'M' ? n << 20 : n;
}

static void read_sysfs(struct machine_model *m)
{
	char path[96], type[32];

	for (unsigned i = 0; i < 8; i++) {
		struct machine_level l = {.size_bytes = read_number(i, "size"),
					  .ways = (uint32_t)read_number(i, "ways_of_associativity"),
					  .line_bytes =
						  (uint32_t)read_number(i, "coherency_line_size")};
		uint64_t level = read_number(i, "level");

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/type", i);
		if (!read_line(path, type, sizeof(type)) || level < 1 || level > MACHINE_LEVELS ||
		    l.line_bytes == 0)
			continue;
		if (strcmp(type, "Instruction") != 0)
			m->levels[level - 1] = l;
		else if (level == 1)
			m->code = l;
	}
}

/* Read a cache from sysconf, if not known yet: size, ways and line have consecutive names. */
static void read_sysconf(struct machine_level *l, int name)
{
	long size = sysconf(name), ways = sysconf(name + 1), line = sysconf(name + 2);

	if (l->size_bytes == 0 && size > 0 && ways >= 0 && line > 0)
		*l = (struct machine_level){size_for_a_core(size, ways),
					    ways > 0 ? (uint32_t)ways : USUAL_WAYS, (uint32_t)line,
					    MACHINE_ALONE};
}

void machine_read_model(struct machine_model *m)
{
	static const struct machine_level first = {32 << 10, 8, 64, MACHINE_ALONE};
	static const struct machine_level last = {8 << 20, 16, 64, MACHINE_ALONE};

	*m = (struct machine_model){.name = "host"};
	read_sysfs(m);
	read_sysconf(&m->code, _SC_LEVEL1_ICACHE_SIZE);
	read_sysconf(&m->levels[0], _SC_LEVEL1_DCACHE_SIZE);
	read_sysconf(&m->levels[1], _SC_LEVEL2_CACHE_SIZE);
	read_sysconf(&m->levels[2], _SC_LEVEL3_CACHE_SIZE);
	if (m->code.size_bytes == 0)
		m->code = first;
	if (m->levels[0].size_bytes == 0)
		m->levels[0] = first;
	if (m->levels[1].size_bytes == 0 && m->levels[2].size_bytes == 0)
		m->levels[1] = last;
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
