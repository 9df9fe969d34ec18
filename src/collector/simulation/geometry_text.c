/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds a geometry from the user's choices, a machine and the host. See geometry_text.h. */
#include "collector/simulation/geometry_text.h"

#include <stdio.h>
#include <string.h>

#include "base/machines.h"
#include "collector/target/machine.h"

/* Put the names of all machines with commas between them. */
static void put_machine_names(char *text, size_t room)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < machine_model_count && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? ", " : "",
					 machine_models[i].name);
}

int geometry_set_machine(struct geometry_plan *p, const char *name, struct err *err)
{
	char names[256];

	if (strcmp(name, "host") != 0 && machine_model_find(name) == NULL) {
		put_machine_names(names, sizeof(names));
		return err_set(err, "there is no machine '%s': they are host, %s", name, names);
	}
	snprintf(p->machine, sizeof(p->machine), "%s", name);
	return 0;
}

static struct sim_cache_geometry from_machine(const struct machine_level *l)
{
	static const enum sim_inclusion kinds[] = {[MACHINE_ALONE] = SIM_NEITHER,
						   [MACHINE_INCLUSIVE] = SIM_INCLUSIVE,
						   [MACHINE_VICTIMS] = SIM_EXCLUSIVE};

	return (struct sim_cache_geometry){.size_bytes = l->size_bytes,
					   .ways = l->ways,
					   .line_bytes = l->line_bytes,
					   .inclusion = kinds[l->kind]};
}

/*
 * Take a machine's caches: its last level is LL, those between are L2 and L3. `ends`: only the
 * first and last levels.
 */
static void take_machine(const struct machine_model *m, bool ends,
			 struct sim_cache_geometry caches[GEOMETRY_CACHES])
{
	unsigned last = MACHINE_LEVELS - 1;

	while (last > 0 && m->levels[last].size_bytes == 0)
		last--;
	caches[GEOMETRY_L1I] = from_machine(&m->code);
	caches[GEOMETRY_L1] = from_machine(&m->levels[0]);
	for (unsigned level = 1; level < last && !ends; level++)
		caches[GEOMETRY_L2 + level - 1] = from_machine(&m->levels[level]);
	if (last > 0)
		caches[GEOMETRY_LL] = from_machine(&m->levels[last]);
	if (ends)
		caches[GEOMETRY_LL].inclusion = SIM_NEITHER;
}

static bool has_lower_level(const struct geometry_plan *p)
{
	for (unsigned i = GEOMETRY_L2; i < GEOMETRY_CACHES; i++)
		if (p->has_cache[i])
			return true;
	return false;
}

/*
 * The caches before the user's changes. Without a machine, the host has the levels that must exist.
 */
static void take_base(const struct geometry_plan *p,
		      struct sim_cache_geometry caches[GEOMETRY_CACHES])
{
	bool is_named = p->machine[0] != '\0';
	struct machine_model host;

	memset(caches, 0, GEOMETRY_CACHES * sizeof(*caches));
	if (is_named && strcmp(p->machine, "host") != 0) {
		take_machine(machine_model_find(p->machine), false, caches);
	} else {
		machine_read_model(&host);
		take_machine(&host, !is_named, caches);
		if (!is_named && has_lower_level(p))
			caches[GEOMETRY_LL] = (struct sim_cache_geometry){0};
	}
}

static void set_tlbs(const struct geometry_plan *p, struct sim_geometry *g)
{
	g->is_tlb_unified =
		p->is_tlb_unified && p->tlbs[GEOMETRY_DTLB].entries > 0 && !p->no_instructions;
	if (!p->no_instructions)
		g->code_tlb = p->tlbs[GEOMETRY_ITLB];
	g->data_tlb = p->tlbs[GEOMETRY_DTLB];
	g->second_tlb = p->tlbs[GEOMETRY_STLB];
}

int geometry_build(const struct geometry_plan *p, struct sim_geometry *g, struct err *err)
{
	struct sim_cache_geometry caches[GEOMETRY_CACHES];
	char reason[256];

	*g = (struct sim_geometry){.line_use = p->line_use,
				   .line_share = p->line_share,
				   .write_backs = p->write_backs};
	take_base(p, caches);
	for (unsigned i = 0; i < GEOMETRY_CACHES; i++)
		if (p->has_cache[i])
			caches[i] = p->caches[i];
	/* A unified L1 replaces the machine's L1i. */
	if (p->is_unified && !p->has_cache[GEOMETRY_L1I])
		caches[GEOMETRY_L1I] = (struct sim_cache_geometry){0};
	g->is_unified = p->is_unified && !p->no_instructions;
	if (!p->no_instructions)
		g->code = caches[GEOMETRY_L1I];
	if (caches[GEOMETRY_L1].size_bytes == 0)
		return err_set(err, "there is no first level of data: add L1d=SIZE,WAYS,LINE");
	for (unsigned i = GEOMETRY_L1; i < GEOMETRY_CACHES; i++)
		if (caches[i].size_bytes > 0)
			g->levels[g->level_count++] = caches[i];
	set_tlbs(p, g);
	if (sim_geometry_check(g, reason, sizeof(reason)) != 0)
		return err_set(err, "such caches cannot be: %s", reason);
	return 0;
}
