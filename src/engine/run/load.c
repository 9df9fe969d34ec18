/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapping ELF images; see load.h. */
#define _GNU_SOURCE
#include "engine/run/load.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/limits.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/run/process.h"
#include "engine/simulate/mode/filter_end.h"
#include "engine/unwind/modules.h"

#define MAX_SEGMENTS 64

struct file {
	int fd;
	Elf64_Ehdr eh;
	Elf64_Phdr ph[MAX_SEGMENTS];
	enum module_part part;
	char path[1024];
	char interpreter[256];
	uint64_t low, high; /* of the segments, page-aligned */
	uint64_t bias;
};

static int read_at(int fd, void *to, uint64_t n, uint64_t at)
{
	return sys4(SYS_pread64, fd, to, n, at) == (long)n ? 0 : -1;
}

static int read_headers(struct file *f, const char **why)
{
	uint64_t loads = 0;

	*why = "is not a complete x86-64 ELF program";
	if (read_at(f->fd, &f->eh, sizeof f->eh, 0) != 0 || f->eh.e_machine != EM_X86_64 ||
	    (f->eh.e_type != ET_EXEC && f->eh.e_type != ET_DYN) ||
	    f->eh.e_phentsize != sizeof(Elf64_Phdr) || f->eh.e_phnum == 0)
		return -1;
	if (f->eh.e_phnum > MAX_SEGMENTS) {
		*why = "has more program headers than dwell can load (64)";
		return -1;
	}
	if (read_at(f->fd, f->ph, f->eh.e_phnum * sizeof(Elf64_Phdr), f->eh.e_phoff) != 0)
		return -1;
	f->low = UINT64_MAX;
	for (uint32_t i = 0; i < f->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &f->ph[i];

		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_memsz < ph->p_filesz || ph->p_vaddr + ph->p_memsz < ph->p_vaddr ||
		    (ph->p_vaddr + ph->p_memsz) >> 47 ||
		    (ph->p_vaddr - ph->p_offset) & (PAGE - 1)) {
			*why = NULL;
			return -1;
		}
		if ((ph->p_vaddr & ~(PAGE - 1)) < f->low)
			f->low = ph->p_vaddr & ~(PAGE - 1);
		if (round_up(ph->p_vaddr + ph->p_memsz, PAGE) > f->high)
			f->high = round_up(ph->p_vaddr + ph->p_memsz, PAGE);
		loads++;
	}
	if (!loads) {
		*why = NULL;
		return -1;
	}
	proc_name_of_fd(f->fd, f->path, sizeof f->path);
	return 0;
}

static int protection(uint32_t flags)
{
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
	       (flags & PF_X ? PROT_EXEC : 0);
}

/* Why the kernel refused room for an image. */
static const char *no_room(long result)
{
	return result == -ENOMEM && limits_are_set()
		       ? "cannot be mapped: a limit of address space or data (ulimit -v, ulimit "
			 "-d) leaves no room"
		       : "cannot be mapped: no room in the address space";
}

