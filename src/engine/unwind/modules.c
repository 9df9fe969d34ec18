/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols and frame tables of mapped files; see modules.h. The engine reads the
 * file itself, because its segments are mapped into memory one by one.
 */
#define _GNU_SOURCE
#include "engine/unwind/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "channel/sys.h"
#include "engine/core/lock.h"
#include "engine/core/state.h"
#include "engine/core/upward.h"
#include "engine/core/util.h"
#include "engine/translate/hooks.h"
#include "engine/unwind/code_symbols.h"
#include "engine/unwind/commons.h"
#include "engine/unwind/debug_files.h"
#include "engine/unwind/eras.h"
#include "engine/unwind/loader_map.h"
#include "engine/unwind/unwind.h"

#define MAX_MODULES 1024u
#define MAX_STUBS   4u /* sections of a file with stubs of its linkage table */

struct range {
	uint64_t start, end;
};

struct module {
	uint64_t start, end;
	struct frame_table frames;
	uint64_t unsorted, unsorted_bytes; /* .eh_frame, where there is no table */
	bool interpreter, program;
	struct range stubs[MAX_STUBS];
	uint64_t go, go_bytes;	       /* the table of the Go linker, until it is read */
	struct code_symbols symbols;   /* of code without frame information, for the call graph */
	struct code_symbols variables; /* with SIM_ASK_DATA */
	struct range image;	       /* all that is loaded of the file, its data included */
	struct module_locals locals;
	struct code_symbols local_symbols; /* with SIM_ASK_DATA; from 0, as in each copy */
	uint32_t era;			   /* of all of these addresses */
};

static struct module modules[MAX_MODULES];
static uint32_t count;
static uint32_t lock;
uint32_t modules_version;

/* A file in memory, and where its code is mapped. */
struct elf {
	const uint8_t *bytes;
	uint64_t size;
	struct module *module;
	uint64_t offset; /* in the file, of module->start */
	uint64_t bias;
	enum module_part part;
	char debug_file[DEBUG_FILE_PATH_BYTES]; /* of its variables' symbols; or empty */
};

/* n items of `each` bytes at `at`, or NULL if they lie outside of the file. */
static const void *part_of(const struct elf *e, uint64_t at, uint64_t n, uint64_t each)
{
	if (at > e->size || (at & 7) || n > (e->size - at) / each)
		return 0;
	return e->bytes + at;
}

static bool find_bias(struct elf *e, const Elf64_Phdr *ph, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t from = ph[i].p_offset & ~(PAGE - 1);

		if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X) || e->offset < from ||
		    e->offset - from >= ph[i].p_filesz + PAGE)
			continue;
		e->bias = e->module->start - ((ph[i].p_vaddr & ~(PAGE - 1)) + (e->offset - from));
		return true;
	}
	return false;
}

static void find_frames(struct elf *e, const Elf64_Phdr *ph, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ph[i].p_type == PT_GNU_EH_FRAME)
			e->module->frames = (struct frame_table){.address = e->bias + ph[i].p_vaddr,
								 .base = e->bias + ph[i].p_vaddr,
								 .bytes = ph[i].p_memsz};
}

static void find_locals(const struct elf *e, const Elf64_Phdr *ph)
{
	e->module->locals = (struct module_locals){.code = e->module->start,
						   .bias = e->bias,
						   .first = ph->p_vaddr,
						   .bytes = ph->p_memsz,
						   .alignment = ph->p_align ?: 1,
						   .is_program = e->part == MODULE_PROGRAM};
}

static void find_image(const struct elf *e, const Elf64_Phdr *ph, uint32_t n)
{
	struct range *image = &e->module->image;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t start = e->bias + ph[i].p_vaddr, end = start + ph[i].p_memsz;

		if (ph[i].p_type == PT_TLS)
			find_locals(e, &ph[i]);
		if (ph[i].p_type != PT_LOAD)
			continue;
		if (image->end == 0 || start < image->start)
			image->start = start;
		if (end > image->end)
			image->end = end;
	}
}

