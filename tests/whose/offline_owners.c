/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owners of memory and code, made up; see offline_owners.h. */
#include "offline_owners.h"

#include "engine/data/alloc.h"
#include "engine/simulate/observe/structures.h"
#include "engine/simulate/plan/plan.h"
#include "engine/unwind/functions.h"

#define REGION_SHIFT 9
#define STRUCTURES   61
#define CODE	     100

struct simulate_plan plan;
uint32_t offline_version;

static bool is_lasting(uint64_t region)
{
	return region % 3 != 0;
}

uint32_t offline_owner(uint64_t address)
{
	const uint64_t region = address >> REGION_SHIFT;
	uint64_t x = region * 0x9e3779b97f4a7c15;

	if (region % 5 == 0 || !is_lasting(region))
		x += offline_version * 0xff51afd7ed558ccd; /* it has many owners by and by */
	return (uint32_t)((x >> 40) % STRUCTURES);
}

uint64_t offline_function(uint64_t pc)
{
	return pc & ~(uint64_t)127;
}

bool structures_start(void)
{
	return true;
}

void structures_find(uint64_t address, struct structure *s)
{
	const uint64_t region = address >> REGION_SHIFT;

	*s = (struct structure){.id = offline_owner(address),
				.start = region << REGION_SHIFT,
				.end = (region + 1) << REGION_SHIFT,
				.is_lasting = is_lasting(region)};
}

bool structures_is_block(uint32_t id, uint64_t address, uint64_t *offset)
{
	*offset = address % (1u << REGION_SHIFT);
	return offline_owner(address) == id && !is_lasting(address >> REGION_SHIFT);
}

uint32_t structures_code_version(void)
{
	return 0;
}

uint64_t structures_end(const struct structure *s, uint64_t address)
{
	(void)s;
	return address + 1;
}

uint32_t structures_version(void)
{
	return offline_version;
}

uint32_t structures_of_code(uint64_t pc)
{
	return CODE + (pc >> 16 & 3);
}

void structures_describe(struct process *p, uint32_t id, struct bin_data *data)
{
	(void)p;
	*data = (struct bin_data){.kind = id >= CODE ? BIN_CODE : BIN_SITE, .site = id};
}

void alloc_report(struct process *p)
{
	(void)p;
}

void functions_find(void *context, uint64_t pc, struct sim_function *f)
{
	(void)context;
	*f = (struct sim_function){.start = offline_function(pc),
				   .end = offline_function(pc) + 128};
}
