/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of an ELF file by name; see elf_search.h. All numbers of the file are checked. */
#include "engine/core/elf_search.h"

#include <elf.h>
#include <fcntl.h>

#include "channel/channel.h"
#include "channel/sys.h"
#include "engine/core/mangled.h"
#include "engine/core/util.h"

#define MAX_SEGMENTS 64u
#define MAX_TABLE    (512u << 20)

struct elf {
	long fd;
	uint64_t file_bytes;
	Elf64_Ehdr head;
	Elf64_Phdr segment[MAX_SEGMENTS];
	uint32_t segments;
};

static bool read_at(const struct elf *e, void *to, uint64_t bytes, uint64_t offset)
{
	uint8_t *p = to;

	if (offset > e->file_bytes || bytes > e->file_bytes - offset)
		return false;
	while (bytes) {
		long n = sys4(SYS_pread64, e->fd, p, bytes, offset);

		if (n <= 0)
			return false;
		p += n;
		bytes -= (uint64_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

static bool open_elf(struct elf *e, const char *path)
{
	long end;

	e->fd = sys3(SYS_open, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (e->fd < 0)
		return false;
	end = sys3(SYS_lseek, e->fd, 0, 2);
	e->file_bytes = end > 0 ? (uint64_t)end : 0;
	if (!read_at(e, &e->head, sizeof e->head, 0) ||
	    memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->head.e_ident[EI_CLASS] != ELFCLASS64 || e->head.e_shentsize != sizeof(Elf64_Shdr) ||
	    e->head.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	e->segments = e->head.e_phnum < MAX_SEGMENTS ? e->head.e_phnum : MAX_SEGMENTS;
	return read_at(e, e->segment, e->segments * sizeof e->segment[0], e->head.e_phoff);
}

/* The file offset of an address; UINT64_MAX: none. */
static uint64_t file_offset(const struct elf *e, uint64_t address)
{
	for (uint32_t i = 0; i < e->segments; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		if (p->p_type == PT_LOAD && address - p->p_vaddr < p->p_filesz)
			return address - p->p_vaddr + p->p_offset;
	}
	return UINT64_MAX;
}

bool elf_name_means(const char *name, const char *symbol)
{
	const char *s = symbol;

	if (mangled_skip(&s, name)) {
		if (*s == 0 || *s == '@')
			return true;
		return mangled_skip(&s, ".constprop.") || mangled_skip(&s, ".isra.");
	}
	return mangled_means(name, symbol);
}

/*
 * Fortran names: "sweep_" for a procedure outside of modules, "__plate_MOD_spread" for
 * plate::spread, and "inner.0" for an internal procedure.
 */
bool elf_name_means_fortran(const char *name, const char *symbol)
{
	const char *s = symbol;
	uint32_t n = mangled_part_length(name);

	if (name[n] == 0) {
		if (!n || !mangled_skip(&s, name))
			return false;
		if (*s == '_')
			return s[1] == 0 || s[1] == '@';
		return *s == '.' && s[1] >= '0' && s[1] <= '9';
	}
	if (!mangled_skip(&s, "__"))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (*s++ != name[i])
			return false;
	return mangled_skip(&s, "_MOD_") && mangled_skip(&s, name + n + 2) &&
	       (*s == 0 || *s == '@');
}

struct table {
	Elf64_Sym *symbols;
	uint64_t count;
	char *names;
	uint64_t name_bytes;
};

/* A search, and its hits so far. */
struct search {
	const char *name;
	bool (*means)(const char *name, const char *symbol);
	void (*found)(void *context, uint64_t file_offset);
	void *context;
	uint32_t hits;
};

static void search_table(const struct elf *e, const struct table *t, struct search *q)
{
	for (uint64_t i = 0; i < t->count; i++) {
		const Elf64_Sym *s = &t->symbols[i];
		uint64_t at;

		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
		    s->st_name >= t->name_bytes || !q->means(q->name, t->names + s->st_name))
			continue;
		at = file_offset(e, s->st_value);
		if (at == UINT64_MAX)
			continue;
		q->hits++;
		q->found(q->context, at);
	}
}

static void search_section(const struct elf *e, const Elf64_Shdr *symbols, const Elf64_Shdr *names,
			   struct search *q)
{
	struct table t = {.count = symbols->sh_size / sizeof(Elf64_Sym),
			  .name_bytes = names->sh_size};

	if (symbols->sh_size > MAX_TABLE || names->sh_size > MAX_TABLE || !t.count || !t.name_bytes)
		return;
	/* one more byte ends the names, even if the file does not */
	t.symbols = pages_get(symbols->sh_size);
	t.names = pages_get(t.name_bytes + 1);
	if (t.symbols && t.names && read_at(e, t.symbols, symbols->sh_size, symbols->sh_offset) &&
	    read_at(e, t.names, t.name_bytes, names->sh_offset))
		search_table(e, &t, q);
	if (t.symbols)
		pages_put(t.symbols, symbols->sh_size);
	if (t.names)
		pages_put(t.names, t.name_bytes + 1);
}

static void search_sections(const struct elf *e, const Elf64_Shdr *sections, struct search *q)
{
	for (uint32_t i = 0; i < e->head.e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];

		if ((s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM) &&
		    s->sh_link < e->head.e_shnum)
			search_section(e, s, &sections[s->sh_link], q);
	}
}

static void search_file(const char *path, struct search *q, bool with_fortran)
{
	struct elf e;
	Elf64_Shdr *sections = 0;
	uint64_t bytes = 0;

	if (open_elf(&e, path) && e.head.e_shnum) {
		bytes = e.head.e_shnum * sizeof *sections;
		sections = pages_get(bytes);
	}
	if (sections && read_at(&e, sections, bytes, e.head.e_shoff)) {
		search_sections(&e, sections, q);
		/* "f_" is a different function if the file also has f */
		if (with_fortran && !q->hits) {
			q->means = elf_name_means_fortran;
			search_sections(&e, sections, q);
		}
	}
	if (sections)
		pages_put(sections, bytes);
	if (e.fd >= 0)
		sys1(SYS_close, e.fd);
}

void elf_search(const char *path, const char *name,
		void (*found)(void *context, uint64_t file_offset), void *context)
{
	char plain[CHANNEL_NAME_BYTES];
	struct search q = {plain, elf_name_means, found, context, 0};

	mangled_plain(name, plain, sizeof plain);
	search_file(path, &q, true);
}

void elf_search_c(const char *path, const char *name,
		  void (*found)(void *context, uint64_t file_offset), void *context)
{
	struct search q = {name, elf_name_means, found, context, 0};

	search_file(path, &q, false);
}