/*
 * Can other files call the symbol by its name? Local symbols may have any name. In a library only
 * .dynsym counts, which lists all functions that others call; in the program .symtab, too.
 */
static bool is_exported(const struct elf *e, const Elf64_Shdr *symbols, uint32_t bind)
{
	return (bind == STB_GLOBAL || bind == STB_WEAK) &&
	       (symbols->sh_type == SHT_DYNSYM || e->part == MODULE_PROGRAM);
}

/* The defined functions of a table of symbols. */
static void hook_symbols(const struct elf *e, const Elf64_Shdr *symbols, const Elf64_Shdr *names)
{
	uint64_t n = symbols->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *s = part_of(e, symbols->sh_offset, n, sizeof *s);
	const char *text;

	if (!s || names->sh_offset > e->size || names->sh_size > e->size - names->sh_offset ||
	    names->sh_size == 0 || e->bytes[names->sh_offset + names->sh_size - 1] != 0)
		return;
	text = (const char *)e->bytes + names->sh_offset;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = e->bias + s[i].st_value;
		uint32_t bind = ELF64_ST_BIND(s[i].st_info);

		if (s[i].st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s[i].st_info) != STT_FUNC ||
		    s[i].st_name >= names->sh_size || at < e->module->start || at >= e->module->end)
			continue;
		if (hooks_have_named())
			hooks_add_named(at, text + s[i].st_name);
		if (is_exported(e, symbols, bind))
			hooks_add_function(at, text + s[i].st_name);
	}
}

/* Is the section's name this one, of `bytes` with its 0? */
static bool is_named(const struct elf *e, const Elf64_Shdr *names, uint64_t name,
		     const char *wanted, uint64_t bytes)
{
	return names->sh_offset <= e->size && names->sh_size <= e->size - names->sh_offset &&
	       name < names->sh_size && bytes <= names->sh_size - name &&
	       memcmp(e->bytes + names->sh_offset + name, wanted, bytes) == 0;
}

static void add_stubs(struct module *m, uint64_t start, uint64_t bytes)
{
	for (uint32_t i = 0; i < MAX_STUBS; i++)
		if (m->stubs[i].end == 0) {
			m->stubs[i] = (struct range){start, start + bytes};
			return;
		}
}

/*
 * Find sections: the stubs of the linkage table, and the frame information of static programs,
 * which lack .eh_frame_hdr.
 */
static void find_sections(const struct elf *e, const Elf64_Ehdr *eh)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} stubs[] = {{".plt", 5}, {".plt.got", 9}, {".plt.sec", 9}, {".iplt", 6}};
	const Elf64_Shdr *sh = part_of(e, eh->e_shoff, eh->e_shnum, sizeof *sh), *names;

	if (!sh || eh->e_shentsize != sizeof *sh || eh->e_shstrndx >= eh->e_shnum)
		return;
	names = &sh[eh->e_shstrndx];
	for (uint32_t i = 0; i < eh->e_shnum; i++) {
		if (!(sh[i].sh_flags & SHF_ALLOC))
			continue;
		for (uint32_t k = 0; k < sizeof stubs / sizeof stubs[0]; k++)
			if (is_named(e, names, sh[i].sh_name, stubs[k].name, stubs[k].bytes))
				add_stubs(e->module, e->bias + sh[i].sh_addr, sh[i].sh_size);
		if (!e->module->frames.bytes &&
		    is_named(e, names, sh[i].sh_name, ".eh_frame", sizeof ".eh_frame")) {
			e->module->unsorted = e->bias + sh[i].sh_addr;
			e->module->unsorted_bytes = sh[i].sh_size;
		}
	}
}

/* Finds functions of code without frame information, for the call graph only. */
static void find_functions(const struct elf *e, const Elf64_Ehdr *eh, const Elf64_Phdr *ph)
{
	const Elf64_Shdr *sh = part_of(e, eh->e_shoff, eh->e_shnum, sizeof *sh);
	struct code_file f = {.bytes = e->bytes,
			      .size = e->size,
			      .sections = sh,
			      .bias = e->bias,
			      .start = e->module->start,
			      .end = e->module->end};

	if (sh && eh->e_shentsize == sizeof *sh)
		f.section_count = eh->e_shnum;
	if (!code_symbols_read(&e->module->symbols, &f))
		code_symbols_find_go(&f, ph, eh->e_phnum, &e->module->go, &e->module->go_bytes);
}

