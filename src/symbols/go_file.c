/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a Go program's table of functions and lines (go_table.h). It has its own section, but not
 * in position-independent programs from other linkers, and sections may be stripped. Then loaded
 * data that is not code is searched for the table's header.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/go_table.h"
#include "symbols/private.h"

#define STEP	   8 /* bytes: linkers align the table at least to this */
#define MOST_BYTES ((uint64_t)1 << 30)

struct symbols_go {
	struct go_table table;
	unsigned char *bytes; /* a copy, with relocations applied */
	bool is_sound;
};

static uint64_t text_address(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr h;
		const char *name;

		if (gelf_getshdr(section, &h) == NULL)
			continue;
		name = elf_strptr(elf, names, h.sh_name);
		if (name != NULL && strcmp(name, ".text") == 0)
			return h.sh_addr;
	}
	return 0;
}

/* Apply a relocation to the table, which is loaded at `address`, as the dynamic linker would. */
static void apply(const GElf_Rela *r, unsigned char *bytes, size_t size, uint64_t address)
{
	uint64_t at = r->r_offset - address;

	if (GELF_R_TYPE(r->r_info) == R_X86_64_RELATIVE && size >= 8 && at <= size - 8)
		memcpy(bytes + at, &r->r_addend, 8);
}

/* Apply the relocations, whose place in memory the dynamic section gives. */
static void relocate(Elf *elf, const GElf_Phdr *dynamic, const struct symbols_file *f,
		     unsigned char *bytes, size_t size, uint64_t address)
{
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)dynamic->p_offset, dynamic->p_filesz, ELF_T_DYN);
	uint64_t at = 0, count = 0;
	GElf_Dyn d;
	GElf_Rela r;

	for (int i = 0; data != NULL && gelf_getdyn(data, i, &d) != NULL && d.d_tag != DT_NULL;
	     i++) {
		at = d.d_tag == DT_RELA ? d.d_un.d_ptr : at;
		count = d.d_tag == DT_RELASZ ? d.d_un.d_val : count;
	}
	for (size_t i = 0; i < f->segment_count; i++) {
		const struct symbols_segment *g = &f->segments[i];

		if (at < g->address || at - g->address >= g->bytes ||
		    count > g->bytes - (at - g->address))
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)(at - g->address + g->offset), count,
					    ELF_T_RELA);
		for (int k = 0; data != NULL && gelf_getrela(data, k, &r) != NULL; k++)
			apply(&r, bytes, size, address);
		return;
	}
}

/*
 * Copy the data loaded at the address, relocated as by the dynamic linker. Returns NULL without
 * memory.
 */
static unsigned char *copy(const struct symbols_file *f, const unsigned char *bytes, size_t size,
			   uint64_t address)
{
	unsigned char *to = size <= MOST_BYTES ? malloc(size + 1) : NULL;
	size_t headers;

	if (to != NULL)
		memcpy(to, bytes, size);
	if (to == NULL || elf_getphdrnum(f->elf, &headers) != 0)
		return to;
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(f->elf, (int)i, &h) != NULL && h.p_type == PT_DYNAMIC)
			relocate(f->elf, &h, f, to, size, address);
	}
	return to;
}

/* The data loaded at the address, up to the end of its segment. */
static const unsigned char *loaded_at(const struct symbols_file *f, uint64_t address, size_t *size)
{
	for (size_t i = 0; i < f->segment_count; i++) {
		const struct symbols_segment *g = &f->segments[i];
		Elf_Data *data;

		if (address < g->address || address - g->address >= g->bytes)
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)(address - g->address + g->offset),
					    g->bytes - (address - g->address), ELF_T_BYTE);
		*size = data != NULL ? data->d_size : 0;
		return data != NULL ? data->d_buf : NULL;
	}
	return NULL;
}

/*
 * Find the trees of inlined calls. The runtime's record of the program (moduledata) begins with the
 * addresses of the table and of its names. One of its words is the address of the trees.
 */
