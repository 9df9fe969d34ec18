/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the data structure of an address; see structures.h. */
#include "engine/simulate/observe/structures.h"

#include "engine/data/alloc.h"
#include "engine/data/locals.h"
#include "engine/data/named.h"
#include "engine/simulate/observe/numbering.h"
#include "engine/unwind/eras.h"
#include "engine/unwind/modules.h"

#define MOST_PLACES (8u << 20)

/* An id: its kind (enum bin_data_kind), and the number of a site, or of a place. */
#define KIND_SHIFT  24u
#define NUMBER_MASK ((1u << KIND_SHIFT) - 1)

_Static_assert(MOST_PLACES <= NUMBER_MASK && SITE_MAX_ID <= NUMBER_MASK, "an id holds any number");
_Static_assert(BIN_DATA_KINDS <= 1u << (STRUCTURE_BITS - KIND_SHIFT), "and any kind");

static struct numbering places; /* key of the start (eras.h), size */

/* Of thread-local variables. A copy has less than 2^OFFSET_BITS bytes. */
#define OFFSET_BITS    40u
#define MOST_FILES     (1u << 16)
#define MOST_VARIABLES (1u << 20)

static struct {
	struct numbering files;	    /* key of the code, site of such memory */
	struct numbering variables; /* number of the file and the offset in a copy, size */
} locals;

bool structures_start(void)
{
	return numbering_init(&places, MOST_PLACES) == 0 &&
	       numbering_init(&locals.files, MOST_FILES) == 0 &&
	       numbering_init(&locals.variables, MOST_VARIABLES) == 0;
}

static uint32_t id_of(enum bin_data_kind kind, uint32_t number)
{
	return number ? (uint32_t)kind << KIND_SHIFT | number : 0;
}

/* The id of a place. Gaps between files, where run-time code is, may be larger than keys hold. */
static uint32_t id_of_place(enum bin_data_kind kind, uint64_t start, uint64_t end)
{
	const uint64_t most = (1ull << NUMBERING_B_BITS) - 1, size = end - start;

	return id_of(kind, numbering_get(&places, modules_key(start), size < most ? size : most));
}

static uint32_t id_of_local(uint64_t key, uint32_t site, uint64_t offset, uint64_t bytes)
{
	const uint64_t file = numbering_get(&locals.files, key, site);

	if (!file || offset >> OFFSET_BITS)
		return 0;
	return id_of(BIN_LOCAL,
		     numbering_get(&locals.variables, file << OFFSET_BITS | offset, bytes));
}

/* A thread-local variable is one structure in all threads. */
static void find_local(uint64_t address, const struct alloc_place *p, struct structure *s)
{
	struct locals_place copy;
	uint64_t from, to;
	uint32_t id;

	if (!alloc_find_locals(address, &copy) ||
	    !modules_local_variable(copy.key, address - copy.start, &from, &to))
		return;
	id = id_of_local(copy.key, p->site, from, to - from);
	if (!id)
		return;
	s->id = id;
	s->start = copy.start + from;
	s->end = copy.start + to;
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
		if (p.is_locals)
			find_local(address, &p, s);
	} else if (modules_variable(address, &s->start, &s->end)) {
		s->id = id_of_place(BIN_VARIABLE, s->start, s->end);
		s->is_whole = s->is_lasting = !alloc_has_blocks(s->start, s->end);
	}
	s->is_whole = s->is_whole && !has_named(s);
	s->is_lasting = s->is_lasting && s->is_whole;
	s->is_plain = s->is_plain && s->is_whole;
}

bool structures_is_block(uint32_t id, uint64_t address, uint64_t *offset)
{
	return id >> KIND_SHIFT == BIN_SITE && !named_version &&
	       alloc_is_in_block(address, id & NUMBER_MASK, offset);
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

static void describe_local(struct process *p, uint32_t number, struct bin_data *data)
{
	const struct numbering_key *k = numbering_key(&locals.variables, number);
	const struct numbering_key *file =
		numbering_key(&locals.files, (uint32_t)(k->a >> OFFSET_BITS));

	data->site = (uint32_t)file->b;
	data->code = eras_address(file->a);
	data->position = eras_position(file->a);
	data->start = k->a & ((1ull << OFFSET_BITS) - 1);
	data->end = data->start + k->b;
	alloc_publish(p, data->site);
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
	} else if (data->kind == BIN_LOCAL) {
		describe_local(p, number, data);
	} else if (id) {
		const struct numbering_key *k = numbering_key(&places, number);

		data->start = eras_address(k->a);
		data->end = data->start + k->b;
		data->position = eras_position(k->a);
	}
}
