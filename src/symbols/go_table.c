/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions, files and lines from the Go linker's table; see go_table.h. */
#include "symbols/go_table.h"

#include <string.h>

#include "base/search.h"

#define MOST_FUNCTIONS ((uint64_t)1 << 24)
#define MOST_STEPS     ((size_t)1 << 20) /* of a function's lines */
#define NO_FILE	       UINT32_MAX

/* The formats. Header words have 8 bytes each and follow the first 8 bytes; -1: missing. */
static const struct form {
	uint32_t magic;
	int text, names, units, files, values, functions;
	/* Entry of the list of functions: an address, and the offset of the function's record. */
	unsigned entry_bytes;
	unsigned name_at; /* offset in the record; pcfile and pcln are 16 and 20 bytes further */
	bool has_units;	  /* each unit numbers its files */
	/*
	 * Inlined calls: offset of the record's lists; size of a node, offsets of its name and of
	 * its caller.
	 */
	unsigned lists_at, node_bytes, node_name, node_from;
	unsigned trees_word; /* see go_table_trees_word() */
} forms[] = {
	{0xfffffffb, -1, -1, -1, -1, -1, 1, 16, 8, false, 0, 0, 0, 0, 0}, /* 1.2 */
	{0xfffffffa, -1, 2, 3, 4, 5, 6, 16, 8, true, 0, 0, 0, 0, 0},	  /* 1.16 */
	{0xfffffff0, 2, 3, 4, 5, 6, 7, 8, 4, true, 40, 20, 12, 16, 38},	  /* 1.18 */
	{0xfffffff1, 2, 3, 4, 5, 6, 7, 8, 4, true, 44, 16, 4, 8, 40},	  /* 1.20 */
};

/* Indexes in the lists of a record. */
enum { LIST_INLINED = 2, LIST_TREE = 3 };

#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

/* The number of `width` bytes at `at`; UINT64_MAX beyond the table. */
static uint64_t number_at(const struct go_table *t, uint64_t at, unsigned width)
{
	uint64_t value = 0;

	if (at > t->size || width > t->size - at)
		return UINT64_MAX;
	memcpy(&value, t->bytes + at, width);
	return value;
}

static unsigned form_of(const unsigned char *bytes)
{
	uint32_t magic;
	unsigned form = 0;

	memcpy(&magic, bytes, sizeof(magic));
	while (form < FORM_COUNT && forms[form].magic != magic)
		form++;
	return form;
}

bool go_table_is_head(const unsigned char *bytes)
{
	/* Two zeros, the size of code units, 1 here, and the size of pointers. */
	return bytes[4] == 0 && bytes[5] == 0 && bytes[6] == 1 && bytes[7] == 8 &&
	       form_of(bytes) < FORM_COUNT;
}

/* Read a header word that is an offset into the table. */
static bool take_offset(const struct go_table *t, int word, uint64_t *offset)
{
	*offset = word >= 0 ? number_at(t, 8 + 8 * (uint64_t)word, 8) : 0;
	return *offset < t->size;
}

static uint64_t entry_address(const struct go_table *t, uint64_t i)
{
	const struct form *f = &forms[t->form];
	uint64_t address = number_at(t, t->functions + i * f->entry_bytes, f->entry_bytes / 2);

	return address == UINT64_MAX ? address : t->text + address;
}

bool go_table_init(struct go_table *t, const unsigned char *bytes, size_t size, uint64_t text)
{
	const struct form *f;

	*t = (struct go_table){.bytes = bytes, .size = size};
	if (size < GO_TABLE_HEAD || !go_table_is_head(bytes))
		return false;
	t->form = form_of(bytes);
	f = &forms[t->form];
	t->count = number_at(t, 8, 8);
	if (!take_offset(t, f->names, &t->names) || !take_offset(t, f->units, &t->units) ||
	    !take_offset(t, f->files, &t->files) || !take_offset(t, f->values, &t->values))
		return false;
	if (!f->has_units)
		t->functions = 16; /* the list follows immediately */
	else if (!take_offset(t, f->functions, &t->functions))
		return false;
	/* There is one more entry than functions: the end of the last one. */
	if (t->count == 0 || t->count > MOST_FUNCTIONS ||
	    (t->count + 1) * f->entry_bytes > size - t->functions)
		return false;
	if (!f->has_units) {
		t->files = number_at(t, t->functions + t->count * f->entry_bytes + 8, 4);
		if (t->files >= size)
			return false;
	}
	if (f->text >= 0) {
		t->text = number_at(t, 8 + 8 * (uint64_t)f->text, 8);
		t->text = t->text != 0 ? t->text : text;
	}
	return entry_address(t, 0) <= entry_address(t, t->count);
}

/* A string of the table; NULL if there is none, or it does not end. */
static const char *string_at(const struct go_table *t, uint64_t at)
{
	if (at >= t->size || t->bytes[at] == '\0' ||
	    memchr(t->bytes + at, '\0', t->size - at) == NULL)
		return NULL;
	return (const char *)t->bytes + at;
}

/* ---- Values by address, as pairs: change of the value, and bytes of code with this value ---- */

static bool take_varint(const struct go_table *t, uint64_t *at, uint32_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 35 && *at < t->size; shift += 7) {
		uint32_t byte = t->bytes[(*at)++];

		*value |= (byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return true;
	}
	return false;
}