static void find_trees(struct go_table *t, const struct symbols_file *f, uint64_t address)
{
	const uint64_t wanted[2] = {address, address + t->names};
	const size_t word = go_table_trees_word(t);

	for (size_t i = 0; word != 0 && i < f->segment_count && t->trees == NULL; i++) {
		uint64_t trees, from = f->segments[i].address;
		const unsigned char *bytes;
		unsigned char *data;
		size_t size;

		bytes = loaded_at(f, from, &size);
		data = bytes != NULL ? copy(f, bytes, size, from) : NULL;
		for (size_t at = 0; data != NULL && at + 8 * (word + 1) <= size; at += 8) {
			if (memcmp(data + at, wanted, sizeof(wanted)) != 0)
				continue;
			memcpy(&trees, data + at + 8 * word, sizeof(trees));
			t->trees = loaded_at(f, trees, &t->trees_size);
			break;
		}
		free(data);
	}
}

/* Use the table in `bytes`, which are loaded at `address`. Returns true if it is valid. */
static bool take(struct symbols_go *g, const struct symbols_file *f, const unsigned char *bytes,
		 size_t size, uint64_t address)
{
	free(g->bytes);
	g->bytes = copy(f, bytes, size, address);
	if (g->bytes == NULL)
		return false;
	g->is_sound = go_table_init(&g->table, g->bytes, size, text_address(f->elf));
	if (g->is_sound)
		find_trees(&g->table, f, address);
	return g->is_sound;
}

/* Search loaded data for the header. Returns whether one was found, even an invalid one. */
static bool search(struct symbols_go *g, const struct symbols_file *f, const GElf_Phdr *h)
{
	Elf_Data *data =
		elf_getdata_rawchunk(f->elf, (int64_t)h->p_offset, h->p_filesz, ELF_T_BYTE);
	bool any = false;

	if (data == NULL)
		return false;
	for (size_t at = 0; at + GO_TABLE_HEAD <= data->d_size && !g->is_sound; at += STEP) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + at;

		if (!go_table_is_head(bytes))
			continue;
		any = true;
		take(g, f, bytes, data->d_size - at, h->p_vaddr + at);
	}
	return any;
}

/* Returns whether anything looks like a table. */
static bool find(struct symbols_go *g, const struct symbols_file *f)
{
	size_t count;
	bool any = false;

	if (elf_getphdrnum(f->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && !g->is_sound; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(f->elf, (int)i, &h) != NULL && h.p_type == PT_LOAD &&
		    (h.p_flags & PF_X) == 0)
			any |= search(g, f, &h);
	}
	return any;
}

static void fill_frame(struct symbols_frame *frame, const struct go_place *p, struct arena *a)
{
	*frame = (struct symbols_frame){.function = p->function, .line = p->line};
	frame->file = p->file != NULL ? arena_strdup(a, p->file) : NULL;
}

size_t symbols_go_frames(struct symbols_file *f, uint64_t address, struct arena *a,
			 struct symbols_frame frames[SYMBOLS_MAX_FRAMES], uint64_t *same)
{
	uint64_t at = address, from;
	const char *function;
	struct go_place p;
	size_t count = 0;

	if (f->go == NULL) {
		f->go = calloc(1, sizeof(*f->go));
		if (f->go == NULL)
			return 0;
		f->has_bad_table = find(f->go, f) && !f->go->is_sound;
	}
	if (!f->go->is_sound || !go_table_find(&f->go->table, address, &p))
		return 0;
	*same = p.same_end - address;
	fill_frame(&frames[count++], &p, a);
	while (count < SYMBOLS_MAX_FRAMES &&
	       go_table_inlined(&f->go->table, at, &function, &from) &&
	       go_table_find(&f->go->table, from, &p)) {
		frames[count - 1].function = function;
		fill_frame(&frames[count++], &p, a);
		at = from;
	}
	if (f->go->table.trees != NULL)
		*same = 1; /* inlined calls may begin or end anywhere */
	return count;
}

void symbols_go_release(struct symbols_file *f)
{
	if (f->go == NULL)
		return;
	free(f->go->bytes);
	free(f->go);
	f->go = NULL;
}
