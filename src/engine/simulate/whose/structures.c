/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the data structure of an address; see structures.h. */
#include "engine/simulate/whose/structures.h"

#include "engine/data/alloc.h"
#include "engine/data/named.h"
#include "engine/simulate/whose/numbering.h"
#include "engine/unwind/modules.h"

#define MOST_PLACES (8u << 20)

/* An id: its kind (enum bin_data_kind), and the number of a site, or of a place. */
#define KIND_SHIFT  24u
#define NUMBER_MASK ((1u << KIND_SHIFT) - 1)

_Static_assert(MOST_PLACES <= NUMBER_MASK && SITE_MAX_ID <= NUMBER_MASK, "an id holds any number");
_Static_assert(BIN_DATA_KINDS <= 1u << (STRUCTURE_BITS - KIND_SHIFT), "and any kind");

static struct numbering places; /* start, size */

bool structures_start(void)
{
	return numbering_init(&places, MOST_PLACES) == 0;
}

static uint32_t id_of(enum bin_data_kind kind, uint32_t number)
{
	return number ? (uint32_t)kind << KIND_SHIFT | number : 0;
}

/* The id of a place. Gaps between files, where run-time code is, may be larger than keys hold. */
static uint32_t id_of_place(enum bin_data_kind kind, uint64_t start, uint64_t end)
{
	const uint64_t most = (1ull << NUMBERING_B_BITS) - 1, size = end - start;

	return id_of(kind, numbering_get(&places, start, size < most ? size : most));
}

/*
 * Named memory inside of a block or variable is a structure of its own. The place around it is not
 * known by its bounds any more.
 */
static bool find_named(uint64_t address, struct structure *s)
{
	struct named n;

	if (!named_after(address, &n) || n.start > address)
		return false;
	*s = (struct structure){.id = id_of(BIN_NAMED, n.number),
				.start = n.start,
				.end = n.end,
				.is_whole = true,
				.is_lasting = true};
	return true;
}

static bool has_named(const struct structure *s)
{
	struct named n;

	return named_after(s->start, &n) && n.start < s->end;
}

void structures_find(uint64_t address, struct structure *s)
{
	struct alloc_place p;

	if (find_named(address, s))
		return;
	*s = (struct structure){.start = address, .end = address + 1};
	if (alloc_find(address, &p)) {
		*s = (struct structure){.id = id_of(BIN_SITE, p.site),
					.start = p.start,
					.end = p.end,
					.is_whole = p.is_whole,
					.is_lasting = p.is_lasting,
					.is_plain = p.is_plain};
	} else if (modules_variable(address, &s->start, &s->end)) {
		s->id = id_of_place(BIN_VARIABLE, s->start, s->end);
		s->is_whole = s->is_lasting = true;
	}
	s->is_whole = s->is_whole && !has_named(s);
	s->is_lasting = s->is_lasting && s->is_whole;
	s->is_plain = s->is_plain && s->is_whole;
}

uint64_t structures_end(const struct structure *s, uint64_t address)
{
	return has_named(s) ? address + 1 : alloc_end_before_blocks(address + 1, s->end);
}

bool structures_is_stack(uint32_t id)
{
	return id >> KIND_SHIFT == BIN_SITE && alloc_kind(id & NUMBER_MASK) == SITE_STACK;
}

uint32_t structures_version(void)
{
	return alloc_version + modules_version + named_version;
}

uint32_t structures_code_version(void)
{
	return modules_version;
}

uint32_t structures_of_code(uint64_t pc)
{
	struct module_place m;

	modules_place(pc, &m);
	return id_of_place(BIN_CODE, m.start, m.end);
}

void structures_describe(struct process *p, uint32_t id, struct bin_data *data)
{
	const uint32_t number = id & NUMBER_MASK;

	*data = (struct bin_data){.kind = id >> KIND_SHIFT};
	if (data->kind == BIN_NAMED) {
		data->site = number;
	} else if (data->kind == BIN_SITE) {
		data->site = number;
		alloc_publish(p, number);
	} else if (id) {
		data->start = numbering_key(&places, number)->a;
		data->end = data->start + numbering_key(&places, number)->b;
	}
}