/* From a stripped file's .dynsym, until its debug file is found. */
static void find_variables(struct elf *e, const Elf64_Ehdr *eh)
{
	const Elf64_Shdr *sh = part_of(e, eh->e_shoff, eh->e_shnum, sizeof *sh);
	struct code_file f = {.bytes = e->bytes,
			      .size = e->size,
			      .sections = sh,
			      .bias = e->bias,
			      .start = e->module->image.start,
			      .end = e->module->image.end,
			      .wants_variables = true};

	if (sh && eh->e_shentsize == sizeof *sh)
		f.section_count = eh->e_shnum;
	if (!code_symbols_read(&e->module->variables, &f) && !debug_files_path(&f, e->debug_file))
		e->debug_file[0] = 0;
	commons_divide(&e->module->variables, &f);
	if (!e->module->locals.bytes)
		return;
	f = code_symbols_of_locals(&f, e->module->locals.first, e->module->locals.bytes);
	code_symbols_read(&e->module->local_symbols, &f);
	commons_divide(&e->module->local_symbols, &f);
}

/* The debug file of a stripped file: guarded, as look_at. */
static int look_at_debug_file(void *arg)
{
	struct elf *e = arg;
	const Elf64_Ehdr *eh = part_of(e, 0, 1, sizeof *eh);
	struct code_symbols dynamic = e->module->variables, locals = e->module->local_symbols;

	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 || eh->e_machine != EM_X86_64)
		return -1;
	find_variables(e, eh);
	if (e->module->variables.count == 0) {
		e->module->variables = dynamic;
		e->module->local_symbols = locals;
		return -1;
	}
	code_symbols_release(&dynamic);
	code_symbols_release(&locals);
	return 0;
}

static void find_symbols(const struct elf *e, const Elf64_Ehdr *eh)
{
	const Elf64_Shdr *sh = part_of(e, eh->e_shoff, eh->e_shnum, sizeof *sh);

	if (!sh || eh->e_shentsize != sizeof *sh)
		return;
	for (uint32_t i = 0; i < eh->e_shnum; i++) {
		/* A function that only the program itself uses is not in .dynsym. */
		bool wanted = sh[i].sh_type == SHT_DYNSYM ||
			      (sh[i].sh_type == SHT_SYMTAB &&
			       (e->part == MODULE_PROGRAM || hooks_have_named()));

		if (wanted && sh[i].sh_link < eh->e_shnum)
			hook_symbols(e, &sh[i], &sh[sh[i].sh_link]);
	}
}

/* The file may be cut short at any time, so this runs guarded. */
static int look_at(void *arg)
{
	struct elf *e = arg;
	const Elf64_Ehdr *eh = part_of(e, 0, 1, sizeof *eh);
	const Elf64_Phdr *ph;

	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 || eh->e_machine != EM_X86_64 ||
	    eh->e_phentsize != sizeof *ph)
		return -1;
	ph = part_of(e, eh->e_phoff, eh->e_phnum, sizeof *ph);
	if (!ph || !find_bias(e, ph, eh->e_phnum))
		return -1;
	find_frames(e, ph, eh->e_phnum);
	find_image(e, ph, eh->e_phnum);
	find_sections(e, eh);
	/* Programs do not call the dynamic linker's allocator. */
	if (e->part != MODULE_INTERPRETER && engine.config.objects)
		find_symbols(e, eh);
	loader_map_look(e->bytes, e->size, e->bias, e->module->start, e->module->end,
			e->part == MODULE_INTERPRETER);
	if (engine_follows_calls() || engine_counts_data())
		find_functions(e, eh, ph);
	if (engine_counts_data())
		find_variables(e, eh);
	return 0;
}