/* The value at the address. Reduces *end to the address of the next value. */
static bool value_at(const struct go_table *t, uint64_t offset, uint64_t start, uint64_t address,
		     int32_t *value, uint64_t *end)
{
	uint64_t at = t->values + offset, pc = start;
	uint32_t now = UINT32_MAX; /* -1 */

	if (offset == 0 || offset >= t->size)
		return false;
	for (size_t i = 0; i < MOST_STEPS; i++) {
		uint32_t more, bytes;

		if (!take_varint(t, &at, &more) || (more == 0 && i > 0) ||
		    !take_varint(t, &at, &bytes) || bytes == 0)
			return false;
		now += (more >> 1) ^ (0 - (more & 1));
		pc += bytes;
		if (address < pc) {
			*value = (int32_t)now;
			*end = pc < *end ? pc : *end;
			return true;
		}
	}
	return false;
}

/* ---- Questions ---- */

/* The path of a file by its number. `record` is that of the function. */
static const char *file_of(const struct go_table *t, uint64_t record, int32_t number)
{
	const struct form *f = &forms[t->form];
	uint64_t offset, unit;

	if (number < 0)
		return NULL;
	if (!f->has_units) {
		offset = number_at(t, t->files + 4 * (uint64_t)number, 4);
		return number > 0 ? string_at(t, offset) : NULL;
	}
	unit = number_at(t, record + f->name_at + 28, 4);
	offset = number_at(t, t->units + 4 * (unit + (uint64_t)number), 4);
	return offset < NO_FILE ? string_at(t, t->files + offset) : NULL;
}

/* The last function at or before the address. */
static uint64_t find_entry(const struct go_table *t, uint64_t address)
{
	return SEARCH_FIRST(i, t->count, entry_address(t, i) > address) - 1;
}

/* Find the record of the function around the address, with the function's start and end. */
static bool find_record(const struct go_table *t, uint64_t address, uint64_t *start, uint64_t *end,
			uint64_t *record)
{
	const struct form *f = &forms[t->form];
	uint64_t i;

	if (address < entry_address(t, 0) || address >= entry_address(t, t->count))
		return false;
	i = find_entry(t, address);
	*start = entry_address(t, i);
	*end = entry_address(t, i + 1);
	*record = number_at(t, t->functions + i * f->entry_bytes + f->entry_bytes / 2,
			    f->entry_bytes / 2);
	/* In the first format, offsets are from the table's start, in others from the list's. */
	*record += f->has_units ? t->functions : 0;
	return *start <= address && *end > address; /* false: they are not in order */
}

bool go_table_find(const struct go_table *t, uint64_t address, struct go_place *out)
{
	const struct form *f = &forms[t->form];
	uint64_t record;
	int32_t value;

	*out = (struct go_place){0};
	if (!find_record(t, address, &out->start, &out->end, &record))
		return false;
	out->same_end = out->end;
	out->function = string_at(t, t->names + number_at(t, record + f->name_at, 4));
	if (out->function == NULL)
		return false;
	if (value_at(t, number_at(t, record + f->name_at + 20, 4), out->start, address, &value,
		     &out->same_end) &&
	    value > 0)
		out->line = (uint32_t)value;
	if (out->line != 0 && value_at(t, number_at(t, record + f->name_at + 16, 4), out->start,
				       address, &value, &out->same_end))
		out->file = file_of(t, record, value);
	return true;
}

/* ---- Inlined calls ---- */

unsigned go_table_trees_word(const struct go_table *t)
{
	return forms[t->form].trees_word;
}

/* Read a number of node `i` of a tree. */
static bool take_node(const struct go_table *t, uint64_t tree, uint32_t i, unsigned at,
		      uint32_t *out)
{
	uint64_t place = tree + (uint64_t)i * forms[t->form].node_bytes + at;

	if (place > t->trees_size || sizeof(*out) > t->trees_size - place)
		return false;
	memcpy(out, t->trees + place, sizeof(*out));
	return true;
}

bool go_table_inlined(const struct go_table *t, uint64_t address, const char **function,
		      uint64_t *from)
{
	const struct form *f = &forms[t->form];
	uint64_t start, end, record, lists, values, datas, tree;
	uint32_t name, caller;
	int32_t node;

	if (t->trees == NULL || f->node_bytes == 0 ||
	    !find_record(t, address, &start, &end, &record))
		return false;
	lists = record + f->lists_at;
	values = number_at(t, record + f->name_at + 24, 4);
	datas = number_at(t, lists - 1, 1);
	if (values <= LIST_INLINED || values > t->size / 4 || datas <= LIST_TREE || datas > 255 ||
	    !value_at(t, number_at(t, lists + 4 * LIST_INLINED, 4), start, address, &node, &end) ||
	    node < 0)
		return false;
	tree = number_at(t, lists + 4 * (values + LIST_TREE), 4);
	if (tree >= UINT32_MAX || !take_node(t, tree, (uint32_t)node, f->node_name, &name) ||
	    !take_node(t, tree, (uint32_t)node, f->node_from, &caller))
		return false;
	*function = string_at(t, t->names + name);
	*from = start + caller;
	return *function != NULL;
}