/* Choose the place of a relocatable image, and reserve it. A fixed image's place must be free. */
static int place(struct file *f, const char **why)
{
	uint64_t align = PAGE, bytes = f->high - f->low;
	long p;

	for (uint32_t i = 0; i < f->eh.e_phnum; i++)
		if (f->ph[i].p_type == PT_LOAD && f->ph[i].p_align > align &&
		    (f->ph[i].p_align & (f->ph[i].p_align - 1)) == 0)
			align = f->ph[i].p_align;
	if (f->eh.e_type == ET_EXEC) {
		filter_before_mapping(thread_self(), f->low, f->high);
		p = sys6(SYS_mmap, f->low, bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		*why = no_room(p);
		if (sys_failed(p) || (uint64_t)p != f->low)
			return -1;
		f->bias = 0;
		return 0;
	}
	p = sys6(SYS_mmap, 0, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	*why = no_room(p);
	if (sys_failed(p))
		return -1;
	uint64_t at = round_up((uint64_t)p, align);

	if (at > (uint64_t)p)
		sys2(SYS_munmap, p, at - (uint64_t)p);
	if (at + bytes < (uint64_t)p + bytes + align)
		sys2(SYS_munmap, at + bytes, (uint64_t)p + align - at);
	f->bias = at - f->low;
	return 0;
}

/* Clears the rest of a file part's last page. False: the file is shorter. */
static bool clear(uint64_t start, uint64_t end)
{
	static const uint8_t zeros[PAGE];

	return engine_copy((void *)(uintptr_t)start, zeros, end - start) == 0;
}

/* Maps a PT_LOAD: the file part, with the rest of its last page cleared, then fresh pages. */
static int map_segment(struct file *f, struct process *pr, const Elf64_Phdr *ph)
{
	uint64_t start = f->bias + (ph->p_vaddr & ~(PAGE - 1));
	uint64_t file_end = f->bias + ph->p_vaddr + ph->p_filesz;
	uint64_t end = round_up(f->bias + ph->p_vaddr + ph->p_memsz, PAGE);
	uint64_t mapped_end = ph->p_filesz ? round_up(file_end, PAGE) : start;
	int prot = protection(ph->p_flags);
	long r;

	if (ph->p_filesz) {
		r = sys6(SYS_mmap, start, mapped_end - start, prot, MAP_PRIVATE | MAP_FIXED, f->fd,
			 ph->p_offset & ~(PAGE - 1));
		if (sys_failed(r))
			return -1;
		mappings_set(start, mapped_end, (uint32_t)prot, false, true, false);
		if ((prot & PROT_WRITE) && ph->p_memsz > ph->p_filesz && (file_end & (PAGE - 1)) &&
		    !clear(file_end, mapped_end))
			return -1;
	}
	if (end > mapped_end) {
		r = sys6(SYS_mmap, mapped_end, end - mapped_end, prot,
			 MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(r))
			return -1;
		mappings_set(mapped_end, end, (uint32_t)prot, false, false, false);
	}
	if (prot & PROT_EXEC) {
		process_add_module(pr, start, end, ph->p_offset & ~(PAGE - 1), f->path, f->fd);
		modules_add(start, end, ph->p_offset & ~(PAGE - 1), f->fd, f->part, 0);
	}
	return 0;
}

static int map_file(struct file *f, struct process *pr, const char **why)
{
	if (read_headers(f, why) != 0 || place(f, why) != 0)
		return -1;
	for (uint32_t i = 0; i < f->eh.e_phnum; i++)
		if (f->ph[i].p_type == PT_LOAD && map_segment(f, pr, &f->ph[i]) != 0) {
			*why = NULL;
			return -1;
		}
	return 0;
}

static int find_interpreter(struct file *f, struct image *image, const char **why)
{
	for (uint32_t i = 0; i < f->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &f->ph[i];

		if (ph->p_type == PT_GNU_STACK)
			image->exec_stack = ph->p_flags & PF_X;
		if (ph->p_type != PT_INTERP)
			continue;
		if (ph->p_filesz < 2 || ph->p_filesz > sizeof f->interpreter ||
		    read_at(f->fd, f->interpreter, ph->p_filesz, ph->p_offset) != 0 ||
		    f->interpreter[ph->p_filesz - 1] != 0) {
			*why = "names no proper interpreter";
			return -1;
		}
	}
	return 0;
}

static uint64_t phdr_address(const struct file *f)
{
	for (uint32_t i = 0; i < f->eh.e_phnum; i++)
		if (f->ph[i].p_type == PT_LOAD && f->eh.e_phoff >= f->ph[i].p_offset &&
		    f->eh.e_phoff < f->ph[i].p_offset + f->ph[i].p_filesz)
			return f->bias + f->ph[i].p_vaddr + f->eh.e_phoff - f->ph[i].p_offset;
	return 0;
}

static void find_bounds(const struct file *f, struct image *image)
{
	image->start_code = UINT64_MAX;
	for (uint32_t i = 0; i < f->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &f->ph[i];
		const uint64_t start = f->bias + ph->p_vaddr, end = start + ph->p_filesz;

		if (ph->p_type != PT_LOAD)
			continue;
		if ((ph->p_flags & PF_X) && start < image->start_code)
			image->start_code = start;
		if ((ph->p_flags & PF_X) && end > image->end_code)
			image->end_code = end;
		if (start > image->start_data)
			image->start_data = start;
		if (end > image->end_data)
			image->end_data = end;
	}
}

int load_program(struct process *p, int fd, struct image *image, const char **why)
{
	static struct file program, interpreter; /* too large for a stack; start-up only */

	program.fd = fd;
	program.part = MODULE_PROGRAM;
	interpreter.part = MODULE_INTERPRETER;
	*image = (struct image){0};
	if (map_file(&program, p, why) != 0 || find_interpreter(&program, image, why) != 0)
		return -1;
	find_bounds(&program, image);
	image->heap = program.eh.e_type == ET_EXEC ? program.high : 0;
	image->entry = program.bias + program.eh.e_entry;
	image->start = image->entry;
	image->phdr = phdr_address(&program);
	image->phnum = program.eh.e_phnum;
	image->phent = sizeof(Elf64_Phdr);
	if (!program.interpreter[0])
		return 0;
	interpreter.fd = (int)sys3(SYS_open, program.interpreter, O_RDONLY | O_CLOEXEC, 0);
	if (interpreter.fd < 0) {
		*why = "names an interpreter that is not there";
		return -1;
	}
	if (map_file(&interpreter, p, why) != 0)
		return -1;
	sys1(SYS_close, interpreter.fd);
	image->interpreter_base = interpreter.bias;
	image->start = interpreter.bias + interpreter.eh.e_entry;
	return 0;
}