static void release(struct module *m)
{
	code_symbols_release(&m->symbols);
	code_symbols_release(&m->variables);
	code_symbols_release(&m->local_symbols);
}

/* Map the file, and look at it. False: it cannot be read, or is damaged. */
static bool look(struct elf *e, int fd, int (*how)(void *))
{
	struct stat st;
	bool is_good;
	long p;

	if (sys_failed(sys2(SYS_fstat, fd, &st)) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
		return true;
	p = pages_map(0, (uint64_t)st.st_size, PROT_READ, 0, fd);
	if (sys_failed(p))
		return true;
	e->bytes = (const uint8_t *)p;
	e->size = (uint64_t)st.st_size;
	is_good = engine_guarded(how, e) == 0;
	sys2(SYS_munmap, p, st.st_size);
	return is_good;
}

static void look_at_file(struct elf *e, int fd)
{
	long debug;

	if (!look(e, fd, look_at))
		release(e->module);
	if (!e->debug_file[0])
		return;
	debug = sys4(SYS_openat, AT_FDCWD, e->debug_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (sys_failed(debug))
		return;
	look(e, (int)debug, look_at_debug_file);
	sys1(SYS_close, debug);
}

/* All of the file's addresses, in whole pages. */
static struct range span_of(const struct module *m)
{
	struct range r = {m->start, m->end};

	if (m->image.end != 0 && m->image.start < r.start)
		r.start = m->image.start & ~(PAGE - 1);
	if (m->image.end > r.end)
		r.end = round_up(m->image.end, PAGE);
	return r;
}

static uint32_t era_of(const struct module *m, int fd, uint64_t position)
{
	const struct module_file file = module_file_of(fd);
	const struct range span = span_of(m);

	return eras_get(span.start, span.end, &file, position);
}

void modules_add(uint64_t start, uint64_t end, uint64_t offset, int fd, enum module_part part,
		 uint64_t position)
{
	struct module m = {.start = start,
			   .end = end,
			   .interpreter = part == MODULE_INTERPRETER,
			   .program = part == MODULE_PROGRAM};
	struct elf e = {.module = &m, .offset = offset, .part = part};

	if (!engine.config.objects && !engine_follows_calls())
		return;
	modules_remove(start, end);
	look_at_file(&e, fd);
	lock_take(&lock);
	m.era = era_of(&m, fd, position);
	if (count < MAX_MODULES)
		modules[count++] = m;
	else
		release(&m);
	modules_version++;
	upward.forget_owners(start, end);
	lock_drop(&lock);
}

void modules_remove(uint64_t start, uint64_t end)
{
	bool any = false;

	lock_take(&lock);
	for (uint32_t i = 0; i < count; i++)
		if (modules[i].start < end && modules[i].end > start) {
			release(&modules[i]);
			modules[i--] = modules[--count];
			modules_version++;
			upward.forget_owners(start, end);
			any = true;
		}
	lock_drop(&lock);
	if (!any || !engine.config.objects)
		return;
	hooks_remove(start, end);
	unwind_forget();
}

static bool find(uint64_t pc, struct module *m)
{
	bool found = false;

	lock_take(&lock);
	for (uint32_t i = 0; i < count && !found; i++)
		if (pc >= modules[i].start && pc < modules[i].end) {
			/* only now, as the section was not in memory when the code was mapped */
			if (modules[i].unsorted_bytes)
				eh_frame_index(modules[i].unsorted, modules[i].unsorted_bytes,
					       &modules[i].frames);
			modules[i].unsorted_bytes = 0;
			if (modules[i].go)
				code_symbols_add_go(&modules[i].symbols, modules[i].go,
						    modules[i].go_bytes, modules[i].end);
			modules[i].go = 0;
			*m = modules[i];
			found = true;
		}
	lock_drop(&lock);
	return found;
}

bool modules_frames(uint64_t pc, struct frame_table *table)
{
	struct module m;

	*table = (struct frame_table){0};
	if (!find(pc, &m) || m.frames.bytes == 0)
		return false;
	*table = m.frames;
	return true;
}

/* The gap between modules that holds pc. */
static void find_gap(uint64_t pc, struct module_place *place)
{
	*place = (struct module_place){.end = UINT64_MAX};
	lock_take(&lock);
	for (uint32_t i = 0; i < count; i++) {
		const struct module *m = &modules[i];

		if (m->end <= pc && m->end > place->start)
			place->start = m->end;
		if (m->start > pc && m->start < place->end)
			place->end = m->start;
	}
	lock_drop(&lock);
}

bool modules_place(uint64_t pc, struct module_place *place)
{
	struct module m;

	if (!find(pc, &m)) {
		find_gap(pc, place);
		return false;
	}
	*place = (struct module_place){
		.start = m.start, .end = m.end, .interpreter = m.interpreter, .frames = m.frames};
	for (uint32_t i = 0; i < MAX_STUBS; i++)
		if (pc >= m.stubs[i].start && pc < m.stubs[i].end) {
			place->stubs = m.stubs[i].start;
			place->stubs_end = m.stubs[i].end;
		}
	return true;
}

bool modules_function(uint64_t pc, uint64_t *start, uint64_t *end)
{
	bool found = false;

	*start = 0;
	*end = UINT64_MAX;
	lock_take(&lock);
	for (uint32_t i = 0; i < count; i++)
		if (pc >= modules[i].start && pc < modules[i].end) {
			found = code_symbols_find(&modules[i].symbols, pc, start, end);
			break;
		}
	lock_drop(&lock);
	return found;
}

bool modules_locals(uint32_t n, struct module_locals *l)
{
	bool found = false;

	lock_take(&lock);
	for (uint32_t i = 0; i < count && !found; i++) {
		if (!modules[i].locals.bytes || n--)
			continue;
		*l = modules[i].locals;
		l->key = eras_key_of(l->code, modules[i].era);
		found = true;
	}
	lock_drop(&lock);
	return found;
}

bool modules_local_variable(uint64_t key, uint64_t offset, uint64_t *start, uint64_t *end)
{
	bool found = false;

	lock_take(&lock);
	for (uint32_t i = 0; i < count && !found; i++) {
		const struct module *m = &modules[i];

		if (eras_key_of(m->start, m->era) != key || offset >= m->locals.bytes)
			continue;
		code_symbols_find(&m->local_symbols, offset, start, end);
		*end = *end > m->locals.bytes ? m->locals.bytes : *end;
		found = true;
	}
	lock_drop(&lock);
	return found;
}

bool modules_variable(uint64_t address, uint64_t *start, uint64_t *end)
{
	bool found = false;

	lock_take(&lock);
	for (uint32_t i = 0; i < count && !found; i++) {
		const struct module *m = &modules[i];

		if (address < m->image.start || address >= m->image.end)
			continue;
		code_symbols_find(&m->variables, address, start, end);
		*start = *start < m->image.start ? m->image.start : *start;
		*end = *end > m->image.end ? m->image.end : *end;
		found = true;
	}
	lock_drop(&lock);
	return found;
}

/* Many instructions in turn are of one file. The lock is held. */
static uint32_t find_era(uint64_t address)
{
	static struct range last;
	static uint32_t last_era, last_version;

	if (last_version == modules_version && address >= last.start && address < last.end)
		return last_era;
	for (uint32_t i = 0; i < count; i++) {
		const struct range span = span_of(&modules[i]);

		if (address < span.start || address >= span.end)
			continue;
		last = span;
		last_era = modules[i].era;
		last_version = modules_version;
		return last_era;
	}
	return 0;
}

uint64_t modules_find_key(uint64_t address)
{
	uint32_t era;

	if (address >> ERAS_ADDRESS_BITS)
		return address;
	lock_take(&lock);
	era = find_era(address);
	lock_drop(&lock);
	return eras_key_of(address, era);
}

bool modules_is_interpreter(uint64_t pc)
{
	struct module m;

	return find(pc, &m) && m.interpreter;
}

void modules_forked(void)
{
	lock = 0;
	eras_forked();
}
